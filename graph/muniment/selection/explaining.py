"""Explaining: by which way each part of a view was reached from the task, and what it was chosen for.

* The walk begins at the tasks in focus and at what the user said last, and goes over what was done and made for them to
  files and what is known of them.
* What that does not reach is reached by a name that the part's text shares with a seed; else from what the agent did
  last, by the same two ways. Names are no nodes: such a step has no id, and its label is the name.
* What was chosen for names is reached from what used or said the first of them last, be that ever so long ago.
* What none of it reaches is there because it binds, or for its place among its agent's steps, as its reason says: its
  way is then the agent's.
* A way is the shortest; among equals the one over older things. Of several shared names the one that the fewest parts
  of the view hold is told, a plain word only where there is no other way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from muniment.model.edges import EdgeKind
from muniment.model.nodes import AnyNode, Message, Name, Receipt, kind_of, text_of
from muniment.model.packing import writable
from muniment.selection.focus import focus_of
from muniment.selection.parts import names_of
from muniment.selection.past import Past
from muniment.selection.pieces import Desk
from muniment.selection.steps import steps_of
from muniment.selection.view import View, ViewItem, ViewRequest
from muniment.snapshot import Snapshot
from muniment.tokens import TokenCounter

WORK: Final = frozenset(
    {
        EdgeKind.ABOUT,
        EdgeKind.READS,
        EdgeKind.WRITES,
        EdgeKind.EXCERPT_OF,
        EdgeKind.VERSION_OF,
        EdgeKind.OBSERVED,
        EdgeKind.DELEGATED,
        EdgeKind.PRODUCED,
        EdgeKind.DEPENDS_ON,
        EdgeKind.CITES,
        EdgeKind.SUPPORTS,
        EdgeKind.SUPERSEDES,
    }
)
"""Edges that lead from a task to what was done for it and what that tells."""
HOPS: Final = 6
HOPS_FROM_ACTS: Final = 3
LAST_ACTS: Final = 6
PROMPTS: Final = 2
NAMES_TOLD: Final = 6
_PLAIN: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


class PathStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a way: over an edge (`way` out: in its direction, in: against it) to a node. `label`: a name's text,
    a file's path.
    """

    edge: str
    way: str
    id: str
    handle: str
    kind: str
    label: str = ""


Way = tuple[str, tuple[PathStep, ...]]
"""The handle at which a way begins, and its steps."""


class ItemReason(msgspec.Struct, frozen=True, kw_only=True):
    """Why a part of a view is there. `place` is its place in `View.items`; `file` and `lines` are what it shows.

    `seed` is the handle at which its way begins; `path` is empty for a seed. `names` were used lately, or stand in what
    was asked, and are in its text: the likeliest to be used next first.
    """

    place: int
    id: str
    handle: str
    section: str
    role: str
    tokens: int
    level: str
    why: str
    seed: str
    path: tuple[PathStep, ...]
    names: tuple[str, ...]
    file: str | None = None
    lines: tuple[int, int] | None = None


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a view is as it is. `seeds` are handles; `sections` says what each costs; `omitted` counts by reason."""

    mission: str
    ordinal: int
    budget: int
    tokens: int
    estimator: str
    seeds: tuple[str, ...]
    sections: dict[str, int]
    omitted: dict[str, int]
    items: tuple[ItemReason, ...]


def explain(snapshot: Snapshot, view: View, request: ViewRequest, counter: TokenCounter) -> Explanation:
    """Return why each part of a view is there; `snapshot` is the one that the view was made from."""
    focus = focus_of(snapshot, request)
    desk = Desk(snapshot, counter, 0)
    steps = steps_of(desk, focus).all
    asked = [message for message in snapshot.newest([Message]) if message.by == "user"]
    seeds: list[AnyNode] = [*focus.tasks, *asked[:PROMPTS]]
    near = _Reach(snapshot, desk, seeds, HOPS)
    last = _Reach(snapshot, desk, steps[:LAST_ACTS], HOPS_FROM_ACTS)
    ways = _Ways(snapshot, view, near, last, _users(desk, [*steps, *asked]))
    used = _Used(Past(desk, steps, asked), near.by_name)
    sections: dict[str, int] = {}
    for item in view.items:
        sections[item.section] = sections.get(item.section, 0) + item.tokens
    return writable(
        Explanation(
            mission=view.mission,
            ordinal=view.ordinal,
            budget=view.budget,
            tokens=view.tokens,
            estimator=view.estimator,
            seeds=tuple(seed.handle for seed in seeds),
            sections=sections,
            omitted=dict(Counter(missing.reason for missing in view.omitted)),
            items=tuple(_reason(place, item, view, ways, used) for place, item in enumerate(view.items)),
        )
    )


def _users(desk: Desk, nodes: Sequence[AnyNode]) -> dict[str, list[AnyNode]]:
    """Return for each name that was used or said the two that did so last."""
    users: dict[str, list[AnyNode]] = {}
    for node in sorted(nodes, key=lambda node: (-node.ordinal, node.id)):
        for name in names_of(_words(desk, node)):
            if len(known := users.setdefault(name, [])) < 2:
                known.append(node)
    return users


def _reason(place: int, item: ViewItem, view: View, ways: _Ways, used: _Used) -> ItemReason:
    seed, path = ways.to(place, item)
    return ItemReason(
        place=place,
        id=item.id,
        handle=item.handle,
        section=item.section,
        role=item.role,
        tokens=item.tokens,
        level=item.level,
        why=item.why,
        seed=seed,
        path=path,
        names=item.names[:NAMES_TOLD] or used.in_text(view.text[slice(*item.at)]),
        file=item.path,
        lines=item.lines,
    )


class _Used:
    """The names that the past makes likely."""

    def __init__(self, past: Past, asked: Collection[str]) -> None:
        self._past = past
        self._asked = asked

    def in_text(self, text: str) -> tuple[str, ...]:
        """Return the likeliest of the names in a text."""
        known = [name for name in names_of(text) if name in self._past.last_use or name in self._asked]
        return tuple(sorted(known, key=self._rank)[:NAMES_TOLD])

    def _rank(self, name: str) -> tuple[bool, bool, int, int, str]:
        past = self._past
        plain = _PLAIN.fullmatch(name) is not None
        return (plain, name not in self._asked, past.last_use.get(name, len(past.last_use)), -past.uses[name], name)


class _Reach:
    """What some seeds reach: by edges, and by names in their texts."""

    def __init__(self, snapshot: Snapshot, desk: Desk, seeds: Sequence[AnyNode], hops: int) -> None:
        ids = {seed.id: seed for seed in seeds}
        self._came: dict[str, tuple[str, PathStep] | None] = dict.fromkeys(ids)
        self._seeds = ids
        self.by_name: dict[str, AnyNode] = {}
        for seed in seeds:
            for name in names_of(_words(desk, seed)):
                self.by_name.setdefault(name, seed)
        for step in snapshot.walk(ids, WORK, hops):
            if step.edge is not None and step.node.id not in self._came:
                out = step.edge.target == step.node.id
                before = step.edge.source if out else step.edge.target
                self._came[step.node.id] = (before, _step(step.edge.kind, "out" if out else "in", step.node))

    def walked(self, item: ViewItem) -> Way | None:
        """Return the way over edges."""
        ways = map(self.steps_to, (item.id, *item.receipts))
        return next((way for way in ways if way is not None), None)

    def steps_to(self, wanted: str) -> Way | None:
        """Return the way over edges to a node; None where it is not reached."""
        if wanted not in self._came:
            return None
        steps: list[PathStep] = []
        while (came := self._came[wanted]) is not None:
            wanted, step = came
            steps.append(step)
        return self._seeds[wanted].handle, tuple(reversed(steps))

    def named(self, item: ViewItem, names: Iterable[str], held: Mapping[str, int], *, plain: bool) -> Way | None:
        """Return the way over a name that a seed and the part share, the one that the fewest parts hold; `plain`:
        also over a plain word.
        """
        shared = [name for name in names if name in self.by_name and (plain or _PLAIN.fullmatch(name) is None)]
        if not shared:
            return None
        name = min(shared, key=lambda name: (held[name], name))
        return self.by_name[name].handle, (_name_step(name), _item_step(EdgeKind.MENTIONS, item))


class _Ways:
    """The ways to the parts of a view."""

    def __init__(
        self, snapshot: Snapshot, view: View, near: _Reach, last: _Reach, users: Mapping[str, Sequence[AnyNode]]
    ) -> None:
        self._snapshot = snapshot
        self._reaches = (near, last)
        self._users = users
        self._names = [names_of(view.text[slice(*item.at)]) for item in view.items]
        self._held = Counter(name for names in self._names for name in names)

    def to(self, place: int, item: ViewItem) -> Way:
        """Return the handle of the seed and the steps from there to an item."""
        names = self._names[place]
        for reach in self._reaches:
            found = reach.walked(item) or reach.named(item, names, self._held, plain=False)
            if found is not None:
                return found
        plain = self._reaches[0].named(item, names, self._held, plain=True)
        return self._by_use(item) or plain or self._by_agent(item)

    def _by_use(self, item: ViewItem) -> Way | None:
        """Return the way from what used or said a name for which it was chosen, after what the seeds reach of that."""
        for name in item.names:
            user = next((each for each in self._users.get(name, ()) if each.id != item.id), None)
            if user is not None:
                before = self._reaches[0].steps_to(user.id)
                seed, steps = before if before is not None else (user.handle, ())
                return seed, (*steps, _name_step(name), _item_step(EdgeKind.MENTIONS, item))
        return None

    def _by_agent(self, item: ViewItem) -> Way:
        """Return the way from the agent that did it or said it."""
        node = self._snapshot.node(item.id)
        did = node.call if isinstance(node, Receipt) and node.call is not None else item.id
        for edge in self._snapshot.edges_from(did, {EdgeKind.PART_OF}):
            owner = self._snapshot.node(edge.target)
            if owner is not None:
                return owner.handle, (_item_step(edge.kind, item),)
        return "", ()


def _words(desk: Desk, node: AnyNode) -> str:
    if isinstance(node, Receipt):
        return " ".join(filter(None, (desk.text(node.command), node.path, node.pattern)))
    return desk.text(text_of(node))


def _name_step(name: str) -> PathStep:
    return PathStep(edge=EdgeKind.MENTIONS.value, way="out", id="", handle="", kind=kind_of(Name), label=name)


def _item_step(edge: EdgeKind, item: ViewItem) -> PathStep:
    label = item.path or ""
    return PathStep(edge=edge.value, way="in", id=item.id, handle=item.handle, kind=item.kind, label=label)


def _step(edge: EdgeKind, way: str, node: AnyNode) -> PathStep:
    label = getattr(node, "path", None) or ""
    return PathStep(edge=edge.value, way=way, id=node.id, handle=node.handle, kind=kind_of(node), label=label)
