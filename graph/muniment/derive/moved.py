"""Files that a shell command renames, removes or links: `mv`, `git mv`, `rm`, `git rm`, `ln -s`.

* A renamed file's lines go with it to its new path; what was run on the old path does not. A removed file is gone.
* Only what the line names by literal paths, in a chain that succeeded, and only files that are known: anything else is
  in doubt already.
* What is known before must be taken before the command's effect puts it in doubt.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from muniment.derive import files
from muniment.derive.builder import Builder
from muniment.derive.paths import file_key
from muniment.derive.reads.options import given, is_known, placed
from muniment.derive.reads.script import Command, steps_of
from muniment.derive.sessions import rules_of
from muniment.derive.state import FileState, Rooted
from muniment.model.ledger import LedgerState
from muniment.model.nodes import Receipt
from muniment.model.records import FileChange, ToolReturned
from muniment.shell.prefixes import base_name

_LINKS: Final = 2
_MOVES: Final = 2


class Move(NamedTuple):
    """One thing done: `mv` (to a path), `rm`, or `ln` (a link to a target). `file` is what was known of its source."""

    verb: str
    path: str
    to: str = ""
    file: FileState | None = None
    ledger: LedgerState | None = None
    content: tuple[str, str] = ("", "")


def moves_of(builder: Builder, session: Rooted, record: ToolReturned, command: str | None) -> tuple[Move, ...]:
    """Return what a command that succeeded renamed, removed or linked, with what was known before."""
    if command is None or record.tool != "command" or record.exit_code not in (0, None) or record.status == "refused":
        return ()
    if not any(name in command for name in ("mv", "rm", "ln")):
        return ()
    cwd = record.cwd or session.cwd
    found: list[Move] = []
    for step in steps_of(command) or ():
        if step.sure and len(step.commands) == 1:
            found += _of_command(builder, session, step.commands[0], cwd)
    return tuple(found)


def note_moves(builder: Builder, session: Rooted, receipt: Receipt, moves: tuple[Move, ...]) -> None:
    """Put into the graph what a command renamed, removed or linked."""
    if receipt.status != "ok":
        return
    for move in moves:
        if move.verb == "ln":
            files.linked(builder, session, move.path, move.to)
        elif move.file is not None and move.ledger is not None:
            move.file.ledger = move.ledger
            move.file.grade, move.file.digest = move.content
            change = "renamed" if move.verb == "mv" else "deleted"
            files.changed(builder, session, FileChange(path=move.path, change=change, to=move.to or None), receipt)


def _of_command(builder: Builder, session: Rooted, command: Command, cwd: str | None) -> list[Move]:
    words = command.words
    if words[:1] == ("git",) and words[1:2] in (("mv",), ("rm",)):
        words = words[1:]
    if not words or base_name(words[0]) not in ("mv", "rm", "ln"):
        return []
    told = given(words[1:], frozenset({"-t", "-S", "--target-directory", "--suffix"}))
    if told.has("-t", "--target-directory", "--cached", "-n", "--dry-run") or not all(map(is_known, told.operands)):
        return []
    paths = [placed(cwd, placed(command.folder, operand)) for operand in told.operands]
    if words[0] == "ln":
        soft = told.has("-s", "--symbolic") and len(paths) == _LINKS
        return [Move("ln", paths[1], told.operands[0])] if soft else []
    if words[0] == "rm":
        return [move for path in paths if (move := _known(builder, session, Move("rm", path))) is not None]
    if len(paths) != _MOVES:
        return []
    to = _target(builder, session, *paths)
    move = _known(builder, session, Move("mv", paths[0], to)) if to is not None else None
    return [move] if move is not None else []


def _target(builder: Builder, session: Rooted, path: str, to: str) -> str | None:
    """Return the path that a file has after `mv path to`; None where `to` may be a folder or a file."""
    name = base_name(path)
    key = _place(session, to)
    if to.endswith("/") or any(place.startswith(f"{key}/") for place in builder.state.files):
        return f"{to.rstrip('/')}/{name}"
    same_kind = name.rpartition(".")[2] == base_name(to).rpartition(".")[2]
    return to if "." in base_name(to) and (same_kind or key in builder.state.files) else None


def _known(builder: Builder, session: Rooted, move: Move) -> Move | None:
    file = builder.state.files.get(_place(session, move.path))
    if file is None or not file.ledger.version:
        return None
    return move._replace(file=file, ledger=file.ledger, content=(file.grade, file.digest))


def _place(session: Rooted, path: str) -> str:
    return f"{session.workspace}\n{file_key(path, root=session.root, cwd=None, rules=rules_of(session))}"
