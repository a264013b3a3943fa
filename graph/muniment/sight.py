"""Sight: what an agent has seen of a file as it is now, and whether it may change it. Pure, over a snapshot.

* A line counts as seen where its agent was shown it, or wrote it, and it has not changed since. What children saw their
  parents have not seen, and the other way round.
* Before a change two things matter: lines that would be written over unseen, and a base that has changed since its
  agent last saw the file. Where only some lines are to be changed, changes that left these lines what and where they
  were do not count.
* What only a withdrawn receipt showed counts as not seen.
* Nothing is said against a file that the record does not know, or that is known to be gone.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.closeout.evidence import Evidence
from muniment.current import still_shown
from muniment.derive.carrying import Interval, Segments, clipped, intervals
from muniment.derive.coverage import LOST, Moment, agent_key, lineage, moments, seen_now
from muniment.errors import AmbiguousIdError, UnknownIdError, UsageError
from muniment.model.nodes import Agent, Event, Excerpt, File, FileVersion, Mission, Node, Receipt
from muniment.model.packing import writable
from muniment.snapshot import Snapshot

OpenInterval = tuple[int, int | None]
"""Lines, 1-based and inclusive; a last line of None stands for the end of a file whose length is not known."""


class SeenLines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of the current version that an agent has seen, and the newest receipt that showed them."""

    first: int
    last: int
    receipt: str
    handle: str
    record: str


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent has seen of a file as it is now; `version` is the FileVersion, "" where none is known.

    `total_lines` is None where the length is not known. A file that is gone has no lines.
    """

    path: str
    file: str
    session: str
    agent: str
    version: str
    grade: str
    total_lines: int | None
    seen: tuple[SeenLines, ...]
    unseen: tuple[OpenInterval, ...]


class BaseChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a file since its agent last saw it: what made it, or showed that it had been made.

    `by` is the author of the record; `session` and `agent` tell who worked, where somebody did.
    """

    id: str
    handle: str
    record: str
    ordinal: int
    by: str
    session: str
    agent: str


class WriteCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an agent knows what it is about to change.

    `ok` is false where lines are `unseen` or the base is stale. `receipts` showed the lines that it has seen.
    `reasons`: not_on_record, gone, never_seen, unseen_lines, stale_base, effect_unknown. The last alone refuses
    nothing: `doubt` is the newest thing of unknown effect since.
    """

    path: str
    agent: str
    lines: Interval | None
    ok: bool
    unseen: tuple[OpenInterval, ...] = ()
    stale_base: tuple[BaseChange, ...] = ()
    receipts: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    doubt: BaseChange | None = None


def coverage(snapshot: Snapshot, path: str, agent: str = "") -> Coverage:
    """Return what an agent has seen of a file.

    Raises:
        UnknownIdError: no file, or no agent, of this name is on record.
        AmbiguousIdError: several files are.
    """
    file = _file(snapshot, path)
    if file is None:
        raise UnknownIdError(path, "no such file is on record")
    session, name = _agent(snapshot, agent)
    seen = seen_now(snapshot, list(moments(snapshot, file.id)))
    mine = still_shown(snapshot, seen.get(agent_key(session, name), ()))
    state, version = snapshot.ledger(file.id), _version(snapshot, file)
    total = 0 if version is not None and version.grade == "absent" else state.total if state is not None else None
    found = Coverage(
        path=file.path,
        file=file.id,
        session=session,
        agent=name,
        version=version.id if version is not None else "",
        grade=version.grade if version is not None else "",
        total_lines=total,
        seen=_seen_lines(snapshot, mine),
        unseen=_unseen(mine, 1, total),
    )
    return writable(found)


def check_write(snapshot: Snapshot, agent: str, path: str, lines: Interval | None = None) -> WriteCheck:
    """Return whether an agent has seen what it is about to change: all of a file, or some lines as they are now.

    Raises:
        UnknownIdError: no agent of this name is on record.
        AmbiguousIdError: several files have this name.
        UsageError: `lines` is no interval.
    """
    if lines is not None and not 1 <= lines[0] <= lines[1]:
        raise UsageError(f"lines {lines[0]}-{lines[1]} is no interval: count from 1, first before last")
    session, name = _agent(snapshot, agent)
    file = _file(snapshot, path)
    told = list(moments(snapshot, file.id)) if file is not None else []
    if file is None or not told:
        return WriteCheck(path=path, agent=name, lines=lines, ok=True, reasons=("not_on_record",))
    return writable(_checked(snapshot, file, told, (session, name), lines))


def _checked(
    snapshot: Snapshot, file: File, told: list[Moment], who: tuple[str, str], lines: Interval | None
) -> WriteCheck:
    key, state = agent_key(*who), told[-1].after
    first, last = lines or (1, None)
    version = _version(snapshot, file)
    gone = version is not None and version.grade == "absent"
    mine = clipped(still_shown(snapshot, seen_now(snapshot, told).get(key, ())), first, last)
    end = 0 if gone else state.total if last is None or state.total is None else min(last, state.total)
    unseen = _unseen(mine, first, last if end is None else end)
    since = last_sight(snapshot, told, key)
    stale = _base_changes(snapshot, told, key, since, lines) if since else ()
    doubt = _doubt(snapshot, since, who[0])
    reasons = {
        "gone": gone,
        "never_seen": not since and bool(unseen),
        "unseen_lines": bool(since and unseen),
        "stale_base": bool(stale),
        "effect_unknown": doubt is not None,
    }
    return WriteCheck(
        path=file.path,
        agent=who[1],
        lines=lines,
        ok=not unseen and not stale,
        unseen=unseen,
        stale_base=stale,
        receipts=tuple(dict.fromkeys(seen.receipt for seen in _seen_lines(snapshot, mine))),
        reasons=tuple(reason for reason, holds in reasons.items() if holds),
        doubt=doubt,
    )


def last_sight(snapshot: Snapshot, told: Iterable[Moment], key: str) -> int:
    """Return the ordinal at which an agent, or what it was forked from, last saw or wrote a file; 0 for never."""
    ancestors = lineage(snapshot, key)
    return max(
        (
            moment.ordinal
            for moment in told
            if moment.ordinal <= ancestors.get(moment.agent, 0) and (moment.how != LOST or _is_gone(snapshot, moment))
        ),
        default=0,
    )


def _base_changes(
    snapshot: Snapshot, told: list[Moment], key: str, since: int, lines: Interval | None
) -> tuple[BaseChange, ...]:
    """Return the changes since an agent's last sight; for some lines, only if they are not what and where they were."""
    changed = [moment for moment in told if moment.changed and moment.ordinal > since]
    if changed and lines is not None:
        then = next(moment.seen for moment in reversed(told) if moment.ordinal <= since)
        was = clipped(next((then[who] for who in lineage(snapshot, key) if who in then), ()), *lines)
        if was == clipped(seen_now(snapshot, told).get(key, ()), *lines):
            return ()
    nodes = [snapshot.node(moment.cause) for moment in changed]
    return tuple(_base_change(node, moment.ordinal) for node, moment in zip(nodes, changed, strict=True))


def _base_change(node: Node | None, ordinal: int) -> BaseChange:
    return BaseChange(
        id=node.id if node is not None else "",
        handle=node.handle if node is not None else "",
        record=node.record if node is not None else "",
        ordinal=ordinal,
        by=node.by if isinstance(node, Receipt) else "unknown",
        session=node.session if isinstance(node, Receipt | Event) else "",
        agent=node.agent if isinstance(node, Receipt) else "",
    )


def _doubt(snapshot: Snapshot, since: int, session: str) -> BaseChange | None:
    """Return the newest thing since an ordinal that may have changed any file."""
    changes = Evidence(snapshot).changes
    place = changes.workspace(session)
    for change in reversed(changes.all if since else []):
        here = not change.workspace or not place or place == change.workspace
        if here and max(change.ordinal, change.until) > since and change.blind and not change.around:
            return _base_change(snapshot.node(change.cause), change.ordinal)
    return None


def _is_gone(snapshot: Snapshot, moment: Moment) -> bool:
    version = snapshot.node(moment.after.version)
    return isinstance(version, FileVersion) and version.grade == "absent"


def _seen_lines(snapshot: Snapshot, segments: Segments) -> tuple[SeenLines, ...]:
    found: list[SeenLines] = []
    for segment in segments:
        excerpt = snapshot.node(segment.excerpt)
        receipt = snapshot.node(excerpt.receipt) if isinstance(excerpt, Excerpt) else None
        if receipt is None:
            continue
        first = segment.start
        if found and found[-1].receipt == receipt.id and found[-1].last + 1 == first:
            first = found.pop().first
        found.append(
            SeenLines(
                first=first, last=segment.stop - 1, receipt=receipt.id, handle=receipt.handle, record=receipt.record
            )
        )
    return tuple(found)


def _unseen(segments: Segments, first: int, last: int | None) -> tuple[OpenInterval, ...]:
    """Return which of lines `first`..`last` no segment holds; `last` None is an end that nobody knows."""
    found: list[OpenInterval] = []
    for begin, end in intervals(segments):
        if begin > first:
            found.append((first, begin - 1))
        first = max(first, end + 1)
    if last is None or first <= last:
        found.append((first, last))
    return tuple(found)


def _version(snapshot: Snapshot, file: File) -> FileVersion | None:
    state = snapshot.ledger(file.id)
    node = snapshot.node(state.version) if state is not None and state.version else None
    return node if isinstance(node, FileVersion) else None


def _file(snapshot: Snapshot, path: str) -> File | None:
    named = [node for node in snapshot.named(path) if isinstance(node, File)]
    found = named or Evidence(snapshot).files_named(path, "")
    if len(found) > 1:
        raise AmbiguousIdError(path, tuple(file.path for file in found))
    return found[0] if found else None


def _agent(snapshot: Snapshot, agent: str) -> tuple[str, str]:
    """Return (session, name) of an agent: "" is the root agent, else a child's name, or an Agent's id or handle."""
    root = next((mission.root_session for mission in snapshot.of_kind(Mission)), "")
    if not agent:
        return root, ""
    known = [node for node in snapshot.of_kind(Agent) if agent in (node.agent, node.id, node.handle)]
    if not known:
        raise UnknownIdError(agent, "no such agent is on record")
    return known[-1].session, known[-1].agent
