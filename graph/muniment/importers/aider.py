"""The chat history of aider (`.aider.chat.history.md`): a text for people; a file holds many chats.

* What the user typed is the user's; a question of the program with its answer, and commands (`/add`), are not prompts.
  Of a request that the program made of comments in files, the marked comments are the user's.
* Each later start of the program is a boundary: what was said before is not in its context.
* An edit is a call of the model's answer, and the notices behind it are its result. What no notice tells of stays
  unknown.
* Commits, the model and the rounded numbers of tokens are told by notices.
"""

from __future__ import annotations

import re

import msgspec

from muniment.importers.aider_edits import (
    Edit,
    applied_paths,
    change_of,
    edits_in,
    failed_searches,
    is_same_file,
)
from muniment.importers.aider_notices import told_by, unquoted
from muniment.importers.aider_pieces import NOTICE, START, STARTED, USER, pieces_of
from muniment.importers.aider_reader import ROOT, AiderReader
from muniment.importers.codex_state import is_windows
from muniment.importers.lenient import storable, string
from muniment.importers.plain_records import OpenCall, Outcome, Spot, called, returned, said
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import (
    ContextBoundary,
    ModelChanged,
    Record,
    SessionOpened,
    SessionResumed,
)

_MODEL = re.compile(r"^> (?:Main model|Model): (\S+)", re.MULTILINE)
_VERSION = re.compile(r"^> Aider v(\S+)", re.MULTILINE)
_CREATED = re.compile(
    r"^> (?:Creating empty file|Allow creation of new file|Create new file) (.+?)(?:\?| \(|\s*$)", re.MULTILINE
)
_THINKING = re.compile(r"<(thinking-content-\w+)>(.*?)</\1>\s*", re.DOTALL)
_QUESTION = re.compile(r".*\(Y\)es/\(N\)o.*\]: ")
_COMMENTS = 'Find the "AI" comments below'
_ASKING = re.compile(r"/(?:ask|code|architect|chat-mode \w+)\s+(?=\S)")
_NUMBER = re.compile(r"text\.(\d+)")


class AiderState(msgspec.Struct):
    """What is remembered between pieces. `newest` and `text` are number and text of the newest piece."""

    opened: bool = False
    model: str | None = None
    newest: int = 0
    text: str = ""
    started: str | None = None
    waiting: list[tuple[str, str]] = []
    version: str | None = None
    turn: int = 0
    edits: list[tuple[str, Edit]] = []
    created: list[str] = []


class AiderNormaliser:
    """Turns the pieces of one history into records."""

    def __init__(self, state: AiderState) -> None:
        self.state = state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one piece; of a piece that has grown, of what is new in it."""
        body = storable(entry.body)
        if not isinstance(body, dict):
            return []
        kind, text = string(body, "kind"), self._news(entry, string(body, "text"))
        if not text.strip():
            return []
        spot = Spot(entry, self.state.started)
        if kind == START:
            return self._start(spot, text.removeprefix(STARTED).strip())
        if kind == NOTICE:
            return self._notice(spot, text)
        found = self._open(spot, None)
        return [*found, *(self._user(spot, text) if kind == USER else self._agent(spot, text))]

    def _news(self, entry: Entry, text: str) -> str:
        match = _NUMBER.search(entry.source_id)
        number, before = int(match[1]) if match else 0, self.state.text
        grown = number and number == self.state.newest and text.startswith(before)
        self.state.newest, self.state.text = number, text
        return text[len(before) :] if grown else text

    def _start(self, spot: Spot, clock: str) -> list[Record]:
        self.state.started = clock.replace(" ", "T") or None
        if not self.state.opened:
            return []
        at = Spot(spot.entry, self.state.started)
        return [
            *self._unknown(at),
            SessionResumed(id=spot.ident("resumed"), by="harness", **at.place),
            ContextBoundary(id=spot.ident("boundary"), by="harness", trigger="restart", **at.place),
        ]

    def _open(self, spot: Spot, root: str | None) -> list[Record]:
        if self.state.opened:
            return []
        self.state.opened = True
        windows = is_windows(root)
        waiting, self.state.waiting = self.state.waiting, []
        told = [said(spot, ident, text, by="harness", role="notice") for ident, text in waiting]
        return [
            SessionOpened(
                id=spot.ident("opened"),
                by="harness",
                root=root,
                fs_style="windows" if windows else "posix",
                case_sensitive=not windows,
                model=self.state.model,
                version=self.state.version,
                **spot.place,
            ),
            *(message for messages in told for message in messages),
        ]

    def _user(self, spot: Spot, text: str) -> list[Record]:
        typed = "\n".join(line.removeprefix("####").strip() for line in text.split("\n")).strip()
        found = self._unknown(spot)
        if _QUESTION.match(typed):
            return [*found, *said(spot, spot.ident("message"), typed, by="harness", role="notice")]
        if typed.startswith(_COMMENTS):
            marked = "\n".join(line[1:] for line in typed.split("\n") if line.startswith("█"))
            found += said(spot, spot.ident("request"), typed, by="harness", role="notice")
            return [*found, *said(spot, spot.ident("message"), marked, by="user", role="prompt")]
        asking = _ASKING.match(typed)
        if typed.startswith(("/", "!")) and asking is None:
            cleared = typed.split()[0] in ("/clear", "/reset")
            if cleared:
                found.append(ContextBoundary(id=spot.ident("boundary"), by="user", trigger="manual", **spot.place))
            return [*found, *said(spot, spot.ident("message"), typed, by="harness", role="notice")]
        prompt = typed[asking.end() :] if asking else typed
        return [*found, *said(spot, spot.ident("message"), prompt, by="user", role="prompt")]

    def _agent(self, spot: Spot, text: str) -> list[Record]:
        found = self._unknown(spot)
        self.state.turn += 1
        spot = self._answering(spot)
        thinking = "\n".join(match[2].strip() for match in _THINKING.finditer(text))
        answer = _THINKING.sub("", text)
        found += said(spot, spot.ident("thinking"), thinking, by="agent", role="thinking")
        found += said(spot, spot.ident("message"), answer, by="agent", role="answer", final=True)
        for place, edit in enumerate(edits_in(answer)):
            call = _call(spot.ident(f"edit:{place}"), edit)
            self.state.edits.append((call.ident, edit))
            found.append(called(spot, call))
        return found

    def _answering(self, spot: Spot) -> Spot:
        return Spot(spot.entry, spot.clock, f"{spot.entry.session}:turn:{self.state.turn}")

    def _notice(self, spot: Spot, text: str) -> list[Record]:
        root, model, version = ROOT.search(text), _MODEL.search(text), _VERSION.search(text)
        before = self.state.model
        self.state.model = model[1] if model else before
        self.state.version = version[1] if version else self.state.version
        if not self.state.opened and root is None:
            self.state.waiting.append((spot.ident("message"), unquoted(text)))
            return []
        found: list[Record] = self._open(spot, root[1]) if root else []
        if self.state.opened and before not in (None, self.state.model):
            to = self.state.model or ""
            found.append(ModelChanged(id=spot.ident("model"), by="harness", to=to, source=before, **spot.place))
        found += said(spot, spot.ident("message"), unquoted(text), by="harness", role="notice") if root is None else []
        self.state.created += [path.replace("\\", "/") for path in _CREATED.findall(text)]
        return found + self._results(spot, text) + told_by(self._answering(spot), self.state.model, text)

    def _results(self, spot: Spot, text: str) -> list[Record]:
        """Return the results of the edits that a notice tells of."""
        applied, failed = applied_paths(text), failed_searches(text)
        found: list[Record] = []
        for ident, edit in list(self.state.edits):
            lost = (
                failed is not None and edit.old is not None and any(edit.old.strip() == old.strip() for old in failed)
            )
            done = not lost and (is_same_file(edit, applied) or "applied successfully" in text)
            if not lost and not done:
                continue
            self.state.edits.remove((ident, edit))
            created = edit.path.replace("\\", "/") in self.state.created
            outcome = Outcome(
                output="applied", status="ok", effect="writes", changes=(change_of(edit, created=created),)
            )
            if lost:
                outcome = Outcome(output="the SEARCH block failed to match", status="failed", effect="none")
            found.append(returned(spot, _call(ident, edit), outcome, by="harness"))
        return found

    def _unknown(self, spot: Spot) -> list[Record]:
        """Return results for the edits of which nothing was told: the chat has gone on."""
        edits, self.state.edits = self.state.edits, []
        outcome = Outcome(status="unknown", effect="unknown")
        return [returned(spot, _call(ident, edit), outcome, by="harness") for ident, edit in edits]


class AiderFormat:
    """Chat histories of aider."""

    name = "aider/1"
    title = "aider chat history"
    short = "aider"
    runtime = "aider"

    def sniff_text(self, start: str) -> bool:
        """Tell whether a text begins with the start of a chat."""
        return start.startswith(STARTED)

    def pieces(self, text: str) -> list[JSON_OBJECT]:
        """Return the pieces of a history, in order."""
        return pieces_of(text)

    def reader(self, file_name: str) -> AiderReader:
        """Return a reader for a file of that name."""
        return AiderReader(file_name)

    def normaliser(self, state: bytes | None) -> AiderNormaliser:
        """Return a normaliser, new or from the bytes of an earlier state."""
        return AiderNormaliser(AiderState() if state is None else msgspec.msgpack.decode(state, type=AiderState))


AIDER = AiderFormat()


def _call(ident: str, edit: Edit) -> OpenCall:
    name = "whole_file" if edit.old is None else "search_replace"
    return OpenCall(ident=ident, name=name, tool="write", path=edit.path)
