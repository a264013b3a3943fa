"""Version control that puts other content into the working tree: what is known of the files there is in doubt then.

* A branch switched, a pull, a merge, a rebase, a stash, a hard reset: nobody names the files. Where the output tells
  that nothing changed, or which files did, only these are in doubt.
* Files outside of the folder in which it ran, or of the workspace where that lies in it, are not.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.derive import files
from muniment.derive.builder import Builder
from muniment.derive.paths import file_key
from muniment.derive.sessions import rules_of
from muniment.derive.state import FileState, Rooted
from muniment.model.nodes import WRITES_NAMED, Receipt
from muniment.shell.commands import simple_commands
from muniment.shell.simple import Simple

_REWRITES: Final = frozenset({"pull", "merge", "rebase", "cherry-pick", "revert", "am", "switch", "checkout"})
_STASHES: Final = frozenset({"push", "save", "pop", "apply", "branch"})
_RESETS: Final = frozenset({"--hard", "--merge", "--keep"})
_MAKES_BRANCH: Final = frozenset({"-b", "-B", "-c", "-C", "--create", "--orphan"})
_BRANCH_ALONE: Final = 2
_NOTHING: Final = re.compile(
    r"^(?:Already up[ -]to[ -]date|Already on |No local changes to save|Current branch .* is up to date)", re.MULTILINE
)
_NOTHING_HAPPENED: Final = re.compile(r"^(?:fatal|error): ", re.MULTILINE)
_STAT: Final = re.compile(r"^ (\S.*?) +\| +(?:\d+ ?[+-]*|Bin .*)$", re.MULTILINE)
_VALUED: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree"})


def note_tree_changes(builder: Builder, session: Rooted, receipt: Receipt, command: str, output: str) -> None:
    """Put in doubt what a command of version control may have put other content into."""
    if receipt.effect not in ("writes", "unknown") or WRITES_NAMED in receipt.flags or "git" not in command:
        return
    rewriting = [found for simple in simple_commands(command) or () if (found := _rewriting(simple)) is not None]
    if not rewriting:
        return
    told = _told(rewriting, output)
    for folder in {place for _, place in rewriting}:
        for file in _files_below(builder, session, folder):
            if told is None or any(file.path.endswith(path) for path in told):
                files.put_in_doubt(builder, file, receipt.id)


def _rewriting(simple: Simple) -> tuple[str, str | None] | None:
    """Return the verb and the folder of a git command that may rewrite the tree."""
    if simple.words[:1] != ("git",):
        return None
    rest, folder = list(simple.words[1:]), simple.folder
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        value = rest.pop(0) if option in _VALUED and rest else ""
        folder = value if option == "-C" else folder
    verb, arguments = (rest[0], rest[1:]) if rest else ("", [])
    if verb == "stash":
        return (verb, folder) if not arguments or arguments[0] in _STASHES or arguments[0][:1] == "-" else None
    if verb == "reset":
        return (verb, folder) if not _RESETS.isdisjoint(arguments) else None
    if verb not in _REWRITES:
        return None
    if verb in ("checkout", "switch"):
        made = not _MAKES_BRANCH.isdisjoint(arguments)
        if "--" in arguments or (made and len(arguments) <= _BRANCH_ALONE):
            return None
    return verb, folder


def _told(rewriting: list[tuple[str, str | None]], output: str) -> list[str] | None:
    """Return the paths that an output names as changed, none where nothing was; None where it does not tell."""
    if len(rewriting) > 1:
        return None
    if _NOTHING.search(output) is not None:
        return []
    if rewriting[0][0] not in ("pull", "merge") or "Fast-forward" not in output:
        return [] if _NOTHING_HAPPENED.match(output) and rewriting[0][0] in ("switch", "checkout", "pull") else None
    paths = [match[1] for match in _STAT.finditer(output)]
    return None if not paths or any(path.startswith("...") or " => " in path for path in paths) else paths


def _files_below(builder: Builder, session: Rooted, folder: str | None) -> list[FileState]:
    """Return the known files of the tree that a folder is in: of the workspace, unless it lies elsewhere."""
    rules = rules_of(session)
    root = file_key(".", root=session.root, cwd=None, rules=rules)
    place = root if folder is None else file_key(folder, root=session.root, cwd=None, rules=rules)
    top = root if place == root or place.startswith(f"{root}/") else place
    begins = f"{session.workspace}\n{top}/" if top not in (".", "/") else f"{session.workspace}\n"
    return [file for key, file in builder.state.files.items() if key.startswith(begins) and file.ledger.segments]
