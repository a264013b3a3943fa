"""Neutral records: what happened, in words that belong to no runtime.

Importers make them from a source's own records; API callers state them directly. Each is frozen and has

* `id`: the record's own id, unique in its mission (a call id, a message uuid, or what the caller gave),
* `by`: its author, one of `user agent tool harness compactor unknown` or `child:<id>`; only `user` has user authority,
* `session` and `agent`: where it happened ("" is the session's root agent),
* `clock`: the source's wall clock, ISO 8601; shown to people, never used for order,
* `turn`: for what an agent says or calls, the model response that it is part of ("" where unknown),
* `extra`: fields that the sender gave and this version does not know.
"""

from __future__ import annotations

import msgspec

from muniment.model.entries import JSON_OBJECT

AUTHORS = frozenset({"user", "agent", "tool", "harness", "compactor", "unknown"})
CHILD_AUTHOR = "child:"


class Counts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a test run counted; None where the runner did not say."""

    collected: int | None = None
    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    deselected: int | None = None
    cached: int | None = None
    suite_total: int | None = None


class Hunk(msgspec.Struct, frozen=True, array_like=True):
    """One hunk of an edit. Starts count from 1; `old_start` 0 means that the place in the file is not known.

    `lines` begin with " " (kept), "-" (removed) or "+" (added) and have no line end.
    """

    old_start: int
    new_start: int
    lines: tuple[str, ...]


class FileChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a successful write, edit or patch did to one file.

    `content` is the whole file afterwards where it is known; else `hunks` say what changed.
    `before` is the whole file before, where the source tells. `whole`: the agent itself gave all of `content`.
    """

    path: str
    change: str = "written"  # written | created | deleted | renamed
    to: str | None = None
    content: str | None = None
    before: str | None = None
    hunks: tuple[Hunk, ...] = ()
    whole: bool = False


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """What all records have."""

    id: str
    by: str = "unknown"
    session: str = ""
    agent: str = ""
    clock: str | None = None
    turn: str = ""
    extra: JSON_OBJECT | None = None


class SessionOpened(Record, frozen=True, kw_only=True, omit_defaults=True, tag="session_opened"):
    """A session began (or, with `how`, was resumed or forked from `parent`, or closed)."""

    workspace: str = ""
    root: str | None = None
    project: str | None = None
    fs_style: str = "posix"  # posix | windows
    case_sensitive: bool = True
    normalization_sensitive: bool = True
    model: str | None = None
    version: str | None = None


class SessionResumed(Record, frozen=True, kw_only=True, omit_defaults=True, tag="session_resumed"):
    """The session went on after a pause."""


class SessionForked(Record, frozen=True, kw_only=True, omit_defaults=True, tag="session_forked"):
    """This session was forked off `parent`, in the same mission."""

    parent: str
    workspace: str = ""
    root: str | None = None
    project: str | None = None
    fs_style: str = "posix"
    case_sensitive: bool = True
    normalization_sensitive: bool = True


class SessionClosed(Record, frozen=True, kw_only=True, omit_defaults=True, tag="session_closed"):
    """The session ended."""


class Message(Record, frozen=True, kw_only=True, omit_defaults=True, tag="message"):
    """Something was said. `role` says what kind of saying it is.

    prompt: said to the agent; answer: a final or interim answer; thinking; notice: put in by the harness;
    summary: a compaction's; instructions: an instruction file or system prompt.
    """

    text: str
    parent: str | None = None
    role: str = "prompt"
    final: bool = False


class ToolCalled(Record, frozen=True, kw_only=True, omit_defaults=True, tag="tool_called"):
    """An agent called a tool. `tool` is the family (read search write command other), `name` the runtime's own name."""

    tool: str = "other"
    name: str = ""
    command: str | None = None
    path: str | None = None
    arguments: JSON_OBJECT | None = None
    cwd: str | None = None
    description: str | None = None


class ToolReturned(Record, frozen=True, kw_only=True, omit_defaults=True, tag="tool_returned"):
    """A tool answered. This is the stuff that receipts are made of.

    `status` is ok, failed, refused or unknown. `exit_code` is the process's; `own_status` is false where it is not the
    command's own (a pipe without pipefail, `|| true`, a background start). `lines` is the 1-based inclusive interval of
    `path` that `content` shows; without `lines` a read shows the whole file; `cut_lines` of them were shown to the
    model in part only. `loose_total`: `total_lines` may be one too high. `content` is what a read showed or what a file
    holds after a write; bytes that are no text are given as `content_base64`. `changes` tells what a write did.
    `running`: the command goes on in the background; `ProcessEnded` tells of its end.
    `subject` maps paths to the content that was tested; `subject_closed` says that nothing else belongs to it.
    """

    tool: str = "other"
    name: str = ""
    call: str | None = None
    task: str | None = None
    command: str | None = None
    path: str | None = None
    lines: tuple[int, int] | None = None
    total_lines: int | None = None
    loose_total: bool = False
    cut_lines: tuple[int, ...] = ()
    content: str | None = None
    content_base64: str | None = None
    output: str | None = None
    status: str | None = None
    exit_code: int | None = None
    own_status: bool = True
    effect: str | None = None  # none | writes | unknown; None: not said
    writes: tuple[str, ...] = ()
    changes: tuple[FileChange, ...] = ()
    subject: dict[str, str] | None = None
    subject_closed: bool | None = None
    scope: str | tuple[str, ...] | None = None
    counts: Counts | None = None
    counts_from: str = "output"  # report | output
    skipped_ids: tuple[str, ...] = ()
    failed_ids: tuple[str, ...] = ()
    cached_from: str | None = None
    pattern: str | None = None
    within: str = "text"  # text | names: what a search looked in
    searched: tuple[str, ...] = ()
    matches: int | None = None
    files_considered: int | None = None
    files_ignored: int | None = None
    truncated: bool = False
    mtime: str | float | None = None
    size: int | None = None
    duration_ms: int | None = None
    cwd: str | None = None
    running: bool = False


class ProcessEnded(Record, frozen=True, kw_only=True, omit_defaults=True, tag="process_ended"):
    """A command that went on in the background has ended. `call`: the record of the call that started it (of its
    answer, where no call is on record).
    """

    call: str
    exit_code: int | None = None


class FileChangedOutside(Record, frozen=True, kw_only=True, omit_defaults=True, tag="file_changed_outside"):
    """A file changed, and no recorded tool did it. `content` None: the new content is not known."""

    path: str
    change: str = "written"  # written | deleted | renamed | relinked
    to: str | None = None
    content: str | None = None
    mtime: str | float | None = None
    size: int | None = None


class BranchChanged(Record, frozen=True, kw_only=True, omit_defaults=True, tag="branch_changed"):
    """The workspace stands on another branch."""

    to: str
    source: str | None = None


class CommitMade(Record, frozen=True, kw_only=True, omit_defaults=True, tag="commit_made"):
    """A commit was made."""

    commit: str
    message: str | None = None


class EnvironmentChanged(Record, frozen=True, kw_only=True, omit_defaults=True, tag="environment_changed"):
    """Something outside the files changed: a package, a variable, a service."""

    what: str
    was: str | None = None
    now: str | None = None


class WorkspaceSeen(Record, frozen=True, kw_only=True, omit_defaults=True, tag="workspace_seen"):
    """What the workspace held at this moment, by version control: it tells of no change by itself.

    `digest` is over all of it: the commit, the index and the files that differ from it. `dirty` maps the paths of those
    to digests of their bytes ("" where a file is gone), `untracked` those that version control does not know.
    `complete` is false where time or number set a limit.
    """

    digest: str
    head: str | None = None
    dirty: dict[str, str] = msgspec.field(default_factory=dict)
    untracked: dict[str, str] = msgspec.field(default_factory=dict)
    complete: bool = False


class DeploymentChanged(Record, frozen=True, kw_only=True, omit_defaults=True, tag="deployment_changed"):
    """What is deployed somewhere changed."""

    what: str
    was: str | None = None
    now: str | None = None


class ModelChanged(Record, frozen=True, kw_only=True, omit_defaults=True, tag="model_changed"):
    """Another model goes on from here."""

    to: str
    source: str | None = None


class FactStated(Record, frozen=True, kw_only=True, omit_defaults=True, tag="fact_stated"):
    """A fact was stated as such; it binds until superseded or withdrawn. `target`: the task that it is about alone."""

    class_: str = msgspec.field(name="class")  # objective constraint acceptance preference environment absence
    text: str
    slot: str | None = None
    multi: bool = False
    supersedes: tuple[str, ...] = ()
    valid_from: str | None = None
    valid_to: str | None = None
    target: str | None = None


class InstructionsLoaded(Record, frozen=True, kw_only=True, omit_defaults=True, tag="instructions_loaded"):
    """An instruction file (CLAUDE.md, AGENTS.md and their kin) was given to an agent; `content` None: its text is not
    told.
    """

    path: str
    content: str | None = None


class TaskStated(Record, frozen=True, kw_only=True, omit_defaults=True, tag="task_stated"):
    """A task was given."""

    text: str
    depends_on: tuple[str, ...] = ()


class TaskMoved(Record, frozen=True, kw_only=True, omit_defaults=True, tag="task_moved"):
    """A task's state changed: open, active, settled, cancelled or blocked."""

    task: str
    to: str
    proof: str | None = None
    text: str | None = None


class DecisionMade(Record, frozen=True, kw_only=True, omit_defaults=True, tag="decision_made"):
    """Something was decided, with its reason and what was rejected."""

    choice: str
    reason: str | None = None
    rejected: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()


class ClaimMade(Record, frozen=True, kw_only=True, omit_defaults=True, tag="claim_made"):
    """Somebody claims something; `cites` is what they named as support.

    `target` is the id of what it is about: the task that is done, the fact or decision that is current, the artifact,
    or the criterion or task that a claim of another type helps to meet. `digest` is of the claimed content of `path`.
    """

    type: str
    cites: tuple[str, ...] = ()
    scope: str | tuple[str, ...] | None = None
    path: str | None = None
    what: str | None = None
    delegation: str | None = None
    text: str | None = None
    inferred: bool = False
    target: str | None = None
    digest: str | None = None


class QuestionOpened(Record, frozen=True, kw_only=True, omit_defaults=True, tag="question_opened"):
    """A question, risk or gap was opened."""

    what: str  # question | risk | gap
    text: str


class QuestionSettled(Record, frozen=True, kw_only=True, omit_defaults=True, tag="question_settled"):
    """A question, risk or gap was settled."""

    question: str
    text: str | None = None


class ArtifactProduced(Record, frozen=True, kw_only=True, omit_defaults=True, tag="artifact_produced"):
    """A file was produced as a result of the work."""

    path: str
    content: str | None = None
    generated_by: str | None = None


class DelegationStarted(Record, frozen=True, kw_only=True, omit_defaults=True, tag="delegation_started"):
    """Work was given to a child agent."""

    child: str
    task: str | None = None
    text: str | None = None
    call: str | None = None


class DelegationEnded(Record, frozen=True, kw_only=True, omit_defaults=True, tag="delegation_ended"):
    """A child agent's work ended: done, failed or lost. `child` lets the fold place the child's own transcript."""

    delegation: str
    outcome: str
    text: str | None = None
    child: str | None = None


class TimerArmed(Record, frozen=True, kw_only=True, omit_defaults=True, tag="timer_armed"):
    """Something is to happen later."""

    text: str
    due: str | None = None


class TimerFired(Record, frozen=True, kw_only=True, omit_defaults=True, tag="timer_fired"):
    """It happened."""

    timer: str


class ContextBoundary(Record, frozen=True, kw_only=True, omit_defaults=True, tag="context_boundary"):
    """The model's context was replaced (compaction), or the attempt failed.

    `text` is the summary that took the place of what left, in the compactor's words. `preserved` are records that
    stayed, and `segment` the first and last of a run of them. `forgotten` are records that left, where the source names
    those (all others stayed then); None: it does not. `opaque` are digests of items that only their provider can read.
    `model` wrote the summary, where that is told.
    """

    outcome: str = "done"
    trigger: str | None = None
    text: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    preserved: tuple[str, ...] = ()
    segment: tuple[str, str] | None = None
    forgotten: tuple[str, ...] | None = None
    opaque: tuple[str, ...] = ()
    model: str = ""


class SpanGiven(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Lines (and, within one line, columns) of an output."""

    lines: tuple[int, int]
    columns: tuple[int, int] | None = None


class DistillationMade(Record, frozen=True, kw_only=True, omit_defaults=True, tag="distillation_made"):
    """The decisive lines of a large output were named.

    `states` and `leaves_open` are of all spans, or one for each. `omissions_matter`: whether what was left out could
    change the conclusion.
    """

    of: str
    spans: tuple[SpanGiven, ...]
    states: str | tuple[str, ...] | None = None
    leaves_open: str | tuple[str, ...] | None = None
    omissions_matter: bool | None = None


class PacketProposed(Record, frozen=True, kw_only=True, omit_defaults=True, tag="packet_proposed"):
    """A packet was proposed for a context boundary: ids, and prose with its citations; its texts are looked up.

    `base`: the packet in force when it was built. `covers_to`: the last record that it speaks for, `upto` the ordinal.
    None for `questions` and `timers`: it says nothing of them. `files`: path → digest of the version; `claims`: id →
    verdict. `compactor` wrote it ("" where the store built it); `attachments` are digests of a provider's own items.
    """

    base: str | None = None
    covers_to: str | int | None = None
    upto: int | None = None
    facts: tuple[str, ...] = ()
    tasks: dict[str, str] = msgspec.field(default_factory=dict)
    delegations: tuple[str, ...] = ()
    next_actions: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    prose: tuple[JSON_OBJECT, ...] = ()
    timers: tuple[str, ...] | None = None
    questions: tuple[str, ...] | None = None
    decisions: tuple[str, ...] = ()
    files: dict[str, str] = msgspec.field(default_factory=dict)
    claims: dict[str, str] = msgspec.field(default_factory=dict)
    failed: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    attachments: tuple[JSON_OBJECT, ...] = ()
    workspace: str = ""
    budget: int | None = None
    focus: str = ""
    compactor: str = ""
    model: str = ""


class PacketAccepted(Record, frozen=True, kw_only=True, omit_defaults=True, tag="packet_accepted"):
    """A packet opened the next context. `view`: the emitted view that went with it.

    `checked`: this store checked it and put it in force; set by where the record comes from, never by what it says.
    """

    packet: str
    view: str | None = None
    reason: str = ""
    checked: bool = False


class PacketRefused(Record, frozen=True, kw_only=True, omit_defaults=True, tag="packet_refused"):
    """A packet was refused: codes of what is wrong, and the ids of each, in the same order. `checked` as above."""

    packet: str
    codes: tuple[str, ...] = ()
    ids: tuple[tuple[str, ...], ...] = ()
    reason: str = ""
    checked: bool = False


class Waiver(Record, frozen=True, kw_only=True, omit_defaults=True, tag="waiver"):
    """A user accepts something without proof."""

    target: str
    text: str | None = None


class Withdrawal(Record, frozen=True, kw_only=True, omit_defaults=True, tag="withdrawal"):
    """Something no longer applies; it stays readable as history and supports nothing."""

    target: str
    text: str | None = None


class ViewEmitted(Record, frozen=True, kw_only=True, omit_defaults=True, tag="view_emitted"):
    """A view was given to an agent: what was in it, not its text. `lines` are of files: (excerpt's id, first, last)."""

    task: str | None = None
    ids: tuple[str, ...] = ()
    lines: tuple[tuple[str, int, int], ...] = ()
    tokens: int | None = None
    ordinal: int | None = None


class VerdictGiven(Record, frozen=True, kw_only=True, omit_defaults=True, tag="verdict_given"):
    """A closeout said this of a claim."""

    claim: str
    status: str
    reason: str | None = None


class TokensUsed(Record, frozen=True, kw_only=True, omit_defaults=True, tag="tokens_used"):
    """What one model response cost, in the provider's own tokens; one record per response."""

    model: str | None = None
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class LineQuarantined(Record, frozen=True, kw_only=True, omit_defaults=True, tag="line_quarantined"):
    """A line of a source could not be read; `line` counts from 1, `digest` is of its bytes."""

    line: int
    reason: str
    digest: str
    source: str = ""
