"""Mutations: one action each, answered by a payload with the object and `userErrors`.

* An expected fault of the input is a `userError` beside a null object; nothing was recorded then.
* What is answered is durable. The object is read after the record was written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from muniment.errors import EvidenceError, FieldError
from muniment_api.schema import nodes
from muniment_api.schema.answers import ImportReport, View, report_of, view_of
from muniment_api.schema.context import Info, Operation
from muniment_api.schema.declare import said, told, typed
from muniment_api.schema.errors import UserError, user_error
from muniment_api.schema.inputs import (
    EmitViewInput,
    ImportSessionInput,
    MakeClaimInput,
    MakeDecisionInput,
    OpenQuestionInput,
    RecordBatchInput,
    StateFactInput,
    StateTaskInput,
    WaiveInput,
    WithdrawInput,
    listed,
)
from muniment_api.schema.nodes import Claim, Decision, Fact, Node, Question, Task, node_of
from muniment_api.schema.verdicts import Closeout, closeout_of

T = TypeVar("T")
RECORDS = 1_000
"""Records of a batch at most; `POST /entries` takes more."""


@typed
class Recorded:
    """What was recorded."""

    position: int = said("The position of the last record.")
    stored: int = said("Records that were new.")
    duplicates: int = said("Records that were there before.")


@typed
class Payload(Generic[T]):
    """What a mutation did."""

    object: T | None = said("What it made or changed; null where it did nothing.")
    user_errors: list[UserError] = said("What the caller can put right; empty where all went well.")


@typed
class Mutation:
    """What can be done, in the scope of the request and as far as it was granted."""

    @told
    def record_batch(self, info: Info, input: RecordBatchInput) -> Payload[Recorded]:
        """Record neutral records, all or none."""

        def done() -> Recorded:
            if len(input.records) > RECORDS:
                raise FieldError("", f"at most {RECORDS} at once, found {len(input.records)}")
            objects = [_object(record, place) for place, record in enumerate(input.records)]
            mission = None if input.mission is None else info.context.mission(input.mission).mission
            found = info.context.store.record(objects, expected=input.expected, mission=mission)
            return Recorded(position=int(found), stored=found.stored, duplicates=found.duplicates)

        return payload(info.context, done, inside="input.records")

    @told
    def state_fact(self, info: Info, input: StateFactInput) -> Payload[Fact]:
        """State a fact; it binds until it is superseded or withdrawn."""
        return _stated(
            info.context,
            nodes.Fact,
            lambda: input.record(
                info.context,
                "fact_stated",
                **{"class": input.class_.value},
                text=input.text,
                slot=input.slot,
                multi=input.multi,
                supersedes=listed(input.supersedes),
            ),
        )

    @told
    def state_task(self, info: Info, input: StateTaskInput) -> Payload[Task]:
        """State a task, or move one to another state."""
        if input.task is None:
            return _stated(
                info.context,
                nodes.Task,
                lambda: input.record(info.context, "task_stated", text=input.text, depends_on=listed(input.depends_on)),
            )
        return _stated(
            info.context,
            nodes.Task,
            lambda: input.record(
                info.context, "task_moved", task=input.task, to=input.state, proof=input.proof, text=input.text
            ),
            shown=input.task,
        )

    @told
    def make_decision(self, info: Info, input: MakeDecisionInput) -> Payload[Decision]:
        """Record a decision, with its reason and what was rejected."""
        return _stated(
            info.context,
            nodes.Decision,
            lambda: input.record(
                info.context,
                "decision_made",
                choice=input.choice,
                reason=input.reason,
                rejected=listed(input.rejected),
                supersedes=listed(input.supersedes),
            ),
        )

    @told
    def make_claim(self, info: Info, input: MakeClaimInput) -> Payload[Claim]:
        """Claim something; a closeout will judge it."""
        return _stated(
            info.context,
            nodes.Claim,
            lambda: input.record(
                info.context,
                "claim_made",
                type=input.type,
                text=input.text,
                cites=listed(input.cites),
                path=input.path,
                what=input.what,
                scope=listed(input.scope),
                target=input.target,
                digest=input.digest,
            ),
        )

    @told
    def open_question(self, info: Info, input: OpenQuestionInput) -> Payload[Question]:
        """Open a question, risk or gap."""
        return _stated(
            info.context,
            nodes.Question,
            lambda: input.record(info.context, "question_opened", what=input.what.value, text=input.text),
        )

    @told
    def import_session(self, info: Info, input: ImportSessionInput) -> Payload[ImportReport]:
        """Import a session file or folder from the server's machine, where that was allowed."""

        def done() -> ImportReport:
            path = info.context.importable(input.path)
            mission = None if input.mission is None else info.context.mission(input.mission).mission
            return report_of(info.context.store.import_session(path, format=input.format, mission=mission))

        return payload(info.context, done)

    @told
    def withdraw(self, info: Info, input: WithdrawInput) -> Payload[Node]:
        """Take something out of force, with the user's authority: it stays readable and supports nothing."""

        def done() -> Node:
            home = None if input.mission is None else info.context.mission(input.mission).mission
            info.context.store.withdraw(input.id, input.why, mission=home)
            info.context.changed()
            return node_of(*info.context.named(input.id, home))

        return payload(info.context, done)

    @told
    def waive(self, info: Info, input: WaiveInput) -> Payload[Closeout]:
        """Accept a claim, a criterion or a task without proof, with the user's authority; return the closeout then."""

        def done() -> Closeout:
            home = info.context.mission(input.mission).mission
            info.context.store.waive(input.id, input.why, mission=home)
            info.context.changed()
            return closeout_of(info.context.store.closeout(home))

        return payload(info.context, done)

    @told
    def emit_view(self, info: Info, input: EmitViewInput) -> Payload[View]:
        """Give an agent a view, and record that it was given."""

        def done() -> View:
            ask = partial(
                info.context.store.view,
                budget=input.budget,
                task=input.task,
                session=input.session,
                agent=input.agent,
                model=input.model,
                kind=input.kind,
                delegate=input.delegate,
                slice=input.slice,
                provider=input.provider,
                emit=True,
            )
            return view_of(info.context.at(input.mission, ask))

        return payload(info.context, done)


def _stated(
    operation: Operation, kind: type[T], record: Callable[[], dict[str, object]], *, shown: str | None = None
) -> Payload[T]:
    """Record one record and return the node that it made, or that it moved."""

    def done() -> T:
        made = record()
        if shown is not None:  # what nobody knows cannot be moved, and nothing of it is recorded
            operation.named(shown, operation.home(str(made["session"])))
        operation.store.record([made])
        operation.changed()
        graph, node = operation.named(shown or str(made["id"]), operation.home(str(made["session"])))
        answer = node_of(graph, node)
        if not isinstance(answer, kind):
            raise FieldError("id", f"the id {made['id']!r} is that of another kind of record")
        return answer

    return payload(operation, done)


def payload(operation: Operation, done: Callable[[], T], *, inside: str = "input") -> Payload[T]:
    """Do something and return what came of it, or what the caller can put right."""
    try:
        answer = done()
    except EvidenceError as error:
        return Payload(object=None, user_errors=[user_error(error, inside=inside)])
    operation.changed()
    return Payload(object=answer, user_errors=[])


def _object(record: object, place: int) -> dict[str, object]:
    if not isinstance(record, dict):
        raise FieldError(f"[{place}]", f"expected an object, found {type(record).__name__}")
    return record
