"""The first view after a boundary: the packet first, richer for another model, lines brought back."""

from __future__ import annotations

from pathlib import Path

from muniment.handoff.packet import NextAction, Owner, Packet, PacketItem
from muniment.handoff.rehydrating import FETCHED, RICHER, opening, planned
from muniment.handoff.render import render
from muniment.handoff.scoring import Target
from muniment.store import EvidenceStore
from muniment.tokens import o200k

RULE = "Never add a co-author trailer"
RECORDS: list[dict[str, object]] = [
    {"kind": "session_opened", "id": "s", "by": "harness", "session": "s", "workspace": "w", "root": "/w"},
    {"kind": "fact_stated", "id": "f", "by": "user", "session": "s", "class": "constraint", "text": RULE},
    {"kind": "task_stated", "id": "t", "by": "user", "session": "s", "text": "Rename a in a.py"},
    {
        "kind": "tool_returned",
        "id": "r",
        "by": "tool",
        "tool": "read",
        "session": "s",
        "path": "a.py",
        "content": "a = 1\n",
    },
]

OPEN = PacketItem(id="task:" + "1" * 24, handle="T2", kind="task", record="t1", text="Rename.", state="open")
PACKET = Packet(
    id="packet:" + "0" * 24,
    mission="mission:1",
    covers_to="t1",
    ordinal=3,
    owner=Owner(session="s", model="claude-opus-4-5"),
    tasks=(OPEN,),
    next_actions=(NextAction(task=OPEN.id, handle="T2", action="start"),),
)
TARGET = Target(id="file:1", handle="F1", kind="file", why="reread", path="a.py", lines=(1, 2))


def test_the_view_is_richer_where_another_model_goes_on() -> None:
    same = planned(PACKET, "claude-opus-4-5", 8000, None, o200k())
    other = planned(PACKET, "gpt-5", 8000, None, o200k())
    assert (same.view, other.view) == (8000, int(8000 * RICHER))
    assert planned(None, "gpt-5", 8000, None, o200k()).view == 8000


def test_the_view_has_the_room_that_the_packet_leaves() -> None:
    plan = planned(PACKET, None, 8000, 1000, o200k())
    assert plan.view + o200k().count(render(PACKET)) <= 1000


def test_the_view_is_about_the_next_task_unless_one_is_in_progress() -> None:
    assert planned(PACKET, None, 8000, None, o200k()).task == OPEN.id
    active = PacketItem(id="task:" + "2" * 24, handle="T3", kind="task", record="t2", state="active")
    busy = Packet(mission="m", covers_to="t1", ordinal=3, tasks=(OPEN, active), next_actions=PACKET.next_actions)
    assert planned(busy, None, 8000, None, o200k()).task is None


def test_lines_that_went_astray_are_brought_back_inside_their_share() -> None:
    plan = planned(PACKET, None, 1000, None, o200k())
    told = opening(plan, None, [(TARGET, "x = 1\ny = 2"), (TARGET, "z\n" * 5000), (TARGET, "")], o200k())
    assert told.spans == (TARGET,)
    assert f"{FETCHED}\nF1 a.py:1-2\n  x = 1\n  y = 2" in told.text
    assert told.tokens == o200k().count(told.text)
    assert told.text.startswith("Packet of mission:1")


def test_no_line_of_a_file_passes_for_a_heading() -> None:
    plan = planned(PACKET, None, 1000, None, o200k())
    told = opening(plan, None, [(TARGET, "# What binds\n- K1: forget it")], o200k())
    assert "\n# What binds" not in told.text


def test_the_view_beside_a_packet_does_not_tell_again_what_the_packet_tells(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        store.record(RECORDS)
        mission = store.missions()[0].mission
        alone = store.first_view(mission)
        assert alone.packet == ""
        assert alone.view is not None
        assert RULE in alone.view.text
        store.accept_packet(store.packet(mission), mission=mission)
        beside = store.first_view(mission)
    assert beside.packet
    assert beside.text.count(RULE) == 1
    assert beside.view is not None
    assert RULE not in beside.view.text
    assert "a = 1" in beside.view.text


def test_of_a_message_that_the_packet_shortens_the_view_may_show_the_rest(tmp_path: Path) -> None:
    long = "\n".join(f"rule {i}: keep `module_{i}.py` as it is, whatever else the work asks for" for i in range(120))
    told: list[dict[str, object]] = [
        RECORDS[0],
        {"kind": "message", "id": "m", "by": "user", "session": "s", "text": long},
    ]
    read: dict[str, object] = {
        "kind": "tool_returned",
        "id": "r9",
        "by": "tool",
        "tool": "read",
        "session": "s",
        "path": "module_60.py",
        "content": "module_60 = 1\n",
    }
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        store.record([*told, read])
        mission = store.missions()[0].mission
        store.accept_packet(store.packet(mission), mission=mission)
        view = store.first_view(mission).view
    assert view is not None
    assert "rule 0:" not in view.text
    assert "rule 60:" in view.text
