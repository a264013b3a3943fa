"""Files that hold the structured results of a run, and what a later read of one says of that run.

* A file is a run's where the run's command names it, came to an end, and ran nothing behind the run that may write.
* It stops being so when anything writes it, or may have: a command of unknown effect, one that writes nobody knows
  which files, a change from outside, another run that names it.
* Only a read that shows the file whole, and no other, tells of the run. What went through a filter tells of failures.
"""

from __future__ import annotations

from typing import Final

import msgspec

from muniment.derive.builder import Builder
from muniment.derive.changing.effect import Effect
from muniment.derive.effect_tables import NONE, OUTSIDE_ONLY, UNKNOWN, WRITES
from muniment.derive.overwritten import stands_for
from muniment.derive.paths import file_key
from muniment.derive.read_intents import place_of
from muniment.derive.results.reading import result_in
from muniment.derive.results.result import Result, part
from muniment.derive.run_reports import CUT, shown_form
from muniment.derive.runs import Run, is_over
from muniment.derive.sessions import rules_of
from muniment.derive.shell import simple_commands
from muniment.derive.state import ReportFile, Rooted
from muniment.derive.summaries import plain
from muniment.model.records import ToolReturned

_MOST: Final = 64
"""Files of results that are remembered, the newest."""
_QUIET: Final = (NONE, OUTSIDE_ONLY)


class ReportRead(msgspec.Struct, frozen=True):
    """A read of a run's results: the receipt of the run, and what they say."""

    run: str
    result: Result


def report_read(builder: Builder, session: Rooted, record: ToolReturned, command: str | None) -> ReportRead | None:
    """Return what a tool's answer shows of the results of an earlier run, None where it shows none."""
    if not builder.state.reports or record.status in ("failed", "refused"):
        return None
    cwd = record.cwd or session.cwd
    if record.tool == "read" and record.path is not None and record.content is not None:
        file = builder.state.reports.get(_place(session, record.path, cwd))
        return _read(file, record.content, whole=_is_whole(record))
    if record.tool != "command" or command is None or record.output is None:
        return None
    simples = simple_commands(command) or ()
    shown = [(simples[at], told) for at in range(len(simples)) if (told := shown_form(simples, at)) is not None]
    if len(shown) != 1:
        return None
    simple, (path, how) = shown[0]
    file = builder.state.reports.get(_place(session, path, place_of(simple.folder or ".", cwd)))
    return _read(file, record.output, whole=how != CUT and not record.truncated)


def note_reports(builder: Builder, session: Rooted, record: ToolReturned, receipt: str, run: Run | None) -> None:
    """Remember the files in which a run that came to an end put its results."""
    if run is None or not run.report_files or run.after not in _QUIET or run.folder == "?":
        return
    if not is_over(run, record.status or "unknown", record.exit_code, record.output or ""):
        return
    cwd = place_of(run.folder or ".", record.cwd or session.cwd)
    for path in run.report_files:
        builder.state.reports[_place(session, path, cwd)] = ReportFile(receipt, run.family)
    while len(builder.state.reports) > _MOST:
        del builder.state.reports[next(iter(builder.state.reports))]


def forget_written(builder: Builder, session: Rooted, record: ToolReturned, effect: Effect) -> None:
    """Forget the files that a tool wrote, or may have written."""
    reports = builder.state.reports
    if not reports or record.status == "refused" or effect.kind not in (WRITES, UNKNOWN):
        return
    cwd = record.cwd or session.cwd
    told = [path for change in record.changes for path in (change.path, change.to) if path is not None]
    told += [*record.writes, *((record.path,) if record.path is not None else ())]
    blind = effect.kind == UNKNOWN or not (effect.named or told)
    wanted = [_place(session, path, cwd) for path in told] + [_place(session, path, None) for path in effect.paths]
    for place in list(reports):
        mine = place.startswith(f"{session.workspace}\n")
        if mine and (blind or any(stands_for(each, place) for each in wanted)):
            del reports[place]


def forget_outside(builder: Builder, session: Rooted, *paths: str | None) -> None:
    """Somebody else wrote these files."""
    for path in paths:
        if path is not None:
            builder.state.reports.pop(_place(session, path, session.cwd), None)


def _read(file: ReportFile | None, text: str, *, whole: bool) -> ReportRead | None:
    found = result_in(plain(text), file.family) if file is not None else None
    if file is None or found is None:
        return None
    told = found if whole else part(found)
    return ReportRead(file.run, told) if told.tells else None


def _is_whole(record: ToolReturned) -> bool:
    if record.cut_lines or record.truncated:
        return False
    return record.lines is None or (record.lines[0] == 1 and record.lines[1] == record.total_lines)


def _place(session: Rooted, path: str, cwd: str | None) -> str:
    key = file_key(place_of(path, cwd), root=session.root, cwd=None, rules=rules_of(session))
    return f"{session.workspace}\n{key}"
