"""Calls and receipts: what an agent asked a tool to do, and what came back.

* A call's `began` is the ordinal of the first record of the model response that issued it: what the model saw lies
  before it.
* A receipt's status is what the source says; where it says nothing, an exit status speaks, but only if it is the
  command's own.
* A receipt's effect is what the source says; else reads and searches have none, successful writes write, a command has
  what its text tells (`effects`), and a tool that we don't know may have done anything.
* Only a tool that succeeded shows or changes content.
"""

from __future__ import annotations

import base64
import re

import msgspec

from muniment import canonical
from muniment.derive import boundaries, files, runs
from muniment.derive.builder import Builder
from muniment.derive.changing.effect import Effect
from muniment.derive.effect_tables import NONE, OUTSIDE_ONLY
from muniment.derive.moved import moves_of, note_moves
from muniment.derive.overwritten import Touched, effect_told, flags_of, put_in_doubt, texts_known, touched
from muniment.derive.processes import leaves_running, note_running, polled
from muniment.derive.report_files import ReportRead, forget_outside, forget_written, note_reports, report_read
from muniment.derive.results.result import Result
from muniment.derive.searched import with_search
from muniment.derive.sessions import agent_of, happened, session_of
from muniment.derive.shell_reads import told_by_command
from muniment.derive.state import OpenCall, Rooted
from muniment.derive.texts import is_binary, line_count, needs_repair
from muniment.derive.versions import whole_digest
from muniment.model.edges import EdgeKind
from muniment.model.nodes import LEFT_RUNNING, Call, Receipt, Task
from muniment.model.records import Counts, FileChange, FileChangedOutside, Record, ToolCalled, ToolReturned

_FINE = frozenset({"", "success", "succeeded", "completed", "complete", "done", "applied"})
_FAILING = re.compile(r"fail|error|exception|crash|reject|den(?:y|ied)|invalid", re.IGNORECASE)
"""Words for a status that is none of ours: one that nobody knows is no success, and a write that did not certainly
succeed shows nothing of what it was to write.
"""


def note_turn(builder: Builder, record: Record) -> int:
    """Return the ordinal at which the model response that a record is part of began."""
    if not record.turn:
        return builder.ordinal
    key = f"{record.session}\n{record.agent}"
    turn, began = builder.state.turns.get(key, ("", 0))
    if turn != record.turn:
        began = builder.ordinal
        builder.state.turns[key] = (record.turn, began)
    return began


def tool_called(builder: Builder, record: ToolCalled) -> None:
    """An agent called a tool."""
    session = session_of(builder, record)
    caller = agent_of(builder, record)
    node = Call(
        **builder.base(Call, record),
        session=record.session,
        agent=record.agent,
        tool=record.tool,
        name=record.name,
        turn=record.turn,
        began=note_turn(builder, record),
        command=None if record.command is None else builder.refer(record.command),
        path=record.path,
        arguments=None if record.arguments is None else builder.refer(canonical.encode(record.arguments).decode()),
        clock=record.clock,
    )
    builder.add(node)
    builder.edge(EdgeKind.PART_OF, node.id, caller)
    if builder.state.crossings:
        boundaries.acted(builder, record)
    session.cwd = record.cwd or session.cwd
    builder.state.calls[record.id] = OpenCall(
        node=node.id, tool=record.tool, name=record.name, command=record.command, path=record.path, cwd=record.cwd
    )


def tool_returned(builder: Builder, record: ToolReturned) -> None:
    """A tool answered."""
    session = session_of(builder, record)
    actor = agent_of(builder, record)
    call = builder.state.calls.pop(record.call, None) if record.call else None
    data = None if record.content_base64 is None else base64.b64decode(record.content_base64)
    content = _content(record, data)
    command = record.command or (call.command if call else None)
    did = _did(builder, session, record, call, command)
    receipt = _receipt(builder, record, content, session, did)
    receipt = with_search(receipt, command, record.output or "", record.cwd or session.cwd)
    builder.add(receipt)
    _join(builder, record, receipt, call, actor)
    forget_written(builder, session, record, did.told)
    note_reports(builder, session, record, receipt.id, did.run)
    note_running(builder, record, receipt, command)
    moves = moves_of(builder, session, record, command)
    put_in_doubt(builder, session, receipt, did.touch)
    note_moves(builder, session, receipt, moves)
    told_by_command(builder, session, record, receipt, command)
    if receipt.status in ("failed", "refused"):
        return
    _contents(builder, session, record, receipt, content)
    if data is not None and content is None and record.path is not None:
        files.read_bytes(builder, files.file_for(builder, session, record.path, record.cwd), data, receipt)


def file_changed_outside(builder: Builder, record: FileChangedOutside) -> None:
    """A file changed, and no recorded tool did it."""
    session = session_of(builder, record)
    event = happened(builder, record, f"file {record.change}", record.path, record.to)
    file = files.file_for(builder, session, record.path)
    builder.edge(EdgeKind.ABOUT, event.id, file.node)
    forget_outside(builder, session, record.path, record.to)
    change = "written" if record.change == "relinked" else record.change
    files.changed(
        builder, session, FileChange(path=record.path, change=change, to=record.to, content=record.content), event
    )
    if record.change == "relinked" and record.to is not None:
        files.linked(builder, session, record.path, record.to)


def _content(record: ToolReturned, data: bytes | None) -> str | None:
    """Return the text that a tool showed or wrote; None where there is none or it is no text."""
    if data is None:
        return record.content
    return None if is_binary(data) else data.decode("utf-8", "surrogateescape")


class _Did(msgspec.Struct, frozen=True):
    """What a tool was asked to do, and what that does."""

    call: OpenCall | None
    command: str | None
    run: runs.Run | None
    told: Effect
    touch: Touched
    flags: dict[str, bool]


def _did(builder: Builder, session: Rooted, record: ToolReturned, call: OpenCall | None, command: str | None) -> _Did:
    effect = effect_told(builder, session, record, command, record.name or (call.name if call else ""))
    ran = command is not None and record.status != "refused"
    touch = touched(builder, session, effect) if ran else Touched()
    run = runs.run_of(command) if command else None
    flags = flags_of(effect, touch) if ran else {}
    flags[LEFT_RUNNING] = leaves_running(session, record, call, effect, texts_known(builder, session))
    return _Did(call, command, run, effect, touch, flags)


def _receipt(builder: Builder, record: ToolReturned, content: str | None, session: Rooted, did: _Did) -> Receipt:
    call, command = did.call, did.command
    shown = record.output if record.output is not None else content
    output = None if shown is None else builder.refer(shown)
    subject = {
        files.file_for(builder, session, path).node: str(whole_digest(tested))
        for path, tested in (record.subject or {}).items()
    }
    run, kind = did.run, did.told.kind
    report = None if run is not None else report_read(builder, session, record, command)
    told = _counted(record, run, report, shown or "")
    return Receipt(
        **builder.base(Receipt, record),
        by=record.by,
        session=record.session,
        agent=record.agent,
        tool=record.tool,
        name=record.name or (call.name if call else ""),
        status=_status(record),
        effect=NONE if kind == OUTSIDE_ONLY else kind,
        call=call.node if call else None,
        task=_task(builder, record),
        command=None if command is None else builder.refer(command),
        folder=_folder(session, call.cwd if call else record.cwd) if command is not None else None,
        path=record.path or (call.path if call else None),
        output=output,
        exit_code=record.exit_code,
        own_status=record.own_status,
        scope=record.scope if record.scope is not None else (run.scope if run else None),
        counts=told.counts,
        counts_from=told.by,
        skipped_ids=told.skipped,
        failed_ids=told.failed,
        report_of=report.run if report is not None else None,
        polls=polled(builder, record),
        cached_from=record.cached_from,
        subject=subject or None,
        subject_closed=record.subject_closed,
        pattern=record.pattern,
        within=record.within,
        searched=record.searched,
        matches=record.matches,
        files_considered=record.files_considered,
        files_ignored=record.files_ignored,
        truncated=record.truncated,
        duration_ms=record.duration_ms,
        clock=record.clock,
        flags=_flags(record, shown, output is not None and output.digest is not None, content)
        + tuple(flag for flag, holds in did.flags.items() if holds),
    )


def _counted(record: ToolReturned, run: runs.Run | None, report: ReportRead | None, shown: str) -> runs.Told:
    """Return what was counted: what the record says of it, else what the run printed, or the read shows of one."""
    given = record.counts if isinstance(record.counts, Counts) else None
    if given is not None or (run is None and report is None):
        return runs.Told(counts=given, by=record.counts_from, failed=record.failed_ids, skipped=record.skipped_ids)
    if run is not None:
        return runs.told_of(run, shown)
    result = report.result if report is not None else Result()
    return runs.Told(counts=result.counts, by="report", failed=result.failed, skipped=result.skipped)


def _join(builder: Builder, record: ToolReturned, receipt: Receipt, call: OpenCall | None, actor: str) -> None:
    if call is not None:
        builder.edge(EdgeKind.PRODUCED, call.node, receipt.id)
    elif record.call:
        builder.link(EdgeKind.PRODUCED, receipt.id, record.call, forward=False)
    else:
        builder.edge(EdgeKind.PART_OF, receipt.id, actor)
    if receipt.task is not None:
        builder.edge(EdgeKind.ABOUT, receipt.id, receipt.task)
    if record.cached_from is not None:
        builder.link(EdgeKind.DEPENDS_ON, receipt.id, record.cached_from)


def _contents(builder: Builder, session: Rooted, record: ToolReturned, receipt: Receipt, content: str | None) -> None:
    told = {change.path for change in record.changes}
    for change in record.changes:
        files.changed(builder, session, change, receipt)
        builder.edge(EdgeKind.ABOUT, receipt.id, files.file_for(builder, session, change.to or change.path).node)
    if record.path is not None and content is not None and record.path not in told:
        file = files.file_for(builder, session, record.path, record.cwd)
        builder.edge(EdgeKind.ABOUT, receipt.id, file.node)
        if record.tool == "read":
            files.read(builder, file, _sight(record, content), receipt)
        elif record.tool == "write":
            files.written(builder, file, content, receipt)
    elif record.effect == "writes" and not record.changes:
        _unseen_writes(builder, session, record, receipt)


def _unseen_writes(builder: Builder, session: Rooted, record: ToolReturned, receipt: Receipt) -> None:
    """The tool wrote these files, and nothing says what they hold now."""
    paths = record.writes or ((record.path,) if record.path else ())
    for path in paths:
        file = files.file_for(builder, session, path, record.cwd)
        builder.edge(EdgeKind.ABOUT, receipt.id, file.node)
        files.lost_sight(builder, file, receipt.id)


def _sight(record: ToolReturned, content: str) -> files.Sight:
    if record.lines is not None:
        return files.Sight(content, record.lines[0], record.total_lines, cut=record.cut_lines, loose=record.loose_total)
    total = record.total_lines if record.total_lines is not None else line_count(content)
    return files.Sight(content, 1, total, cut=record.cut_lines)


def _status(record: ToolReturned) -> str:
    if record.status in ("ok", "failed", "refused", "unknown"):
        return record.status
    if record.exit_code is not None:
        if record.exit_code != 0:
            return "failed"
        return "ok" if record.own_status else "unknown"
    if record.status is not None and record.status not in _FINE:
        return "failed" if record.tool == "write" or _FAILING.search(record.status) else "unknown"
    return "unknown" if record.tool == "command" else "ok"


def _folder(session: Rooted, cwd: str | None) -> str | None:
    """Return where a command began, None at the workspace's root and where nobody knows."""
    at_home = cwd is None or (session.root is not None and cwd.rstrip("/\\") == session.root.rstrip("/\\"))
    return None if at_home else cwd


def _task(builder: Builder, record: ToolReturned) -> str | None:
    if record.task is not None:
        task = builder.find_kind(Task, record.task)
        return task.id if task is not None else None
    return builder.state.active.get(f"{record.session}\n{record.agent}")


def _flags(record: ToolReturned, shown: str | None, lifted: bool, content: str | None) -> tuple[str, ...]:
    found = {
        "text_repaired": shown is not None and needs_repair(shown),
        "body_lifted": lifted,
        "binary": record.content_base64 is not None and content is None,
    }
    return tuple(flag for flag, holds in found.items() if holds)
