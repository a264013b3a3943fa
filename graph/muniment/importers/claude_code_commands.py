"""How shell commands of Claude Code ended.

* The exit code is 0 on success, N where the text says `Exit code N`, and 1 where the runtime explains a status as
  no error (`grep` that finds nothing).
* A command that was interrupted, timed out or still runs in the background has no status.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.importers.lenient import integer, maybe_string, string
from muniment.model.entries import JSON_OBJECT

_EXIT: Final = re.compile(r"(?:Error: )?Exit code (\d+)(?:\n|\Z)")
_BROKEN_OFF: Final = re.compile(
    r"(?:Error: )?(?:<error>)?"
    r"(?:Command timed out after|Command was aborted|\[Request interrupted by user|The operation was aborted)"
)


def is_broken_off(text: str) -> bool:
    """Tell whether an output begins with the runtime's word that the command did not end by itself."""
    return _BROKEN_OFF.match(text) is not None


def outcome(told: JSON_OBJECT | None, text: str, status: str) -> tuple[str, int | None, str]:
    """Return status, exit code and output of a shell command; `status` is what is known before.

    `text` is what the model saw, `told` the structured result.
    """
    if status != "ok":
        match = _EXIT.match(text)
        if match is None or status != "failed":
            return status, None, text
        output = text[match.end() :]
        if is_broken_off(output):
            return "unknown", None, output
        return "ok" if match[1] == "0" else "failed", int(match[1]), output
    if told is None:
        unknown = text.startswith(("Command running in background", "Command was manually backgrounded"))
        return ("unknown", None, text) if unknown else ("ok", 0, text)
    output = "\n".join(part for key in ("stdout", "stderr") if (part := string(told, key)))
    if told.get("interrupted") is True or told.get("backgroundTaskId") or told.get("timedOutAfterMs") is not None:
        return "unknown", None, output or text
    return "ok", 1 if string(told, "returnCodeInterpretation") else 0, output


def background_outcome(task: JSON_OBJECT) -> tuple[str, int | None, str]:
    """Return status, exit code and output of a background command, as a poll (`TaskOutput`, `BashOutput`) tells."""
    output = maybe_string(task, "output")
    if output is None:
        output = "\n".join(part for key in ("stdout", "stderr") if (part := string(task, key)))
    code = integer(task, "exitCode")
    if code is None or string(task, "status") in ("running", "pending"):
        return "unknown", None, output
    return "ok" if code == 0 else "failed", code, output
