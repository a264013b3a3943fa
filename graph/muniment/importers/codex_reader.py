"""What capture needs to know of a Codex rollout's lines: session, stream, kind, author.

* The session is the one that the first `session_meta` declares; later ones are copies (a fork repeats its parent's) or
  a resumption. Until there is one, it is the thread that the file's name tells.
* Lines have no id of their own, so capture makes one from the line's number and content.
* A kind is ignored where no rule makes a record of it: what it tells stands in other lines too, or is no evidence.
"""

from __future__ import annotations

import re

from muniment.importers.codex_messages import PROMPT, authored
from muniment.importers.codex_session import origin
from muniment.importers.codex_state import encodable, table, text_of
from muniment.importers.protocol import SourceLine
from muniment.model.entries import JSON_OBJECT

CALLS = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "web_search_call",
        "tool_search_call",
        "image_generation_call",
    }
)
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})
ENDS = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end"})
END_ITEMS = frozenset({"CommandExecution", "FileChange", "McpToolCall"})
_READ = frozenset(
    {"session_meta", "turn_context", "compacted", "token_usage_record"}
    | {f"response_item:{kind}" for kind in CALLS | OUTPUTS | {"message", "reasoning"}}
    | {f"event_msg:{kind}" for kind in ENDS | {"user_message", "task_complete", "token_count"}}
    | {f"event_msg:item_completed:{kind}" for kind in END_ITEMS | {"UserMessage"}}
)
_THREAD = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl", re.IGNORECASE)


class CodexReader:
    """Reads the lines of one rollout, in order."""

    def __init__(self, file_name: str) -> None:
        match = _THREAD.search(file_name)
        self._session, self._stream = match[1] if match else "", ""
        self._declared = False

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where the line belongs; never raises."""
        body = encodable(body)
        payload = table(body.get("payload"))
        root = None
        if body.get("type") == "session_meta" and not self._declared:
            where = origin(payload)
            if where is not None:
                self._session, self._stream = where
                self._declared = True
        if body.get("type") in ("session_meta", "turn_context"):
            root = text_of(payload.get("cwd"))
        kind = kind_of(body)
        return SourceLine(
            session=self._session,
            stream=self._stream,
            source_id=None,
            kind=kind,
            ignored=kind not in _READ,
            actor=_actor(kind, payload, child=bool(self._stream)),
            root=root,
        )


def kind_of(body: JSON_OBJECT) -> str:
    """Return the source's own word for a line: `event_msg:token_count`, `event_msg:item_completed:FileChange`."""
    words = [text_of(body.get("type")) or "unknown"]
    payload = table(body.get("payload"))
    if words[0] in ("response_item", "event_msg"):
        words.append(text_of(payload.get("type")) or "unknown")
        if words[1] == "item_completed":
            words.append(text_of(table(payload.get("item")).get("type")) or "unknown")
    return ":".join(words)


def _actor(kind: str, payload: JSON_OBJECT, *, child: bool) -> str:
    if kind == "response_item:message":
        if payload.get("role") == "assistant":
            return "agent"
        typed = any(role == PROMPT for role, _ in authored(payload))
        return ("agent" if child else "user") if typed else "harness"
    word = kind.removeprefix("response_item:")
    if word in CALLS or word == "reasoning":
        return "agent"
    return "tool" if word in OUTPUTS else "harness"
