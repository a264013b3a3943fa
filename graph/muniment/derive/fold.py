"""The fold: records in, additions to the graph out.

Pure: what comes out depends on the records, their order and `text_of` alone. One record, one ordinal. A record type
without a rule here
adds nothing but its ordinal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from muniment import canonical
from muniment.derive import boundaries, distillations, instructions, packets, processes, receipts, sessions, statements
from muniment.derive.builder import Builder, Lookup, Paused, TextOf
from muniment.derive.state import LARGE_OUTPUT, FoldState
from muniment.digest import digest_of
from muniment.graph import Additions
from muniment.model import records
from muniment.model.entries import Entry
from muniment.model.nodes import AnyNode, Gap
from muniment.model.packing import pack, unpack
from muniment.model.records import Record

VERSION = "33"
"""Version of the derivation: raised whenever equal entries would give another graph. A saved fold of another one is
dropped.
"""


def version(large_output: int) -> str:
    """Return the version of a derivation that calls outputs of more than so many tokens large."""
    return VERSION if large_output == LARGE_OUTPUT else f"{VERSION}, large {large_output}"


def _tool_returned(builder: Builder, record: records.ToolReturned) -> None:
    receipts.tool_returned(builder, record)
    distillations.note_output(builder, record)


def _commit_made(builder: Builder, record: records.CommitMade) -> None:
    sessions.happened(builder, record, "commit", record.commit, record.message)


def _branch_changed(builder: Builder, record: records.BranchChanged) -> None:
    sessions.happened(builder, record, "branch", record.to, record.source)


def _workspace_seen(builder: Builder, record: records.WorkspaceSeen) -> None:
    """Looks that are complete can be compared: by the commit and what tracked files hold, whatever is staged."""
    parts = [f"{path}\n{content}" for path, content in sorted(record.dirty.items())]
    digest = digest_of(canonical.fields(*parts)) if record.complete else None
    sessions.happened(builder, record, "workspace", digest, record.head)


def _environment_changed(builder: Builder, record: records.EnvironmentChanged) -> None:
    sessions.happened(builder, record, f"environment {record.what}", record.now, record.was)


def _deployment_changed(builder: Builder, record: records.DeploymentChanged) -> None:
    sessions.happened(builder, record, f"deployment {record.what}", record.now, record.was)


def _line_quarantined(builder: Builder, record: records.LineQuarantined) -> None:
    builder.add(Gap(**builder.base(Gap, record), code="lines_quarantined", detail=record.reason, line=record.line))


RULES: Final[dict[type[Record], Callable[..., None]]] = {
    records.SessionOpened: sessions.session_opened,
    records.SessionForked: sessions.session_opened,
    records.Message: statements.message,
    records.ToolCalled: receipts.tool_called,
    records.ToolReturned: _tool_returned,
    records.ProcessEnded: processes.process_ended,
    records.FileChangedOutside: receipts.file_changed_outside,
    records.BranchChanged: _branch_changed,
    records.CommitMade: _commit_made,
    records.EnvironmentChanged: _environment_changed,
    records.WorkspaceSeen: _workspace_seen,
    records.DeploymentChanged: _deployment_changed,
    records.ModelChanged: sessions.model_changed,
    records.FactStated: statements.fact_stated,
    records.InstructionsLoaded: instructions.instructions_loaded,
    records.TaskStated: statements.task_stated,
    records.TaskMoved: statements.task_moved,
    records.DecisionMade: statements.decision_made,
    records.ClaimMade: statements.claim_made,
    records.QuestionOpened: statements.question_opened,
    records.QuestionSettled: statements.question_settled,
    records.ArtifactProduced: statements.artifact_produced,
    records.DelegationStarted: statements.delegation_started,
    records.DelegationEnded: statements.delegation_ended,
    records.TimerArmed: statements.timer_armed,
    records.TimerFired: statements.timer_fired,
    records.ContextBoundary: boundaries.context_boundary,
    records.DistillationMade: distillations.distillation_made,
    records.PacketProposed: packets.packet_proposed,
    records.PacketAccepted: packets.packet_settled,
    records.PacketRefused: packets.packet_settled,
    records.Waiver: statements.waiver,
    records.Withdrawal: statements.withdrawal,
    records.ViewEmitted: statements.view_emitted,
    records.LineQuarantined: _line_quarantined,
}
"""Record type → the rule that adds to the graph."""


class Fold:
    """One mission's fold."""

    def __init__(self, state: FoldState, text_of: TextOf, earlier: Lookup) -> None:
        self.state = state
        self._builder = Builder(state, text_of, earlier)

    def feed(self, entry: Entry, found: Iterable[Record], payloads: dict[str, str]) -> None:
        """Fold the records of one entry; `payloads` are its lifted strings by digest."""
        self._builder.begin(entry, payloads)
        for record in found:
            self._builder.next_ordinal()
            receipts.note_turn(self._builder, record)
            rule = RULES.get(type(record))
            if rule is not None:
                rule(self._builder, record)

    def pause(self) -> Paused:
        """Return where the entry at hand stands: others are folded before its next record."""
        return self._builder.pause()

    def go_on(self, paused: Paused) -> None:
        """Turn back to an entry that was paused."""
        self._builder.go_on(paused)

    def feed_purged(self, entry: Entry) -> None:
        """Fold an entry whose body was purged: what is left is that it was there."""
        self._builder.begin(entry, {})
        self._builder.next_ordinal()
        record = entry.source_id
        self._builder.add(
            Gap(
                id=self._builder.node_id(Gap, record, "purged"),
                ordinal=self.state.ordinal,
                handle=self._builder.handle(Gap),
                record=record,
                code="purged",
            )
        )

    def lookup(self, reference: str) -> Sequence[AnyNode]:
        """Return the nodes that a reference names."""
        return self._builder.lookup(reference)

    def take(self) -> Additions:
        """Return what the graph has gained since the last time."""
        return self._builder.take()


def copy_state(state: FoldState) -> FoldState:
    """Return an independent copy of a fold's state."""
    return unpack(pack(state), FoldState)
