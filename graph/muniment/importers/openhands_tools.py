"""The tools of OpenHands, by whatever name its versions give them, and what their answers say.

* A shell's answer has its exit status beside it or in its last line; -1 is none: the command still runs, until the
  terminal answers with one. Older answers begin with the command's echo and end with the shell's prompt; neither is
  output.
* Thinking, finishing, planning and browsing change nothing in the workspace.
"""

from __future__ import annotations

import re

from muniment.importers.editor_tool import NAMES, editor_call, editor_outcome
from muniment.importers.lenient import maybe_string, string
from muniment.importers.plain_records import OpenCall, Outcome, Spot, process_ended
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import ProcessEnded

COMMANDS = frozenset({"execute_bash", "terminal", "bash", "execute_command", "run"})
_SEARCHES = frozenset({"grep", "glob", "search", "list_directory"})
_HARMLESS = frozenset(
    {"think", "finish", "task_tracker", "browser", "browse", "fetch", "request_condensation", "recall"}
)
_STATUS = re.compile(
    r"\s*\[(?:The command completed|Command finished) with exit code (?P<code>-?\d+)\.?(?: CTRL\+\w was sent\.)?\]\s*\Z"
)
_PROMPT = re.compile(r"\s*\[Python Interpreter: [^\]\n]*\](?:\n[^\n]*[#$] ?)?\s*\Z")
_AROUND = re.compile(r"\n?(\[\.\.\. Observation truncated due to length \.\.\.\])\n?")
_CUT = re.compile(r"\[\.\.\. Observation truncated due to length \.\.\.\]|<response clipped>")


def call_of(ident: str, name: str, arguments: JSON_OBJECT, cwd: str | None) -> OpenCall:
    """Return the call that a tool's name and arguments make."""
    if name in NAMES:
        call = editor_call(ident, name, arguments)
    elif name in COMMANDS:
        call = OpenCall(ident=ident, name=name, tool="command", command=string(arguments, "command"))
        if arguments.get("is_input") in (True, "true"):
            call.kept = {"is_input": "true"}
    elif name in _SEARCHES:
        pattern = string(arguments, "pattern")
        call = OpenCall(ident=ident, name=name, tool="search", path=string(arguments, "path") or None)
        call.kept = {"pattern": pattern} if pattern else {}
    else:
        call = OpenCall(ident=ident, name=name)
    call.cwd = cwd
    return call


def outcome_of(call: OpenCall, text: str, *, failed: bool | None = None) -> Outcome:
    """Return what the text of an answer says of a call; `failed` is what the source says beside it."""
    text = text.replace("\r\n", "\n")
    if call.name in NAMES:
        return editor_outcome(call, text, failed=failed)
    if call.tool == "command":
        return shell_outcome(call, text, None)
    status = None if failed is None else "failed" if failed else "ok"
    effect = "none" if call.tool == "search" or is_harmless(call.name) else None
    return Outcome(output=text, status=status, effect=effect, pattern=call.kept.get("pattern"))


def shell_outcome(call: OpenCall, text: str, code: int | None) -> Outcome:
    """Return what a shell's answer says; `code` is the exit status beside it, if there is one."""
    output = text.replace("\r\n", "\n")
    match = _STATUS.search(output)
    if match is not None:
        output = output[: match.start()]
        code = int(match["code"]) if code is None else code
    prompt = _PROMPT.search(output)
    if prompt is not None:
        output = output[: prompt.start()]
        command = (call.command or "").strip()
        if command and output.startswith(command):
            output = output[len(command) :].removeprefix("\n")
    truncated = _CUT.search(output) is not None
    output = _AROUND.sub(r"\1", output)  # in one line: the lines around it may be cut
    own = False if "is_input" in call.kept else None
    if code is None or code < 0:
        return Outcome(
            output=output, status="unknown", own=own, truncated=truncated, running=own is None and code is not None
        )
    return Outcome(output=output, exit_code=code, own=own, truncated=truncated)


def terminal_moved(spot: Spot, call: OpenCall, outcome: Outcome, going: list[str]) -> list[ProcessEnded]:
    """Return the ends of what still ran in the one terminal, where an answer shows that it is free again.

    `going` are the calls whose commands still run; it is kept up.
    """
    if call.tool != "command":
        return []
    ended = [process_ended(spot, each) for each in going] if outcome.exit_code is not None else []
    if ended:
        going.clear()
    if outcome.running and call.ident not in going:
        going.append(call.ident)
    return ended


def is_harmless(name: str) -> bool:
    """Tell whether a tool changes nothing in the workspace."""
    return name in _HARMLESS or name.startswith("browser_")


def content_text(holder: JSON_OBJECT, key: str = "content") -> str:
    """Return the text of a content that is a string or a list of parts; the texts of the parts, joined."""
    value = holder.get(key)
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else []
    texts = (
        part if isinstance(part, str) else maybe_string(part, "text") for part in parts if isinstance(part, str | dict)
    )
    return "\n".join(text for text in texts if text)
