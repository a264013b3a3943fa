"""Slices: the part of a mission that one task needs, for a delegate that is to do it.

* All facts in force and all users' messages stay: they bind whoever works on the mission. Known losses stay as well.
* Of decisions, questions and files there are those that the task touches: it names them, they share names with its
  text, or receipts about it or of its agent are about them. Of tasks, delegations and timers there is its own. Where no
  task is in focus, what the user said last is the task.
* Of steps there are those of the delegation's own child; for a task that nobody has begun those that were done for it,
  that worked on its files, or that share names with it. What the runtime told its own agent is for that agent alone.
* What is too sensitive for the provider is not there; a thing that binds is, and says that its text is withheld. Words
  that are withheld are so in names, paths and patterns as well as in texts.
* Whatever is left out is listed as omitted: `not_needed` or `withheld`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from copy import copy
from typing import Final, TypeVar

import msgspec

from muniment.derive.names import names_in
from muniment.model.ledger import LedgerState
from muniment.model.nodes import (
    AnyNode,
    Decision,
    Delegation,
    Excerpt,
    Fact,
    File,
    Gap,
    Message,
    Node,
    Question,
    Receipt,
    Session,
    Task,
    Text,
    Timer,
    text_of,
)
from muniment.selection.focus import Focus, focus_of
from muniment.selection.pieces import omission, size_of
from muniment.selection.policy import Clearance, Policy, withheld
from muniment.selection.view import Omitted, View, ViewRequest
from muniment.snapshot import WINDOW, LiveReads

NOT_NEEDED: Final = "not_needed"
WITHHELD: Final = "withheld"
TOLD: Final = ("path", "pattern", "name", "detail", "due", "what", "slot", "child", "rejected")
"""What a view says of things beside their texts."""
STEPS: Final = frozenset({"receipt", "message"})
"""Kinds of which a slice leaves out many: they are listed last."""
HARNESS: Final = "harness"
PROMPTS: Final = 2
"""Messages of the user, the newest, that say what to do where no task is in focus."""
PLAIN_SHARED: Final = 2
"""Plain words that a text must share with the task's; of names that are no plain words one does."""
_PLAIN: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
N = TypeVar("N", bound=Node)


def sliced(live: LiveReads, request: ViewRequest, policy: Policy) -> SlicedReads | None:
    """Return what a request may see of a mission; None where that is all of it.

    Whom a slice is for without a provider's name is one of which nothing is known.

    Raises:
        UnknownIdError: no task, session, agent or delegation has the id that the request names.
    """
    narrow = request.slice or request.delegate is not None
    if not narrow and request.provider is None:
        return None
    focus = focus_of(live, request) if narrow else None
    return SlicedReads(live, focus, policy.clearance(request.provider or ""))


def with_left_out(view: View, reads: SlicedReads, listed: int) -> View:
    """Return a view that also lists what its reads left out, before what did not fit."""
    newest = sorted(reads.left.values(), key=lambda each: (-each[0].ordinal, each[0].id))
    left = [_omitted(node, reason) for node, reason in newest]
    steps = [each for each in left if each.kind in STEPS]
    omitted = (*(each for each in left if each.kind not in STEPS), *view.omitted, *steps)
    return msgspec.structs.replace(view, omitted=omitted[:listed], left_out=view.left_out + len(left))


def _omitted(node: AnyNode, reason: str) -> Omitted:
    """Return the note that a slice leaves something out; the record of a file is its path."""
    told = omission(node, reason, size_of(text_of(node)))
    return msgspec.structs.replace(told, record="") if reason == WITHHELD and isinstance(node, File) else told


class SlicedReads:
    """A mission as far as a task needs it and its reader may see it. `left` is what was left out, by node."""

    def __init__(self, live: LiveReads, focus: Focus | None, clearance: Clearance | None) -> None:
        """Narrow reads to what the tasks and the delegation in focus need, and to a clearance; None: to nothing."""
        self.made: dict[Hashable, object] = {}
        self._live = live
        self._clearance = clearance
        self._focus = focus
        self.left: dict[str, tuple[AnyNode, str]] = {}
        self._known: dict[str, Node] = {}
        self._needed: dict[str, bool] = {}
        self._hidden = self._hidden_receipts() if clearance is not None else frozenset[str]()
        self._names = frozenset(self._task_names()) if focus is not None else frozenset[str]()
        self._telling = frozenset(name for name in self._names if _PLAIN.fullmatch(name) is None)
        self._near = self._near_files() if focus is not None else frozenset[str]()
        near = [file.path for file in live.files() if file.id in self._near] if focus is not None else []
        self._near_paths = frozenset(near)
        self._near_names = frozenset(path.rpartition("/")[2] for path in near)

    @property
    def mission(self) -> str:
        """The mission's id."""
        return self._live.mission

    @property
    def ordinal(self) -> int:
        """The newest ordinal that is seen."""
        return self._live.ordinal

    def upto(self, ordinal: int) -> SlicedReads:
        """Return the reads as of an earlier ordinal, narrowed to what is needed and may be seen now."""
        earlier = copy(self)
        earlier._live = self._live.upto(ordinal)
        earlier.left = {}
        if earlier._clearance is not None:
            earlier._hidden = self._hidden | earlier._hidden_receipts()
        return earlier

    def text(self, text: Text) -> str:
        """Return the characters that `text` stands for, without words that are withheld."""
        found = self._live.text(text)
        return found if self._clearance is None else self._clearance.text(found)

    def node(self, node: str) -> AnyNode | None:
        """Return the node with this id, or None."""
        found = self._live.node(node)
        return self._cleared(found) if found is not None else None

    def state(self, node: str) -> str:
        """Return the state that the newest MOVED edge gives a node."""
        return self._live.state(node)

    def ended(self, node: str) -> str:
        """Return how a thing ceased to hold."""
        return self._live.ended(node)

    def binding(self) -> list[Fact | Message]:
        """Return all that binds; what is too sensitive without its text."""
        return [self._cleared(self._veiled(node)) for node in self._live.binding()]

    def decisions(self) -> list[Decision]:
        """Return the decisions in force that the task touches."""
        kept = self._live.decisions()
        return self._kept(kept, lambda node: self._touches(self.text(node.choice) + self._reason(node)))

    def conflicts(self) -> list[str]:
        """Return the ids of things in force that contradict one another."""
        return self._live.conflicts()

    def open_tasks(self) -> list[Task]:
        """Return the tasks in focus that are open."""
        own = {task.id for task in self._focus.tasks} if self._focus is not None else set()
        return self._kept(self._live.open_tasks(), lambda node: node.id in own)

    def open_questions(self) -> list[Question]:
        """Return the open questions that the task touches."""
        return self._kept(self._live.open_questions(), lambda node: self._touches(self.text(node.text)))

    def running(self) -> list[Delegation]:
        """Return the delegation in focus, if it is running."""
        own = self._focus.delegation.id if self._focus is not None and self._focus.delegation is not None else ""
        return self._kept(self._live.running(), lambda node: node.id == own)

    def armed(self) -> list[Timer]:
        """Return no timers: they are their mission's."""
        return self._kept(self._live.armed(), lambda _: False)

    def gaps(self) -> list[Gap]:
        """Return the losses that are known."""
        return list(map(self._cleared, self._live.gaps()))

    def files(self) -> list[File]:
        """Return the files that the task touches and that may be shown."""
        files = [file for file in self._live.files() if not self._withholds(file, self._path_level(file.path))]
        return self._kept(files, lambda file: file.id in self._near)

    def ledger(self, file: str) -> LedgerState | None:
        """Return the current lines of a file."""
        return self._live.ledger(file)

    def touched(self, file: str) -> int:
        """Return the ordinal of the newest event that told of a file's content."""
        return self._live.touched(file)

    def distilled(self, receipt: str) -> list[Excerpt]:
        """Return the excerpts of a receipt's output that matter."""
        return self._live.distilled(receipt)

    def worked_on(self, tasks: Collection[str]) -> frozenset[str]:
        """Return the ids of the files that the newest receipts about any of these tasks were about."""
        return self._live.worked_on(tasks)

    def sessions(self) -> list[Session]:
        """Return the sessions."""
        return self._live.sessions()

    def needs(self, node: Receipt | Message) -> bool:
        """Tell whether a step is one that the task needs; one that it does not is left out."""
        if self._focus is None:
            return True
        needed = self._needed.get(node.id)
        if needed is None:
            needed = self._needed[node.id] = self._is_needed(node, self._focus)
        if not needed:
            self._leave((node,), NOT_NEEDED)
        return needed

    def _is_needed(self, node: Receipt | Message, focus: Focus) -> bool:
        if focus.agent:
            return node.agent == focus.agent
        if isinstance(node, Message):
            return node.by != HARNESS and self._touches(self.text(node.text))
        if node.task is not None and node.task in {task.id for task in focus.tasks}:
            return True
        if node.path is not None and node.path in self._near_paths:
            return True
        acted = " ".join([self.text(node.command) if node.command is not None else "", node.pattern or ""])
        if self._touches(acted) or self._near_names.intersection(names_in(acted)):
            return True
        return node.output is not None and not self._telling.isdisjoint(names_in(self.text(node.output)))

    def newest(self, kinds: Collection[type[N]], limit: int = WINDOW) -> list[N]:
        """Return the newest nodes of these kinds, without receipts that are withheld."""
        return [self._cleared(node) for node in self._live.newest(kinds, limit) if node.id not in self._hidden]

    def _kept(self, nodes: Sequence[N], needed: Callable[[N], bool]) -> list[N]:
        if self._focus is None:
            return list(map(self._cleared, nodes))
        kept = [node for node in nodes if needed(node)]
        ids = {node.id for node in kept}
        self._leave((node for node in nodes if node.id not in ids), NOT_NEEDED)
        return list(map(self._cleared, kept))

    def _cleared(self, node: N) -> N:
        """Return a node without words that are withheld; who is in focus keeps the name by which it is known."""
        if self._clearance is None or not self._clearance.hides_words:
            return node
        delegation = self._focus.delegation if self._focus is not None else None
        if delegation is not None and node.id == delegation.id:
            return node
        found = self._known.get(node.id)
        if found is None or type(found) is not type(node):
            found = self._known[node.id] = _without(node, self._clearance.text)
        return found

    def _leave(self, nodes: Iterable[Node], reason: str) -> None:
        for each in nodes:
            node = self._live.node(each.id)
            if node is not None:
                self.left[node.id] = (node, reason)

    def _veiled(self, node: Fact | Message) -> Fact | Message:
        if not isinstance(node, Fact) or self._clearance is None:
            return node
        level = self._clearance.fact(node.slot, node.class_) or self._path_level(node.path or "")
        if not self._withholds(node, level):
            return node
        return msgspec.structs.replace(node, text=Text(inline=withheld(level), lines=1, size=len(withheld(level))))

    def _withholds(self, node: Node, level: str) -> bool:
        if level:
            self._leave((node,), WITHHELD)
        return bool(level)

    def _path_level(self, path: str) -> str:
        return self._clearance.path(path) if self._clearance is not None and path else ""

    def _hidden_receipts(self) -> frozenset[str]:
        """Return the receipts that name a file which is withheld, or show lines of one."""
        files = {file.id for file in self._live.files() if self._path_level(file.path)}
        showing = {excerpt.receipt for excerpt in self._live.newest([Excerpt]) if self._is_withheld(excerpt.file)}
        states = [state for file in files if (state := self._live.ledger(file)) is not None]
        current = (self._live.node(segment.excerpt) for state in states for segment in state.segments)
        showing |= {excerpt.receipt for excerpt in current if isinstance(excerpt, Excerpt)}
        hidden = [r for r in self._live.newest([Receipt]) if r.id in showing or self._names_withheld(r)]
        self._leave(hidden, WITHHELD)
        return frozenset(receipt.id for receipt in hidden)

    def _is_withheld(self, file: str | None) -> bool:
        found = self._live.node(file) if file is not None else None
        return isinstance(found, File) and bool(self._path_level(found.path))

    def _names_withheld(self, receipt: Receipt) -> bool:
        assert self._clearance is not None
        command = self._live.text(receipt.command) if receipt.command is not None else ""
        return bool(self._path_level(receipt.path or "") or self._clearance.command(command))

    def _task_names(self) -> Iterable[str]:
        assert self._focus is not None
        focus = self._focus
        stated: list[AnyNode] = [*focus.tasks, *([focus.delegation] if focus.delegation is not None else [])]
        if not stated:
            stated += [message for message in self._live.newest([Message]) if message.binding][:PROMPTS]
        for node in stated:
            text = text_of(node)
            if text is not None:
                yield from names_in(self._live.text(text))

    def _near_files(self) -> frozenset[str]:
        """Return the files that the task names, that share a name with it, or that it or its agent has worked on."""
        assert self._focus is not None
        focus = self._focus
        near = set(self._live.worked_on([task.id for task in focus.tasks]))
        if focus.agent:
            mine = {r.path for r in self._live.newest([Receipt]) if r.agent == focus.agent and r.path}
            near |= {e.file for e in self._live.newest([Excerpt]) if e.agent == focus.agent and e.file}
        else:
            mine = set()
        for file in self._live.files():
            named = any(name == file.path or file.path.endswith("/" + name.lstrip("./")) for name in self._names)
            if named or file.path in mine or self._shares_a_name(file):
                near.add(file.id)
        return frozenset(near)

    def _shares_a_name(self, file: File) -> bool:
        """Tell whether the known lines of a file hold a name of the task that is no plain word."""
        state = self._live.ledger(file.id)
        if state is None or not self._telling:
            return False
        sources = (self._live.node(excerpt) for excerpt in {segment.excerpt for segment in state.segments})
        texts = (self._live.text(node.text) for node in sources if isinstance(node, Excerpt))
        return any(not self._telling.isdisjoint(names_in(text)) for text in texts)

    def _touches(self, text: str) -> bool:
        shared = self._names.intersection(names_in(text))
        plain = sum(_PLAIN.fullmatch(name) is not None for name in shared)
        return len(shared) > plain or plain >= PLAIN_SHARED

    def _reason(self, decision: Decision) -> str:
        return "\n" + self.text(decision.reason) if decision.reason is not None else ""


def _without(node: N, shown: Callable[[str], str]) -> N:
    """Return a node, what a view says of it beside its text being as `shown` gives it."""
    changed: dict[str, str | tuple[str, ...]] = {}
    for field in (*TOLD, *(("record",) if isinstance(node, File) else ())):
        value = getattr(node, field, None)
        if isinstance(value, str) and (text := shown(value)) != value:
            changed[field] = text
        elif isinstance(value, tuple) and (texts := tuple(map(shown, value))) != value:
            changed[field] = texts
    return msgspec.structs.replace(node, **changed) if changed else node
