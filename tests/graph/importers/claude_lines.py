"""Small Claude Code transcripts for tests: builders of lines, and a run of reader and normaliser over them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from muniment.importers.claude_code import CLAUDE_CODE
from muniment.model.entries import Entry
from muniment.model.records import Record, ToolReturned

Line = dict[str, object]
Kind = TypeVar("Kind", bound=Record)
_NUMBERS = itertools.count(1)


def line(kind: str, **fields: object) -> Line:
    return {
        "type": kind,
        "uuid": f"u{next(_NUMBERS)}",
        "sessionId": "s1",
        "cwd": "/repo",
        "version": "2.1.49",
        "gitBranch": "main",
        "timestamp": "2026-01-02T03:04:05Z",
        **fields,
    }


def user(content: object, **fields: object) -> Line:
    return line("user", message={"role": "user", "content": content}, **fields)


def assistant(*blocks: Line, turn: str = "m1", model: str = "claude-x", **fields: object) -> Line:
    stop = fields.pop("stop_reason", None)
    usage = fields.pop("usage", {"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 7})
    message = {
        "id": turn,
        "model": model,
        "role": "assistant",
        "content": list(blocks),
        "stop_reason": stop,
        "usage": usage,
    }
    return line("assistant", message=message, **fields)


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def use(ident: str, name: str, **given: object) -> Line:
    return {"type": "tool_use", "id": ident, "name": name, "input": given}


def result(ident: str, content: object = "", told: object = None, *, error: bool = False, **fields: object) -> Line:
    block: Line = {"type": "tool_result", "tool_use_id": ident, "content": content}
    if error:
        block["is_error"] = True
    if told is not None:
        fields["toolUseResult"] = told
    return user([block], **fields)


def attachment(**fields: object) -> Line:
    return line("attachment", attachment=fields)


def queue(operation: str, content: str | None = None, **fields: object) -> Line:
    told: Line = {"type": "queue-operation", "operation": operation, "sessionId": "s1", **fields}
    return told if content is None else {**told, "content": content}


def entries(lines: Iterable[Line], file_name: str = "s1.jsonl") -> list[Entry]:
    reader = CLAUDE_CODE.reader(file_name)
    made = []
    for number, body in enumerate(lines, start=1):
        told = reader.describe(body)
        made.append(
            Entry(
                position=number,
                number=number,
                mission="m",
                project="p",
                session="s1",
                stream=told.stream,
                source_id=told.source_id or f"line-{number}",
                actor=told.actor,
                recorded_at="",
                format=CLAUDE_CODE.name,
                body=body,
                hash=b"",
            )
        )
    return made


def records_of(*lines: Line, file_name: str = "s1.jsonl") -> list[Record]:
    """All records, the normaliser's state saved and loaded between any two lines: nothing may hang on its memory."""
    state: bytes | None = None
    records: list[Record] = []
    for entry in entries(lines, file_name):
        normaliser = CLAUDE_CODE.normaliser(state)
        records += normaliser.feed(entry)
        state = msgspec.msgpack.encode(normaliser.state)
    return records


def of(kind: type[Kind], records: Iterable[Record]) -> list[Kind]:
    return [record for record in records if isinstance(record, kind)]


def only(kind: type[Kind], records: Iterable[Record]) -> Kind:
    (found,) = of(kind, records)
    return found


def returned(call: Line, answer: Line) -> ToolReturned:
    """What comes back of one call."""
    return only(ToolReturned, records_of(assistant(call), answer))
