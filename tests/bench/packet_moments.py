"""The moments at which `packet_bench` measures, and what each knows: what lay before it, and what was done next.

* Boundaries: each real one of the recorded sessions at which something was handed over. Steps: before every 50th call
  of the root agent in all other sessions.
* The yardstick (`bench/next_action.py`) reads three formats itself. The others are read off the graph: calls with their
  commands, paths and (of edits, cut at 500 characters) arguments, results and messages.
* What was done next are the 20 next calls that read, search, run or change something. What each used is told by the
  yardstick's own anchors, over the history as it was at the moment; a call that used nothing of it is not counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

from muniment.handoff.boundaries import BoundaryReport, things_of
from muniment.model.nodes import Call, Message, Receipt
from muniment.snapshot import Snapshot

EVERY: Final = 50
NEXT: Final = 20
OWN_FORMATS: Final = ("claude-code", "codex", "mini-swe-agent")
FOLDERS: Final = (*OWN_FORMATS, "openhands", "opencode", "copilot-cli", "gemini-cli", "swe-agent", "aider")
_TOOLS: Final = {"command": "Bash", "read": "Read", "search": "Grep", "write": "Edit", "edit": "Edit"}
_OLD: Final = ("old_string", "old_str", "oldString")

Event = Any
Step = Any
"""Values of the yardstick's own classes, which are known only when it is loaded."""


class Moment(NamedTuple):
    """`ordinal`: the newest that is seen. `until`: up to where re-reads are looked at. `report`: of a boundary."""

    file: str
    session: str
    ordinal: int
    until: int
    steps: Sequence[Step]
    report: BoundaryReport | None


def events_of(bench: ModuleType, path: Path, snapshot: Snapshot) -> list[Event]:
    """Return a session as the yardstick's events."""
    if path.parent.name in OWN_FORMATS:
        return list(bench.parse(path))
    sessions = [session.session for session in snapshot.sessions()]
    things = [thing for session in sessions for thing in things_of(snapshot, session, "")]
    return [_event(bench, snapshot, thing) for thing in sorted(things, key=lambda thing: thing.ordinal)]


def moments_of(
    bench: ModuleType, path: Path, snapshot: Snapshot, reports: Sequence[BoundaryReport], most: int
) -> list[Moment]:
    """Return the moments of a session; of steps at most `most`, spread over it."""
    events = events_of(bench, path, snapshot)
    calls = {each.record: each for each in snapshot.of_kind(Call) if not each.agent}
    own = [place for place, event in enumerate(events) if event.kind == "call" and event.call_id in calls]
    real = [report for report in reports if report.compactor and not report.agent]
    if real:
        return [_at_boundary(bench, path, events, calls, own, report) for report in real]
    places = own[EVERY - 1 :: EVERY]
    places = places[:: max(len(places) // most, 1)][:most] if most else places
    return [_at_step(bench, path, snapshot, events, calls, own, place) for place in places]


def _at_boundary(
    bench: ModuleType,
    path: Path,
    events: list[Event],
    calls: dict[str, Call],
    own: Sequence[int],
    report: BoundaryReport,
) -> Moment:
    before = [place for place in own if calls[events[place].call_id].ordinal < report.ordinal]
    ahead = [place for place in own if report.ordinal < calls[events[place].call_id].ordinal <= report.until]
    last = before[-1] if before else 0
    known = {events[place].call_id for place in before}
    results = [place for place in range(last, len(events)) if events[place].call_id in known]
    history = events[: max(results, default=last) + 1]
    until = calls[events[ahead[99]].call_id].ordinal if len(ahead) > 100 else report.until
    steps = steps_for(bench, history, [events[place] for place in ahead])
    return Moment(path.name, report.session, report.ordinal - 1, until, steps, report)


def _at_step(
    bench: ModuleType,
    path: Path,
    snapshot: Snapshot,
    events: list[Event],
    calls: dict[str, Call],
    own: Sequence[int],
    place: int,
) -> Moment:
    call = calls[events[place].call_id]
    ahead = [other for other in own if other >= place]
    until = calls[events[ahead[EVERY]].call_id].ordinal if len(ahead) > EVERY else snapshot.ordinal
    turn = events[place].message
    start = next((n for n, event in enumerate(events) if turn and event.message == turn), place)
    steps = steps_for(bench, events[:start], [events[other] for other in ahead])
    return Moment(path.name, call.session, call.began - 1, until, steps, None)


def steps_for(bench: ModuleType, history: Sequence[Event], ahead: Sequence[Event]) -> list[Step]:
    """Return the yardstick's steps for the next acting calls, each over the same history."""
    visible, removed = _parts(bench, history)
    back, distance = 0, {}
    for place in range(len(visible) - 1, -1, -1):
        distance[place] = back
        back += visible[place].cost
    seen = bench.Lines({line for part in visible for line in part.every})
    steps = []
    for call in [event for event in ahead if event.tool in bench.ACTING][:NEXT]:
        anchors = list(_anchored(bench, call, visible, distance))
        if anchors:
            steps.append(bench.Step(call, anchors, visible, removed, set(), None, seen))
    return steps


def _anchored(
    bench: ModuleType, call: Event, visible: Sequence[Any], distance: dict[int, int]
) -> Iterable[tuple[str, str, int]]:
    for kind, text in bench.anchors_of(call):
        holders = [n for n, part in enumerate(visible) if text in (part.lines if kind == "line" else part.ids)]
        if holders and len(holders) <= max(3, 0.1 * len(visible)):
            yield kind, text, distance[holders[-1]]


def _parts(bench: ModuleType, history: Sequence[Event]) -> tuple[list[Any], set[str]]:
    parts: list[Any] = []
    removed: set[str] = set()
    pending: dict[str, Event] = {}
    for place, event in enumerate(history):
        if event.kind == "call":
            spoken = "\n".join(v if isinstance(v, str) else json.dumps(v) for v in event.args.values())
            parts += bench.parts_of(place, "call", f"{event.tool}\n{spoken[:6000]}")
            if event.tool in bench.EDITS or event.tool in ("Patch", "Write"):
                pending[event.call_id] = event
            continue
        edit = pending.pop(event.call_id, None) if event.kind == "result" else None
        if edit is not None and not event.failed:
            removed = bench.after_edit(removed, edit)
        if event.text.strip():
            parts += bench.parts_of(place, event.kind, event.text)
    return parts, removed


def _event(bench: ModuleType, snapshot: Snapshot, thing: Message | Call | Receipt) -> Event:
    if isinstance(thing, Message):
        return bench.Event("user" if thing.by == "user" else "assistant", snapshot.text(thing.text), message=thing.turn)
    if isinstance(thing, Receipt):
        call = snapshot.node(thing.call) if thing.call is not None else None
        text = "" if thing.output is None else snapshot.text(thing.output)
        ident = call.record if call is not None else ""
        return bench.Event("result", text, call_id=ident, failed=thing.status == "failed")
    given: dict[str, Any] = json.loads(snapshot.text(thing.arguments)) if thing.arguments is not None else {}
    tool = _TOOLS.get(thing.tool, "?")
    if tool == "Bash":
        given = {"command": "" if thing.command is None else snapshot.text(thing.command)}
    elif tool == "Edit":
        old = next((str(given[key]) for key in _OLD if key in given), "")
        given = {"file_path": thing.path or "", "old_string": old}
    elif thing.path is not None:
        given = {**given, "path": thing.path}
    return bench.Event("call", tool=tool, args=given, call_id=thing.record, message=thing.turn)
