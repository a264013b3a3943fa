"""Queries: what can be asked.

* Whatever is out of sight gives the very answer that something gives which does not exist.
* `node` and `nodes` answer null for an id that names nothing; what cannot do without its id is an error `unknown_id`.
"""

from __future__ import annotations

from functools import partial

import strawberry

from muniment.errors import EvidenceError, UnknownIdError, UsageError
from muniment.model.edges import EdgeKind as DomainEdgeKind
from muniment.snapshot import ALL_EDGES
from muniment.views import Asked
from muniment_api.schema.answers import (
    Entry,
    GraphEdge,
    Neighbourhood,
    Rehydrated,
    SearchHit,
    View,
    entry_of,
    hit_of,
    rehydrated_of,
    view_of,
)
from muniment_api.schema.connections import Connection, PageRequest
from muniment_api.schema.context import Info
from muniment_api.schema.declare import made, said, told, typed
from muniment_api.schema.distilled import DistilledOutput, distilled_of
from muniment_api.schema.enums import EdgeKind, NodeKind, Way
from muniment_api.schema.inputs import ViewFocusInput, view_focus
from muniment_api.schema.limits import MOST, PAGE
from muniment_api.schema.missions import BY_KIND, QUIET, Mission, mission_of, nodes_page
from muniment_api.schema.nodes import Node, node_of
from muniment_api.schema.reasons import (
    Explanation,
    Reread,
    ViewDelta,
    WhyAnswer,
    delta_of,
    explanation_of,
    reread_of,
    why_of,
)
from muniment_api.schema.reports import CloseoutReport, ReportFormat, report_of
from muniment_api.schema.standing import (
    Absence,
    Coverage,
    Holding,
    WriteCheck,
    absence_of,
    check_of,
    coverage_of,
    holding_of,
)
from muniment_api.schema.verdicts import (
    ClaimExplanation,
    Closeout,
    Impact,
    Rule,
    claim_explanation_of,
    closeout_of,
    impact_of,
)

HOPS = 4
HITS = 20


@typed
class EntryPage:
    """Entries behind a position."""

    entries: list[Entry] = said("The entries, in order of position.")
    position: int = said("How far was looked: go on from here.")


@typed
class Query:
    """What can be asked, in the scope of the request."""

    @told
    def missions(self, info: Info, first: int = PAGE, after: strawberry.ID | None = None) -> list[Mission]:
        """The missions in sight, oldest first; `after` is the id of the last one that is known."""
        if not 0 <= first <= MOST:
            raise UsageError(f"a page has 0 to {MOST} missions, {first} were asked for")
        known = list(info.context.missions().values())
        if after is not None:
            start = info.context.mission(after).first_position
            known = [found for found in known if found.first_position > start]
        return [mission_of(found) for found in known[:first]]

    @told
    def mission(self, info: Info, id: strawberry.ID) -> Mission | None:
        """A mission by its id, or by its root session's; null where there is none."""
        try:
            return mission_of(info.context.mission(id))
        except UnknownIdError:
            return None

    @told
    def node(self, info: Info, id: strawberry.ID, mission: strawberry.ID | None = None) -> Node | None:
        """What a record's id, a handle or a node's id names; null where it names nothing."""
        try:
            return node_of(*info.context.named(id, mission))
        except UnknownIdError:
            return None

    @told
    def nodes(self, info: Info, ids: list[strawberry.ID], mission: strawberry.ID | None = None) -> list[Node | None]:
        """What each of some ids names; null in the place of one that names nothing (an error too, if it was purged)."""
        if len(ids) > MOST:
            raise UsageError(f"at most {MOST} ids can be asked for, not {len(ids)}")
        return [_node(info, wanted, mission) for wanted in ids]  # type: ignore[misc]

    @told
    def timeline(
        self,
        info: Info,
        mission: strawberry.ID,
        kinds: list[NodeKind] | None = None,
        first: int | None = None,
        after: str | None = None,
        last: int | None = None,
        before: str | None = None,
    ) -> Connection[Node]:
        """What happened in a mission, in causal order; `last` gives the newest."""
        wanted = [kind for kind in BY_KIND if kind not in QUIET] if kinds is None else [kind.value for kind in kinds]
        return nodes_page(info, mission, wanted, PageRequest(first=first, after=after, last=last, before=before))

    @told
    def neighbourhood(
        self,
        info: Info,
        id: strawberry.ID,
        mission: strawberry.ID | None = None,
        hops: int = 1,
        kinds: list[EdgeKind] | None = None,
        way: Way = Way.BOTH,
        first: int = PAGE,
    ) -> Neighbourhood:
        """What is around a node: at most 4 hops and 500 nodes, nearest first, with the edges between them."""
        if not (0 <= hops <= HOPS and 1 <= first <= MOST):
            raise UsageError(f"a neighbourhood has 0 to {HOPS} hops and 1 to {MOST} nodes")
        graph, seed = info.context.named(id, mission)
        wanted = ALL_EDGES if kinds is None else frozenset(DomainEdgeKind(kind.value) for kind in kinds)
        steps = graph.walk([seed.id], wanted, hops, way=way.value)
        shown = {step.node.id: step.node for step in steps[:first]}
        edges = [
            GraphEdge(
                kind=EdgeKind(edge.kind.value),
                source=strawberry.ID(edge.source),
                target=strawberry.ID(edge.target),
                ordinal=edge.ordinal,
                state=edge.state,
            )
            for node in shown
            for edge in graph.edges_from(node, wanted)
            if edge.target in shown
        ]
        nodes = [node_of(graph, node) for node in shown.values()]
        return Neighbourhood(nodes=nodes, edges=edges, truncated=len(steps) > len(shown))

    @told
    def view(
        self,
        info: Info,
        mission: strawberry.ID,
        budget: int | None = None,
        task: strawberry.ID | None = None,
        session: strawberry.ID | None = None,
        agent: str | None = None,
        model: str | None = None,
        before: strawberry.ID | None = None,
        as_of: int | None = None,
        kind: str | None = None,
        delegate: strawberry.ID | None = None,
        slice: bool = False,
        provider: str | None = None,
    ) -> View:
        """The minimal live context for the current task, in at most `budget` tokens (without it the usual number for
        the model and kind of task); nothing is recorded. `delegate`: the slice that a delegation's child needs;
        `slice`: what the task in focus needs; `provider`: without what the policy withholds.
        """
        ask = partial(
            info.context.store.view,
            task=task,
            budget=budget,
            before=before,
            as_of=as_of,
            session=session,
            agent=agent,
            model=model,
            kind=kind,
            delegate=delegate,
            slice=slice,
            provider=provider,
        )
        return view_of(info.context.at(mission, ask))

    @told
    def explanation(self, info: Info, mission: strawberry.ID, focus: ViewFocusInput | None = None) -> Explanation:
        """Why each part of a view is in it: by which way it was reached from the task, and for which names."""
        store, asked = info.context.store, view_focus(focus)
        return explanation_of(info.context.at(mission, lambda home: store.explain(home, **asked)))

    @told
    def why(
        self, info: Info, mission: strawberry.ID, id: strawberry.ID, focus: ViewFocusInput | None = None
    ) -> WhyAnswer:
        """Why what an id, a handle or a path names is or is not in a view."""
        store, asked = info.context.store, view_focus(focus)
        return why_of(info.context.at(mission, lambda home: store.why(id, mission=home, **asked)))

    @told
    def view_delta(
        self, info: Info, mission: strawberry.ID, since: int, focus: ViewFocusInput | None = None
    ) -> ViewDelta:
        """What leads from the view as of the position `since` to the one that is meant."""
        store, asked = info.context.store, view_focus(focus)
        earlier = Asked(**{**asked, "as_of": since, "before": None})
        return delta_of(
            info.context.at(mission, lambda home: store.view(home, **asked).delta(store.view(home, **earlier)))
        )

    @told
    def rereads(self, info: Info, mission: strawberry.ID, as_of: int | None = None) -> list[Reread]:
        """The reads that fetched again what their agents had seen, and which of them a view that was given held."""
        store = info.context.store
        return [reread_of(found) for found in info.context.at(mission, lambda home: store.rereads(home, as_of=as_of))]

    @told
    def closeout(
        self, info: Info, mission: strawberry.ID, task: strawberry.ID | None = None, as_of: int | None = None
    ) -> Closeout:
        """Which claims of a mission, or of one task, are proven, unproven or contradicted, and by what."""
        return closeout_of(info.context.at(mission, partial(info.context.store.closeout, task=task, as_of=as_of)))

    @told
    def closeout_report(
        self,
        info: Info,
        mission: strawberry.ID,
        format: ReportFormat,
        task: strawberry.ID | None = None,
        as_of: int | None = None,
    ) -> CloseoutReport:
        """The closeout of a mission, or of one task, as a file in some format."""
        ask = partial(info.context.store.closeout_report, format=format.value, task=task, as_of=as_of)
        return report_of(info.context.at(mission, ask))

    @told
    def rules(self, info: Info) -> list[Rule]:
        """What closeouts look at, and how severe each finding is here."""
        return [made(Rule, rule) for rule in info.context.store.rules()]

    @told
    def claim_explanation(self, info: Info, mission: strawberry.ID, claim: strawberry.ID) -> ClaimExplanation:
        """The verdict on a claim, and the whole chain behind it: receipts, what they are about, what came since."""
        store = info.context.store
        return claim_explanation_of(info.context.at(mission, lambda home: store.explain_claim(claim, mission=home)))

    @told
    def impact(self, info: Info, mission: strawberry.ID, of: str) -> Impact:
        """What loses its proof if a file changes, or if a receipt, claim, fact or decision no longer holds."""
        store = info.context.store
        return impact_of(info.context.at(mission, lambda home: store.impact(of, mission=home)))

    @told
    def coverage(self, info: Info, mission: strawberry.ID, path: str, agent: str = "") -> Coverage:
        """Which lines of a file, as it is now, an agent has seen, by which receipts, and which never."""
        store = info.context.store
        return coverage_of(info.context.at(mission, lambda home: store.coverage(path, mission=home, agent=agent)))

    @told
    def check_write(
        self,
        info: Info,
        mission: strawberry.ID,
        path: str,
        agent: str = "",
        first_line: int | None = None,
        last_line: int | None = None,
    ) -> WriteCheck:
        """Whether an agent knows what it is about to change: all of a file, or some lines as they are now."""
        lines, store = _interval(first_line, last_line), info.context.store
        return check_of(info.context.at(mission, lambda home: store.check_write(agent, path, lines, mission=home)))

    @told
    def holds(
        self, info: Info, mission: strawberry.ID, receipt: strawberry.ID, paths: list[str] | None = None
    ) -> Holding:
        """Whether a receipt still tells of what is there now: of some files, or of all that it is about."""
        store = info.context.store
        return holding_of(info.context.at(mission, lambda home: store.holds(receipt, paths, mission=home)))

    @told
    def absences(self, info: Info, mission: strawberry.ID, path: str | None = None, first: int = PAGE) -> list[Absence]:
        """What searches did not find, the newest; with a path, by those that could, or might, have seen that file."""
        if not 0 <= first <= MOST:
            raise UsageError(f"0 to {MOST} absences can be asked for, not {first}")
        store = info.context.store
        found = info.context.at(mission, lambda home: store.absences(mission=home, path=path))
        return [absence_of(absence) for absence in found[max(0, len(found) - first) :]]

    @told
    def distillations(
        self,
        info: Info,
        mission: strawberry.ID,
        pending: bool = False,
        task: strawberry.ID | None = None,
        first: int = PAGE,
    ) -> list[DistilledOutput]:
        """Which lines of the newest large outputs matter; only those of which no agent has said so yet, if asked.

        A task, with pending: only its outputs.
        """
        if not 0 <= first <= MOST:
            raise UsageError(f"0 to {MOST} outputs can be asked for, not {first}")
        if task is not None and not pending:
            raise UsageError("a task can be given for what is pending only")
        store = info.context.store
        found = info.context.at(
            mission,
            lambda home: store.pending_distillations(home, task=task) if pending else store.distillations(home),
        )
        return [distilled_of(output) for output in found[max(0, len(found) - first) :]]

    @told
    def rehydrate(
        self,
        info: Info,
        id: strawberry.ID,
        mission: strawberry.ID | None = None,
        first_line: int | None = None,
        last_line: int | None = None,
    ) -> Rehydrated:
        """The whole thing that an id names, or some lines of it."""
        lines = _interval(first_line, last_line)
        home = None if mission is None else info.context.mission(mission).mission
        return rehydrated_of(info.context.store.rehydrate(id, lines=lines, mission=home))

    @told
    def search(
        self,
        info: Info,
        text: str,
        mission: strawberry.ID | None = None,
        kinds: list[NodeKind] | None = None,
        first: int = HITS,
        history: bool = False,
    ) -> list[SearchHit]:
        """What holds all the words and "phrases" of a text, best first; with `history`, also what has ended."""
        wanted = [kind.value for kind in kinds or []]
        home = None if mission is None else info.context.mission(mission).mission
        found = info.context.store.search(text, mission=home, kinds=wanted, limit=first, history=history)
        return [hit_of(hit) for hit in found]

    @told
    def entries(self, info: Info, after: int = 0, first: int = PAGE) -> EntryPage:
        """Entries of the journal behind a position, as far as they are in sight."""
        if not (after >= 0 and 1 <= first <= MOST):
            raise UsageError(f"give a position from 0 and 1 to {MOST} entries")
        found = info.context.store.entries(after=after, limit=first)
        return EntryPage(entries=[entry_of(entry) for entry in found.entries], position=found.position)


def _interval(first: int | None, last: int | None) -> tuple[int, int] | None:
    if (first is None) != (last is None):
        raise UsageError("firstLine and lastLine go together")
    return None if first is None or last is None else (first, last)


def _node(info: Info, wanted: str, mission: str | None) -> Node | EvidenceError | None:
    """Return a node, None, or the error of one place of a list: the others are answered all the same."""
    try:
        return node_of(*info.context.named(wanted, mission))
    except UnknownIdError:
        return None
    except EvidenceError as error:
        return error
