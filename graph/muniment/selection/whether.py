"""Whether: why something is in a view, or why it is not.

The answers, in the order in which they are looked for:

* `withheld`: the policy keeps it from the view's reader; `not_needed`: a slice does without it.
* `shown`: it is a part of the view, or its lines stand there as current text; `shortened` says that some of it is not.
* `superseded`, `withdrawn`, `settled`, `purged`: it has ended; `by` names what ended it. Such a thing is no order.
* `repeated`: its lines stand in the view by another receipt; where the collapse plan says so, `by` is that one.
* `outdated`: it showed lines that are not the current ones any more; `by` is what was seen or written later.
* `budget`: it could have been shown, and other things were worth more for their tokens; `tokens` is about its cost.
* `pointer`: it is not shown, and one line of the index names it.
* `other_agent`, `other_session`: the view is made for somebody else.
* `too_old`: only the newest of its kind are looked at; `unseen`: no line of the file is known; `bare`: it has no more
  to show than its heading, and newer steps come first; `no_text`: views show no such things, and `by` names what stands
  for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from muniment.current import file_named
from muniment.derive.collapsing import collapse_plan
from muniment.errors import UnknownIdError
from muniment.model.edges import EdgeKind
from muniment.model.nodes import (
    SIDE_KINDS,
    AnyNode,
    Call,
    Event,
    Excerpt,
    File,
    FileVersion,
    Gap,
    Message,
    Receipt,
    kind_of,
)
from muniment.model.packing import writable
from muniment.selection.explaining import Explanation, PathStep
from muniment.selection.focus import Focus, focus_of
from muniment.selection.pieces import CURRENT_TEXT, POINTING
from muniment.selection.view import POINTER, View, ViewRequest
from muniment.snapshot import ENDED_STATES, WINDOW, Snapshot

SHOWN: Final = "shown"
SHORTENED: Final = "shortened"
BUDGET: Final = "budget"
PURGED: Final = "purged"
REPEATED: Final = "repeated"
OUTDATED: Final = "outdated"
OTHER_AGENT: Final = "other_agent"
OTHER_SESSION: Final = "other_session"
TOO_OLD: Final = "too_old"
NO_TEXT: Final = "no_text"
UNSEEN: Final = "unseen"
WITHHELD: Final = "withheld"
NOT_NEEDED: Final = "not_needed"
BARE: Final = "bare"
_ENDING: Final = {"withdrawn": EdgeKind.WITHDRAWS, "superseded": EdgeKind.SUPERSEDES}
SETTLED: Final = "settled"

SAID: Final = {
    SHOWN: "it is in the view",
    SHORTENED: "it is in the view, in part",
    POINTER: "the view names it and does not show it: other things were worth more for their tokens",
    BUDGET: "it is not in the view: other things were worth more for their tokens",
    "superseded": "something has taken its place",
    "withdrawn": "it was taken out of force",
    SETTLED: "it has ended, so it is no order any more",
    PURGED: "it was erased; only its place is left",
    REPEATED: "the same lines stand in the view by another receipt",
    OUTDATED: "what it showed is not current any more",
    OTHER_AGENT: "another agent did or said it; the view is made for one agent",
    OTHER_SESSION: "it is of a session that the one in focus did not grow out of",
    TOO_OLD: f"views look at the newest {WINDOW} of its kind, and it is older",
    UNSEEN: "no line of the file is known as it is now",
    BARE: "it has no more to show than a heading, and newer steps come first",
    WITHHELD: "the policy withholds it from whom the view is for",
    NOT_NEEDED: "the task does not touch it, and the view is a slice for that task",
    NO_TEXT: "views show no such things by themselves",
}
"""Answer → what it says, for people."""


class WhyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Why something is or is not in a view.

    `places` are places in `View.items` where it stands. `tokens` is what is shown of it, or, where it is not, about
    what it would cost (0: not known). `by` are handles; `lines` are runs of lines that are missing. `since` is the
    ordinal from which on it had ended (0: it has not). `seed` and `way` are those of its first part that is shown (see
    `ItemReason`), `names` those of all its parts.
    """

    id: str
    handle: str
    kind: str
    record: str
    path: str | None
    answer: str
    text: str
    reasons: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    tokens: int = 0
    missing: int = 0
    lines: tuple[tuple[int, int], ...] = ()
    by: tuple[str, ...] = ()
    since: int = 0
    seed: str = ""
    way: tuple[PathStep, ...] = ()
    names: tuple[str, ...] = ()


class _Found(msgspec.Struct, frozen=True, kw_only=True):
    answer: str
    reasons: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    tokens: int = 0
    missing: int = 0
    lines: tuple[tuple[int, int], ...] = ()
    by: tuple[str, ...] = ()
    since: int = 0


def with_way(found: WhyAnswer, told: Explanation) -> WhyAnswer:
    """Return an answer with the way to its first part that is shown, by the explanation of the same view."""
    if not found.places or found.answer == WITHHELD:
        return found
    parts = [told.items[place] for place in found.places]
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    return msgspec.structs.replace(found, seed=parts[0].seed, way=parts[0].path, names=names)


def why(snapshot: Snapshot, view: View, request: ViewRequest, wanted: str) -> WhyAnswer:
    """Return why what an id, a handle or a path names is or is not in a view that lists all that it omits.

    Raises:
        UnknownIdError: nothing is named so.
        AmbiguousIdError: several files are.
    """
    node = _named(snapshot, wanted)
    asked = _Asked(snapshot, view, focus_of(snapshot, request), node)
    found = next(each for look in _LOOKS if (each := look(asked)) is not None)
    return writable(
        WhyAnswer(
            id=node.id,
            handle=node.handle,
            kind=kind_of(node),
            record="" if found.answer == WITHHELD and isinstance(node, File) else node.record,
            path=None if found.answer == WITHHELD else getattr(node, "path", None),
            answer=found.answer,
            text=SAID[found.answer],
            reasons=found.reasons,
            places=found.places,
            tokens=found.tokens,
            missing=found.missing,
            lines=found.lines,
            by=found.by,
            since=found.since,
        )
    )


def _named(snapshot: Snapshot, wanted: str) -> AnyNode:
    found = snapshot.named(wanted)
    main = [node for node in found if not isinstance(node, SIDE_KINDS) and not isinstance(node, Call)]
    if main or found:
        return (main or found)[-1]
    try:
        return file_named(snapshot, wanted)
    except UnknownIdError:
        raise UnknownIdError(wanted, "a handle (R42), an id of a record or node, or a path is asked for") from None


class _Asked(msgspec.Struct, frozen=True):
    """What the rules look at."""

    snapshot: Snapshot
    view: View
    focus: Focus
    node: AnyNode

    def handle(self, node: str) -> str:
        """Return a node's handle."""
        found = self.snapshot.node(node)
        return found.handle if found is not None else node

    def found(self, answer: str, places: Iterable[int] = (), by: Iterable[str] = ()) -> _Found:
        """Return an answer: the parts at some places, and the handles of some nodes."""
        shown = tuple(places)
        items = [self.view.items[place] for place in shown]
        missing = next((each for each in self.view.omitted if each.id == self.node.id), None)
        return _Found(
            answer=answer,
            reasons=tuple(dict.fromkeys(item.why for item in items)),
            places=shown,
            tokens=sum(item.tokens for item in items) or (missing.tokens if missing is not None else 0),
            missing=missing.tokens if missing is not None else 0,
            lines=missing.lines if missing is not None else (),
            by=tuple(dict.fromkeys(map(self.handle, by))),
        )


def _spared(asked: _Asked) -> _Found | None:
    """What the policy withholds, and what is known only through such a thing; what a slice does without."""
    node, places = asked.node, [place for place, item in enumerate(asked.view.items) if item.id == asked.node.id]
    reasons = {each.reason for each in asked.view.omitted if each.id == node.id}
    if WITHHELD in reasons or (not places and asked.snapshot.node(node.id) is None):
        return asked.found(WITHHELD, places)
    return asked.found(NOT_NEEDED) if NOT_NEEDED in reasons and not places else None


def _shown(asked: _Asked) -> _Found | None:
    node, items = asked.node, asked.view.items
    if isinstance(node, Gap) and node.code == PURGED:
        return None  # that something was erased says more than that the view tells of the loss
    if isinstance(node, File):
        own = [place for place, item in enumerate(items) if item.path == node.path and item.section in CURRENT_TEXT]
    elif isinstance(node, Gap):
        alike = {gap.id for gap in asked.snapshot.gaps() if gap.code == node.code}
        own = [place for place, item in enumerate(items) if item.id in alike]
    else:
        own = [place for place, item in enumerate(items) if item.id == node.id and item.section not in POINTING]
    if not own:
        return None
    short = any(missing.id == node.id for missing in asked.view.omitted)
    return asked.found(SHORTENED if short else SHOWN, own)


def _ended(asked: _Asked) -> _Found | None:
    snapshot, node = asked.snapshot, asked.node
    if (isinstance(node, Gap) and node.code == PURGED) or PURGED in getattr(node, "flags", ()):
        return asked.found(PURGED)
    how = snapshot.ended(node.id)
    if not how and snapshot.state(node.id) not in ENDED_STATES:
        return None
    kind = _ENDING.get(how, EdgeKind.MOVED)
    edges = snapshot.edges_to(node.id, {kind})[-1:]
    found = asked.found(how or SETTLED, by=(edge.source for edge in edges))
    return msgspec.structs.replace(found, since=edges[0].ordinal if edges else 0)


def _current(asked: _Asked) -> _Found | None:
    """A receipt or an excerpt whose lines stand in the view as current text."""
    node, items = asked.node, asked.view.items
    receipt = node.receipt if isinstance(node, Excerpt) else node.id
    if not isinstance(node, Receipt | Excerpt | FileVersion):
        return None
    shown = [place for place, item in enumerate(items) if item.section in CURRENT_TEXT and receipt in item.receipts]
    return asked.found(SHOWN, shown) if shown else None


def _repeated(asked: _Asked) -> _Found | None:
    node, snapshot = asked.node, asked.snapshot
    if not isinstance(node, Receipt | Excerpt):
        return None
    receipt = node.receipt if isinstance(node, Excerpt) else node.id
    into = next((each.into for each in collapse_plan(snapshot) if each.receipt == receipt), None)
    if into is None:
        return None
    places = [
        place for place, item in enumerate(asked.view.items) if into in item.receipts and item.section in CURRENT_TEXT
    ]
    return asked.found(REPEATED if places else BUDGET, places, (into,))


def _outdated(asked: _Asked) -> _Found | None:
    """What showed lines of files of which none is current now."""
    snapshot, node = asked.snapshot, asked.node
    excerpts = [node] if isinstance(node, Excerpt) else _excerpts(snapshot, node)
    files = {excerpt.file for excerpt in excerpts if excerpt.file is not None}
    ids = {excerpt.id for excerpt in excerpts}
    states = [(file, state) for file in sorted(files) if (state := snapshot.ledger(file)) is not None]
    if not states or any(segment.excerpt in ids for _, state in states for segment in state.segments):
        return None
    newer = [snapshot.node(segment.excerpt) for _, state in states for segment in state.segments]
    last = max((each for each in newer if isinstance(each, Excerpt)), key=lambda each: each.ordinal, default=None)
    if last is not None:
        return asked.found(OUTDATED, by=(last.receipt,))
    touched = {snapshot.touched(file) for file, _ in states}
    causes = [*snapshot.of_kind(Receipt), *snapshot.of_kind(Event)]
    return asked.found(OUTDATED, by=(cause.id for cause in causes if cause.ordinal in touched))


def _excerpts(snapshot: Snapshot, node: AnyNode) -> list[Excerpt]:
    if not isinstance(node, Receipt):
        return []
    return [each for each in snapshot.named(node.record) if isinstance(each, Excerpt) and each.receipt == node.id]


def _left_out(asked: _Asked) -> _Found | None:
    node, view = asked.node, asked.view
    if isinstance(node, Excerpt) and node.file is not None:
        return asked.found(BUDGET, by=(node.file,))
    named = [p for p, item in enumerate(view.items) if item.section in POINTING and item.id == node.id]
    if named:
        return asked.found(POINTER, named)
    return asked.found(BUDGET) if any(missing.id == node.id for missing in view.omitted) else None


def _elsewhere(asked: _Asked) -> _Found | None:
    node, focus = asked.node, asked.focus
    if not isinstance(node, Receipt | Message) or focus.covers(node):
        return None
    foreign = focus.sessions is not None and node.session not in focus.sessions
    return asked.found(OTHER_SESSION if foreign else OTHER_AGENT)


def _old(asked: _Asked) -> _Found | None:
    node = asked.node
    if not isinstance(node, Receipt | Message):
        return None
    recent = asked.snapshot.newest([type(node)])
    return asked.found(BARE if any(each.id == node.id for each in recent) else TOO_OLD)


def _never(asked: _Asked) -> _Found:
    """What is no part of a view: something else stands for it."""
    node, snapshot = asked.node, asked.snapshot
    stands: list[str] = []
    if isinstance(node, File):
        return asked.found(UNSEEN)
    if isinstance(node, Call):
        stands = [edge.target for edge in snapshot.edges_from(node.id, {EdgeKind.PRODUCED})]
    elif isinstance(node, Excerpt):
        stands = [node.receipt]
    elif isinstance(node, FileVersion):
        stands = [node.file]
    return asked.found(NO_TEXT, by=stands)


_LOOKS: Final[Sequence[Callable[[_Asked], _Found | None]]] = (
    _spared,
    _shown,
    _ended,
    _current,
    _outdated,
    _repeated,
    _elsewhere,
    _left_out,
    _old,
    _never,
)
