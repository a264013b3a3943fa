"""Tool results of Claude Code: what a result says, by the tool's family.

* `toolUseResult` is an object on success, a text `Error: …` on failure, a list for MCP tools, and often missing in
  children's transcripts; the text that the model saw is always there.
* Status: `refused` where the user, a rule or a hook forbade the call; `unknown` where it was interrupted, timed
  out, still runs in the background, or (a command) was given up because of a sibling; else `failed` or `ok`.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.importers.claude_code_calls import FAMILIES, path_of
from muniment.importers.claude_code_commands import is_broken_off, outcome
from muniment.importers.claude_code_edits import changes_of
from muniment.importers.claude_code_reads import (
    Shown,
    cut_in,
    file_of,
    shown_by_file,
    shown_by_gutters,
    without_reminders,
)
from muniment.importers.claude_code_state import OpenCall
from muniment.importers.exit_status import own_status
from muniment.importers.lenient import integer, mapping, maybe_string, objects, string
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import ToolReturned

NO_CALL: Final = OpenCall("", {})
_REFUSALS: Final = (
    "The user doesn't want to ",
    "User rejected ",
    "Permission to use ",
    "Permission for this ",
    "Claude requested permissions to ",
    "This command requires approval",
    "This Bash command contains multiple operations. The following part",
    "The agent proposed ",
    "User declined to answer",
)
_SIBLING: Final = "Sibling tool call errored"
_HOOKED: Final = re.compile(
    r"(?:Error: )?PreToolUse:\S+ hook (?:blocking )?error|(?:Error: )?Hook PreToolUse:\S+ denied this tool"
)
_TOOL_ERROR: Final = re.compile(r"\A<tool_use_error>(.*?)</tool_use_error>", re.DOTALL)
_QUIET: Final = frozenset({"read", "search"})


def model_text(block: JSON_OBJECT) -> str:
    """Return the text of a `tool_result` block as the model saw it; images and the like have none."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(text for item in objects(block, "content") if (text := string(item, "text")))


def status_of(text: str, block: JSON_OBJECT, line: JSON_OBJECT) -> str:
    """Return ok, failed, refused or unknown, before anything is known of the tool."""
    if string(mapping(line, "permissionDecision"), "decision") == "deny":
        return "refused"
    if block.get("is_error") is not True:
        return "ok"
    bare = _TOOL_ERROR.sub(r"\1", text)
    if bare.startswith(_REFUSALS) or _HOOKED.match(bare):
        return "refused"
    if bare.startswith(_SIBLING) or is_broken_off(bare):
        return "unknown"
    return "failed"


def returned(call_id: str, call: OpenCall, block: JSON_OBJECT, line: JSON_OBJECT, result: object) -> ToolReturned:
    """Return what came back of a call. `result` is the line's `toolUseResult` where it is this block's, else None."""
    text = model_text(block)
    status = status_of(text, block, line)
    told = result if isinstance(result, dict) else None
    family = FAMILIES.get(call.name) or (_by_shape(told) if told is not None else "other")
    if status != "ok" and family != "command":
        return _failed(call_id, call, family, "failed" if _SIBLING in text[:60] else status, text)
    if family == "read":
        return _read(call_id, call, told, text)
    if family == "search":
        return _searched(call_id, call, told, text)
    if family == "write":
        return _wrote(call_id, call, told, text)
    if family == "command":
        return _ran(call_id, call, told, text, status)
    effect = "none" if call.name in ("AskUserQuestion", "WebFetch", "WebSearch", "TodoWrite") else None
    return ToolReturned(
        id=f"{call_id}:result",
        by="tool",
        call=call_id,
        tool="other",
        name=call.name,
        output=text,
        status=status,
        effect=effect,
        cwd=call.cwd,
    )


def _by_shape(told: JSON_OBJECT) -> str:
    """Tell the family of a result whose call is not known, where its form belongs to one family only."""
    if "structuredPatch" in told and "filePath" in told:
        return "write"
    if "stdout" in told and "stderr" in told and "interrupted" in told:
        return "command"
    return "read" if "file" in told and file_of(told) is not None else "other"


def _failed(call_id: str, call: OpenCall, family: str, status: str, text: str) -> ToolReturned:
    return ToolReturned(
        id=f"{call_id}:result",
        by="tool",
        call=call_id,
        tool=family,
        name=call.name,
        path=path_of(call.input),
        pattern=maybe_string(call.input, "pattern") if family == "search" else None,
        output=text,
        status=status,
        effect="none"
        if family in _QUIET or status == "refused" or (family == "write" and status == "failed")
        else None,
        cwd=call.cwd,
    )


def _read(call_id: str, call: OpenCall, told: JSON_OBJECT | None, text: str) -> ToolReturned:
    file = file_of(told) if told is not None else None
    if file is not None:
        shown = shown_by_file(file)
    elif told is None and call.name == "Read":
        shown = shown_by_gutters(text, call.input)
    else:
        shown = Shown()
    return ToolReturned(
        id=f"{call_id}:result",
        by="tool",
        call=call_id,
        tool="read",
        name=call.name,
        path=string(mapping(told or {}, "file"), "filePath") or path_of(call.input),
        lines=shown.lines,
        total_lines=shown.total,
        loose_total=shown.lines is not None and shown.total is not None and shown.lines[1] < shown.total,
        cut_lines=cut_in(shown, text),
        content=shown.content,
        output=without_reminders(text) if shown.content is None else None,
        truncated=file is not None and file.get("truncatedByTokenCap") is True,
        status="ok",
        effect="none",
        cwd=call.cwd,
    )


def _searched(call_id: str, call: OpenCall, told: JSON_OBJECT | None, text: str) -> ToolReturned:
    told = told or {}
    return ToolReturned(
        id=f"{call_id}:result",
        by="tool",
        call=call_id,
        tool="search",
        name=call.name,
        pattern=maybe_string(call.input, "pattern"),
        within="text" if call.name == "Grep" else "names",
        searched=_places(call),
        matches=_matches(call, told, text),
        truncated=told.get("truncated") is True
        or integer(told, "appliedLimit") is not None
        or "(Results are truncated" in text,
        output=without_reminders(text),
        status="ok",
        effect="none",
        duration_ms=integer(told, "durationMs"),
        cwd=call.cwd,
    )


def _places(call: OpenCall) -> tuple[str, ...]:
    """Where a search looked: a folder or file; `folder/**/*.go` where it saw only files of some names."""
    place = string(call.input, "path") or call.cwd or ""
    narrowed = string(call.input, "glob") or (f"*.{kind}" if (kind := string(call.input, "type")) else "")
    if narrowed:
        place = f"{place}/**/{narrowed}"
    return (place,) if place else ()


def _matches(call: OpenCall, told: JSON_OBJECT, text: str) -> int | None:
    if text.startswith(("No matches found", "No files found")):
        return 0
    counted = integer(told, "numMatches")
    if counted is not None or call.name == "Glob" or string(told, "mode") == "files_with_matches":
        return integer(told, "numFiles") if counted is None else counted
    around = any(call.input.get(key) for key in ("-A", "-B", "-C", "context"))
    return None if around else integer(told, "numLines")


def _wrote(call_id: str, call: OpenCall, told: JSON_OBJECT | None, text: str) -> ToolReturned:
    name = call.name or ("Write" if told is not None and "oldString" not in told and "content" in told else "Edit")
    changes = changes_of(name, call.input, told, text)
    return ToolReturned(
        id=f"{call_id}:result",
        by="tool",
        call=call_id,
        tool="write",
        name=call.name,
        path=changes[0].path if changes else path_of(call.input),
        output=without_reminders(text),
        status="ok",
        effect="writes",
        writes=tuple(change.path for change in changes),
        changes=changes,
        cwd=call.cwd,
    )


def _ran(call_id: str, call: OpenCall, told: JSON_OBJECT | None, text: str, status: str) -> ToolReturned:
    status, code, output = outcome(told, text, status)
    command = maybe_string(call.input, "command")
    return ToolReturned(
        id=f"{call_id}:result",
        by="tool",
        call=call_id,
        tool="command",
        name=call.name,
        command=command,
        output=output,
        status=status,
        exit_code=code,
        own_status=command is not None and own_status(command),
        truncated=told is not None and "persistedOutputPath" in told,
        effect="none" if status == "refused" else None,
        cwd=call.cwd,
    )
