"""Coverage: which lines of a file's current version each agent has seen, told step by step from the file's ledger.

* An agent has seen what a tool showed it and what it wrote itself. What the harness told beside that (a file as it was
  before an edit, what somebody else made of it) and lines that it cut for the model, nobody has seen.
* An edit moves the lines that it leaves; lines that it took out are seen by nobody, those that it put in by its author.
* A read that agrees with all that is known moves nothing. One that does not tells of a change outside our sight: of
  other lines than it showed nobody knows any more whether they are as they were.
* A whole text (a write, a file as it was before an edit) is compared with what was known: unchanged lines stay seen.
* After a change of which nobody knows what it did, nothing is seen. A whole content that comes back brings back what
  was seen of it. A renamed file is the same content; a fork has seen what its parent had seen when it was forked.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from muniment.derive.carrying import (
    ALL_STAY,
    Runs,
    Segments,
    by_source,
    by_text,
    carried,
    in_place,
    laid_over,
    parts_without,
)
from muniment.derive.texts import split_lines
from muniment.model.edges import EdgeKind
from muniment.model.ledger import NOTHING_KNOWN, LedgerState, Segment
from muniment.model.nodes import EDITED, SHOWN, TOLD, WRITTEN, Event, Excerpt, File, FileVersion, Receipt, Session
from muniment.snapshot import Snapshot

ANYBODY = "*"
"""Stands for what the record knows of the current version, whoever saw it or told it."""
LOST = "lost"
"""The step left nothing known: a change without its content, a deletion, bytes that are no text."""

Seen = dict[str, Segments]
"""Agent (see `agent_key`), or an excerpt that is followed → the lines of the file as it is then, with their sources."""


class Moment(NamedTuple):
    """One step of a file's history."""

    ordinal: int
    how: str
    cause: str
    """The receipt or event, "" where none is known."""
    agent: str
    """Who saw or wrote; "" for nobody."""
    changed: bool
    """Whether the content is another one than before, as far as is known."""
    before: LedgerState
    after: LedgerState
    seen_before: Seen
    seen: Seen
    runs: Runs


def agent_key(session: str, agent: str) -> str:
    """Return the name under which an agent's sights are kept."""
    return f"{session}\n{agent}"


def moments(snapshot: Snapshot, file: str, follow: Collection[str] = ()) -> Iterator[Moment]:
    """Yield what happened to a file, in order; `follow` are excerpts whose lines are kept track of, each by its id."""
    return _Telling(snapshot, file, frozenset(follow), snapshot.ordinal).all()


def standing(snapshot: Snapshot, file: str) -> Segments:
    """Return the lines of a file that are known as it is now: what anybody had seen of it after the last of `moments`.

    Looks no further back than to the newest step that showed or wrote the whole file: what was known before tells no
    more of it.
    """
    states = snapshot.observations(file)
    first = next((place for place in reversed(range(len(states))) if _tells_all(snapshot, file, *states[place])), 0)
    told = _Telling(snapshot, file, frozenset(), snapshot.ordinal).all(states[first:])
    last = next(iter(deque(told, maxlen=1)), None)
    return last.seen.get(ANYBODY, ()) if last is not None else ()


def _tells_all(snapshot: Snapshot, file: str, ordinal: int, state: LedgerState) -> bool:
    """Tell whether a step showed or wrote each line of a file, in one piece."""
    if not state.complete or len(state.segments) != 1:
        return False
    segment, node = state.segments[0], snapshot.node(state.segments[0].excerpt)
    whole = segment.start == 1 and segment.count == state.total
    return whole and isinstance(node, Excerpt) and (node.ordinal, node.file) == (ordinal, file)


def seen_now(snapshot: Snapshot, told: list[Moment]) -> Seen:
    """Return what each agent has seen of a file as it is now; `told` are all moments of the file."""
    if not told:
        return {}
    seen = dict(told[-1].seen)
    for fork, parent, ordinal in _forks(snapshot):
        before = [moment for moment in told if moment.ordinal < ordinal]
        if before and all(moment.ordinal < ordinal for moment in told):
            seen[fork] = seen.get(parent, ())
    return seen


def lineage(snapshot: Snapshot, key: str) -> dict[str, int]:
    """Return an agent and what it was forked from, each with the ordinal up to which its sights are the agent's."""
    found = {key: snapshot.ordinal}
    parents = {fork: (parent, ordinal) for fork, parent, ordinal in _forks(snapshot)}
    while key in parents and parents[key][0] not in found:
        parent, ordinal = parents[key]
        found[parent] = min(ordinal, found[key])
        key = parent
    return found


class _Telling:
    """The state between two steps."""

    def __init__(self, snapshot: Snapshot, file: str, follow: frozenset[str], upto: int) -> None:
        self._snapshot = snapshot
        self._file = file
        self._follow = follow
        self._upto = upto
        self._state = NOTHING_KNOWN
        self._seen: Seen = {}
        self._left: dict[str, Seen] = {}
        self._lines: dict[str, list[str]] = {}
        self._forks = _forks(snapshot)

    def all(self, states: Iterable[tuple[int, LedgerState]] | None = None) -> Iterator[Moment]:
        for ordinal, after in self._snapshot.observations(self._file) if states is None else states:
            if ordinal > self._upto:
                return
            self._fork(ordinal)
            fresh = self._fresh(after)
            if fresh and fresh[0][1].file != self._file:
                yield from self._renamed(ordinal, after)
            else:
                yield self._step(ordinal, after, fresh)

    def _step(self, ordinal: int, after: LedgerState, fresh: list[tuple[Segment, Excerpt]]) -> Moment:
        before, seen_before = self._state, self._seen
        cause = fresh[0][1].receipt if fresh else self._cause(ordinal)
        how = self._how(after, fresh)
        runs, agrees = self._runs(how, after, fresh)
        agent = self._agent(how, fresh, cause)
        seen = {who: carried(runs, segments) for who, segments in seen_before.items()}
        self._add(seen, agent, fresh)
        changed = self._changed(how, after, agrees, fresh, cause)
        if after.version != before.version:
            self._come_back(before, seen_before, after, seen)
        self._state, self._seen = after, seen
        return Moment(ordinal, how, cause, agent, changed, before, after, seen_before, seen, runs)

    def _how(self, after: LedgerState, fresh: list[tuple[Segment, Excerpt]]) -> str:
        if fresh:
            return fresh[0][1].how
        if after.segments or after.complete:
            return EDITED if after.version != self._state.version else SHOWN
        return LOST

    def _runs(self, how: str, after: LedgerState, fresh: list[tuple[Segment, Excerpt]]) -> tuple[Runs, bool]:
        """Return where known lines stand now, and whether the step agrees with all that was known."""
        if how == LOST:
            return (), False
        if how == EDITED or not fresh:
            return by_source(self._state.segments, after.segments), how != EDITED
        known = self._known()
        new = [(segment.start, self._text(segment)) for segment, _ in fresh]
        whole = after.complete and len(new) == 1 and len(new[0][1]) == after.total
        agrees = after.version == self._state.version or (
            self._state.total in (None, after.total)
            and all(
                old in (None, line)
                for first, lines in new
                for old, line in zip(known[first - 1 : first - 1 + len(lines)], lines, strict=False)
            )
        )
        if agrees and how != WRITTEN:
            return ALL_STAY, True
        if whole:
            return by_text(known, new[0][1]), agrees
        return tuple(run for first, lines in new for run in in_place(known, lines, first)), agrees

    def _changed(
        self, how: str, after: LedgerState, agrees: bool, fresh: list[tuple[Segment, Excerpt]], cause: str
    ) -> bool:
        if after.version == self._state.version:
            return False
        if how == SHOWN or (how == TOLD and not self._wrote(cause, fresh)):
            return not agrees
        return True

    def _wrote(self, cause: str, fresh: list[tuple[Segment, Excerpt]]) -> bool:
        """Tell whether a told text is what the file holds after a step, not what it held before."""
        edges = self._snapshot.edges_from(cause, {EdgeKind.WRITES})
        return any(edge.target == excerpt.of for edge in edges for _, excerpt in fresh)

    def _add(self, seen: Seen, agent: str, fresh: list[tuple[Segment, Excerpt]]) -> None:
        for segment, excerpt in fresh:
            seen[ANYBODY] = laid_over(seen.get(ANYBODY, ()), [segment])
            if agent:
                seen[agent] = laid_over(seen.get(agent, ()), parts_without(segment, excerpt.cut))
            if excerpt.id in self._follow:
                seen[excerpt.id] = laid_over(seen.get(excerpt.id, ()), [segment])

    def _come_back(self, before: LedgerState, seen_before: Seen, after: LedgerState, seen: Seen) -> None:
        """Remember what was seen of a whole content that is left; bring it back where that content comes back."""
        if _knows_all(before, seen_before) and self._is_whole(before.version):
            self._left[before.version] = seen_before
        earlier = self._left.get(after.version)
        if earlier is not None and _knows_all(after, seen):
            for who, segments in earlier.items():
                seen[who] = laid_over(segments, seen.get(who, ()))

    def _is_whole(self, version: str) -> bool:
        node = self._snapshot.node(version)
        return isinstance(node, FileVersion) and node.grade == "lines"

    def _fresh(self, after: LedgerState) -> list[tuple[Segment, Excerpt]]:
        """Return the segments whose source the ledger did not have before."""
        known = {segment.excerpt for segment in self._state.segments}
        found = []
        for segment in after.segments:
            node = self._snapshot.node(segment.excerpt) if segment.excerpt not in known else None
            if isinstance(node, Excerpt):
                found.append((segment, node))
        return found

    def _renamed(self, ordinal: int, after: LedgerState) -> Iterator[Moment]:
        """Yield the history of the file that was renamed into this one, then the step that did it."""
        source = next((f.id for f in self._snapshot.of_kind(File) if self._became(f.id, ordinal, after)), None)
        if source is not None:
            other = _Telling(self._snapshot, source, self._follow, ordinal - 1)
            yield from other.all()
            self._seen, self._state = other._seen, other._state
        before, seen = self._state, self._seen
        self._state = after
        cause = self._cause(ordinal)
        agent = self._agent(EDITED, [], cause)
        yield Moment(ordinal, EDITED, cause, agent, False, before, after, seen, seen, ALL_STAY)

    def _became(self, file: str, ordinal: int, after: LedgerState) -> bool:
        """Tell whether a file held a ledger's lines right before an ordinal, and nothing at it."""
        states = self._snapshot.observations(file) if file != self._file else []
        at = [state for when, state in states if when == ordinal]
        before = [state for when, state in states if when < ordinal]
        return bool(at and before) and not at[-1].segments and before[-1].segments == after.segments

    def _fork(self, ordinal: int) -> None:
        due = [each for each in self._forks if each[2] < ordinal]
        for fork, parent, _ in due:
            self._seen = {**self._seen, fork: self._seen.get(parent, ())}
        self._forks = self._forks[len(due) :]

    def _agent(self, how: str, fresh: list[tuple[Segment, Excerpt]], cause: str) -> str:
        if how == TOLD:
            return ""
        node = fresh[0][1] if fresh else self._snapshot.node(cause)
        return agent_key(node.session, node.agent) if isinstance(node, Excerpt | Receipt) else ""

    def _cause(self, ordinal: int) -> str:
        """Return the receipt or event that an ordinal made."""
        for kind in (Receipt, Event):
            nodes = self._snapshot.of_kind(kind)
            place = bisect_left(nodes, ordinal, key=lambda node: node.ordinal)
            if place < len(nodes) and nodes[place].ordinal == ordinal:
                return nodes[place].id
        return ""

    def _known(self) -> list[str | None]:
        segments = self._seen.get(ANYBODY, ())
        end = max(self._state.total or 0, segments[-1].stop - 1 if segments else 0)
        known: list[str | None] = [None] * end
        for segment in segments:
            lines = self._text(segment)
            known[segment.start - 1 : segment.start - 1 + len(lines)] = lines
        return known

    def _text(self, segment: Segment) -> list[str]:
        if segment.excerpt not in self._lines:
            node = self._snapshot.node(segment.excerpt)
            self._lines[segment.excerpt] = (
                split_lines(self._snapshot.text(node.text)) if isinstance(node, Excerpt) else []
            )
        return self._lines[segment.excerpt][segment.offset : segment.offset + segment.count]


def _knows_all(state: LedgerState, seen: Seen) -> bool:
    return state.total is not None and sum(segment.count for segment in seen.get(ANYBODY, ())) == state.total


def _forks(snapshot: Snapshot) -> list[tuple[str, str, int]]:
    """Return (fork's root agent, its parent's, ordinal) for each fork, by ordinal."""
    found = []
    for session in snapshot.of_kind(Session):
        for edge in snapshot.edges_to(session.id, {EdgeKind.PRECEDES}):
            parent = snapshot.node(edge.source)
            if isinstance(parent, Session):
                found.append((agent_key(session.session, ""), agent_key(parent.session, ""), session.ordinal))
    return found
