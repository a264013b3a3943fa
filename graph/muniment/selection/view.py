"""What a view is: a text for a model, and beside it what each part of the text is and why it is there.

* `View.tokens` is the count of the whole text by `View.estimator`, never above `View.budget`.
* Each part that is shown is an item; what was cut or left out is in `omitted`, one rehydration away.
* Roles: `order` is still to be done, `current` holds now (in force, or current text), `history` happened, `conflict`
  contradicts something else that is in force.
"""

from __future__ import annotations

import msgspec

ORDER = "order"
CURRENT = "current"
HISTORY = "history"
CONFLICT = "conflict"

OMITTED_KEPT = 200
"""How many omitted things a view lists: the newest."""


class ViewRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked: for which task, session and agent, in how many tokens.

    `task` is a record id, handle or node id; None: the tasks that are in progress. `session` is the source's session
    id, a handle or a node id; None: the newest. `agent` "" or None is the session's root agent.
    """

    budget: int = 8000
    task: str | None = None
    session: str | None = None
    agent: str | None = None
    model: str | None = None


class ViewItem(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a view. `lines` (1-based, inclusive) go with `path`; `receipts` are ids of what proves it."""

    id: str
    handle: str
    kind: str
    record: str
    role: str
    section: str
    tokens: int
    why: str
    path: str | None = None
    lines: tuple[int, int] | None = None
    receipts: tuple[str, ...] = ()


class Omitted(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not, or not wholly, in a view.

    `reason`: shortened, or budget (it did not fit). `tokens` is about what the missing text would cost: counted for
    what was said, else a quarter of its characters, or ten a line.
    """

    id: str
    handle: str
    kind: str
    record: str
    reason: str
    tokens: int


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The context for a task, as of `ordinal`; `items` are in the order of the text."""

    mission: str
    text: str
    tokens: int
    items: tuple[ViewItem, ...]
    omitted: tuple[Omitted, ...]
    ordinal: int
    budget: int
    estimator: str
