"""Small Codex rollouts for tests: builders of lines, and a run of reader and normaliser over them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from muniment.importers.codex import CODEX
from muniment.model.entries import Entry
from muniment.model.records import Record

Line = dict[str, object]
Kind = TypeVar("Kind", bound=Record)


def line(kind: str, /, **payload: object) -> Line:
    return {"timestamp": "2026-01-02T03:04:05Z", "type": kind, "payload": payload}


def item(kind: str, /, **payload: object) -> Line:
    return line("response_item", type=kind, **payload)


def event(kind: str, /, **payload: object) -> Line:
    return line("event_msg", type=kind, **payload)


def completed(kind: str, /, **fields: object) -> Line:
    return event("item_completed", item={"type": kind, **fields})


def meta(**more: object) -> Line:
    return line("session_meta", id="root-1", cwd="/repo", cli_version="0.142.0", source="cli", **more)


def said(role: str, *texts: str, **more: object) -> Line:
    part = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": part, "text": text} for text in texts], **more)


def call(ident: str, name: str, **arguments: object) -> Line:
    return item("function_call", name=name, call_id=ident, arguments=json.dumps(arguments))


def patch_call(ident: str, patch: str) -> Line:
    return item("custom_tool_call", name="apply_patch", call_id=ident, input=patch, status="completed")


def output(ident: str, text: object) -> Line:
    return item("function_call_output", call_id=ident, output=text)


def exited(code: int, text: str) -> str:
    return f"Chunk ID: 1f2e3d\nWall time: 0.2500 seconds\nProcess exited with code {code}\nOutput:\n{text}"


def running(session: int, text: str) -> str:
    return f"Chunk ID: 1f2e3d\nWall time: 1.0 seconds\nProcess running with session ID {session}\nOutput:\n{text}"


def records_of(lines: Iterable[Line], *, save: bool = False, file_name: str = "rollout.jsonl") -> list[Record]:
    """Return the records of a rollout; with `save` the state goes through its bytes before each line."""
    reader, normaliser = CODEX.reader(file_name), CODEX.normaliser(None)
    found: list[Record] = []
    for number, body in enumerate(lines, 1):
        where = reader.describe(body)
        if save:
            normaliser = CODEX.normaliser(msgspec.msgpack.encode(normaliser.state))
        entry = Entry(
            position=number,
            number=number,
            mission="mission:1",
            project="",
            session=where.session,
            stream=where.stream,
            source_id=where.source_id or f"line-{number}",
            actor=where.actor,
            recorded_at="",
            format=CODEX.name,
            body=body,
            hash=b"",
        )
        found += normaliser.feed(entry)
    return found


def only(kind: type[Kind], records: Iterable[Record]) -> list[Kind]:
    return [record for record in records if isinstance(record, kind)]
