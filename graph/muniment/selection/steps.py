"""Steps: what the focused agent did and said lately, and what came of it.

* What a read or a write showed is not repeated here: current text comes from the ledger alone, so such a step is one
  line. So is a command whose output stands in the view as current text.
* A large output is shown by its distillation, any other by its head and, larger, its tail (`outputs`).
* First come the newest steps, then failures that nothing has put right since, then the rest, newest first.
* What was withdrawn is not shown; it may have changed files all the same.
* The result of a test run is current while nothing has changed since that it was about; else it is history.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from muniment.derive.texts import readable
from muniment.model.nodes import Event, FileVersion, Message, Receipt
from muniment.model.records import CHILD_AUTHOR
from muniment.selection.focus import Focus
from muniment.selection.outputs import shown_output
from muniment.selection.parts import Part, parts_of
from muniment.selection.pieces import Desk, Piece, first_line, pointed, shortened, size_of
from muniment.selection.saying import saying
from muniment.selection.view import CURRENT, HISTORY

NEAREST = 6
"""Steps that come first whatever they are."""
FAILURES = 6
"""Failures that stand which come before older successes."""
TRACED = 16
"""Newest steps of which also reads and writes are shown, as one line each."""
COMMAND_TOKENS = 64
SMALLEST = 16
A_QUARTER = 4
"""Characters of a token, about."""

_CHANGES_NOTHING = frozenset({"model", "commit", "workspace"})
_SHOWN_ELSEWHERE = frozenset({"read", "write"})
_UNSHOWABLE = frozenset({"binary", "purged"})

Happening = Receipt | Message


class Steps(msgspec.Struct, frozen=True):
    """The focused agent's steps: all, newest first; those worth showing, best first; older failures that stand; and
    when something last changed that a test run could be about.
    """

    all: tuple[Happening, ...]
    best: tuple[Happening, ...]
    failures: tuple[Happening, ...]
    newest: frozenset[str]
    changed: int


def steps_of(desk: Desk, focus: Focus, above: Collection[str] = ()) -> Steps:
    """Return what can be shown of the recent past; the view shows the steps `above` elsewhere."""
    receipts = desk.live.newest([Receipt])
    standing = [receipt for receipt in receipts if not desk.live.ended(receipt.id)]
    messages = [m for m in desk.live.newest([Message]) if _speaks(m, focus) and not desk.live.ended(m.id)]
    mine: list[Happening] = [receipt for receipt in standing if focus.covers(receipt)]
    together = sorted([*mine, *messages], key=lambda node: (-node.ordinal, node.id))
    mine = [node for node in together if desk.needed(node)]
    elsewhere = [node.id in above or _told_beside(desk, node) for node in mine]
    worth = [node for i, node in enumerate(mine) if (i < TRACED or has_body(node)) and not elsewhere[i]]
    nearest, rest = worth[:NEAREST], worth[NEAREST:]
    failed = _standing_failures(mine)
    failures = [node for node in rest if node.id in failed][:FAILURES]
    first = {node.id for node in failures}
    best = (*nearest, *failures, *(node for node in rest if node.id not in first))
    return Steps(
        tuple(mine), best, tuple(failures), frozenset(node.id for node in nearest), _last_change(desk, receipts)
    )


def _told_beside(desk: Desk, node: Happening) -> bool:
    """Tell whether a text that is given along with the view has all that a message says."""
    return isinstance(node, Message) and node.id in desk.beside and desk.text(node.text) in desk.beside[node.id]


def has_body(node: Happening) -> bool:
    """Tell whether a step has more to show than its heading."""
    if isinstance(node, Message):
        return True
    if node.output is None or _UNSHOWABLE.intersection(node.flags):
        return False
    return node.tool not in _SHOWN_ELSEWHERE or node.status != "ok"


def step_piece(desk: Desk, steps: Steps, node: Happening, tokens: int) -> Piece:
    """Return a step with at most about so many tokens of its body; 0: its heading, which says how much there is."""
    if isinstance(node, Message):
        body, missing = shortened(desk, desk.text(node.text), max(tokens, SMALLEST), node.handle)
        return _piece(desk, steps, node, f"{saying(node)}: {body}", missing)
    text, missing = heading_of(desk, node), 0
    if node.output is not None and has_body(node):
        if tokens <= 0:
            missing = size_of(node.output)
            text += _all_left_out(desk, node)
        else:
            body, missing = shown_output(desk, node, node.output, tokens)
            text = f"{text}\n{body}".rstrip()
    return _piece(desk, steps, node, text, missing, _role(desk, steps, node))


def parted_piece(desk: Desk, steps: Steps, node: Happening, body: str, chosen: Collection[int]) -> Piece:
    """Return a step with these parts of its body (numbers in `parts_of(body)`; -1 is its heading alone)."""
    parts = parts_of(body) if body else ()
    told = [heading_of(desk, node) if isinstance(node, Receipt) else f"{saying(node)}:"]
    for place in sorted(place for place in chosen if place >= 0):
        goes_on = place > 0 and parts[place].lines == 0
        if place and place - 1 not in chosen:
            told.append("[…]")
        if goes_on and place - 1 in chosen:
            told[-1] += parts[place].text
        else:
            told.append(parts[place].text)
    left = [part for place, part in enumerate(parts) if place not in chosen]
    characters = sum(len(part.text) for part in left) + sum(part.cut for part in parts)
    if characters and len(told) == 1 and isinstance(node, Receipt) and len(left) == len(parts):
        told[0] += _all_left_out(desk, node)
    elif characters:
        told.append(_left_out(desk, node, body, parts, left))
    role = _role(desk, steps, node) if isinstance(node, Receipt) else HISTORY
    return _piece(desk, steps, node, "\n".join(told), -(-characters // A_QUARTER), role)


def _all_left_out(desk: Desk, node: Receipt) -> str:
    """Return the mark behind a heading of which the whole output is not shown."""
    if node.output is None or not node.output.lines or not has_body(node):
        return ""
    where = pointed(desk, node.handle, node.output, [(1, node.output.lines)], as_stored=True)
    return f" [… {node.output.lines:,} lines omitted{'' if where == node.handle else f': {where}'}]"


def _left_out(desk: Desk, node: Happening, body: str, parts: Sequence[Part], left: Sequence[Part]) -> str:
    """Return the mark that says how much of a body is not shown, and where it is to be had."""
    whole = node.output if isinstance(node, Receipt) else node.text
    above = body.count("\n") + 1 - (desk.text(whole).count("\n") + 1) if whole is not None else 0
    runs: list[list[int]] = []
    for part in left:
        first = part.first + 1 - above
        if part.lines and first > 0:
            if runs and runs[-1][1] + 1 == first:
                runs[-1][1] += part.lines
            else:
                runs.append([first, first + part.lines - 1])
    missing, total = sum(part.lines for part in left), sum(part.lines for part in parts)
    pointer = pointed(desk, node.handle, whole, [(first, last) for first, last in runs])
    if not missing:
        characters = sum(len(part.text) for part in left) + sum(part.cut for part in parts)
        return f"[… {characters:,} characters omitted: {pointer}]"
    return f"[… {missing:,} of {total:,} lines omitted: {pointer}]"


def shown_above(desk: Desk, steps: Steps, receipt: Receipt) -> Piece:
    """Return a step whose output stands in the view as current text: its heading, which says so."""
    return _piece(
        desk, steps, receipt, f"{heading_of(desk, receipt)} (see current text)", 0, _role(desk, steps, receipt)
    )


def heading_of(desk: Desk, receipt: Receipt) -> str:
    """Return the line that says what was done and what came of it."""
    if receipt.command is not None:
        command = desk.text(receipt.command)
        kept = desk.counter.cut(command, COMMAND_TOKENS).rstrip()
        return f"{receipt.handle} $ {kept}{'' if kept == command else ' […]'} → {outcome(receipt)}"
    about = readable(receipt.path or receipt.pattern or "")
    name = readable(receipt.name or receipt.tool)
    return f"{receipt.handle} {name}{' ' + first_line(about) if about else ''} → {outcome(receipt)}"


def outcome(receipt: Receipt) -> str:
    """Return what came of a step: its exit status, and what was counted."""
    told = [f"exit {receipt.exit_code}" if receipt.exit_code is not None else receipt.status]
    if not receipt.own_status:
        told[0] += " (not the command's own)"
    counts = receipt.counts
    for name in ("passed", "failed", "skipped"):
        number = getattr(counts, name) if counts is not None else None
        if number is not None and (number or name != "skipped"):
            told.append(f"{number} {name}")
    if receipt.matches is not None:
        told.append(f"{receipt.matches} matches")
    return ", ".join(told)


def _speaks(message: Message, focus: Focus) -> bool:
    """Tell whether a message is the focused agent's answer or, for a child, what it was asked.

    What a child said at its end, where no receipt holds it, is for the root agent too.
    """
    if message.final and message.by.startswith(CHILD_AUTHOR) and focus.agent == "":
        return focus.sessions is None or message.session in focus.sessions
    if message.binding or not focus.covers(message):
        return False
    return message.role == "answer" or (message.role == "prompt" and focus.agent != "")


def _why(steps: Steps, node: Happening) -> str:
    """Return which of the steps it is."""
    if isinstance(node, Message) and node.by != "agent":
        return f"what the {node.by} said" if node.by in ("user", "harness") else "what an agent said"
    newest = "one of the newest steps" if node.id in steps.newest else ""
    if any(failure.id == node.id for failure in steps.failures):
        return "a failure that stands"
    if isinstance(node, Receipt) and node.status == "failed":
        return f"{newest}, which failed" if newest else "a step that failed"
    return newest or "an earlier step of the focused agent"


def _piece(desk: Desk, steps: Steps, node: Happening, text: str, missing: int, role: str = HISTORY) -> Piece:
    return Piece(
        node=node,
        section="steps",
        text=text,
        tokens=desk.cost(text),
        why=_why(steps, node),
        role=role,
        path=node.path if isinstance(node, Receipt) else None,
        receipts=(node.id,) if isinstance(node, Receipt) else (),
        left_out=missing,
    )


def _standing_failures(mine: list[Happening]) -> set[str]:
    """Return the failures after which the same thing was not done again with success; `mine` is newest first."""
    righted: set[tuple[str, object]] = set()
    standing: set[str] = set()
    for node in mine:
        if isinstance(node, Receipt):
            act = (node.tool, node.command or node.path or node.pattern)
            if node.status == "ok":
                righted.add(act)
            elif node.status == "failed" and act not in righted:
                standing.add(node.id)
                righted.add(act)
    return standing


def _last_change(desk: Desk, receipts: list[Receipt]) -> int:
    acts = (receipt.ordinal for receipt in receipts if receipt.effect != "none")
    events = (event.ordinal for event in desk.live.newest([Event]) if event.what not in _CHANGES_NOTHING)
    return max(next(acts, 0), next(events, 0))


def _role(desk: Desk, steps: Steps, receipt: Receipt) -> str:
    tested = receipt.counts is not None or receipt.scope is not None or receipt.subject is not None
    if not tested or steps.changed > receipt.ordinal:
        return HISTORY
    subject = receipt.subject or {}
    return CURRENT if all(_content(desk, file) == digest for file, digest in subject.items()) else HISTORY


def _content(desk: Desk, file: str) -> str | None:
    state = desk.live.ledger(file)
    version = desk.live.node(state.version) if state is not None else None
    return version.digest if isinstance(version, FileVersion) else None
