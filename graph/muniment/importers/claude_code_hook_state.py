"""What the normaliser of Claude Code's hooks remembers between payloads, and what it knows of the one at hand."""

from __future__ import annotations

import json

import msgspec

from muniment.importers.claude_code_state import State
from muniment.importers.lenient import objects, string
from muniment.model.entries import JSON_OBJECT


class HookState(msgspec.Struct):
    """All that is remembered between the payloads of one agent; `inner` is what a transcript's rules remember."""

    inner: State = msgspec.field(default_factory=State)
    opened: bool = False
    prompt: str = ""
    responses: int = 0
    events: int = 0
    stops: int = 0
    boundaries: int = 0
    compacting: bool = False
    trigger: str = ""
    answered: list[str] = msgspec.field(default_factory=list)
    """Calls that have their result; the newest of them."""
    wrote: list[str] = msgspec.field(default_factory=list)
    """Paths that the agent wrote and of which no `FileChanged` has come since."""

    @property
    def turn(self) -> str:
        """The name of the response that is running."""
        return f"{self.prompt}:{self.responses}"


class Hooked(msgspec.Struct, frozen=True, kw_only=True):
    """One payload, and where it belongs. `agent` is "" for the root agent."""

    body: JSON_OBJECT
    session: str
    agent: str
    cwd: str | None


def text_of_response(response: object) -> str:
    """Return the text in a tool's response: a text, content blocks, what a command wrote, else the response as JSON."""
    if isinstance(response, str):
        return response
    holder: JSON_OBJECT = response if isinstance(response, dict) else {"content": response}
    texts = [text for block in objects(holder, "content") if (text := string(block, "text"))]
    if texts:
        return "\n".join(texts)
    if "stdout" in holder:
        return "\n".join(part for key in ("stdout", "stderr") if (part := string(holder, key)))
    return "" if response is None else json.dumps(response, ensure_ascii=False)
