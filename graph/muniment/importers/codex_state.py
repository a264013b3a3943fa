"""What the Codex normaliser remembers between lines: plain Structs, so that a fold can be saved and go on later.

* Everything here is bounded by what is open (calls without a result, processes that run, plan steps), never by the
  length of the session; lists of what was seen lately keep their newest `KEPT` members.
* Small readers of untyped JSON live here too: what is not of the wished type counts as absent, so that odd input never
  raises.
"""

from __future__ import annotations

import ntpath
import posixpath
import re

import msgspec

from muniment import canonical
from muniment.model.entries import JSON_OBJECT, Entry

KEPT = 256
_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")


class Line(msgspec.Struct, frozen=True):
    """The line that is being read: its entry, its clock, and the turn that its agent items belong to."""

    entry: Entry
    clock: str | None
    turn: str = ""

    def ident(self, role: str) -> str:
        """Return a record's id that is made of the line's own."""
        return f"{self.entry.source_id}:{role}"


class OpenCall(msgspec.Struct):
    """A call that has no result yet. `patch` is the patch text in it, `poll` the process that it asks about."""

    name: str
    tool: str
    command: str | None = None
    cwd: str | None = None
    patch: str | None = None
    poll: str | None = None
    path: str | None = None
    text: str | None = None
    questions: list[JSON_OBJECT] | None = None


class End(msgspec.Struct):
    """What an event said of a call's end; `changes` as the source gives them: path → change."""

    exit_code: int | None = None
    status: str | None = None
    output: str | None = None
    duration_ms: int | None = None
    cwd: str | None = None
    changes: dict[str, JSON_OBJECT] | None = None


class Outcome(msgspec.Struct):
    """What the result item of a call said; `running` is the id of the process that went on."""

    output: str | None = None
    exit_code: int | None = None
    status: str | None = None
    duration_ms: int | None = None
    running: str | None = None
    truncated: bool = False
    clock: str | None = None


class Running(msgspec.Struct):
    """A process that was still running when its call returned."""

    command: str | None
    cwd: str | None
    call: str


class Step(msgspec.Struct):
    """A step of the plan: the task that stands for it now and how often its text has become a new task."""

    task: str
    to: str
    text: str
    times: int = 1


class CodexState(msgspec.Struct):
    """The whole memory of one stream."""

    opened: str = ""
    child: bool = False
    prefix: str = ""
    cwd: str | None = None
    model: str | None = None
    branch: str | None = None
    response: int = 0
    responding: bool = False
    sampled: int | None = None
    busy: bool = False
    announces: bool = False
    announced: list[str] = []
    prompts: list[str] = []
    told: list[str] = []
    typed: dict[str, str] = {}
    """Fingerprint of what the user said → its record, for the newest of them."""
    final: str = ""
    answer: tuple[str, str, str] | None = None
    usage_records: bool = False
    total: int = 0
    context: int | None = None
    calls: dict[str, OpenCall] = {}
    ends: dict[str, End] = {}
    outputs: dict[str, Outcome] = {}
    answered: list[str] = []
    running: dict[str, Running] = {}
    plan: dict[str, Step] = {}
    agents: dict[str, str] = {}
    delegations: dict[str, str] = {}


def remember(kept: list[str], value: str) -> None:
    """Add `value` to a list that keeps its newest members only."""
    kept.append(value)
    if len(kept) > KEPT:
        del kept[: KEPT // 2]


def is_windows(path: str | None) -> bool:
    """Tell whether an absolute path has the form that Windows gives it."""
    return path is not None and _DRIVE.match(path) is not None


def absolute(path: str, cwd: str | None) -> str:
    """Return `path` as an absolute, normal one where `cwd` makes that possible; the style of paths is that of `cwd`."""
    if is_windows(path) or is_windows(cwd):
        return ntpath.normpath(ntpath.join(cwd or "", path))
    if not path.startswith("/") and cwd is None:
        return path
    return posixpath.normpath(posixpath.join(cwd or "", path))


def encodable(body: JSON_OBJECT) -> JSON_OBJECT:
    """Return `body` without lone surrogates and integers of over 64 bits: no encoder of a saved state takes them."""
    try:
        msgspec.msgpack.encode(body)
    except (UnicodeEncodeError, OverflowError):
        return table(_tamed(body))
    except RecursionError:  # nested deeper than anything that a rollout means
        return {}
    return body


def text_of(value: object) -> str | None:
    """Return `value` where it is a string."""
    return value if isinstance(value, str) else None


def integer(value: object) -> int | None:
    """Return `value` where it is an integer of sane size and no boolean."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else None


def table(value: object) -> JSON_OBJECT:
    """Return `value` where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[JSON_OBJECT]:
    """Return the objects of a list."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def parsed(text: object) -> JSON_OBJECT:
    """Return the JSON object that a string holds, else an empty one."""
    if isinstance(text, dict):
        return text
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return {}
    try:
        return encodable(table(canonical.decode(text.encode("utf-8", "surrogatepass"))))
    except (ValueError, RecursionError):
        return {}


def milliseconds(duration: object) -> int | None:
    """Return `{secs, nanos}` or a number of seconds as milliseconds."""
    if isinstance(duration, dict):
        seconds, nanos = integer(duration.get("secs")), integer(duration.get("nanos"))
        return None if seconds is None else seconds * 1000 + (nanos or 0) // 1_000_000
    if isinstance(duration, (int, float)) and not isinstance(duration, bool) and 0 <= duration < 1e9:
        return round(duration * 1000)
    return None


def _tamed(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, int) and abs(value) >= 2**63:
        return str(value)
    if isinstance(value, dict):
        return {_tamed(name): _tamed(part) for name, part in value.items()}
    return [_tamed(part) for part in value] if isinstance(value, list) else value
