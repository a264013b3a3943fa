"""The tools of Gemini CLI: what a call is, and what its result says.

* A shell's answer is a list of named lines; the exit status is one of them. Where it is missing, it is not known.
* A read of a whole file gives its text as it is; a read of a part says which lines it shows, or nothing is claimed.
* Edits carry the file before and after, or a diff, in what was shown to the user.
* A cancelled call was refused.
"""

from __future__ import annotations

import re

from muniment.importers.codex_patch import hunks_of_diff
from muniment.importers.lenient import mapping, maybe_string, objects, string
from muniment.importers.plain_records import OpenCall, Outcome
from muniment.importers.replacing import around, changed_region
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import FileChange, Hunk

FAMILIES = {
    "run_shell_command": "command",
    **dict.fromkeys(("read_file", "read_many_files"), "read"),
    **dict.fromkeys(("write_file", "replace", "edit"), "write"),
    **dict.fromkeys(
        ("search_file_content", "grep", "grep_search", "glob", "list_directory", "google_web_search"), "search"
    ),
    **dict.fromkeys(("write_todos", "write_todos_list"), "tasks"),
}
HARMLESS = frozenset(
    {"web_fetch", "ask_user", "activate_skill", "get_internal_docs", "enter_plan_mode", "exit_plan_mode"}
)
_CODE = re.compile(r"^Exit Code: (-?\d+)$", re.MULTILINE)
_FOLDER = re.compile(r"^Directory: (/.*|[A-Za-z]:\\.*)$", re.MULTILINE)
_PART = re.compile(r"[Ss]howing lines (\d+)-(\d+) of (\d+) total lines")
_PART_BEGINS = "--- FILE CONTENT (truncated) ---\n"
_RANGE_KEYS = ("offset", "limit", "start_line", "end_line")


def call_of(ident: str, name: str, given: JSON_OBJECT) -> OpenCall:
    """Return the call that a tool's name and arguments make."""
    path = string(given, "file_path") or string(given, "absolute_path") or string(given, "path")
    pattern = string(given, "pattern") or string(given, "query")
    kept = {"pattern": pattern} if pattern else {}
    kept.update({"range": "given"} if any(given.get(key) is not None for key in _RANGE_KEYS) else {})
    folder = string(given, "dir_path") or string(given, "directory")
    return OpenCall(
        ident=ident,
        name=name,
        tool=FAMILIES.get(name, "other"),
        command=maybe_string(given, "command") if name == "run_shell_command" else None,
        path=path or None,
        cwd=folder or None,
        kept=kept,
    )


def response_text(tool: JSON_OBJECT) -> str:
    """Return the text that a call gave to the model."""
    texts: list[str] = []
    for part in objects(tool, "result"):
        response = mapping(mapping(part, "functionResponse"), "response")
        text = string(response, "output") or string(response, "error") or string(part, "text")
        texts += [text] if text else []
    return "\n".join(texts)


def outcome_of(call: OpenCall, tool: JSON_OBJECT) -> Outcome:
    """Return what the record of a call says that is over."""
    text, status, given = response_text(tool), string(tool, "status"), mapping(tool, "args")
    if status == "cancelled":
        return Outcome(output=text, status="refused", effect="none")
    if status == "error":
        unwritten = call.tool in ("read", "write", "search")
        return Outcome(output=text, status="failed", effect="none" if unwritten else None)
    if call.tool == "command":
        return _ran(text)
    if call.name == "read_file":
        return _read(call, text)
    if call.tool == "write":
        return Outcome(output=text, status="ok", effect="writes", changes=_changes(call, text, given, tool))
    harmless = call.tool in ("search", "read", "tasks") or call.name in HARMLESS
    return Outcome(output=text, status="ok", effect="none" if harmless else None, pattern=call.kept.get("pattern"))


def _ran(text: str) -> Outcome:
    code, start = _CODE.search(text, max(text.rfind("\nError: "), 0)), text.find("Output: ")
    output = text
    if start == 0 or (start > 0 and text[start - 1] == "\n"):
        end = text.rfind("\nError: ")
        output = text[start + len("Output: ") : end if end > start else len(text)]
        output = "" if output == "(empty)" else output
    if code is None:
        return Outcome(output=output, status="unknown")
    return Outcome(output=output, exit_code=int(code[1]))


def _read(call: OpenCall, text: str) -> Outcome:
    outcome = Outcome(output=text, status="ok", effect="none")
    part, begins = _PART.search(text[:2000]), text.find(_PART_BEGINS)
    if part is not None and begins >= 0:
        outcome.content = text[begins + len(_PART_BEGINS) :]
        outcome.lines, outcome.total = (int(part[1]), int(part[2])), int(part[3])
        outcome.truncated = True
    elif "range" not in call.kept and part is None:
        outcome.content = text
    return outcome


def _changes(call: OpenCall, text: str, given: JSON_OBJECT, tool: JSON_OBJECT) -> tuple[FileChange, ...]:
    if call.path is None:
        return ()
    shown = mapping(tool, "resultDisplay")
    before, after = maybe_string(shown, "originalContent"), maybe_string(shown, "newContent")
    by_user = "User modified the" in text
    if call.name == "write_file":
        created = "created and wrote to new file" in text
        content = after if after is not None else None if by_user else maybe_string(given, "content")
        return (FileChange(path=call.path, change="created" if created else "written", content=content),)
    hunks = hunks_of_diff(string(shown, "fileDiff"))
    if before is not None and after is not None:
        region = changed_region(before, after)
        hunks = hunks or (() if region is None else (region,))
    elif not hunks and not by_user:
        hunks = _replaced(string(given, "old_string"), string(given, "new_string"))
    created = "Created new file" in text
    return (
        FileChange(
            path=call.path, change="created" if created else "written", content=after, before=before, hunks=hunks
        ),
    )


def _replaced(old: str, new: str) -> tuple[Hunk, ...]:
    hunk = around(old, new)
    return () if hunk is None else (hunk,)
