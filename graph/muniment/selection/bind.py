"""What binds: where the mission works, facts, users' messages, decisions, and all that is open; in every view.

* A fact stands whole up to 400 tokens, beyond that by head, tail and pointer. It never shrinks further.
* Everything else has three sizes: its normal one, head and tail, and its first line; what was cut is behind a pointer.
  Under pressure the oldest shrinks first, what is in focus last. The newest message of a user shrinks only where the
  view would else be impossible.
* The folder that the mission works in is told once: commands name it, and paths of files are below it. It is the one
  thing here that gives way where there is no room.
* There is pressure where what binds takes more than half of the budget, since the rest is for evidence.
* What stands in a text that is given along with the view, a packet, is not told again.
* A long decision whose words stand in a message that binds, as an approved plan does, is not said twice: it has its
  first line, and names the message.
* If the smallest sizes together are above the budget, that is an error which says how many tokens would do.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.derive.texts import readable
from muniment.errors import BudgetInfeasibleError
from muniment.model.nodes import (
    INSTRUCTIONS,
    AnyNode,
    Decision,
    Delegation,
    Fact,
    Gap,
    Message,
    Question,
    Task,
    Timer,
    Workspace,
)
from muniment.selection.focus import IN_PROGRESS, Focus
from muniment.selection.layout import HEADING_TOKENS, compose
from muniment.selection.pieces import Desk, Piece, first_line, shortened
from muniment.selection.view import CONFLICT, CURRENT, HISTORY, ORDER

WHOLE = 400
"""Tokens up to which a binding text stands whole."""
SMALL = 96
SMALLEST = 16
FRAME = "frame"
"""The section that says where the mission works: a line, for which what is left of the room does."""
FOLDERS = 3
"""Folders that are told of a mission which works in several."""

_SIZES = {Fact: (WHOLE,), Message: (WHOLE, SMALL, SMALLEST), Decision: (WHOLE, SMALL, SMALLEST)}
_OTHER_SIZES = (160, 48, SMALLEST)
_INSTRUCTIONS = (SMALLEST,)
"""An instruction file binds by pointer: it is in the runtime's own prompt."""


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """Something that binds, in the sizes (tokens of its text) that it may take, largest first."""

    node: AnyNode
    label: str
    text: str
    section: str
    role: str
    why: str
    sizes: tuple[int, ...]

    def piece(self, desk: Desk, size: int) -> Piece:
        """Return it in the size with this number, or its smallest."""
        limit = self.sizes[min(size, len(self.sizes) - 1)]
        body, missing = shortened(desk, self.text, limit, self.node.handle)
        text = f"{self.label}: {body}" if body else self.label
        return Piece(
            node=self.node,
            section=self.section,
            text=text,
            tokens=desk.cost(text),
            why=self.why,
            role=self.role,
            left_out=missing,
        )


def bind(desk: Desk, focus: Focus) -> list[Piece]:
    """Return the pieces for all that binds, in sizes that fit the budget.

    Raises:
        BudgetInfeasibleError: they do not fit in their smallest sizes.
    """
    clashing = frozenset(desk.live.conflicts())
    stated = [*_framed(desk), *_stated(desk, clashing), *_decided(desk, clashing)]
    binding = [*stated, *_unfinished(desk, focus), *_tasks(desk, focus)]
    bound = [entry for entry in binding if entry.node.id not in desk.beside]
    pieces = [entry.piece(desk, 0) for entry in bound]
    order = _shrinking_order(bound)
    newest = max((entry.node.ordinal for entry in bound if isinstance(entry.node, Message)), default=0)
    gently = [i for i in order if bound[i].node.ordinal != newest]
    room = desk.budget - HEADING_TOKENS * len({piece.section for piece in pieces})
    turns = ((gently, 1, room // 2), (gently, 2, room * 3 // 4), (order, 1, room), (order, 2, room))
    for indexes, size, limit in turns:
        _shrink(pieces, ((i, bound[i].piece(desk, size)) for i in indexes), limit)
    if desk.counter.fits(compose(pieces), desk.budget):
        return pieces
    smallest = [entry.piece(desk, len(entry.sizes)) for entry in bound if entry.section != FRAME]
    needed = desk.counter.count(compose(smallest))
    if needed > desk.budget:
        raise BudgetInfeasibleError(desk.budget, needed)
    return smallest


def _shrink(pieces: list[Piece], smaller: Iterable[tuple[int, Piece]], limit: int) -> None:
    """Put smaller pieces in the place of larger ones, one by one, until all together cost at most `limit` tokens."""
    over = sum(piece.tokens for piece in pieces) - limit
    if over <= 0:
        return
    for i, piece in smaller:
        if piece.tokens < pieces[i].tokens:
            over -= pieces[i].tokens - piece.tokens
            pieces[i] = piece
            if over <= 0:
                return


def _shrinking_order(bound: list[Bound]) -> list[int]:
    may = [i for i, entry in enumerate(bound) if len(entry.sizes) > 1]
    return sorted(may, key=lambda i: (bound[i].section == "focus", bound[i].node.ordinal, i))


def _framed(desk: Desk) -> Iterable[Bound]:
    """Where the mission works: the folders, those that were entered last, as far as they are told."""
    spaces = [space for space in desk.live.newest([Workspace]) if space.root]
    for space in sorted(spaces, key=lambda space: (space.ordinal, space.id))[-FOLDERS:]:
        yield Bound(
            node=space,
            label=f"{space.handle} works in",
            text=" ".join(readable(space.root or "").split()),
            section=FRAME,
            role=CURRENT,
            why="the folder that the mission works in",
            sizes=(SMALL,),
        )


def _stated(desk: Desk, clashing: frozenset[str]) -> Iterable[Bound]:
    for node in desk.live.binding():
        text = desk.text(node.text)
        if isinstance(node, Fact) and node.class_ == INSTRUCTIONS:
            yield _instruction_file(node)
        elif isinstance(node, Fact):
            conflict = node.id in clashing
            slot = f" ({readable(node.slot)})" if node.slot and conflict else ""
            yield Bound(
                node=node,
                label=f"{node.handle} {'CONFLICT ' if conflict else ''}{readable(node.class_)}{slot}",
                text=text,
                section="facts",
                role=CONFLICT if conflict else CURRENT,
                why="contradicts another fact in force" if conflict else "fact in force",
                sizes=_SIZES[Fact],
            )
        else:
            instructions = node.role == "instructions"
            yield Bound(
                node=node,
                label=f"{node.handle} instructions" if instructions else node.handle,
                text=text,
                section="user",
                role=CURRENT,
                why="instruction file" if instructions else "the user said so",
                sizes=_INSTRUCTIONS if instructions else _SIZES[Message],
            )


def _instruction_file(node: Fact) -> Bound:
    """An instruction file binds by pointer and digest: its text is in the runtime's own prompt."""
    version = f"digest {node.digest[:12]}, {node.text.lines} lines" if node.digest else "version not known"
    return Bound(
        node=node,
        label=f"{node.handle} instructions",
        text=f"{readable(node.path or '')} ({version})",
        section="facts",
        role=CURRENT,
        why="instruction file",
        sizes=_SIZES[Fact],
    )


def _decided(desk: Desk, clashing: frozenset[str]) -> Iterable[Bound]:
    said = [(node, desk.text(node.text)) for node in desk.live.binding() if isinstance(node, Message)]
    for node in desk.live.decisions():
        conflict = node.id in clashing
        text = _once(desk, desk.text(node.choice), said)
        if node.reason is not None:
            text += f"\nbecause: {desk.text(node.reason)}"
        if node.rejected:
            text += f"\nrejected: {readable('; '.join(node.rejected))}"
        yield Bound(
            node=node,
            label=f"{node.handle} CONFLICT" if conflict else node.handle,
            text=text,
            section="decisions",
            role=CONFLICT if conflict else CURRENT,
            why="contradicts another decision in force" if conflict else "decision in force",
            sizes=_SIZES[Decision],
        )


def _once(desk: Desk, choice: str, said: list[tuple[Message, str]]) -> str:
    """Return the words of a decision; of long ones that a message holds, the first line and where the rest stands."""
    if desk.counter.fits(choice, SMALL):
        return choice
    message = next((message for message, text in said if choice in text and message.role != INSTRUCTIONS), None)
    if message is None:
        return choice
    return f"{desk.counter.cut(first_line(choice), SMALL)} [as {message.handle} says]"


def _unfinished(desk: Desk, focus: Focus) -> Iterable[Bound]:
    live = desk.live
    for delegation in live.running():
        if focus.delegation is not None and delegation.id == focus.delegation.id:
            continue
        yield _open(desk, delegation, f"running delegation to {readable(delegation.child)}", "has not ended")
    for timer in live.armed():
        due = f", due {readable(timer.due)}" if timer.due else ""
        yield _open(desk, timer, f"armed timer{due}", "has not fired")
    for question in live.open_questions():
        yield _open(desk, question, f"open {readable(question.what)}", "is not settled")
    yield from _losses(live.gaps())


def _open(desk: Desk, node: Delegation | Timer | Question, what: str, why: str) -> Bound:
    return Bound(
        node=node,
        label=f"{node.handle} {what}",
        text=desk.text(node.text),
        section="open",
        role=CURRENT,
        why=why,
        sizes=_OTHER_SIZES,
    )


def _losses(gaps: list[Gap]) -> Iterable[Bound]:
    """One line for each kind of loss: a damaged file can have thousands."""
    kinds: dict[str, list[Gap]] = {}
    for gap in gaps:
        kinds.setdefault(gap.code, []).append(gap)
    for code, found in kinds.items():
        detail = readable(found[-1].detail)
        many = f"{len(found):,} times{', last' if detail else ''}" if len(found) > 1 else ""
        yield Bound(
            node=found[-1],
            label=f"{found[-1].handle} loss {readable(code)}",
            text=f"{many} {detail}".strip(),
            section="open",
            role=CURRENT,
            why="known loss",
            sizes=(SMALL, SMALLEST),
        )


def _tasks(desk: Desk, focus: Focus) -> Iterable[Bound]:
    unended = desk.live.open_tasks()
    focused = {task.id for task in focus.tasks}
    yield from (_task(desk, task, "open", ORDER) for task in unended if task.id not in focused)
    orders = {task.id for task in unended}
    yield from (_task(desk, task, "focus", ORDER if task.id in orders else HISTORY) for task in focus.tasks)
    if focus.delegation is not None:
        yield _given(desk, focus.delegation)


def _given(desk: Desk, delegation: Delegation) -> Bound:
    """What a child was given to do, in the child's own view."""
    running = any(each.id == delegation.id for each in desk.live.running())
    state = "given to you" if running else readable(desk.live.state(delegation.id) or "ended")
    return Bound(
        node=delegation,
        label=f"{delegation.handle} {'task ' if running else ''}[{state}]",
        text=desk.text(delegation.text),
        section="focus",
        role=ORDER if running else HISTORY,
        why="the work that was given to this agent",
        sizes=_SIZES[Message],
    )


def _task(desk: Desk, task: Task, section: str, role: str) -> Bound:
    state = desk.live.state(task.id) or ("open" if role == ORDER else "withdrawn")
    shown = "in progress" if state == IN_PROGRESS else readable(state)
    return Bound(
        node=task,
        label=f"{task.handle} {'task ' if role == ORDER else ''}[{shown}]",
        text=desk.text(task.text),
        section=section,
        role=role,
        why="the task that was asked for" if section == "focus" and state != IN_PROGRESS else f"task is {shown}",
        sizes=_SIZES[Message] if section == "focus" else _OTHER_SIZES,
    )
