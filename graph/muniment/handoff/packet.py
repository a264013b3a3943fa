"""What a packet is: the least state with which another context can go on, by id with short text.

* Everything in it has an id that the graph resolves; the text beside is for the reader, and is checked against it.
* What is stored of it is a `packet_proposed` record: ids, and prose with its citations. The texts are looked up again
  when it is shown, so that what was purged since is gone.
* `covers_to` is the last record that it speaks for; what came later is in `tail`, by id.
* A packet is a value; what is wrong with one is a list of `Problem`s, never an exception.
"""

from __future__ import annotations

from typing import Final

import msgspec

VERSION: Final = 1
"""Of the form below; a packet of another version is refused."""

BUDGET: Final = 4_000
"""Tokens of a packet for which nobody named a budget."""


ACTIONS: Final[dict[str, str]] = {
    "continue": "go on with the task in progress",
    "start": "begin a task that waits for nothing",
    "settle": "call a task done: what it asks for is proven",
    "prove": "show what was concluded and is not proven, or no longer",
    "wait": "for work that was given away and has not ended",
    "answer": "what was asked last, or a question, risk or gap that is open",
    "reread": "a file that changed since it was last seen",
}
"""Word of a next action → what it says."""

WORKED_ON: Final = frozenset({"start", "continue"})
"""Actions that are work on their task: nothing may stand before it."""


class PacketItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a packet carries.

    `id` names a node; `record` the record that made it. `text` is short: what was cut from it is behind the id.
    `what` says more than the kind: the class of a fact, the type of a claim, question, risk or gap, the code of a loss,
    the child of a delegation, the grade of a file's version. `state`: of a task, claim or delegation; of anything
    `conflict`, `purged`, `withdrawn` or `superseded`. `why`: a reason, as the graph has it. `cites`: ids of what
    supports it; `after`: of the open tasks that it waits for. `rejected`: options that a decision turned down.
    `next_step`: what would prove a claim. `lines` are 1-based and inclusive and go with `path`; `digest` is of the
    content of that file. `tokens`: of a pointer, what it leads to.
    """

    id: str
    handle: str
    kind: str
    record: str
    text: str = ""
    by: str = ""
    what: str = ""
    state: str = ""
    why: str = ""
    cites: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    next_step: str = ""
    path: str | None = None
    lines: tuple[int, int] | None = None
    digest: str | None = None
    tokens: int = 0


class NextAction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What may validly be done next: computed from the graph, never summarised.

    `task` is the open task that it is for, "" where it is for none; `about` the node that it deals with (the task
    itself, or a claim, question, delegation or file) and `handle` that one's handle. `action` is a word of `ACTIONS`,
    `command` the cheapest one that would do it, where one is known.
    """

    task: str
    handle: str
    action: str
    about: str = ""
    why: str = ""
    command: str = ""
    cites: tuple[str, ...] = ()


class Prose(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Words of a compactor, with the ids of what they are about. They carry no authority."""

    text: str
    cites: tuple[str, ...] = ()


class Attachment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An item of a provider's own, kept as it came and never read: `digest` is of its bytes."""

    provider: str
    kind: str
    digest: str
    bytes: int = 0


class Owner(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who worked until the boundary."""

    session: str = ""
    agent: str = ""
    model: str = ""


class WorkspaceState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The workspace as last seen. `digest` is over the current versions of all known files of it."""

    root: str = ""
    branch: str = ""
    commit: str = ""
    digest: str = ""
    files: int = 0


class Packet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A packet. `covers_to` is a record's id, `ordinal` its place; `base` the packet that was in force when it was
    built, "" for the first. `left_out` counts, by section, what the budget had no room for: one rehydration away.
    `handles` gives the handles of what is cited and not carried. `compactor` wrote the prose, where there is any.
    """

    version: int = msgspec.field(default_factory=lambda: VERSION)  # made, so that it is never left out of JSON
    id: str = ""
    mission: str
    base: str = ""
    covers_to: str
    ordinal: int
    head: str = ""
    budget: int = BUDGET
    tokens: int = 0
    estimator: str = ""
    focus: str = ""
    owner: Owner = Owner()
    workspace: WorkspaceState = WorkspaceState()
    binding: tuple[PacketItem, ...] = ()
    tasks: tuple[PacketItem, ...] = ()
    settled: tuple[PacketItem, ...] = ()
    decisions: tuple[PacketItem, ...] = ()
    delegations: tuple[PacketItem, ...] = ()
    timers: tuple[PacketItem, ...] = ()
    questions: tuple[PacketItem, ...] = ()
    losses: tuple[PacketItem, ...] = ()
    files: tuple[PacketItem, ...] = ()
    verified: tuple[PacketItem, ...] = ()
    unverified: tuple[PacketItem, ...] = ()
    failed: tuple[PacketItem, ...] = ()
    absent: tuple[PacketItem, ...] = ()
    next_actions: tuple[NextAction, ...] = ()
    pointers: tuple[PacketItem, ...] = ()
    turns: tuple[PacketItem, ...] = ()
    tail: tuple[PacketItem, ...] = ()
    prose: tuple[Prose, ...] = ()
    compactor: str = ""
    attachments: tuple[Attachment, ...] = ()
    left_out: dict[str, int] = msgspec.field(default_factory=dict)
    handles: dict[str, str] = msgspec.field(default_factory=dict)


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is wrong with a packet: a code of `PROBLEMS` and the ids, as the packet or the graph names them."""

    code: str
    ids: tuple[str, ...] = ()
    message: str = ""


class Checked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the check of a packet gave: it may be accepted if there is no problem."""

    packet: str
    problems: tuple[Problem, ...] = ()
    in_force: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


PROBLEMS: Final[dict[str, str]] = {
    "schema": "it is not in the form of a packet",
    "binding_missing": "something that binds is neither in it nor in its tail",
    "open_task_missing": "an open task is not in it",
    "task_state_mismatch": "it gives a task another state than the graph",
    "next_action_not_open": "a next action is no open task",
    "superseded_listed": "it lists as current what was superseded or withdrawn",
    "delegation_missing": "a running delegation is not in it",
    "timer_missing": "an armed timer is not in it",
    "question_missing": "an open question, risk or gap is not in it",
    "citation_invalid": "a citation leads nowhere, or to a wrong author",
    "id_unknown": "an id leads nowhere, or to another kind of thing",
    "claim_overstated": "it gives a claim a better verdict than closeout does",
    "version_stale": "a file is not what the workspace holds now",
    "text_differs": "a text is not what the graph says",
    "redacted_returned": "it holds a secret, or something that was redacted or purged",
    "too_large": "it costs more than its budget",
    "base_replaced": "another packet was accepted since it was built",
    "no_progress": "it covers no more than the packet in force",
}
"""Code of a problem → what it says, in words."""
