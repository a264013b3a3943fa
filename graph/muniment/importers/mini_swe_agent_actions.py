"""The actions of mini-swe-agent, and what its observations say of their outcome.

* An action is a tool call, what the harness read out of the message (`extra.actions`), or, in 1.x, the one block of
  shell text in it.
* `extra` has the exit status; older ones only tell it in the observation's text. A negative one is no status: the
  command was stopped (the exception says how), and nobody knows what it did before.
"""

from __future__ import annotations

import re

from muniment import canonical
from muniment.importers.lenient import integer, mapping, maybe_string, objects, string
from muniment.importers.plain_records import Outcome
from muniment.model.entries import JSON_OBJECT

OBSERVATION = re.compile(
    r"\s*(?:<exception>(?P<exception>.*?)</exception>\s*)?<returncode>(?P<code>-?\d+)</returncode>\s*", re.DOTALL
)
_BLOCK = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n```", re.DOTALL)
_SHOWN = re.compile(r"<output>\n?(.*)</output>\s*\Z", re.DOTALL)
_HEAD = re.compile(r"<output_head>\n?(.*?)\n?</output_head>", re.DOTALL)
_TAIL = re.compile(r"<output_tail>\n?(.*)\n</output_tail>", re.DOTALL)
_ELIDED = re.compile(r"<elided_chars>\s*(\d+)")
_SUBMIT = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")


def actions_of(body: JSON_OBJECT) -> list[tuple[str, str]]:
    """Return id ("" where it has none) and command of each action of an agent's message."""
    given = objects(mapping(body, "extra"), "actions")
    read = {string(action, "tool_call_id"): string(action, "command") for action in given}
    calls = objects(body, "tool_calls")
    if calls:
        return [(string(call, "id"), read.get(string(call, "id")) or _command(call)) for call in calls]
    if given:
        return [(string(action, "tool_call_id"), string(action, "command")) for action in given]
    blocks = _BLOCK.findall(string(body, "content")) if "actions" not in mapping(body, "extra") else []
    return [("", blocks[0])] if len(blocks) == 1 else []


def submits(command: str) -> bool:
    """Tell whether a command is the one by which the agent ends its work."""
    return any(word in command for word in _SUBMIT)


def outcome_of(text: str, extra: JSON_OBJECT) -> Outcome:
    """Return what an observation says; `extra` is what the harness kept beside its text."""
    match = OBSERVATION.match(text)
    code = integer(extra, "returncode")
    if code is None and match is not None:
        code = int(match["code"])
    stopped = string(extra, "exception_info") or ((match["exception"] or "").strip() if match else "")
    output, truncated = _output(text, maybe_string(extra, "raw_output"))
    if stopped:
        output = "\n".join(part for part in (output, stopped) if part)
    if code is None or code < 0:
        return Outcome(output=output, status="failed" if stopped else "unknown", truncated=truncated or bool(stopped))
    return Outcome(output=output, exit_code=code, truncated=truncated)


def _output(text: str, raw: str | None) -> tuple[str, bool]:
    """Return the output that the model saw, and whether a part of it was left out."""
    head, tail = _HEAD.search(text), _TAIL.search(text)
    if head is not None and tail is not None and (raw is None or _ELIDED.search(text)):
        elided = _ELIDED.search(text)
        number = elided[1] if elided else "0"
        return f"{head[1]}…{number} chars truncated…{tail[1]}", True  # in one line: it may be cut in the middle of one
    if raw is not None:
        return raw, False
    shown = _SHOWN.search(text)
    return (shown[1] if shown else text), False


def _command(call: JSON_OBJECT) -> str:
    """Return the command among a call's arguments; the arguments as they are where they are no JSON."""
    text = string(mapping(call, "function"), "arguments")
    try:
        arguments = canonical.decode(text.encode("utf-8", "replace"))
    except ValueError:
        return text
    return string(arguments, "command") if isinstance(arguments, dict) else text
