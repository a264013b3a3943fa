"""Claude Code transcripts (`claude-code/1`): the lines of `<session>.jsonl` and of its children's `agent-<id>.jsonl`.

* A line's `type` says what it is; unknown types and fields are left alone, for the format is the client's own
  affair and changes.
* The stream is the root agent's, or a child's where the line (`isSidechain`, `agentId`) or the file name says so.
  In old files a child's lines stand among the root's, without an id: they are the agent `sidechain`.
* `agent_progress` lines carry a child's messages in the root's file: they give the child's records (`agent` is its
  id). Where the child's own transcript is there too, the fold drops these.
* A version that changes, or another session id within one file, is a session resumed; nothing else is taken for
  one.
* The rules proper are in the `claude_code_*` modules: messages (who is the author), results, reads, edits, tasks,
  children, answers, queue.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from muniment.importers.claude_code_agent import agent_records
from muniment.importers.claude_code_links import linked
from muniment.importers.claude_code_messages import author_of_line, sayings
from muniment.importers.claude_code_notes import READ_KINDS, is_complaint, kind_of, note_records
from muniment.importers.claude_code_state import Line, State
from muniment.importers.claude_code_user import user_line_records
from muniment.importers.lenient import mapping, maybe_string, storable, string
from muniment.importers.protocol import Normaliser, SourceLine, SourceReader
from muniment.importers.recent_records import remember
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import BranchChanged, Record, SessionOpened, SessionResumed

NAME: Final = "claude-code/1"
SIDECHAIN: Final = "sidechain"
_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_AGENT_FILE: Final = re.compile(r"(?:.*[\\/])?agent-([^\\/]+)\.jsonl\Z")
_CONVERSATION: Final = frozenset({"user", "assistant", "system", "attachment", "progress"})
_SPECIAL: Final = frozenset(
    {"file-history-snapshot", "queue-operation", "pr-link", "last-prompt", "permission-mode", "ai-title"}
)
_AUTHORS: Final = {"assistant": "agent", "progress:agent_progress": "agent"}


class ClaudeCodeReader:
    """Tells of each line where it belongs."""

    def __init__(self, file_name: str) -> None:
        match = _AGENT_FILE.match(file_name)
        self._stream = match[1] if match else ""

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Return where the line belongs; see `SourceLine`."""
        kind = kind_of(body)
        stream = self._stream
        if body.get("isSidechain") is True:
            stream = string(body, "agentId") or stream
        return SourceLine(
            session=string(body, "sessionId"),
            stream=stream,
            source_id=string(body, "uuid") or None,
            kind=kind,
            ignored=not _is_read(kind, body),
            actor=_actor(kind, body, stream),
            root=string(body, "cwd") or None,
        )


class ClaudeCodeNormaliser:
    """Turns the entries of one stream into records; what it remembers is `state`."""

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def state(self) -> State:
        """All that is remembered between entries, safe to be written with msgpack."""
        try:
            msgspec.msgpack.encode(self._state)
        except UnicodeEncodeError:
            self._state = msgspec.convert(storable(msgspec.to_builtins(self._state)), State)
        return self._state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one entry, their ids distinct; odd input gives fewer records, never an error."""
        body = entry.body
        if body is None:
            return []
        agent = entry.stream or (string(body, "agentId") or SIDECHAIN if body.get("isSidechain") is True else "")
        line = _line(entry, entry.source_id, body, agent)
        records = [] if agent else self._session(line)
        inner = _inner(entry, body, line)
        told = _line_records(inner or line, self._state)
        links = self._state.lines
        if inner is None:
            remember(self._state.told, line.id, told)
        if inner is not None:
            told = linked(told, inner.body, {}, child=True)
            linked([], body, links, child=bool(entry.stream))
            return _placed(records, line) + _placed(told, inner)
        return _placed(records + linked(told, body, links, child=bool(entry.stream)), line)

    def _session(self, line: Line) -> list[Record]:
        """What a line of the root tells of its session: opened, resumed, another branch."""
        state, body = self._state, line.body
        session, version, branch = string(body, "sessionId"), string(body, "version"), string(body, "gitBranch")
        records: list[Record] = []
        if not state.opened and line.cwd:
            state.opened = True
            records.append(_opened(line, session or line.session, version))
        elif (version and state.version and version != state.version) or (
            session and state.session and session != state.session
        ):
            records.append(SessionResumed(id=f"{line.id}:resumed", by="harness"))
        if branch and state.branch and branch != state.branch:
            records.append(BranchChanged(id=f"{line.id}:branch", by="harness", to=branch, source=state.branch))
        state.session, state.version = session or state.session, version or state.version
        state.branch = branch or state.branch
        return records


class ClaudeCodeFormat:
    """The format, as `importers.FORMATS` lists it."""

    name = NAME
    title = "Claude Code transcript"
    short = "claude-code"
    runtime = "claude-code"

    def sniff(self, first: list[JSON_OBJECT]) -> bool:
        """Tell whether the first objects of a file are of a Claude Code transcript."""
        return any(_is_own(body) for body in first)

    def reader(self, file_name: str) -> SourceReader:
        """Return a reader; an `agent-<id>.jsonl` is the stream of that child."""
        return ClaudeCodeReader(file_name)

    def normaliser(self, state: bytes | None) -> Normaliser:
        """Return a normaliser, new or from the msgpack bytes of an earlier `state`."""
        return ClaudeCodeNormaliser(State() if state is None else msgspec.msgpack.decode(state, type=State))


CLAUDE_CODE: Final = ClaudeCodeFormat()


def _is_own(body: JSON_OBJECT) -> bool:
    kind = string(body, "type")
    if kind in _CONVERSATION and "uuid" in body and ("sessionId" in body or "parentUuid" in body):
        return True
    return kind in _SPECIAL or (kind == "summary" and "leafUuid" in body)


def _is_read(kind: str, body: JSON_OBJECT) -> bool:
    if kind == "system:stop_hook_summary":
        return is_complaint(body)
    return kind in READ_KINDS or kind in ("user", "assistant", "progress:agent_progress")


def _actor(kind: str, body: JSON_OBJECT, stream: str) -> str:
    if kind == "user":
        return author_of_line(body, stream)
    if kind == "queue-operation:enqueue":
        authors = {said.by for said in sayings(string(body, "content"), body, stream)}
        return "user" if "user" in authors else "harness"
    return _AUTHORS.get(kind, "harness" if kind.split(":")[0] in _CONVERSATION | _SPECIAL else "unknown")


def _line(entry: Entry, name: str, body: JSON_OBJECT, agent: str) -> Line:
    return Line(
        id=name,
        body=body,
        session=entry.session,
        agent=agent,
        clock=maybe_string(body, "timestamp"),
        cwd=string(body, "cwd") or None,
    )


def _inner(entry: Entry, body: JSON_OBJECT, outer: Line) -> Line | None:
    """The child's line that a line of kind `agent_progress` carries, or None where it carries none."""
    data = mapping(body, "data")
    if string(data, "type") != "agent_progress" or string(body, "type") != "progress":
        return None
    message = mapping(data, "message")
    child = string(data, "agentId") or string(body, "parentToolUseID") or SIDECHAIN
    inner = _line(entry, string(message, "uuid") or outer.id, message, child)
    return msgspec.structs.replace(inner, clock=inner.clock or outer.clock, cwd=inner.cwd or outer.cwd)


def _line_records(line: Line, state: State) -> list[Record]:
    kind = kind_of(line.body)
    if kind == "assistant":
        return agent_records(line, state)
    if kind == "user":
        return user_line_records(line, state)
    return note_records(kind, line, state) if kind in READ_KINDS else []


def _opened(line: Line, session: str, version: str) -> SessionOpened:
    windows = _WINDOWS.match(line.cwd or "") is not None
    return SessionOpened(
        id=f"{session}:opened",
        by="harness",
        root=line.cwd,
        fs_style="windows" if windows else "posix",
        case_sensitive=not windows,
        version=version or None,
    )


def _placed(records: list[Record], line: Line) -> list[Record]:
    """Give every record its session, agent and clock, and tell equal ids of one line apart."""
    placed: list[Record] = []
    seen: set[str] = set()
    for record in records:
        name = record.id
        while name in seen:
            name += "'"
        seen.add(name)
        placed.append(
            msgspec.structs.replace(record, id=name, session=line.session, agent=line.agent, clock=line.clock)
        )
    return placed
