"""Tool calls of Claude Code: the family of each tool, and what of its input a record keeps.

* Families: read, search, write, command; all else is `other`.
* Texts that come again with the result (file contents, replaced strings, plans, prompts) and texts over `LONGEST`
  characters stay out of the arguments.
"""

from __future__ import annotations

from typing import Final

from muniment.importers.lenient import maybe_string, string
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import ToolCalled

LONGEST: Final = 2000
FAMILIES: Final = {
    "Read": "read",
    "NotebookRead": "read",
    "Grep": "search",
    "Glob": "search",
    "LS": "search",
    "Edit": "write",
    "MultiEdit": "write",
    "Write": "write",
    "NotebookEdit": "write",
    "Bash": "command",
    "BashOutput": "command",
}
DELEGATES: Final = frozenset({"Task", "Agent"})
_ELSEWHERE: Final = frozenset(
    {"content", "old_string", "new_string", "edits", "new_source", "plan", "prompt", "todos", "command", "description"}
)


def called(call: str, name: str, given: JSON_OBJECT, turn: str, cwd: str | None) -> ToolCalled:
    """Return the record of one tool call."""
    described = name in ("Bash", *DELEGATES)
    left_out = _ELSEWHERE if described else _ELSEWHERE - {"description"}
    arguments = {key: value for key, value in given.items() if key not in left_out and not _is_long(value)}
    return ToolCalled(
        id=call,
        by="agent",
        turn=turn,
        tool=FAMILIES.get(name, "other"),
        name=name,
        command=maybe_string(given, "command") if name == "Bash" else None,
        path=path_of(given),
        arguments=arguments or None,
        cwd=cwd,
        description=maybe_string(given, "description") if described else None,
    )


def path_of(given: JSON_OBJECT) -> str | None:
    """Return the file or folder that a tool's input names."""
    return string(given, "file_path") or string(given, "notebook_path") or string(given, "path") or None


def _is_long(value: object) -> bool:
    return isinstance(value, str) and len(value) > LONGEST
