"""Nodes: one frozen type for each kind of thing that the graph knows.

Every node has `id` (derived, see `ids`), `ordinal` (the causal place of the record that made it), `handle` (what people
and models
see) and `record` (the id of that record). A node never changes; what becomes of it is told by later edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

import msgspec

from muniment.model.records import Counts

Intervals = tuple[tuple[int, int], ...]
"""Lines as (first, last), inclusive: ascending and disjoint."""


class Text(msgspec.Struct, frozen=True, gc=False, array_like=True, omit_defaults=True):
    """A piece of text: held here if short, else a slice of a stored payload.

    `digest` names the payload; `start` and `stop` are character offsets in it. `lines` and `size` (characters) describe
    the slice.
    """

    inline: str | None = None
    digest: str | None = None
    start: int = 0
    stop: int = 0
    lines: int = 0
    size: int = 0


class Node(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, tag_field="kind"):
    """What all nodes have."""

    letter: ClassVar[str] = "N"

    id: str
    ordinal: int
    handle: str
    record: str


class Mission(Node, frozen=True, kw_only=True, omit_defaults=True, tag="mission"):
    """One root session with all that came of it."""

    letter: ClassVar[str] = "M"
    project: str
    format: str
    root_session: str


class Session(Node, frozen=True, kw_only=True, omit_defaults=True, tag="session"):
    """A session of the mission, opened or forked from `parent`."""

    letter: ClassVar[str] = "S"
    session: str
    parent: str | None = None
    model: str | None = None
    version: str | None = None


class Agent(Node, frozen=True, kw_only=True, omit_defaults=True, tag="agent"):
    """An agent of a session: the root agent ("") or a child."""

    letter: ClassVar[str] = "A"
    session: str
    agent: str


class Workspace(Node, frozen=True, kw_only=True, omit_defaults=True, tag="workspace"):
    """A folder that files belong to, with the rules of its file system."""

    letter: ClassVar[str] = "W"
    name: str
    root: str | None = None
    fs_style: str = "posix"
    case_sensitive: bool = True
    normalization_sensitive: bool = True


class Message(Node, frozen=True, kw_only=True, omit_defaults=True, tag="message"):
    """Something said; `role` as in records.Message. `binding`: a user's own words, which bind until withdrawn."""

    letter: ClassVar[str] = "U"
    by: str
    session: str
    agent: str
    role: str
    text: Text
    turn: str = ""
    clock: str | None = None
    binding: bool = False
    final: bool = False
    parent: str | None = None
    repaired: bool = False


INSTRUCTIONS: Final = "instructions"
"""Class of the facts that instruction files are."""
WAIVER: Final = "waiver"
"""Class of a fact: a user accepts what `target` names without proof."""
CANCELLED_BY_USER: Final = "task: cancelled by the user"
"""What an event says: its `now` is the task."""
REPORTED: Final = "reported"
"""State of a delegation that only its giver said to be over."""


class Fact(Node, frozen=True, kw_only=True, omit_defaults=True, tag="fact"):
    """A fact stated as such. One of class `instructions` is a version of an instruction file: `path`, and the `digest`
    of its whole text where that was told. `target`: the task of an acceptance criterion, or what a waiver is of.
    """

    letter: ClassVar[str] = "K"
    by: str
    session: str
    class_: str
    text: Text
    slot: str | None = None
    multi: bool = False
    valid_from: str | None = None
    valid_to: str | None = None
    clock: str | None = None
    path: str | None = None
    digest: str | None = None
    target: str | None = None


class Task(Node, frozen=True, kw_only=True, omit_defaults=True, tag="task"):
    """Something to be done. Its state is the newest MOVED edge that points to it; without one it is open."""

    letter: ClassVar[str] = "T"
    by: str
    session: str
    agent: str
    text: Text


class File(Node, frozen=True, kw_only=True, omit_defaults=True, tag="file"):
    """A file of a workspace. `path` as first met; `key` is its identity under the file system's rules."""

    letter: ClassVar[str] = "F"
    workspace: str
    path: str
    key: str


class FileVersion(Node, frozen=True, kw_only=True, omit_defaults=True, tag="file_version"):
    """Content of a file, nothing else.

    `grade` tells how well it is known: bytes (the whole file, byte for byte), lines (the whole file, line by line),
    partial (some lines), absent (deleted).
    `digest` is over what is known; for partial content over the interval as well, so that only equal knowledge is
    equal. `revision`: of which commit (or the index) it is, as it was named; None is the worktree.
    """

    letter: ClassVar[str] = "V"
    file: str
    grade: str
    digest: str
    total_lines: int | None = None
    binary: bool = False
    revision: str | None = None


class Call(Node, frozen=True, kw_only=True, omit_defaults=True, tag="call"):
    """A tool call as issued. `began` is the ordinal of the first record of the model response that issued it."""

    letter: ClassVar[str] = "C"
    session: str
    agent: str
    tool: str
    name: str
    turn: str
    began: int
    command: Text | None = None
    path: str | None = None
    arguments: Text | None = None
    clock: str | None = None


WRITES_NAMED: Final = "writes_named"
"""Flag of a receipt: all that its command wrote are the files that it is about, and what nobody keeps."""
ENVIRONMENT_CHANGED: Final = "environment_changed"
"""Flag of a receipt: packages or settings on which runs depend may be others since."""
LEFT_RUNNING: Final = "left_running"
"""Flag of a receipt: its command left something running that may still change files, until a MOVED edge ends it."""


class Receipt(Node, frozen=True, kw_only=True, omit_defaults=True, tag="receipt"):
    """What a tool answered: the proof of what was done and seen.

    `status`: ok, failed, refused, unknown. `effect`: none, writes, unknown. `output` is what it printed (or the content
    it showed).
    `subject` maps file ids to the digest of the content that was tested. `excluded` is what a search passed over, as
    far as its command says so (see `derive.searched`). `failed_ids` are names of what failed, as a structured result
    has them. `report_of`: the receipt of the run whose structured results this one shows; `polls`: that of the start of
    a command that went on, and that this one asks about. `flags`: text_repaired, body_lifted, binary, purged,
    writes_named, environment_changed, left_running.
    """

    letter: ClassVar[str] = "R"
    by: str
    session: str
    agent: str
    tool: str
    name: str
    status: str
    effect: str
    call: str | None = None
    task: str | None = None
    command: Text | None = None
    folder: str | None = None
    """Where the command began, if that is not the workspace's folder."""
    path: str | None = None
    output: Text | None = None
    exit_code: int | None = None
    own_status: bool = True
    scope: str | tuple[str, ...] | None = None
    counts: Counts | None = None
    counts_from: str = "output"
    skipped_ids: tuple[str, ...] = ()
    failed_ids: tuple[str, ...] = ()
    report_of: str | None = None
    polls: str | None = None
    cached_from: str | None = None
    subject: dict[str, str] | None = None
    subject_closed: bool | None = None
    pattern: str | None = None
    within: str = "text"
    searched: tuple[str, ...] = ()
    matches: int | None = None
    files_considered: int | None = None
    files_ignored: int | None = None
    excluded: tuple[str, ...] = ()
    truncated: bool = False
    duration_ms: int | None = None
    clock: str | None = None
    flags: tuple[str, ...] = ()


SHOWN, WRITTEN, EDITED, TOLD = "shown", "written", "edited", "told"
"""How lines of a file came to be known: a tool showed them to its agent; the agent gave the whole file; the agent put
them in by an edit; the harness told them, and nobody was shown them.
"""
DISTILLED: Final = "distilled"
"""How lines of an output came to be known that were chosen as those that matter."""


class Excerpt(Node, frozen=True, kw_only=True, omit_defaults=True, tag="excerpt"):
    """Lines that somebody saw or wrote: `first`..`last` (1-based, inclusive) of a file version or of a receipt's
    output.

    `how`: shown, written, edited, told or distilled. `cut` are lines that the harness showed in part only. `runs` are
    the intervals where its lines stand, in order, where they do not follow one another; lines between them are not in
    it.

    A distilled one is of a receipt's output: `states` tells what its lines establish, `leaves_open` what they do not,
    `columns` which characters of its one line it is, `by` who chose it ("": the store itself), and `omissions_matter`
    whether, in the author's eyes, what was left out could change the conclusion (None: not said).
    """

    letter: ClassVar[str] = "E"
    of: str
    receipt: str
    first: int
    last: int
    text: Text
    file: str | None = None
    agent: str = ""
    session: str = ""
    digest: str = ""
    states: str | None = None
    leaves_open: str | None = None
    how: str = SHOWN
    cut: tuple[int, ...] = ()
    by: str = ""
    columns: tuple[int, int] | None = None
    omissions_matter: bool | None = None
    runs: Intervals = ()

    def numbers(self) -> Iterator[int]:
        """Yield the numbers of its lines."""
        for first, last in self.runs or ((self.first, self.last),):
            yield from range(first, last + 1)


class Symbol(Node, frozen=True, kw_only=True, omit_defaults=True, tag="symbol"):
    """A definition in a file version: `what` it is (function, class, type, constant, test, key, heading) and where it
    was there.
    """

    letter: ClassVar[str] = "Y"
    file: str
    version: str
    name: str
    what: str
    first: int
    last: int


class Name(Node, frozen=True, kw_only=True, omit_defaults=True, tag="name"):
    """An identifier or a path as text."""

    letter: ClassVar[str] = "N"
    text: str


class Claim(Node, frozen=True, kw_only=True, omit_defaults=True, tag="claim"):
    """What somebody says is so. `inferred`: read out of a completed task or a final answer, not stated as a claim.

    `target` is the id, as it was given, of what it is about beside a file; `digest` is of the claimed content.
    """

    letter: ClassVar[str] = "L"
    by: str
    session: str
    type: str
    cites: tuple[str, ...] = ()
    scope: str | tuple[str, ...] | None = None
    path: str | None = None
    what: str | None = None
    delegation: str | None = None
    text: Text | None = None
    inferred: bool = False
    task: str | None = None
    target: str | None = None
    digest: str | None = None


class Decision(Node, frozen=True, kw_only=True, omit_defaults=True, tag="decision"):
    """What was decided, why, and what was rejected."""

    letter: ClassVar[str] = "D"
    by: str
    session: str
    choice: Text
    reason: Text | None = None
    rejected: tuple[str, ...] = ()


class Artifact(Node, frozen=True, kw_only=True, omit_defaults=True, tag="artifact"):
    """A file produced as a result."""

    letter: ClassVar[str] = "P"
    by: str
    path: str
    file: str
    digest: str | None = None


class Question(Node, frozen=True, kw_only=True, omit_defaults=True, tag="question"):
    """A question, risk or gap. Open until a MOVED edge settles it."""

    letter: ClassVar[str] = "Q"
    by: str
    session: str
    what: str
    text: Text


class Delegation(Node, frozen=True, kw_only=True, omit_defaults=True, tag="delegation"):
    """Work given to a child agent. Running until a MOVED edge ends it."""

    letter: ClassVar[str] = "G"
    session: str
    child: str
    text: Text | None = None
    task: str | None = None
    call: str | None = None


class Timer(Node, frozen=True, kw_only=True, omit_defaults=True, tag="timer"):
    """Something that is to happen later. Armed until a MOVED edge says that it fired."""

    letter: ClassVar[str] = "I"
    session: str
    text: Text
    due: str | None = None


class Boundary(Node, frozen=True, kw_only=True, omit_defaults=True, tag="boundary"):
    """The model's context was replaced here. `text` is the summary that came with it; `cut`: the source names what
    left, and all else stayed. What stayed, left, or opened the next context is told by KEPT and FORGOT edges.
    """

    letter: ClassVar[str] = "B"
    session: str
    agent: str
    outcome: str
    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    by: str = ""
    text: Text | None = None
    model: str = ""
    clock: str | None = None
    cut: bool = False
    segment: tuple[str, str] | None = None
    opaque: tuple[str, ...] = ()


class Event(Node, frozen=True, kw_only=True, omit_defaults=True, tag="event"):
    """Something that happened to the surroundings: a branch, commit, environment, deployment, model or outside file
    change.
    """

    letter: ClassVar[str] = "X"
    session: str
    agent: str = ""
    what: str
    now: str | None = None
    was: str | None = None


class PacketProse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Words of a compactor, and the ids of what they are about."""

    text: Text
    cites: tuple[str, ...] = ()


class Packet(Node, frozen=True, kw_only=True, omit_defaults=True, tag="packet"):
    """A packet that was proposed for a context boundary: ids and prose; the fields are those of its record."""

    letter: ClassVar[str] = "H"
    by: str
    session: str = ""
    agent: str = ""
    base: str | None = None
    covers_to: str | int | None = None
    upto: int | None = None
    facts: tuple[str, ...] = ()
    tasks: dict[str, str] | None = None
    delegations: tuple[str, ...] = ()
    next_actions: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    prose: tuple[PacketProse, ...] = ()
    timers: tuple[str, ...] | None = None
    questions: tuple[str, ...] | None = None
    decisions: tuple[str, ...] = ()
    files: dict[str, str] | None = None
    claims: dict[str, str] | None = None
    failed: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    workspace: str = ""
    budget: int | None = None
    focus: str = ""
    compactor: str = ""
    model: str = ""


class View(Node, frozen=True, kw_only=True, omit_defaults=True, tag="view"):
    """A view that was given to an agent: what was in it and as of when. `lines` are those of files that it showed:
    (excerpt's id, first, last).
    """

    letter: ClassVar[str] = "J"
    session: str
    agent: str = ""
    task: str | None = None
    items: tuple[str, ...] = ()
    lines: tuple[tuple[str, int, int], ...] = ()
    as_of: int | None = None


class Gap(Node, frozen=True, kw_only=True, omit_defaults=True, tag="gap"):
    """A loss that is known: a quarantined line, a purged record, a link that leads nowhere or in a ring. `code` says
    which.
    """

    letter: ClassVar[str] = "Z"
    code: str
    detail: str = ""
    line: int | None = None


AnyNode = (
    Mission | Session | Agent | Workspace | Message | Fact | Task | File | FileVersion | Call | Receipt | Excerpt
    | Symbol | Name | Claim | Decision | Artifact | Question | Delegation | Timer | Boundary | Event | Packet | View
    | Gap
)  # fmt: skip

SIDE_KINDS = (Excerpt, Symbol, File, FileVersion, Agent, Workspace, Mission, Gap)
"""Kinds that a record makes beside the node that it is about; a reference to the record never means these."""

NODE_TYPES: tuple[type[Node], ...] = AnyNode.__args__
"""All node types, in the order in which the map in graph/README.md lists them."""


def kind_of(node: type[Node] | Node) -> str:
    """Return the kind of a node or node type, as ids and the projection spell it."""
    return str(node.__struct_config__.tag)


def text_of(node: Node) -> Text | None:
    """Return the text that is the body of a node: what is shown when the node is rehydrated."""
    if isinstance(node, Receipt):
        return node.output or node.command
    if isinstance(node, Decision):
        return node.choice
    if isinstance(node, Call):
        return node.command or node.arguments
    if isinstance(node, Message | Fact | Task | Excerpt | Question | Timer | Delegation | Claim | Boundary):
        return node.text
    return None
