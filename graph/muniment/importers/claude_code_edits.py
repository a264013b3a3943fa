"""What an Edit, MultiEdit or Write of Claude Code changed.

* Hunks come from `structuredPatch`. Its lines are for display: older versions turn leading tabs into spaces. So
  they are taken again from the file before and after where these are known. A patch that cannot be checked against
  either, and does not agree with the replaced strings, is not used.
* The file after an edit is known only where the old text occurs in the file before exactly as often as was
  replaced, and the outcome agrees with the patch. (An empty new text also takes the line end after the old one.)
* Without a structured result the replaced strings still tell what changed, in a hunk whose place is not known
  (start 0).
"""

from __future__ import annotations

from typing import NamedTuple

from muniment.importers.lenient import integer, maybe_string, objects, string, strings
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import FileChange, Hunk


class _Edit(NamedTuple):
    old: str
    new: str
    everywhere: bool


def changes_of(name: str, given: JSON_OBJECT, result: JSON_OBJECT | None, text: str) -> tuple[FileChange, ...]:
    """Return the change that a successful write made, or nothing where no path is known.

    `given` is the input of the call, `result` the structured result, `text` what the model saw of it.
    """
    told = result or {}
    path = next((found for key in ("filePath", "notebook_path") if (found := string(told, key))), "")
    path = path or string(given, "file_path") or string(given, "notebook_path")
    if not path:
        return ()
    before = maybe_string(told, "originalFile")
    before = maybe_string(told, "originalFileContents") if before is None else before
    patch = objects(told, "structuredPatch")
    if name == "Write":
        return (_written(path, given, told, before, text),)
    edits = _edits(name, given, told)
    after = _after(before, edits, patch) if told.get("userModified") is not True else None
    hunks = _hunks(patch, before, after, edits)
    if not hunks and after is None:
        hunks = tuple(_placeless(edit) for edit in edits if not edit.everywhere)
    created = bool(edits) and edits[0].old == "" and not before
    return (
        FileChange(path=path, change="created" if created else "written", content=after, before=before, hunks=hunks),
    )


def _written(path: str, given: JSON_OBJECT, told: JSON_OBJECT, before: str | None, text: str) -> FileChange:
    content = maybe_string(told, "content")
    content = maybe_string(given, "content") if content is None else content
    created = string(told, "type") == "create" or (not told and text.startswith("File created"))
    return FileChange(
        path=path,
        change="created" if created else "written",
        content=content,
        before=None if created else before,
        hunks=_hunks(objects(told, "structuredPatch"), before, content, []),
        whole=content is not None and told.get("userModified") is not True,
    )


def _edits(name: str, given: JSON_OBJECT, told: JSON_OBJECT) -> list[_Edit]:
    if name == "MultiEdit":
        return [
            _Edit(string(edit, "old_string"), string(edit, "new_string"), edit.get("replace_all") is True)
            for edit in objects(told, "edits") or objects(given, "edits")
        ]
    everywhere = told.get("replaceAll") is True or given.get("replace_all") is True
    for source, old_key, new_key in ((told, "oldString", "newString"), (given, "old_string", "new_string")):
        old, new = maybe_string(source, old_key), maybe_string(source, new_key)
        if old is not None and new is not None:
            return [_Edit(old, new, everywhere)]
    return []


def _after(before: str | None, edits: list[_Edit], patch: list[JSON_OBJECT]) -> str | None:
    for eats_line_end in (False, True):
        after = _replaced(before, edits, eats_line_end=eats_line_end)
        if after is not None and _fits(patch, before, after):
            return after
    return None


def _replaced(before: str | None, edits: list[_Edit], *, eats_line_end: bool) -> str | None:
    if not before:
        return edits[0].new if len(edits) == 1 and edits[0].old == "" else None
    after = before
    for edit in edits:
        old = edit.old
        if eats_line_end and edit.new == "" and not old.endswith("\n"):
            old += "\n"
        count = after.count(old) if old else 0
        if count == 0 or (count > 1 and not edit.everywhere):
            return None
        after = after.replace(old, edit.new)
    return after if edits else None


def _fits(patch: list[JSON_OBJECT], before: str | None, after: str) -> bool:
    """Whether `after` has as many lines more, and the same lines in the same places, as the patch says."""
    if not patch:
        return True
    lines = after.split("\n")
    for part in patch:
        at = integer(part, "newStart") or 0
        for line in strings(part, "lines"):
            if line[:1] in (" ", "+"):
                if (_line(lines, at) or "").strip() != line[1:].strip():
                    return False
                at += 1
    grown = sum((integer(part, "newLines") or 0) - (integer(part, "oldLines") or 0) for part in patch)
    return len(lines) == grown + (before or "").count("\n") + 1 or not before


def _hunks(patch: list[JSON_OBJECT], before: str | None, after: str | None, edits: list[_Edit]) -> tuple[Hunk, ...]:
    old_lines = None if before is None else before.split("\n")
    new_lines = None if after is None else after.split("\n")
    hunks = []
    for part in patch:
        old, new = integer(part, "oldStart"), integer(part, "newStart")
        shown = [line for line in strings(part, "lines") if line[:1] in (" ", "-", "+")]
        if old is None or new is None or not shown:
            continue
        exact = _exact(shown, old, new, old_lines, new_lines)
        if exact is None:
            return ()
        trusted = new_lines is not None or (old_lines is not None and exact == shown)
        if not trusted and not _stands_in(shown, edits):
            return ()
        hunks.append(Hunk(old, new, tuple(exact)))
    return tuple(hunks)


def _exact(
    shown: list[str], old: int, new: int, old_lines: list[str] | None, new_lines: list[str] | None
) -> list[str] | None:
    """The lines as the files have them, or None where the files have others than the patch shows."""
    exact = []
    for line in shown:
        true = _line(old_lines, old) if line[0] != "+" else None
        if true is None and line[0] != "-":
            true = _line(new_lines, new)
        if true is None:
            true = line[1:]
        elif true != line[1:] and true.strip() != line[1:].strip():
            return None
        exact.append(line[0] + true)
        old += line[0] != "+"
        new += line[0] != "-"
    return exact


def _line(lines: list[str] | None, number: int) -> str | None:
    return lines[number - 1] if lines is not None and 0 < number <= len(lines) else None


def _stands_in(shown: list[str], edits: list[_Edit]) -> bool:
    """Whether every changed line stands in the replaced strings just as it is shown, tabs included."""
    olds = "\n".join(edit.old for edit in edits)
    news = "\n".join(edit.new for edit in edits)
    return all(line[0] == " " or line[1:] in (news if line[0] == "+" else olds) for line in shown)


def _placeless(edit: _Edit) -> Hunk:
    removed = [f"-{line}" for line in edit.old.split("\n")] if edit.old else []
    added = [f"+{line}" for line in edit.new.split("\n")] if edit.new else []
    return Hunk(0, 0, (*removed, *added))
