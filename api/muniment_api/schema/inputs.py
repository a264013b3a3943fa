"""Inputs of mutations, and the records that they become.

* Each becomes one neutral record. `id` makes a mutation safe to repeat: the same id is stored once.
* `session` may be left out where `mission` says which root session is meant.
* No input names a project: where a record goes is decided by the scope of the request alone.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import strawberry
from strawberry.scalars import JSON

from muniment.errors import UsageError
from muniment.views import Asked
from muniment_api.schema.context import Operation
from muniment_api.schema.declare import given, said, taken
from muniment_api.schema.enums import Author, FactClass, QuestionKind


@taken
class Stated:
    """What every statement has."""

    mission: strawberry.ID | None = given("The mission that it is about.", None)
    session: str | None = given("The source's session; without it the root session of `mission`.", None)
    agent: str = given("The agent that says so; empty for the root agent.", "")
    by: Author = given("In whose name.", Author.AGENT)
    id: strawberry.ID | None = given("The record's own id; the same id is stored once.", None)

    def record(self, operation: Operation, kind: str, **fields: object) -> dict[str, object]:
        """Return the record that this states, as a JSON object.

        Raises:
            UnknownIdError: there is no such mission in sight.
            UsageError: neither a mission nor a session is named.
        """
        session = self.session
        if session is None:
            if self.mission is None:
                raise UsageError("name the mission or the session that this is about")
            session = operation.mission(self.mission).session
        common = {"id": self.id or f"{kind}:{uuid.uuid4()}", "kind": kind, "by": self.by.value, "session": session}
        return {**common, "agent": self.agent, **{name: value for name, value in fields.items() if value is not None}}


@taken
class StateFactInput(Stated):
    """A fact."""

    class_: FactClass = said("What kind of fact it is.", name="class")
    text: str = said("The fact.")
    slot: str | None = given("A slot that holds one fact at a time.", None)
    multi: bool = given("Whether the slot may hold several.", False)
    supersedes: list[strawberry.ID] | None = given("Facts that it takes the place of.", None)


@taken
class StateTaskInput(Stated):
    """A task, or with `state` a move of one."""

    text: str | None = given("The task; needed unless one is moved.", None)
    depends_on: list[strawberry.ID] | None = given("Tasks that must be settled before.", None)
    task: strawberry.ID | None = given("The task that is moved.", None)
    state: str | None = given("Where it is moved to: open, active, settled, cancelled or blocked.", None)
    proof: strawberry.ID | None = given("The receipt that proves the move.", None)


@taken
class MakeDecisionInput(Stated):
    """A decision."""

    choice: str = said("What was decided.")
    reason: str | None = given("Why.", None)
    rejected: list[str] | None = given("What was rejected.", None)
    supersedes: list[strawberry.ID] | None = given("Decisions that it takes the place of.", None)


@taken
class MakeClaimInput(Stated):
    """A claim. A closeout judges it by what was recorded."""

    type: str = said("What is claimed: tests_pass, types_clean, and so on.")
    text: str | None = given("In words.", None)
    cites: list[strawberry.ID] | None = given("What supports it: ids of records.", None)
    path: str | None = given("The file that it is about.", None)
    what: str | None = given("What of it: a text, a command, a name.", None)
    scope: list[str] | None = given("What it is narrowed to; the whole if left out.", None)
    target: strawberry.ID | None = given("The task, criterion, fact, decision or artifact that it is about.", None)
    digest: str | None = given("The digest of the file's content: sha256:… or blake3:….", None)


@taken
class OpenQuestionInput(Stated):
    """A question, risk or gap."""

    what: QuestionKind = given("Which of them.", QuestionKind.QUESTION)
    text: str = said("The question.")


@taken
class RecordBatchInput:
    """Neutral records, all or none."""

    records: list[JSON] = said("The records: JSON objects, each with `kind`, `id`, `session` and `by`.")
    mission: strawberry.ID | None = given("The mission that they go to; without it that of their session.", None)
    expected: int | None = given("The position at which the caller believes the journal to stand.", None)


@taken
class ImportSessionInput:
    """A session to import."""

    path: str = said("A file or folder on the server's machine, under a folder that it may import from.")
    format: str | None = given("The format; without it it is found out.", None)
    mission: strawberry.ID | None = given("The mission that the entries go to; without it their session's own.", None)


@taken
class WithdrawInput:
    """Something to take out of force."""

    id: strawberry.ID = said("What no longer applies: a record's id, a handle or a node's id.")
    why: str = said("The reason; it is recorded.")
    mission: strawberry.ID | None = given("The mission that the id is of.", None)


@taken
class WaiveInput:
    """Something to accept without proof."""

    id: strawberry.ID = said("A claim, a criterion or a task: a record's id, a handle or a node's id.")
    why: str = said("The reason; it is recorded and shown in the verdict.")
    mission: strawberry.ID = said("The mission that it is of.")


@taken
class ViewFocusInput:
    """Which view is meant: the one of `view` with the same arguments."""

    budget: int | None = given("The most tokens; without it the usual number for the model and kind of task.", None)
    task: strawberry.ID | None = given("The task in focus; without it those in progress.", None)
    session: strawberry.ID | None = given("The session in focus; without it the newest.", None)
    agent: str | None = given("The agent in focus; without it the root agent.", None)
    model: str | None = given("The model that reads it, in whose tokens it is counted.", None)
    kind: str | None = given("The kind of task.", None)
    delegate: strawberry.ID | None = given("A delegation: the slice that its child needs.", None)
    slice: bool = given("Whether only what the task in focus needs is shown.", False)
    provider: str | None = given("The model's provider, from whom the policy may withhold things.", None)
    before: strawberry.ID | None = given("As it was when the model issued this tool call.", None)
    as_of: int | None = given("As the journal stood at this position.", None)


@taken
class EmitViewInput:
    """A view that an agent is given now."""

    mission: strawberry.ID = said("The mission.")
    budget: int | None = given("The most tokens; without it the usual number for the model and kind of task.", None)
    task: strawberry.ID | None = given("The task in focus; without it those in progress.", None)
    session: strawberry.ID | None = given("The session in focus; without it the newest.", None)
    agent: str | None = given("The agent in focus; without it the root agent.", None)
    model: str | None = given("The model that reads it.", None)
    kind: str | None = given("The kind of task.", None)
    delegate: strawberry.ID | None = given("A delegation: the slice that its child needs.", None)
    slice: bool = given("Whether only what the task in focus needs is shown.", False)
    provider: str | None = given("The model's provider, from whom the policy may withhold things.", None)


def view_focus(focus: ViewFocusInput | None) -> Asked:
    """Return which view is meant, as the store takes it."""
    given_focus = focus or ViewFocusInput()
    return Asked(
        budget=given_focus.budget,
        task=given_focus.task,
        session=given_focus.session,
        agent=given_focus.agent,
        model=given_focus.model,
        kind=given_focus.kind,
        delegate=given_focus.delegate,
        slice=given_focus.slice,
        provider=given_focus.provider,
        before=given_focus.before,
        as_of=given_focus.as_of,
    )


def listed(value: Sequence[str] | None) -> list[str] | None:
    """Return a list that may have been left out."""
    return None if value is None else [str(part) for part in value]
