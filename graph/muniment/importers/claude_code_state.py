"""What the Claude Code normaliser remembers between lines, and what it knows of the line at hand.

* `State` is plain data that msgpack can hold: open calls, running children, task lists, the message queue. It stays
  as small as what is open; what has ended is dropped, but for settled tasks, whose words must be known when they
  are listed again.
* `Line` is one line with what every record of it shares.
"""

from __future__ import annotations

import msgspec

from muniment.model.entries import JSON_OBJECT

RECENT_TURNS = 64
"""Lines of one response lie close together, so its id need not be remembered for longer."""


class OpenCall(msgspec.Struct, frozen=True):
    """A tool call without a result as yet."""

    name: str
    input: JSON_OBJECT
    cwd: str | None = None


class Queued(msgspec.Struct):
    """A text that was put into the queue and may come again as an ordinary line; `left`: it was taken out since."""

    record: str
    text: str
    user: bool
    left: bool = False


class Item(msgspec.Struct):
    """An item of an agent's task list: the id of its task, its state, and how many tasks had these words before."""

    task: str
    state: str
    count: int = 1


class State(msgspec.Struct):
    """Everything that is remembered between entries of one stream."""

    opened: bool = False
    session: str = ""
    version: str = ""
    branch: str = ""
    models: dict[str, str] = msgspec.field(default_factory=dict)
    usage: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    """Response → what was counted of its tokens so far (input, output, cache read, cache write)."""
    calls: dict[str, OpenCall] = msgspec.field(default_factory=dict)
    queued: list[Queued] = msgspec.field(default_factory=list)
    items: dict[str, dict[str, Item]] = msgspec.field(default_factory=dict)
    tasks: dict[str, Item] = msgspec.field(default_factory=dict)
    children: dict[str, str] = msgspec.field(default_factory=dict)
    """Children that run in the background: agent id → id of the call that started them."""
    shells: dict[str, OpenCall] = msgspec.field(default_factory=dict)
    """Commands that run in the background: task id → the call that started them."""
    started: dict[str, str] = msgspec.field(default_factory=dict)
    """Commands of which nobody has told the end: task id → id of the call that started them."""
    lines: dict[str, str | None] = msgspec.field(default_factory=dict)
    """Uuid of a line → the message that it is or follows (`claude_code_links`)."""
    told: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Uuid of a line → the records that it became, where they have other ids: a boundary names lines that stayed."""
    typed: tuple[str, str] | None = None
    """The shell command that the user typed last: (call id, command), until its output is there."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line: its body, and where it belongs. `agent` is "" for the root agent."""

    id: str
    body: JSON_OBJECT
    session: str
    agent: str
    clock: str | None
    cwd: str | None

    @property
    def child(self) -> bool:
        """Whether the line is from the transcript of a child agent."""
        return self.agent != ""
