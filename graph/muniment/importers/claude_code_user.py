"""User-role lines of Claude Code: prompts, notices and tool results.

* The first saying of a line has the line's own id; further ones have it with a number behind.
* A text that has been in the queue is no new message.
* What the user ran in the shell (`!command`) is also a call and a result: it may have changed files.
* `toolUseResult` is used only where the line holds one result; with several nobody knows whose it is.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from muniment.importers.claude_code_answers import user_records
from muniment.importers.claude_code_children import background_ended, delegation_returned, notified
from muniment.importers.claude_code_commands import background_outcome
from muniment.importers.claude_code_messages import Said, sayings
from muniment.importers.claude_code_queue import seen_before
from muniment.importers.claude_code_results import NO_CALL, model_text, returned
from muniment.importers.claude_code_shells import (
    STOPS,
    remember_shell,
    shell_polled,
    shell_stopped,
    shells_noticed,
)
from muniment.importers.claude_code_state import Line, OpenCall, State
from muniment.importers.claude_code_tasks import TOOLS, task_records
from muniment.importers.exit_status import own_status
from muniment.importers.lenient import mapping, objects, storable, string
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import CommitMade, Message, Record, ToolCalled, ToolReturned

_POLLS: Final = frozenset({"TaskOutput", "BashOutput", "AgentOutputTool"})
_SHELL_PARTS: Final = re.compile(r"<bash-std(?:out|err)>(.*?)</bash-std(?:out|err)>", re.DOTALL)


def user_line_records(line: Line, state: State) -> list[Record]:
    """Return the records of a user-role line."""
    content = mapping(line.body, "message").get("content")
    if isinstance(content, str):
        return said_records(line, [content], state)
    blocks = objects(mapping(line.body, "message"), "content")
    results = [block for block in blocks if string(block, "type") == "tool_result"]
    told = line.body.get("toolUseResult") if len(results) == 1 else None
    records: list[Record] = []
    for block in results:
        records += _result(line, block, told, state)
    texts = [string(block, "text") for block in blocks if string(block, "type") == "text"]
    if not any(text.strip() for text in texts) and any(string(block, "type") == "image" for block in blocks):
        texts = ["[image]"]
    return records + said_records(line, texts, state, taken=bool(results))


def said_records(line: Line, texts: list[str], state: State, *, taken: bool = False) -> list[Record]:
    """Return the messages in the texts of one line. `taken`: other records have the line's id already."""
    parts = [said for text in texts for said in sayings(text, line.body, line.agent)]
    mine = [said for said in parts if said.by in ("user", "agent")]
    if len(mine) > 1:
        joined = mine[0]._replace(text="\n".join(said.text for said in mine))
        parts = [joined, *(said for said in parts if said not in mine)]
    records: list[Record] = []
    parent = string(line.body, "parentUuid") or None
    for place, said in enumerate(parts):
        if not line.child and seen_before(said.text, user=said.by == "user", state=state):
            continue
        name = line.id if place == 0 and not taken else f"{line.id}:{place}"
        records.append(Message(id=name, by=said.by, role=said.role, text=said.text, parent=parent))
        records += _shell(name, said, line, state) + notified(said.text, state)
        if said.by == "harness":
            records += shells_noticed(said.text, state)
    return records


def _shell(name: str, said: Said, line: Line, state: State) -> list[Record]:
    if said.shell == "input" and said.by == "user":
        command = said.text.removeprefix("!")
        state.typed = (f"{name}:call", str(storable(command)))
        return [ToolCalled(id=f"{name}:call", by="user", tool="command", name="!", command=command, cwd=line.cwd)]
    if said.shell != "output" or state.typed is None:
        return []
    call, command = state.typed
    state.typed = None
    output = "\n".join(part for part in _SHELL_PARTS.findall(said.text) if part)
    return [
        ToolReturned(
            id=f"{call}:result",
            by="tool",
            call=call,
            tool="command",
            name="!",
            command=command,
            output=output,
            status="unknown",
            own_status=own_status(command),
            cwd=line.cwd,
        )
    ]


def _result(line: Line, block: JSON_OBJECT, told: object, state: State) -> list[Record]:
    call_id = string(block, "tool_use_id") or line.id
    call = state.calls.pop(call_id, NO_CALL)
    if call is NO_CALL:
        call = OpenCall("", {}, line.cwd)
    result = returned(call_id, call, block, line.body, told)
    table = told if isinstance(told, dict) else {}
    text = model_text(block)
    status = result.status or "unknown"
    records: list[Record] = []
    if call.name in _POLLS:
        result, records = _polled(result, table, state)
        records += shell_polled(call, table, text, state)
    elif call.name in STOPS and status == "ok":
        records += shell_stopped(call, table, state)
    elif result.tool == "command" and status == "unknown" and remember_shell(call_id, call, table, text, state):
        result = msgspec.structs.replace(result, running=True)
    records.insert(0, result)
    if call.name in TOOLS and status == "ok":
        records += task_records(call_id, call, table, text, state, line.agent)
    records += delegation_returned(call_id, call, table, text, status, state)
    records += _commit(call_id, table)
    if not line.child:
        records += user_records(call_id, call, table, text, status)
    return records


def _polled(result: ToolReturned, told: JSON_OBJECT, state: State) -> tuple[ToolReturned, list[Record]]:
    """A poll of something in the background: a command's outcome is a receipt of that command, a child's is its end."""
    task = mapping(told, "task") or told
    name = string(task, "task_id") or string(task, "shellId")
    ended = background_ended(name, string(task, "status"), string(task, "result") or string(task, "output"), state)
    call = state.shells.get(name)
    if call is None or result.status != "ok":
        return result, ended
    status, code, output = background_outcome(task)
    if status != "unknown":
        del state.shells[name]
    command = string(call.input, "command")
    found = ToolReturned(
        id=result.id,
        by="tool",
        call=result.call,
        tool="command",
        name=result.name,
        command=command,
        output=output,
        status=status,
        exit_code=code,
        own_status=own_status(command),
        cwd=call.cwd,
        extra={"polled": state.started[name]} if name in state.started else None,
    )
    return found, ended


def _commit(call_id: str, told: JSON_OBJECT) -> list[Record]:
    commit = string(mapping(mapping(told, "gitOperation"), "commit"), "sha")
    return [CommitMade(id=f"{call_id}:commit", by="tool", commit=commit)] if commit else []
