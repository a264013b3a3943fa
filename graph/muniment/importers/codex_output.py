"""What the result of a Codex tool says of itself: exit status, running process, truncation, and the output proper.

* Newer tools put a header before the output (`Chunk ID`, `Wall time`, `Process exited with code N`, `Output:`), older
  ones give JSON (`{"output", "metadata": {"exit_code", "duration_seconds"}}`). The header is no output.
* A header counts only at the very start, and a status only where the header or the JSON gives it: what a command prints
  never becomes its exit code.
* Texts by which the runtime says that a tool did not run, or was refused, are told by their beginning.
"""

from __future__ import annotations

import re

from muniment.importers.codex_state import End, Outcome, integer, milliseconds, parsed, rows, table, text_of
from muniment.model.entries import JSON_OBJECT

_HEADER = re.compile(
    r"""Chunk\ ID:\ [^\n]*\n
    | Wall\ time:\ (?P<wall>[\d.]+)\ seconds\n
    | (?:Process\ exited\ with\ code|Exit\ code:)\ (?P<exit>-?\d{1,12})\n
    | Process\ running\ with\ session\ ID\ (?P<running>\d+)\n
    | Original\ token\ count:\ \d+\n
    | Total\ output\ lines:\ \d+\n""",
    re.VERBOSE,
)
_OUTPUT = re.compile(r"Output:(?:\n|\Z)")
_TRUNCATED = re.compile(
    r"…\d+ (?:tokens|chars|bytes) truncated…"
    r"|\[\.\.\. (?:omitted \d+ of \d+ lines|output truncated to fit \d+)"
)
_TOTAL = re.compile(r"(?:Warning: truncated output \(original token count: \d+\)\n)?Total output lines: \d+\n\n")
_REFUSED = re.compile(r"(?:exec command |patch )?rejected\b|[^\n]{0,80}\bblocked by \w+ hook", re.IGNORECASE)
_FAILED = re.compile(
    r"unsupported (?:custom tool )?call|exec_command failed|write_stdin failed|execution error|failed to |"
    r"apply_patch verification failed|tool call error|command timed out|err(?:or)?:|unable to ",
    re.IGNORECASE,
)
_NEVER_RAN = re.compile(
    r"unsupported (?:custom tool )?call|apply_patch verification failed|failed to parse", re.IGNORECASE
)
_ABORTED = re.compile(r"aborted\b", re.IGNORECASE)


def outcome_of(raw: object) -> Outcome:
    """Return what a result item's `output` says."""
    if isinstance(raw, dict):
        outcome = outcome_of(raw.get("content"))
        success = raw.get("success")
        if outcome.status is None and isinstance(success, bool):
            outcome.status = "ok" if success else "failed"
        return outcome
    if isinstance(raw, list):
        return outcome_of("\n".join(text for item in rows(raw) if (text := text_of(item.get("text"))) is not None))
    if not isinstance(raw, str):
        return Outcome()
    if raw.startswith('{"output":'):
        body = parsed(raw)
        if isinstance(body.get("metadata"), dict):
            return _of_json(body)
    return _of_text(raw)


def end_of_event(event: JSON_OBJECT) -> End:
    """Return what an event or completed item says of the end of a command, a patch or an MCP call."""
    changes = event.get("changes")
    success = event.get("success")
    status = _event_status(text_of(event.get("status")))
    if isinstance(success, bool) and status is None:
        status = "ok" if success else "failed"
    output = text_of(event.get("aggregated_output")) or text_of(event.get("formatted_output"))
    if output is None and (event.get("stdout") is not None or event.get("stderr") is not None):
        output = (text_of(event.get("stdout")) or "") + (text_of(event.get("stderr")) or "")
    return End(
        exit_code=integer(event.get("exit_code")),
        status=status or _mcp_status(event.get("result")),
        output=output,
        duration_ms=milliseconds(event.get("duration")),
        cwd=text_of(event.get("cwd")),
        changes={path: change for path, change in changes.items() if isinstance(change, dict)}
        if isinstance(changes, dict)
        else None,
    )


def is_truncated(text: str) -> bool:
    """Tell whether an output says of itself that part of it was left out."""
    return ("…" in text or "[... o" in text) and _TRUNCATED.search(text) is not None


def never_ran(text: str) -> bool:
    """Tell whether a result says that the tool did not even start."""
    return _NEVER_RAN.match(text) is not None


def _of_json(body: JSON_OBJECT) -> Outcome:
    metadata = table(body["metadata"])
    outcome = _of_text(text_of(body.get("output")) or "")
    outcome.exit_code = integer(metadata.get("exit_code"))
    outcome.duration_ms = milliseconds(metadata.get("duration_seconds"))
    outcome.status = None
    return outcome


def _of_text(raw: str) -> Outcome:
    outcome = Outcome()
    end, match = 0, _HEADER.match(raw)
    while match is not None:
        _read_header(outcome, match)
        end = match.end()
        match = _HEADER.match(raw, end)
    body = _OUTPUT.match(raw, end) if end else None
    if body is None:
        outcome = Outcome(output=raw, status=_status_of_text(raw))
    else:
        outcome.output = raw[body.end() :]
    text = outcome.output or ""
    outcome.truncated = is_truncated(text)
    total = _TOTAL.match(text)
    if outcome.truncated and total is not None:
        outcome.output = text[total.end() :]
    return outcome


def _read_header(outcome: Outcome, match: re.Match[str]) -> None:
    if match["exit"] is not None:
        outcome.exit_code = int(match["exit"])
    if match["running"] is not None:
        outcome.running = match["running"]
    if match["wall"] is not None:
        try:
            outcome.duration_ms = milliseconds(float(match["wall"]))
        except ValueError:
            outcome.duration_ms = None


def _status_of_text(raw: str) -> str | None:
    for form, status in ((_REFUSED, "refused"), (_FAILED, "failed"), (_ABORTED, "unknown")):
        if form.match(raw):
            return status
    return None


def _event_status(status: str | None) -> str | None:
    known = {"completed": "ok", "failed": "failed", "declined": "refused", "in_progress": None, "inProgress": None}
    return known.get(status) if status is not None else None


def _mcp_status(result: object) -> str | None:
    if not isinstance(result, dict):
        return None
    if "Err" in result:
        return "failed"
    inner = table(result.get("Ok", result))
    wrong = inner.get("isError", inner.get("is_error"))
    return "failed" if wrong is True else "ok"
