"""Assistant lines of Claude Code: what the agent said, thought and called, and what the response cost.

* One line holds one content block or several; all lines of a response share `message.id`, which is the turn.
* Each line repeats the response's usage, which grows while the response is written: each token is counted once. The
  first line's record tells what is known then; where a later line tells more, a further record of the same turn tells
  what came on top.
* Lines that the client made up itself (model `<synthetic>`, API errors) are the harness's.
"""

from __future__ import annotations

from typing import Final

from muniment.importers.claude_code_calls import called
from muniment.importers.claude_code_children import delegation_started
from muniment.importers.claude_code_state import RECENT_TURNS, Line, OpenCall, State
from muniment.importers.lenient import integer, mapping, objects, storable, string
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import Message, ModelChanged, Record, TokensUsed

SYNTHETIC: Final = "<synthetic>"
_COUNTED: Final = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def agent_records(line: Line, state: State) -> list[Record]:
    """Return the records of an assistant line."""
    message = mapping(line.body, "message")
    turn = string(message, "id") or line.id
    content = message.get("content")
    blocks: list[JSON_OBJECT] = (
        [{"type": "text", "text": content}] if isinstance(content, str) else objects(message, "content")
    )
    model = string(message, "model")
    made_up = model == SYNTHETIC or line.body.get("isApiErrorMessage") is True
    records = [] if made_up else _model(line, model, state)
    ends = string(message, "stop_reason") == "end_turn"
    for place, block in enumerate(blocks):
        name = line.id if place == 0 else f"{line.id}:{place}"
        final = ends and place == len(blocks) - 1
        records += _block(name, block, line, state, turn=turn, made_up=made_up, final=final)
    return records if made_up else records + _usage(line, turn, message, model, state)


def _block(
    name: str, block: JSON_OBJECT, line: Line, state: State, *, turn: str, made_up: bool, final: bool
) -> list[Record]:
    kind = string(block, "type")
    if kind in _CALLS:
        return _call(string(block, "id") or name, block, line, state, turn)
    text = string(block, "thinking" if kind == "thinking" else "text")
    if kind not in ("text", "thinking") or not text.strip():
        return []
    by, role = ("compactor" if line.agent.startswith("acompact") else "agent"), "answer"
    if made_up:
        by, role = "harness", "notice"
    elif kind == "thinking":
        role = "thinking"
    parent = string(line.body, "parentUuid") or None
    return [
        Message(
            id=name,
            by=by,
            role=role,
            text=text,
            turn="" if made_up else turn,
            parent=parent,
            final=final and not made_up,
        )
    ]


def _call(call_id: str, block: JSON_OBJECT, line: Line, state: State, turn: str) -> list[Record]:
    given = storable(block.get("input"))
    call = OpenCall(string(block, "name"), given if isinstance(given, dict) else {}, line.cwd)
    state.calls[call_id] = call
    return [called(call_id, call.name, call.input, turn, line.cwd), *delegation_started(call_id, call, turn)]


def _model(line: Line, model: str, state: State) -> list[Record]:
    before = state.models.get(line.agent)
    if not model or before == model:
        return []
    state.models[line.agent] = model
    return [ModelChanged(id=f"{line.id}:model", by="harness", to=model, source=before)]


def _usage(line: Line, turn: str, message: JSON_OBJECT, model: str, state: State) -> list[Record]:
    usage = mapping(message, "usage")
    if not usage:
        return []
    before = state.usage.pop(turn, None)
    known = before or (0, 0, 0, 0)
    told = tuple(max(integer(usage, name) or 0, had) for name, had in zip(_COUNTED, known, strict=True))
    state.usage[turn] = told
    for old in list(state.usage)[:-RECENT_TURNS]:
        del state.usage[old]
    if told == before:
        return []
    more = [now - had for now, had in zip(told, known, strict=True)]
    return [
        TokensUsed(
            id=f"{turn}:usage" if before is None else f"{turn}:usage:{line.id}",
            by="harness",
            turn=turn,
            model=model or None,
            input=more[0],
            output=more[1],
            cache_read=more[2],
            cache_write=more[3],
        )
    ]
