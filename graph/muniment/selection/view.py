"""What a view is: a text for a model, and beside it what each part of the text is and why it is there.

* `View.tokens` is the count of the whole text by `View.estimator`, never above `View.budget`.
* Each part that is shown is an item; what was cut or left out is in `omitted`, one rehydration away.
* Roles: `order` is still to be done, `current` holds now (in force, or current text), `history` happened, `conflict`
  contradicts something else that is in force.
"""

from __future__ import annotations

import msgspec

from muniment.drawing.bars import Part, stacked_bar
from muniment.drawing.cards import card, code, folded, small, table
from muniment.drawing.markup import Markup, cut_front
from muniment.selection.delta import Side, ViewDelta, delta_between
from muniment.tokens import counter_named

ORDER = "order"
CURRENT = "current"
HISTORY = "history"
CONFLICT = "conflict"

FULL = "full"
DISTILLED = "distilled"
POINTER = "pointer"
"""Levels: all that the thing says; a part of it, chosen by what matters; only where it is to be had."""

OMITTED_KEPT = 200
"""How many omitted things a view lists: the newest."""


OPEN_ROWS = 40
"""Items up to which a notebook shows them all at once; more are folded away at first."""


class ViewRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked: for which task, session and agent, in how many tokens.

    `task` is a record id, handle or node id; None: the tasks that are in progress. `session` is the source's session
    id, a handle or a node id; None: the newest. `agent` "" or None is the session's root agent.

    `delegate` names a delegation (or its child): the view is the slice of the mission that the child needs. With
    `slice` it is the one that the task in focus needs. `model` and `provider` say for whom: the budget is in that
    model's tokens, and what the policy withholds from the provider is not shown. `kind` is a kind of task. `beside` is
    what stands in a text that is given along with the view (a packet), as (node's id, its text): it is not told again.
    """

    budget: int = 8000
    task: str | None = None
    session: str | None = None
    agent: str | None = None
    model: str | None = None
    kind: str | None = None
    delegate: str | None = None
    slice: bool = False
    provider: str | None = None
    beside: tuple[tuple[str, str], ...] = ()


class ViewItem(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a view. `lines` (1-based, inclusive) go with `path`; `receipts` are ids of what proves it.

    `at` are the characters of the view's text that it has: from the first to before the last. `level`: full, distilled
    or pointer. `names` are those for which it was chosen, the likeliest to be used next first; none where it was
    chosen for its place.
    """

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
    at: tuple[int, int] = (0, 0)
    level: str = FULL
    names: tuple[str, ...] = ()


class Omitted(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not, or not wholly, in a view.

    `reason`: shortened, budget (it did not fit), not_needed (a slice does without it), withheld (by policy). `tokens`
    is about what the missing text would cost: counted for what was said, else a quarter of its characters, or ten a
    line. `lines` are runs of the lines that are missing, each
    of about 1,000 tokens at most, so that one of them can be asked for by itself; none where all of it is missing and
    costs no more. They count in the file as it is now, or in the text behind the id.
    """

    id: str
    handle: str
    kind: str
    record: str
    reason: str
    tokens: int
    path: str | None = None
    lines: tuple[tuple[int, int], ...] = ()


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The context for a task, as of `ordinal`; `items` are in the order of the text. `session` and `agent` say for whom
    it was made ("": the session is not known; the root agent).

    `omitted` lists the newest of what is missing, `left_out` counts all of it.
    """

    mission: str
    text: str
    tokens: int
    items: tuple[ViewItem, ...]
    omitted: tuple[Omitted, ...]
    ordinal: int
    budget: int
    estimator: str
    left_out: int = 0
    session: str = ""
    agent: str = ""

    def delta(self, previous: View) -> ViewDelta:
        """Return how this view is made out of one that was given before."""
        before = Side(previous.text, previous.items, previous.ordinal)
        now = Side(self.text, self.items, self.ordinal)
        return delta_between(self.mission, before, now, counter_named(self.estimator))

    def _repr_svg_(self) -> str:
        """Return a bar of the budget, filled by sections."""
        sections: dict[str, int] = {}
        for item in self.items:
            sections[item.section] = sections.get(item.section, 0) + item.tokens
        headings = self.tokens - sum(sections.values())
        parts = [Part(name or "other", tokens) for name, tokens in [*sections.items(), ("headings", headings)]]
        return stacked_bar(parts, self.budget, f"{self.tokens} of {self.budget} tokens, by section", unit="tokens")

    def _repr_html_(self) -> str:
        """Return the budget and the items, for notebooks."""
        rows = [
            (item.handle, item.kind, item.section, item.role, _place(item), str(item.tokens), small(item.why))
            for item in self.items
        ]
        items = f"{len(rows)} items"
        used = f"{self.tokens} of {self.budget} tokens ({self.estimator})"
        under = f"{used} · {items}, as of ordinal {self.ordinal}"
        left = f"{len(self.omitted)} left out or shortened: " + ", ".join(each.handle for each in self.omitted[:40])
        told = [small(left)] if self.omitted else []
        header = ("id", "kind", "section", "role", "place", "tokens", "why")
        return card(
            f"View of {self.mission}",
            under,
            Markup(self._repr_svg_()),
            folded(items, table(header, rows), shown=len(rows) <= OPEN_ROWS),
            *told,
        )


def _place(item: ViewItem) -> str:
    if item.path is None:
        return ""
    lines = f":{item.lines[0]}-{item.lines[1]}" if item.lines else ""
    return code(f"{cut_front(item.path, 48)}{lines}")
