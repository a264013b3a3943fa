"""Events of cases become neutral records: the names that differ, and what a tool really gives.

* `from` → `source`, `in` → `within`, `fs` → its three fields; texts are written out.
* Content that is no text is given as `content_base64`.
* A read with `lines` is given these lines of `content` only, with the file's number of lines, as real tools do.
* An event by `child:<id>` is of that child's own transcript.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping

from tests.cases.expand import decoded, plain_text, text_bytes
from tests.cases.form import EVENT

SESSION_KINDS = frozenset({"session_opened", "session_forked"})
"""Events that begin a session of their own, under their own id."""

_CHILD = "child:"
_DIFFERING = re.compile(r'"(?:fs|in|from|lines)":|"child:')
_LEFT_OUT = frozenset({"seq", "session"})
_RENAMED = {
    "branch_changed": {"from": "source"},
    "model_changed": {"from": "source"},
    "tool_returned": {"in": "within"},
}
_TEXTS = frozenset({"text", "output", "command", "message", "choice", "reason", "states", "leaves_open"})
_FS = {"style": "fs_style", "case_sensitive": "case_sensitive", "normalization_sensitive": "normalization_sensitive"}


def record_object(event: EVENT, session: str, covered: Callable[[int], str | None]) -> EVENT:
    """Return the neutral record of an event of `session`.

    `covered` tells the id of the last event up to a seq: what a packet that covers up to that seq names.
    """
    kind = str(event["kind"])
    renamed = _RENAMED.get(kind, {})
    record: EVENT = {"kind": kind, "session": session}
    for name, value in event.items():
        if name not in _LEFT_OUT:
            _put(record, renamed.get(name, name), value)
    by = str(event.get("by", "unknown"))
    if by.startswith(_CHILD):
        record["agent"] = by.removeprefix(_CHILD)
        if kind == "delegation_ended":
            record["child"] = record["agent"]
    if kind == "tool_returned" and event.get("tool") == "read":
        _cut_to_lines(record, event)
    if isinstance(event.get("covers_to"), int):
        record["covers_to"] = covered(_number(event["covers_to"]))
    return record


def neutral_line(line: str) -> str:
    """Return a line of ndjson-records in the product's names; a broken one, or one with no other names, stays."""
    if not _DIFFERING.search(line):
        return line
    try:
        event = json.loads(line)
    except ValueError:
        return line
    if not isinstance(event, dict) or "kind" not in event:
        return line
    record = record_object(event, str(event.get("session", "")), lambda _: None)
    record.update({name: event[name] for name in ("seq", "covers_to") if name in event})
    return json.dumps(record if "session" in event else {k: v for k, v in record.items() if k != "session"})


def _put(record: EVENT, name: str, value: object) -> None:
    if name == "fs" and isinstance(value, Mapping):
        record.update({_FS[part]: told for part, told in value.items()})
    elif name == "content" and value is not None:
        _put_content(record, text_bytes(value))
    elif name == "subject" and isinstance(value, Mapping):
        record[name] = {path: plain_text(content) for path, content in value.items()}
    elif name == "prose" and isinstance(value, list):
        record[name] = [{**part, "text": plain_text(part["text"])} for part in value]
    elif name in _TEXTS and value is not None:
        record[name] = plain_text(value)
    else:
        record[name] = value


def _put_content(record: EVENT, data: bytes) -> None:
    record.pop("content", None)
    record.pop("content_base64", None)
    text = decoded(data)
    if text is not None:
        record["content"] = text
    elif record["kind"] == "tool_returned":
        record["content_base64"] = base64.b64encode(data).decode("ascii")
    else:
        record["content"] = data.decode("utf-8", "surrogateescape")


def _cut_to_lines(record: EVENT, event: EVENT) -> None:
    lines, content = event.get("lines"), event.get("content")
    if not isinstance(lines, list) or content is None:
        return
    first, last = lines
    whole = text_bytes(content).split(b"\n")
    ends = [line + b"\n" for line in whole[:-1]] + ([whole[-1]] if whole[-1] else [])
    _put_content(record, b"".join(ends[first - 1 : last]))
    record["lines"] = [first, max(first, min(last, len(ends)))]
    record.setdefault("total_lines", len(ends))


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value
