"""A mission that holds one of everything that a packet must carry, in a store; and packets of it that are broken."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from muniment import EvidenceStore
from muniment.handoff.packet import Checked, Packet

SESSION = "S"

Place = tuple[EvidenceStore, str]
"""A store, and the mission in it."""


def told(kind: str, name: str, by: str = "user", **fields: object) -> dict[str, object]:
    """Return a record of the session."""
    return {"kind": kind, "id": name, "session": SESSION, "by": by, **fields}


EVERYTHING: tuple[dict[str, object], ...] = (
    told("session_opened", SESSION, "harness", workspace="w", root="/w", project="p"),
    told("message", "m1", text="Please fix the rounding, and keep the public API.", role="prompt"),
    told("fact_stated", "f0", text="Use port 80", **{"class": "environment"}),
    told("fact_stated", "f1", text="Never touch the schema", **{"class": "constraint"}),
    told("fact_stated", "f2", text="Use port 443", supersedes=["f0"], **{"class": "environment"}),
    told("task_stated", "t1", text="Fix rounding"),
    told("task_stated", "t2", text="Write the notes", depends_on=["t1"]),
    told("task_stated", "t3", text="Wipe the staging bucket"),
    told("task_moved", "t3s", "agent", task="t3", to="settled"),
    told("decision_made", "d1", "agent", choice="Use library alpha"),
    told("decision_made", "d2", "agent", choice="Use library beta", reason="alpha's key expired", supersedes=["d1"]),
    told("tool_returned", "w1", "agent", tool="write", path="src/rate.py", content="RATE = 1\n", effect="writes"),
    told(
        "tool_returned", "r1", "tool", tool="command", command="pytest", exit_code=1, output="1 failed", effect="none"
    ),
    told("claim_made", "c1", "agent", type="tests_pass", cites=["r1"], scope="suite"),
    told("message", "a1", "agent", text="I shall round half to even.", role="answer"),
    told("delegation_started", "g1", "agent", task="t2", child="k1", text="Audit the docs"),
    told("timer_armed", "i1", "agent", text="look at the build again"),
    told("question_opened", "q1", "agent", what="risk", text="Does anybody rely on the old rounding?"),
    told("tool_returned", "w2", "agent", tool="write", path="src/rate.py", content="RATE = 2\n", effect="writes"),
)
"""Records in order; `f0` and `d1` are superseded, `t3` is settled, `t2` waits for `t1`, the tests fail."""

COMPLETE: dict[str, object] = {
    "covers_to": "w2",
    "facts": ["m1", "f1", "f2"],
    "tasks": {"t1": "open", "t2": "open"},
    "delegations": ["g1"],
    "timers": ["i1"],
    "questions": ["q1"],
    "decisions": ["d2"],
    "next_actions": ["t1"],
}
"""A packet of it in which nothing is missing or wrong, as a compactor would state it."""


def opened(path: Path, records: Iterable[dict[str, object]] = EVERYTHING) -> tuple[EvidenceStore, str]:
    """Return a new store with one mission, and the mission."""
    store = EvidenceStore.open(path, create=True)
    store.record(list(records))
    return store, store.missions()[0].mission


def codes(checked: Checked) -> dict[str, tuple[str, ...]]:
    """Return the codes of what is wrong, with the ids of each."""
    return {problem.code: problem.ids for problem in checked.problems}


def changed(packet: Packet, **fields: object) -> Packet:
    """Return a packet with other fields."""
    return msgspec.structs.replace(packet, **fields)


def work(store: EvidenceStore, name: str) -> None:
    """One more thing is done."""
    store.record([told("tool_returned", name, "tool", tool="command", command="ls", exit_code=0, effect="none")])


def proposed(name: str, **fields: object) -> dict[str, object]:
    """Return a record that proposes the complete packet, with other fields where they are given."""
    return told("packet_proposed", name, "compactor", **{**COMPLETE, **fields})


def in_force(place: Place) -> str:
    """Return the record of the packet in force; "" for none."""
    store, mission = place
    packet = store.packet_in_force(mission)
    return "" if not packet else next(each.record for each in store.packets(mission) if each.id == packet)
