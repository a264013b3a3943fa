"""Build: the packet of a mission, from the graph alone.

* The same snapshot, request and counter give the same bytes.
* What binds and what is open is as of `covers_to`; what came later is the tail.
* A packet builds on the one in force: what is older than that is carried only by what still holds of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from muniment.closeout.evidence import Evidence
from muniment.closeout.judge import ruling_on
from muniment.derive.texts import readable
from muniment.errors import UnknownIdError
from muniment.handoff.acceptance import in_force
from muniment.handoff.bounded import bounded
from muniment.handoff.covered import newest_record, ordinal_covered
from muniment.handoff.next_actions import next_actions
from muniment.handoff.packet import Owner, Packet, PacketItem
from muniment.handoff.parts import Part, Sources, words_of
from muniment.handoff.request import PacketRequest
from muniment.handoff.sections import binding as bound
from muniment.handoff.sections.absent import absent
from muniment.handoff.sections.claims import concluded, judged
from muniment.handoff.sections.failures import failures
from muniment.handoff.sections.files import files, newest_told, workspace_of
from muniment.handoff.sections.recent import large_outputs, tail, turns
from muniment.handoff.sections.settled import settled
from muniment.model.packing import writable
from muniment.selection.focus import focus_of
from muniment.selection.pieces import Desk
from muniment.selection.view import ViewRequest
from muniment.snapshot import LiveReads, Snapshot
from muniment.tokens import TokenCounter

Section = Callable[[Sources], Iterable[Part]]

SECTIONS: Final[tuple[Section, ...]] = (
    bound.binding,
    bound.tasks,
    bound.decisions,
    bound.delegations,
    bound.timers,
    bound.questions,
    bound.losses,
    tail,
    files,
    failures,
    absent,
    settled,
    turns,
    large_outputs,
)


def build(snapshot: Snapshot, request: PacketRequest, counter: TokenCounter, live: LiveReads | None = None) -> Packet:
    """Return the packet that a request asks for; `live` are reads of the same graph, where those cost less.

    Raises:
        BudgetInfeasibleError: what binds does not fit the budget; it says how many tokens would do.
        UnknownIdError: the mission has no such session or agent, or no record `covers_to`.
    """
    sources = sources_of(snapshot, request, counter, live)
    parts = parts_of(sources)
    frame = frame_of(sources, parts)
    return writable(bounded(sources.desk, frame, parts, sources.words))


def parts_of(sources: Sources) -> list[Part]:
    """Return all that a packet may carry."""
    parts = [part for section in SECTIONS for part in section(sources)]
    verdicts = judged(sources)
    parts += concluded(sources, verdicts)
    return [*parts, *next_actions(sources, parts, verdicts)]


def sources_of(
    snapshot: Snapshot, request: PacketRequest, counter: TokenCounter, live: LiveReads | None = None
) -> Sources:
    """Return what the packet is built from."""
    reads: LiveReads = snapshot if live is None else live
    later: LiveReads | None = None
    if request.covers_to is not None:
        ordinal = ordinal_covered(snapshot, request.covers_to)
        if not ordinal:
            raise UnknownIdError(request.covers_to, "a packet covers up to a record of the mission")
        later, snapshot = reads, snapshot.upto(ordinal)
        reads = snapshot
    focus = focus_of(reads, ViewRequest(session=request.session, agent=request.agent))
    base = in_force(snapshot, focus.session, focus.agent)
    return Sources(
        snapshot=snapshot,
        live=reads,
        desk=Desk(reads, counter, request.budget),
        focus=focus,
        request=request,
        evidence=Evidence(snapshot, ruling_on),
        later=later,
        words=words_of(request.focus),
        base=base,
        since=ordinal_covered(snapshot, base.covers_to) if base is not None else 0,
    )


def frame_of(sources: Sources, parts: Iterable[Part]) -> Packet:
    """Return the packet without its sections."""
    live, request, base, focus = sources.live, sources.request, sources.base, sources.focus
    models = [session.model for session in live.sessions() if session.session == focus.session and session.model]
    return Packet(
        mission=live.mission,
        base=base.id if base is not None else "",
        covers_to=newest_record(live),
        ordinal=live.ordinal,
        head=request.head,
        budget=request.budget,
        estimator=sources.desk.counter.name,
        focus=request.focus if request.provider is None else sources.shown(request.focus),
        owner=Owner(
            session=focus.session,
            agent=focus.agent,
            model=newest_told(sources).get("model", readable(models[-1] or "") if models else ""),
        ),
        workspace=workspace_of(sources),
        handles=handles_in(sources, parts, base.id if base is not None else ""),
    )


def handles_in(sources: Sources, parts: Iterable[Part], base: str) -> dict[str, str]:
    """Return the handles of what the parts cite, and of the packet that they build on."""
    items = [part.item for part in parts]
    cited = dict.fromkeys(each for item in items for each in item.cites)
    cited |= dict.fromkeys(each for item in items if isinstance(item, PacketItem) for each in item.after)
    cited |= dict.fromkeys([base] if base else [])
    nodes = [sources.live.node(each) or sources.snapshot.node(each) for each in cited]
    return {node.id: node.handle for node in nodes if node is not None}
