"""Boundaries: what the graph holds of a context that was replaced."""

from __future__ import annotations

import json
from pathlib import Path

from muniment.model import records as r
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Boundary, Message, Text, View
from muniment.snapshot import Snapshot
from muniment.store import EvidenceStore
from tests.support.claude_lines import Transcript
from tests.support.codex_rollout import line, meta, said
from tests.support.graphs import SESSION, Story, folded
from tests.support.session_documents import openhands_folder

NO_TEXT = Text("")


def joined(snapshot: Snapshot, kind: EdgeKind, boundary: int = -1) -> list[tuple[str, str]]:
    """Return the records that a boundary is joined to, with what the edge says."""
    node = snapshot.of_kind(Boundary)[boundary]
    ends = [(snapshot.node(edge.target), edge.state) for edge in snapshot.edges_from(node.id, {kind})]
    return [(end.record, state) for end, state in ends if end is not None]


def boundary(story: Story, **fields: object) -> str:
    return story.add(r.ContextBoundary(id=f"b{len(story.records)}", by="compactor", session=SESSION, **fields))  # type: ignore[arg-type]


def summary(story: Story, text: str = "so far") -> str:
    return story.say(text, by="compactor", role="summary")


def test_what_stayed_and_what_left_is_joined_to_the_boundary() -> None:
    story = Story()
    kept, gone = story.say("keep me"), story.say("drop me", by="agent", role="answer")
    boundary(story, preserved=(kept, "no-such-record"), forgotten=(gone,), text="summed up")
    snapshot = story.snapshot()
    assert joined(snapshot, EdgeKind.KEPT) == [(kept, "preserved")]
    assert joined(snapshot, EdgeKind.FORGOT) == [(gone, "")]
    (node,) = snapshot.of_kind(Boundary)
    assert node.cut
    assert snapshot.text(node.text or NO_TEXT) == "summed up"


def test_a_boundary_that_failed_replaced_nothing() -> None:
    story = Story()
    kept = story.say("keep me")
    boundary(story, preserved=(kept,), outcome="failed")
    assert joined(story.snapshot(), EdgeKind.KEPT) == []


def test_a_summary_belongs_to_the_boundary_that_it_came_with_and_never_binds() -> None:
    story = Story()
    story.say("fix it")
    boundary(story)
    after = summary(story)
    story.say("go on", by="agent", role="answer")
    before = summary(story, "again")
    boundary(story)
    snapshot = story.snapshot()
    assert joined(snapshot, EdgeKind.KEPT, 0) == [(after, "summary")]
    assert joined(snapshot, EdgeKind.KEPT, 1) == [(before, "summary")]
    assert not any(message.binding for message in snapshot.of_kind(Message) if message.role == "summary")
    assert [node.record for node in snapshot.binding()] == ["m1"]


def test_a_packet_accepted_and_a_view_given_before_the_next_act_opened_the_context() -> None:
    story = Story()
    story.say("fix it")
    story.add(r.PacketProposed(id="p1", by="harness", session=SESSION))
    story.add(r.PacketAccepted(id="a1", by="harness", session=SESSION, packet="p1", checked=True))
    boundary(story)
    story.add(r.ViewEmitted(id="v1", by="harness", session=SESSION, ordinal=2))
    story.run("ls")
    story.say("done", by="agent", role="answer")
    story.add(r.ViewEmitted(id="v2", by="harness", session=SESSION, ordinal=2))
    assert joined(story.snapshot(), EdgeKind.KEPT) == [("p1", "packet"), ("v1", "view")]


def test_a_packet_accepted_long_before_opened_nothing() -> None:
    story = Story()
    story.add(r.PacketProposed(id="p1", by="harness", session=SESSION))
    story.add(r.PacketAccepted(id="a1", by="harness", session=SESSION, packet="p1", checked=True))
    story.say("working on", by="agent", role="answer")
    boundary(story)
    assert joined(story.snapshot(), EdgeKind.KEPT) == []


def test_the_view_that_came_with_a_packet_is_joined_once() -> None:
    story = Story()
    boundary(story)
    story.add(r.ViewEmitted(id="v1", by="harness", session=SESSION, ordinal=1))
    story.add(r.PacketProposed(id="p1", by="harness", session=SESSION))
    story.add(r.PacketAccepted(id="a1", by="harness", session=SESSION, packet="p1", view="v1", checked=True))
    snapshot = story.snapshot()
    assert joined(snapshot, EdgeKind.KEPT) == [("v1", "view"), ("p1", "packet")]
    assert len(snapshot.of_kind(View)) == 1


def test_what_stands_between_two_contexts_is_forgotten_with_the_next_act() -> None:
    story = Story()
    boundary(story)
    _, state = folded(story.records)
    assert state.crossings
    story.say("on I go", by="agent", role="answer")
    _, state = folded(story.records)
    assert not state.crossings


def test_lines_that_claude_code_preserved_are_the_calls_and_results_in_them(tmp_path: Path) -> None:
    told = Transcript().user("Fix it.").runs("toolu_1", "ls")
    uuids = ["00000001-0000-4000-8000-", "00000002-0000-4000-8000-"]
    whole = ["".join(line.split('"uuid": "')[1].split('"')[0]) for line in told.lines[1:3]]
    assert all(full.startswith(start) for full, start in zip(whole, uuids, strict=True))
    ends = {"headUuid": whole[0], "tailUuid": whole[1]}
    metadata = {"trigger": "auto", "preTokens": 9000, "preservedMessages": {"uuids": whole}, "preservedSegment": ends}
    told.lines.append(told.lines[0].replace('"type": "user"', '"type": "system", "subtype": "compact_boundary"'))
    told.lines[-1] = _with(told.lines[-1], uuid="b" * 8, compactMetadata=metadata)
    told.lines.append(_with(told.lines[0], uuid="c" * 8, isCompactSummary=True))
    snapshot = _snapshot(told.write(tmp_path / "session.jsonl"), tmp_path)
    (node,) = snapshot.of_kind(Boundary)
    assert (node.segment, node.tokens_before) == (("toolu_1", "toolu_1:result"), 9000)
    assert joined(snapshot, EdgeKind.KEPT) == [
        ("toolu_1", "preserved"),
        ("toolu_1:result", "preserved"),
        ("cccccccc", "summary"),
    ]


def test_a_codex_history_that_took_the_place_names_the_users_messages_that_stayed(tmp_path: Path) -> None:
    sealed = {"type": "compaction", "encrypted_content": "gAAA"}
    history = [said("user", "Fix it.")["payload"], said("developer", "Be brief.")["payload"], sealed]
    lines = [meta(), said("user", "Fix it."), said("user", "Quickly."), line("compacted", replacement_history=history)]
    path = tmp_path / "rollout.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    snapshot = _snapshot(path, tmp_path)
    (node,) = snapshot.of_kind(Boundary)
    texts = {m.record: inline_text(snapshot, m) for m in snapshot.of_kind(Message)}
    assert [texts[record] for record, _ in joined(snapshot, EdgeKind.KEPT)] == ["Fix it."]
    assert len(node.opaque) == 1
    assert "gAAA" not in node.opaque[0]


def test_events_that_openhands_forgot_are_the_calls_and_results_in_them(tmp_path: Path) -> None:
    snapshot = _snapshot(openhands_folder(tmp_path / "conversation"), tmp_path)
    assert [record for record, _ in joined(snapshot, EdgeKind.FORGOT)] == ["call2", "call2:result"]


def inline_text(snapshot: Snapshot, message: Message) -> str:
    return snapshot.text(message.text)


def _with(line: str, **fields: object) -> str:
    return json.dumps({**json.loads(line), **fields})


def _snapshot(path: Path, folder: Path) -> Snapshot:
    with EvidenceStore.open(folder / "store", create=True) as store:
        return store.snapshot(store.import_session(path).mission)
