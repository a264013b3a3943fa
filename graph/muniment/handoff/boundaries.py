"""Boundary reports: what was in an agent's context before it was replaced and after, and what became of what binds.

* Before: what the agent said, called, was told and got back since its last boundary, and what that one left. After: all
  of it but what the source names as forgotten, where it names that; else what it names as preserved, and the summary.
* Tokens are the source's own where it tells them; else those of the texts on record, and the report says so.
* Something that binds was carried `by_id` (it stayed, or the packet holds it), is `quoted` whole or `begun` in the
  summary, `reloaded` by the harness (an instruction file), or is `absent`. Where only the provider can read what came
  through, what is not seen is `unknown`, not absent.
* A restart, a context that somebody cleared, and a rewind are boundaries without a compactor: nothing was handed over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from muniment.derive.boundaries import PACKET, PRESERVED, SUMMARY, VIEW
from muniment.model.edges import Edge, EdgeKind
from muniment.model.nodes import (
    INSTRUCTIONS,
    AnyNode,
    Boundary,
    Call,
    Event,
    Fact,
    Message,
    Mission,
    Packet,
    Receipt,
    Task,
    kind_of,
)
from muniment.model.nodes import text_of as body_of
from muniment.model.packing import writable
from muniment.snapshot import Snapshot
from muniment.tokens import TokenCounter

BY_ID, QUOTED, BEGUN, RELOADED, ABSENT, UNKNOWN = "by_id", "quoted", "begun", "reloaded", "absent", "unknown"
"""How something that binds came over a boundary."""

DONE: Final = "done"
REWIND: Final = "rewind"
BEGINNING: Final = 120
"""Characters of a long text whose presence says that the summary began to quote it."""

Thing = Message | Call | Receipt


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """What a context held, as far as is known: node ids in causal order, and tokens. `told`: by the source itself."""

    nodes: tuple[str, ...]
    tokens: int
    told: bool

    @property
    def said(self) -> str:
        """Return how many tokens there are, and whether they were only counted."""
        return f"{self.tokens:,}{'' if self.told else ' counted'}"


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """Something that bound at a boundary, and how it came over."""

    id: str
    handle: str
    kind: str
    record: str
    how: str


class BoundaryReport(msgspec.Struct, frozen=True, kw_only=True):
    """One boundary. `by` wrote what took the context's place (`compactor`: its name for scores, "" where nobody did).

    `packet` and `views` opened the next context: node ids. `opaque`: how many items only their provider can read.
    `forgotten`: what left, as the source says. `until`: the ordinal of the next boundary of that agent, or of the end.
    """

    id: str
    handle: str
    record: str
    session: str
    agent: str
    ordinal: int
    until: int
    clock: str | None
    by: str
    compactor: str
    model: str
    trigger: str
    outcome: str
    before: Content
    after: Content
    summary: str
    forgotten: tuple[str, ...]
    opaque: int
    binding: tuple[Carried, ...]
    packet: str
    views: tuple[str, ...]

    def count(self, how: str) -> int:
        """Return how many of the things that bound came over in this way."""
        return sum(item.how == how for item in self.binding)


def boundary_reports(snapshot: Snapshot, counter: TokenCounter) -> list[BoundaryReport]:
    """Return a report for each boundary of a mission, in causal order."""
    found: list[BoundaryReport] = []
    by_agent: dict[tuple[str, str], list[Boundary]] = defaultdict(list)
    for boundary in snapshot.of_kind(Boundary):
        by_agent[boundary.session, boundary.agent].append(boundary)
    for key, boundaries in by_agent.items():
        found += _of_agent(_Reader(snapshot, counter), things_of(snapshot, *key), boundaries)
    return sorted(found, key=lambda report: report.ordinal)


def things_of(snapshot: Snapshot, session: str, agent: str) -> list[Thing]:
    """Return what an agent was told, said, called and got back, in causal order."""
    kinds: Iterable[Sequence[Thing]] = (snapshot.of_kind(Message), snapshot.of_kind(Call), snapshot.of_kind(Receipt))
    own = (thing for things in kinds for thing in things if (thing.session, thing.agent) == (session, agent))
    return sorted(own, key=lambda thing: (thing.ordinal, thing.id))


def squeezed(text: str) -> str:
    """Return a text without what layout does to it: white space, marks of quotes and lists."""
    return " ".join("".join(" " if char in "\"'`*>“”" else char for char in text).split())


def _of_agent(reader: _Reader, things: Sequence[Thing], boundaries: Sequence[Boundary]) -> list[BoundaryReport]:
    reports: list[BoundaryReport] = []
    held: list[Thing] = []
    since = 0
    for place, boundary in enumerate(boundaries):
        held += [thing for thing in things if since < thing.ordinal < boundary.ordinal]
        ends = boundaries[place + 1].ordinal if place + 1 < len(boundaries) else reader.snapshot.ordinal
        kept = reader.kept(boundary, held)
        reports.append(reader.report(boundary, held, kept, ends))
        held, since = kept, boundary.ordinal
    return reports


class _Reader:
    """Reads what the graph tells of boundaries."""

    def __init__(self, snapshot: Snapshot, counter: TokenCounter) -> None:
        self.snapshot = snapshot
        self._counter = counter

    def kept(self, boundary: Boundary, held: Sequence[Thing]) -> list[Thing]:
        """Return what of a context stayed, and the summary that came."""
        if boundary.outcome != DONE:
            return list(held)
        if boundary.cut:
            return self._without(boundary, held)
        stayed = {edge.target for edge in self._edges(boundary, PRESERVED)} | self._segment(boundary, held)
        return [thing for thing in held if thing.id in stayed] + self._summaries(boundary)

    def report(self, boundary: Boundary, held: list[Thing], kept: list[Thing], until: int) -> BoundaryReport:
        """Return the report of a boundary."""
        packets = [edge.target for edge in self._edges(boundary, PACKET)]
        gone = [edge.target for edge in self.snapshot.edges_from(boundary.id, {EdgeKind.FORGOT})]
        told = BoundaryReport(
            id=boundary.id,
            handle=boundary.handle,
            record=boundary.record,
            session=boundary.session,
            agent=boundary.agent,
            ordinal=boundary.ordinal,
            until=until,
            clock=boundary.clock,
            by=boundary.by,
            compactor=self._compactor(boundary, packets),
            model=boundary.model or self._model(boundary),
            trigger=boundary.trigger or "",
            outcome=boundary.outcome,
            before=self._content(held, boundary.tokens_before),
            after=self._content(kept, boundary.tokens_after, self.summary(boundary) if boundary.text else ""),
            summary=next((message.id for message in self._summaries(boundary)), boundary.id if boundary.text else ""),
            forgotten=tuple(gone),
            opaque=len(boundary.opaque),
            binding=self._binding(boundary, kept, packets) if boundary.outcome == DONE else (),
            packet=packets[-1] if packets else "",
            views=tuple(edge.target for edge in self._edges(boundary, VIEW)),
        )
        return writable(told)

    def summary(self, boundary: Boundary) -> str:
        """Return the words that took the context's place."""
        own = [] if boundary.text is None else [self.snapshot.text(boundary.text)]
        return "\n".join([*own, *(self.snapshot.text(message.text) for message in self._summaries(boundary))])

    def _without(self, boundary: Boundary, held: Sequence[Thing]) -> list[Thing]:
        gone = {edge.target for edge in self.snapshot.edges_from(boundary.id, {EdgeKind.FORGOT})}
        if boundary.trigger == REWIND:
            first = min((thing.ordinal for thing in held if thing.id in gone), default=boundary.ordinal)
            return [thing for thing in held if thing.ordinal < first]
        return [thing for thing in held if thing.id not in gone] + self._summaries(boundary)

    def _segment(self, boundary: Boundary, held: Sequence[Thing]) -> set[str]:
        ends = [node for name in boundary.segment or () for node in self.snapshot.named(name)]
        if not ends:
            return set()
        first, last = min(node.ordinal for node in ends), max(node.ordinal for node in ends)
        return {thing.id for thing in held if first <= thing.ordinal <= last}

    def _summaries(self, boundary: Boundary) -> list[Message]:
        nodes = (self.snapshot.node(edge.target) for edge in self._edges(boundary, SUMMARY))
        return [node for node in nodes if isinstance(node, Message)]

    def _edges(self, boundary: Boundary, what: str) -> list[Edge]:
        return [e for e in self.snapshot.edges_from(boundary.id, {EdgeKind.KEPT}) if e.state == what]

    def _content(self, things: Sequence[Thing], told: int | None, more: str = "") -> Content:
        nodes = tuple(thing.id for thing in things)
        if told is not None:
            return Content(nodes=nodes, tokens=told, told=True)
        texts = (self._shown(thing) for thing in things)
        return Content(nodes=nodes, tokens=sum(map(self._counter.count, (*texts, more))), told=False)

    def _shown(self, thing: Thing) -> str:
        if isinstance(thing, Message):
            return self.snapshot.text(thing.text)
        if isinstance(thing, Receipt):
            return "" if thing.output is None else self.snapshot.text(thing.output)
        texts = [self.snapshot.text(text) for text in (thing.command, thing.arguments) if text is not None]
        return "\n".join([thing.name, *texts])

    def _compactor(self, boundary: Boundary, packets: Sequence[str]) -> str:
        for node in map(self.snapshot.node, packets):
            if isinstance(node, Packet):
                return node.compactor or "muniment"
        handed = boundary.text is not None or boundary.opaque or boundary.cut or self._edges(boundary, SUMMARY)
        if boundary.trigger == REWIND or not (handed or self._edges(boundary, PRESERVED)):
            return ""
        mission = next(iter(self.snapshot.of_kind(Mission)), None)
        return (mission.format if mission is not None else "").partition("/")[0] or boundary.by

    def _model(self, boundary: Boundary) -> str:
        own = (boundary.session, boundary.agent)
        then = [e for e in self.snapshot.of_kind(Event) if e.what == "model" and (e.session, e.agent) == own]
        now = [event.now for event in then if event.ordinal < boundary.ordinal and event.now]
        opened = (session.model for session in self.snapshot.sessions() if session.session == boundary.session)
        return now[-1] if now else next((model for model in opened if model), "")

    def _binding(self, boundary: Boundary, kept: Sequence[Thing], packets: Sequence[str]) -> tuple[Carried, ...]:
        then = self.snapshot.upto(boundary.ordinal - 1)
        stayed = {thing.id for thing in kept} | _in_packets(self.snapshot, packets)
        words = squeezed(self.summary(boundary))
        items: list[Fact | Message | Task] = [*then.binding(), *then.open_tasks()]
        own = [item for item in items if not isinstance(item, Message | Task) or item.session == boundary.session]
        return tuple(
            Carried(
                id=item.id,
                handle=item.handle,
                kind=kind_of(item),
                record=item.record,
                how=self._how(item, stayed, words, sealed=bool(boundary.opaque)),
            )
            for item in own
        )

    def _how(self, item: Fact | Message | Task, stayed: set[str], words: str, *, sealed: bool) -> str:
        if item.id in stayed or item.record in stayed:
            return BY_ID
        if isinstance(item, Fact) and item.class_ == INSTRUCTIONS:
            return RELOADED
        body = body_of(item)
        text = squeezed(self.snapshot.text(body)) if body is not None else ""
        if (text and text in words) or item.record in words or item.id in words:
            return QUOTED
        if len(text) > BEGINNING and text[:BEGINNING] in words:
            return BEGUN
        return UNKNOWN if sealed else ABSENT


def _in_packets(snapshot: Snapshot, packets: Sequence[str]) -> set[str]:
    """Return the ids that packets carry: of facts, messages and tasks."""
    nodes: Iterable[AnyNode | None] = map(snapshot.node, packets)
    held = [node for node in nodes if isinstance(node, Packet)]
    return {each for node in held for each in (*node.facts, *(node.tasks or {}), *node.tail)}
