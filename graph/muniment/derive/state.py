"""What a fold remembers between records: all of it plain, so that it can be saved, loaded and copied.

Its size follows the live set (files, open things, calls without an answer), not the length of the history. What a
record refers to
and is not here is looked up in the graph.
"""

from __future__ import annotations

import msgspec

from muniment.derive.going_on import Going
from muniment.model.ledger import NOTHING_KNOWN, LedgerState
from muniment.model.nodes import Intervals, Text

SEEN_READS = 32
"""Reads of one file by one agent that are compared with a new one; older ones are not called repeated any more."""


LARGE_OUTPUT = 2_000
"""Tokens above which an output is large, and distilled at once."""


class Rooted(msgspec.Struct):
    """A session and the workspace that it works in."""

    node: str
    workspace: str
    root: str | None = None
    cwd: str | None = None
    fs_style: str = "posix"
    case_sensitive: bool = True
    normalization_sensitive: bool = True
    model: str | None = None


class SeenRead(msgspec.Struct, array_like=True):
    """One read of a file by an agent: which lines, and what they were."""

    agent: str
    excerpt: str
    first: int
    last: int
    digest: str
    text: Text
    runs: Intervals = ()


class FileState(msgspec.Struct):
    """A file, as far as it is known."""

    node: str
    path: str
    ledger: LedgerState = NOTHING_KNOWN
    grade: str = ""
    digest: str = ""
    reads: list[SeenRead] = []
    defined: bool = False
    """Whether its symbols were noted."""
    versions: set[str] = set()
    loose: bool = False
    """The ledger's total may be one too high."""


class ReportFile(msgspec.Struct, array_like=True):
    """A file that holds the structured results of a run: the run's receipt, and its family."""

    run: str
    family: str


class OpenCall(msgspec.Struct):
    """A call that has not been answered."""

    node: str
    tool: str
    name: str
    command: str | None = None
    path: str | None = None
    cwd: str | None = None


class Awaited(msgspec.Struct, array_like=True):
    """An edge that waits for the record that it leads to, or starts from."""

    kind: str
    node: str
    forward: bool
    state: str = ""


class Crossing(msgspec.Struct):
    """An agent between two contexts: nodes, "" where there is none.

    `boundary` is the newest one while nothing was done since; `summary` and `packet` wait for the boundary that they
    belong to.
    """

    boundary: str = ""
    summary: str = ""
    packet: str = ""
    summed: bool = False
    """The boundary has its summary."""
    views: list[str] = []


class FoldState(msgspec.Struct):
    """The state of one mission's fold."""

    mission: str
    project: str = ""
    format: str = ""
    root_session: str = ""
    ordinal: int = 0
    sessions: dict[str, Rooted] = {}
    agents: dict[str, str] = {}
    files: dict[str, FileState] = {}
    links: dict[str, dict[str, str]] = {}
    """Workspace → the key of each link that is known → the key of what it leads to."""
    texts: dict[str, Text] = {}
    """Excerpts that ledgers point to."""
    calls: dict[str, OpenCall] = {}
    turns: dict[str, tuple[str, int]] = {}
    active: dict[str, str] = {}
    instructions: dict[str, tuple[str, str]] = {}
    """Workspace and key of an instruction file → the fact that is its newest version, and its digest."""
    awaited: dict[str, list[Awaited]] = {}
    lines: dict[str, tuple[int, int]] = {}
    """Stream → the last line without an id of its own that was folded."""
    going: dict[str, Going] = {}
    """Record of a call → the command that it left running, if that may still change files."""
    reports: dict[str, ReportFile] = {}
    """Place of a file → whose results it holds, where nothing may have written it since."""
    crossings: dict[str, Crossing] = {}
    """Session and agent → what stands between two contexts, from a boundary (or what goes before) to the next act."""
    packets: dict[str, str] = {}
    """Session and agent → the packet that is in force there."""
    gaps: int = 0
    large_output: int = LARGE_OUTPUT

    def held_excerpts(self) -> set[str]:
        """Return the excerpts that ledgers point to."""
        return {segment.excerpt for file in self.files.values() for segment in file.ledger.segments}
