"""The other lines of Claude Code: boundaries, hooks that complain, attachments, the queue.

`READ_KINDS` names the kinds of such lines that records are made of; all other kinds are kept and counted as ignored.
"""

from __future__ import annotations

from typing import Final

from muniment.importers.claude_code_children import background_ended, notified
from muniment.importers.claude_code_messages import sayings
from muniment.importers.claude_code_queue import enqueued, seen_before, taken_out
from muniment.importers.claude_code_reads import shown_by_file
from muniment.importers.claude_code_shells import shell_ended, shells_noticed
from muniment.importers.claude_code_state import Line, State
from muniment.importers.lenient import integer, mapping, objects, string, strings
from muniment.importers.recent_records import records_of
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import (
    ContextBoundary,
    FileChangedOutside,
    InstructionsLoaded,
    Message,
    Record,
    ToolReturned,
)

READ_KINDS: Final = frozenset(
    {
        "system:compact_boundary",
        "system:stop_hook_summary",
        "system:local_command",
        "attachment:file",
        "attachment:edited_text_file",
        "attachment:hook_additional_context",
        "attachment:hook_blocking_error",
        "attachment:hook_stopped_continuation",
        "attachment:nested_memory",
        "attachment:queued_command",
        "attachment:task_status",
        "queue-operation:enqueue",
        "queue-operation:remove",
        "queue-operation:popAll",
    }
)
_ENDS: Final = ("headUuid", "tailUuid")


def kind_of(body: JSON_OBJECT) -> str:
    """Return the source's own word for a line, with its sort where it has one: `system:compact_boundary`."""
    kind = string(body, "type") or "unknown"
    if kind == "system":
        return f"system:{string(body, 'subtype')}"
    if kind == "progress":
        return f"progress:{string(mapping(body, 'data'), 'type')}"
    if kind == "attachment":
        return f"attachment:{string(mapping(body, 'attachment'), 'type')}"
    if kind == "queue-operation":
        return f"queue-operation:{string(body, 'operation')}"
    return kind


def is_complaint(body: JSON_OBJECT) -> bool:
    """Tell whether a summary of stop hooks says that a hook failed or held the agent back."""
    return bool(body.get("hookErrors")) or body.get("preventedContinuation") is True


def note_records(kind: str, line: Line, state: State) -> list[Record]:
    """Return the records of a line of one of `READ_KINDS`."""
    if kind == "system:compact_boundary":
        return [_boundary(line, state)]
    if kind == "system:stop_hook_summary":
        return _complaint(line)
    if kind == "system:local_command":
        return _plain(line, string(line.body, "content"))
    if kind.startswith("queue-operation:"):
        return _queue(line, state)
    return _attachment(line, mapping(line.body, "attachment"), state)


def _boundary(line: Line, state: State) -> ContextBoundary:
    told = mapping(line.body, "compactMetadata")
    kept = mapping(told, "preservedMessages")
    segment = mapping(told, "preservedSegment")
    head, tail = (records_of(state.told, [uuid]) if (uuid := string(segment, key)) else () for key in _ENDS)
    return ContextBoundary(
        id=line.id,
        by="harness",
        trigger=string(told, "trigger") or None,
        tokens_before=integer(told, "preTokens"),
        tokens_after=integer(told, "postTokens"),
        preserved=records_of(state.told, strings(kept, "allUuids") or strings(kept, "uuids")),
        segment=(head[0], tail[-1]) if head and tail else None,
    )


def _complaint(line: Line) -> list[Record]:
    if not is_complaint(line.body):
        return []
    errors = strings(line.body, "hookErrors")
    text = (
        "\n".join(part for part in (*errors, string(line.body, "stopReason")) if part) or "a hook held the agent back"
    )
    return _notice(line, text)


def _notice(line: Line, text: str, role: str = "notice") -> list[Record]:
    return [Message(id=line.id, by="harness", role=role, text=text)] if text.strip() else []


def _plain(line: Line, text: str) -> list[Record]:
    return [
        Message(id=line.id if place == 0 else f"{line.id}:{place}", by=said.by, role=said.role, text=said.text)
        for place, said in enumerate(sayings(text, line.body, line.agent))
    ]


def _queue(line: Line, state: State) -> list[Record]:
    if string(line.body, "operation") != "enqueue":
        return taken_out(line.body, line.id, state)
    records: list[Record] = []
    for place, said in enumerate(sayings(_words(line.body.get("content")), line.body, line.agent)):
        name = f"{line.id}:{said.role}" if place == 0 else f"{line.id}:{said.role}:{place}"
        enqueued(name, said.text, user=said.by == "user", state=state)
        records.append(Message(id=name, by=said.by, role=said.role, text=said.text))
        records += notified(said.text, state)
        if said.by == "harness":
            records += shells_noticed(said.text, state)
    return records


def _attachment(line: Line, told: JSON_OBJECT, state: State) -> list[Record]:
    kind = string(told, "type")
    if kind == "file":
        return _attached_file(line, told)
    if kind == "queued_command":
        return _queued_command(line, told, state)
    if kind == "edited_text_file":
        path = string(told, "filename")
        return [FileChangedOutside(id=line.id, by="harness", path=path)] if path else []
    if kind == "nested_memory":
        return _nested_memory(line, told)
    if kind == "task_status":
        said = string(told, "deltaSummary") or string(told, "description") or None
        name, status = string(told, "taskId"), string(told, "status")
        return background_ended(name, status, said, state) + shell_ended(name, status, state)
    text = "\n".join(strings(told, "content")) or string(told, "content") or string(told, "message")
    return _notice(line, text or string(mapping(told, "blockingError"), "blockingError"))


def _nested_memory(line: Line, told: JSON_OBJECT) -> list[Record]:
    text = string(mapping(told, "content"), "content")
    path = string(told, "path") or string(mapping(told, "content"), "path")
    said = _notice(line, text, "instructions")
    if not path or not said:
        return said
    return [*said, InstructionsLoaded(id=f"{line.id}:file", by="harness", path=path, content=text)]


def _attached_file(line: Line, told: JSON_OBJECT) -> list[Record]:
    content = mapping(told, "content")
    file = mapping(content, "file")
    path = string(file, "filePath") or string(told, "filename")
    shown = shown_by_file(file) if string(content, "type") == "text" else None
    if not path or shown is None or shown.content is None:
        return []
    return [
        ToolReturned(
            id=line.id,
            by="harness",
            tool="read",
            name="attachment",
            path=path,
            lines=shown.lines,
            total_lines=shown.total,
            content=shown.content,
            status="ok",
            effect="none",
            cwd=line.cwd,
        )
    ]


def _queued_command(line: Line, told: JSON_OBJECT, state: State) -> list[Record]:
    text = _words(told.get("prompt"))
    typed = string(told, "commandMode") in ("", "prompt", "bash")
    flags: JSON_OBJECT = {**line.body, "origin": told.get("origin"), "isMeta": told.get("isMeta") is True or not typed}
    records: list[Record] = []
    for place, said in enumerate(sayings(text, flags, line.agent)):
        if seen_before(said.text, user=said.by == "user", state=state):
            continue
        name = line.id if place == 0 else f"{line.id}:{place}"
        records.append(Message(id=name, by=said.by, role=said.role, text=said.text))
        records += notified(said.text, state)
    return records


def _words(content: object) -> str:
    """The text of a queued message, which is a text or a list of content blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(text for item in objects({"content": content}, "content") if (text := string(item, "text")))
