"""The edits in what a model told aider: blocks that search and replace, whole files; and which were applied.

* A block's lines are whole lines, whose place in the file is not known.
* Whether a block was applied is told by the notices behind the answer: `Applied edit to …`, and the blocks that failed
  are repeated there. What neither tells stays unknown.
"""

from __future__ import annotations

import re

import msgspec

from muniment.importers.replacing import around
from muniment.model.records import FileChange

_BLOCK = re.compile(
    r"^<{5,9} SEARCH[^\n]*\n(?P<old>.*?)^={5,9}[ \t]*\n(?P<new>.*?)^>{5,9} REPLACE", re.MULTILINE | re.DOTALL
)
_FENCE = re.compile(r"^(?P<name>[^\s`<>][^\n`]*)\n```[\w+-]*\n(?P<text>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_APPLIED = re.compile(r"^> Applied edit to (.+?)[ \t]*$", re.MULTILINE)
_FAILED_BLOCK = re.compile(r"^<{5,9} SEARCH[^\n]*\n(?P<old>.*?)^={5,9}[ \t]*\n", re.MULTILINE | re.DOTALL)
_FAILED = re.compile(r"SEARCH/REPLACE blocks? failed to match")


class Edit(msgspec.Struct):
    """An edit that a model proposed; `old` None: the whole file is given."""

    path: str
    old: str | None
    new: str


def edits_in(text: str) -> list[Edit]:
    """Return the edits in an answer, in order. The path stands on the line before the block, or before its fence."""
    found: list[Edit] = []
    path = ""
    for match in _BLOCK.finditer(text):
        path = _path_before(text[: match.start()]) or path
        if path:
            found.append(Edit(path, match["old"], match["new"]))
    if found:
        return found
    return [
        Edit(_plain(match["name"]), None, match["text"]) for match in _FENCE.finditer(text) if _is_path(match["name"])
    ]


def applied_paths(notice: str) -> set[str]:
    """Return the files that a notice says were edited, with slashes as in paths of POSIX."""
    return {_same(path) for path in _APPLIED.findall(notice)}


def failed_searches(notice: str) -> list[str] | None:
    """Return the texts that a notice says were not found; None where it tells of no failure."""
    if _FAILED.search(notice) is None:
        return None
    return [match["old"] for match in _FAILED_BLOCK.finditer(notice)]


def is_same_file(edit: Edit, paths: set[str]) -> bool:
    """Tell whether an edit is of one of these files."""
    return _same(edit.path) in paths


def change_of(edit: Edit, *, created: bool) -> FileChange:
    """Return what an applied edit changed."""
    if edit.old is None:
        return FileChange(path=edit.path, content=edit.new)
    if not edit.old.strip():
        content = edit.new if created else None
        return FileChange(path=edit.path, change="created" if created else "written", content=content)
    hunk = around(edit.old, edit.new)
    return FileChange(path=edit.path, hunks=() if hunk is None else (hunk,))


def _path_before(text: str) -> str:
    """Return the path that stands before a block: on the last line, or on the line before the fence that it opens."""
    for line in reversed(text.rstrip("\n").split("\n")[-3:]):
        plain = _plain(line)
        if plain and not line.lstrip().startswith("```"):
            return plain if _is_path(plain) else ""
    return ""


def _is_path(text: str) -> bool:
    plain = _plain(text)
    return bool(plain) and len(plain) < 400 and " " not in plain and ("." in plain or "/" in plain or "\\" in plain)


def _plain(text: str) -> str:
    return text.strip().strip("*`#:").strip()


def _same(path: str) -> str:
    return path.strip().replace("\\", "/")
