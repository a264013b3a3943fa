"""What a mutation may put into a session, as values, and what a session file must be able to do with it.

* A `Raw` is one session file as its client wrote it. It finds the commands in it, and gives a `Telling`: the session as
  far as some command, which grows by steps, each written as that client would have written it, with fresh ids and
  later timestamps.
* Nothing here knows the product: what is tested is not asked how to read the files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Protocol

Json = dict[str, Any]
"""An object of a session file: of any shape."""


class RawRun(NamedTuple):
    """A shell command of a session, where its call and its result stand. `code` None: the file doesn't tell."""

    call: int
    result: int
    ident: str
    command: str
    output: str
    code: int | None
    part: int = 0


class Ran(NamedTuple):
    """The agent runs a command, and it comes back. `code` None: it never does. `folder`: where, if not at home."""

    command: str
    output: str = ""
    code: int | None = 0
    folder: str | None = None


class Wrote(NamedTuple):
    """The agent writes a whole file. `before` None: it is new."""

    path: str
    content: str
    before: str | None = None


class Edited(NamedTuple):
    """The agent replaces some text of a file of which `before` is the whole."""

    path: str
    before: str
    old: str
    new: str


class Failed(NamedTuple):
    """The agent tries to replace a text that the file does not hold, and is told so."""

    path: str
    old: str


class Read(NamedTuple):
    """The agent reads lines of a file, from 1, inclusive; `content` is the whole file."""

    path: str
    content: str
    first: int = 1
    last: int | None = None


class Called(NamedTuple):
    """The agent uses some other tool."""

    name: str
    given: Json
    output: str


class Together(NamedTuple):
    """The agent calls several tools at once; they answer in the order of `answers`."""

    steps: tuple[Ran | Wrote | Edited | Failed | Read | Called, ...]
    answers: tuple[int, ...]


class Asked(NamedTuple):
    """The user writes something."""

    text: str


class Said(NamedTuple):
    """The agent ends its turn with these words."""

    text: str


Step = Ran | Wrote | Edited | Failed | Read | Called | Together | Asked | Said


class UnableError(Exception):
    """A client of this format has no way to do such a step; the text says why."""


class Telling(Protocol):
    """A session as far as some command, and growing."""

    last: str
    """The id of the newest call."""

    def add(self, step: Step) -> None:
        """Let a step happen."""

    def write(self, folder: Path) -> Path:
        """Write the session into a folder; return what is to be imported."""


class Raw(Protocol):
    """One session file."""

    form: str
    name: str
    root: str

    def runs(self) -> list[RawRun]:
        """Return the shell commands of the root agent that came back, in order."""

    def before(self, run: RawRun) -> Telling:
        """Return the session as it was when a command was about to be called."""


def shown(content: str, first: int, last: int | None) -> list[str]:
    """Return the lines of a text from `first` to `last`, inclusive."""
    lines = content.removesuffix("\n").split("\n") if content else []
    return lines[first - 1 : last]
