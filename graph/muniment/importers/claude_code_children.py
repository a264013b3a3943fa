"""Child agents of Claude Code: when their work starts and how it ends.

* A call of `Task` (later `Agent`) starts a delegation; its result ends it, unless it says that the child goes on in
  the background.
* A background child ends with its notification (`<task-notification>`, an attachment `task_status`) or a poll that
  finds it ended (`TaskOutput`); whichever comes first.
* A child is known by the id of its transcript (`agentId`) once that is told, before by the id of the call.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.importers.claude_code_calls import DELEGATES
from muniment.importers.claude_code_state import OpenCall, State
from muniment.importers.lenient import objects, string
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import DelegationEnded, DelegationStarted, Record

_BACKGROUND: Final = frozenset({"async_launched", "remote_launched", "teammate_spawned"})
_OUTCOMES: Final = {"completed": "done", "failed": "failed", "killed": "lost", "stopped": "lost", "cancelled": "lost"}
_AGENT: Final = re.compile(r"\bagentId: ([\w@.-]+)")
_RESUME_NOTE: Final = re.compile(r"\n?agentId: [\w@.-]+ \((?:for resuming|use SendMessage).*\Z", re.DOTALL)
_TAGS: Final = re.compile(r"<(task-id|status|result|summary)>(.*?)</\1>", re.DOTALL)


def delegation_started(call_id: str, call: OpenCall, turn: str) -> list[Record]:
    """Return the start of a delegation, where the call makes one."""
    if call.name not in DELEGATES:
        return []
    prompt = string(call.input, "prompt") or string(call.input, "description") or None
    return [
        DelegationStarted(id=f"{call_id}:delegation", by="agent", turn=turn, child=call_id, call=call_id, text=prompt)
    ]


def delegation_returned(
    call_id: str, call: OpenCall, told: JSON_OBJECT, text: str, status: str, state: State
) -> list[Record]:
    """Return the end of a delegation at the result of its call; a child in the background is remembered instead."""
    if call.name not in DELEGATES:
        return []
    match = _AGENT.search(text[-600:]) or _AGENT.search(text[:600])
    child = string(told, "agentId") or (match[1] if match else "")
    background = string(told, "status") in _BACKGROUND or told.get("isAsync") is True
    if status == "ok" and (background or text.startswith("Async agent launched")):
        if child:
            state.children[child] = call_id
        return []
    said = "\n".join(part for item in objects(told, "content") if (part := string(item, "text")))
    outcome = {"ok": "done", "unknown": "lost"}.get(status, "failed")
    return [_ended(call_id, child or None, outcome, said or _RESUME_NOTE.sub("", text))]


def background_ended(child: str, status: str, text: str | None, state: State) -> list[Record]:
    """Return the end of a background child, once; nothing where the child is not known to run or has not ended."""
    outcome = _OUTCOMES.get(status)
    call_id = state.children.get(child)
    if outcome is None or call_id is None:
        return []
    del state.children[child]
    return [_ended(call_id, child, outcome, text)]


def notified(text: str, state: State) -> list[Record]:
    """Return the ends of background children that a text with `<task-notification>` tells of."""
    if not state.children or "<task-notification>" not in text:
        return []
    records: list[Record] = []
    for part in text.split("<task-notification>")[1:]:
        tags = {match[1]: match[2].strip() for match in _TAGS.finditer(part)}
        told = tags.get("result") or tags.get("summary")
        records += background_ended(tags.get("task-id", ""), tags.get("status", ""), told, state)
    return records


def _ended(call_id: str, child: str | None, outcome: str, text: str | None) -> DelegationEnded:
    return DelegationEnded(
        id=f"{call_id}:ended",
        by="harness",
        delegation=f"{call_id}:delegation",
        outcome=outcome,
        text=text,
        child=child,
    )
