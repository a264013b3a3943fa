"""What hooks tell stands beside what the transcript of the same session tells, in a stream of its own.

* The stream `hooks` is the hooks' telling of the root agent, `hooks:<child>` that of a child.
* A payload is kept as the runtime sent it. What the client knows beside it stands under `muniment`: `delivery` (an id
  of its own, so that what arrives twice is kept once), `at` (its clock), `workspace` (a digest, see `WorkspaceSeen`).
* The reader is the same for all runtimes: they share the names of the fields that say where a payload belongs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from muniment.importers.lenient import mapping, maybe_string, string
from muniment.importers.protocol import SourceLine
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import Record, WorkspaceSeen

HOOKS: Final = "hooks"
BESIDE: Final = "muniment"
"""The field under which the client's own knowledge stands."""
_CHILD: Final = f"{HOOKS}:"
_TOOL_EVENTS: Final = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})
_ACTORS: Final = {
    "UserPromptSubmit": "user",
    "PreToolUse": "agent",
    "Stop": "agent",
    "PostToolUse": "tool",
    "PostToolUseFailure": "tool",
    "PostToolBatch": "tool",
}


def stream_of(agent: str) -> str:
    """Return the stream in which hooks tell of an agent; "" is the root agent."""
    return _CHILD + agent if agent else HOOKS


def is_live(stream: str) -> bool:
    """Tell whether a stream is told by hooks."""
    return stream == HOOKS or stream.startswith(_CHILD)


def agent_of(stream: str) -> str:
    """Return the agent that a stream is of, whoever tells it; "" is the root agent."""
    return stream.removeprefix(_CHILD) if stream != HOOKS else ""


class HookReader:
    """Tells of each payload where it belongs. `handled`: the events that records are made of."""

    def __init__(self, handled: frozenset[str]) -> None:
        self._handled = handled

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Return where the payload belongs; see `SourceLine`."""
        event = string(body, "hook_event_name")
        return SourceLine(
            session=string(body, "session_id"),
            stream=stream_of(teller(body)),
            source_id=_source_id(event, body),
            kind=event or "unknown",
            ignored=event not in self._handled and not beside(body),
            actor=_ACTORS.get(event, "harness"),
            root=string(body, "cwd") or None,
        )


def teller(body: JSON_OBJECT) -> str:
    """Return the agent in whose stream a payload stands. That a child began or ended is told by its parent."""
    event = string(body, "hook_event_name")
    return "" if event in ("SubagentStart", "SubagentStop") else string(body, "agent_id")


def beside(body: Mapping[str, object]) -> JSON_OBJECT:
    """Return what the client of the hook added to the payload."""
    return mapping(body, BESIDE)


def clock_of(body: JSON_OBJECT) -> str | None:
    """Return the client's clock."""
    return maybe_string(beside(body), "at")


def workspace_seen(ident: str, body: JSON_OBJECT) -> list[Record]:
    """Return the digest of the workspace that was taken when the payload came, where one was."""
    told = mapping(beside(body), "workspace")
    if not told:
        return []
    return [
        WorkspaceSeen(
            id=ident,
            by="harness",
            digest=string(told, "digest"),
            head=string(told, "head") or None,
            dirty=_texts(mapping(told, "dirty")),
            untracked=_texts(mapping(told, "untracked")),
            complete=told.get("complete") is True,
        )
    ]


def _texts(told: JSON_OBJECT) -> dict[str, str]:
    return {path: value for path, value in told.items() if isinstance(value, str)}


def _source_id(event: str, body: JSON_OBJECT) -> str | None:
    call = string(body, "tool_use_id")
    if event in _TOOL_EVENTS and call:
        return f"hook:{event}:{call}"
    delivery = string(beside(body), "delivery")
    return f"hook:{delivery}" if delivery else None
