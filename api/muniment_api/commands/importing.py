"""`muniment import`: session files, folders and streams into the journal."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from muniment.capture.importing import Import, ImportReport
from muniment.errors import UsageError
from muniment.importers import FORMATS
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import plural, size
from muniment_api.opening import open_store, plain
from muniment_api.progress import progress_bar

STDIN = "-"
FORMAT_NAMES = ", ".join(known.short for known in FORMATS)
POLL_SECONDS = 0.5


@command(
    "import",
    examples=[
        "muniment import ~/.claude/projects",
        "muniment import ~/.codex/sessions/2026/03",
        "muniment import astropy-14182.traj.json .aider.chat.history.md",
        "muniment import --format codex - < rollout.jsonl",
        "muniment import --follow session.jsonl",
    ],
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format", "format_name", metavar="NAME", help=f"The sessions' format: {FORMAT_NAMES}.  [default: found out]"
)
@click.option("--follow", is_flag=True, help="Go on reading as the session grows, until interrupted.")
@click.option(
    "--idle", type=click.FloatRange(min=0), metavar="SECONDS", help="With --follow: stop after so long without news."
)
@click.option("--mission", help="Put the entries in this mission.  [default: the root session's own]")
@click.option("--project", help="Put the mission in this project.  [default: the folder that the session works in]")
@click.pass_obj
def import_(
    console: Console,
    paths: tuple[str, ...],
    *,
    format_name: str | None,
    follow: bool,
    idle: float | None,
    mission: str | None,
    project: str | None,
) -> None:
    """Record sessions: each PATH is a session file, a folder (sessions with their subagents, or one conversation of
    OpenHands), or - for stdin.

    The store is made if it is not there. Importing again stores nothing twice. Secrets are redacted before anything is
    stored.
    """
    if follow and (len(paths) != 1 or STDIN in paths):
        raise UsageError("--follow takes one file or folder")
    with open_store(console, create=True) as store:
        importings = [store.importing(format=format_name, mission=mission, project=project) for _ in paths]
        for importing, path in zip(importings, paths, strict=True):
            _read(console, importing, path, final=not follow)
        if follow:
            console.say(f"following {paths[0]}; what is read is stored at once; Ctrl-C ends it")
        interrupted = follow and _follow(importings[0], Path(paths[0]), idle)
    reports = [importing.report() for importing in importings]
    pairs = zip(paths, reports, strict=True)
    texts = [f"{path}\n{report_text(report)}" if len(paths) > 1 else report_text(report) for path, report in pairs]
    console.result({"imports": [plain(report) for report in reports]}, "\n".join(texts))
    if interrupted:
        raise KeyboardInterrupt


def _read(console: Console, importing: Import, path: str, *, final: bool) -> None:
    if path == STDIN:
        importing.stream(sys.stdin.buffer)
        return
    with progress_bar(Path(path).name, color=console.color) as watch:
        try:
            importing.path(Path(path), watch, final=final)
        except OSError as error:
            error.filename = error.filename or path
            raise


def _follow(importing: Import, path: Path, idle: float | None) -> bool:
    """Read what comes, until nothing came for `idle` seconds (False) or somebody interrupts (True)."""
    quiet_since = time.monotonic()
    try:
        while idle is None or time.monotonic() - quiet_since < idle:
            before = importing.report().bytes
            importing.path(path, final=False)
            if importing.report().bytes != before:
                quiet_since = time.monotonic()
            else:
                time.sleep(POLL_SECONDS)
        importing.path(path, final=True)
    except KeyboardInterrupt:
        return True
    return False


def report_text(report: ImportReport) -> str:
    """Return what an import did, for people."""
    ignored = sum(report.ignored.values())
    lines = [
        _missions(report),
        f"  {plural(report.files, 'file')}, {size(report.bytes)}, {plural(len(report.sessions), 'session')}",
        f"  {report.lines} lines = {report.parsed} parsed + {report.quarantined} quarantined + {ignored} ignored",
        f"  {report.records} JSON objects = {report.stored} stored + {report.duplicates} duplicates",
    ]
    if report.ignored:
        lines.append(f"  ignored: {_kinds(report.ignored)}")
    if report.redacted:
        lines.append(f"  redacted: {_kinds(report.redacted)}")
    if report.unfinished:
        lines.append(f"  the last line is not finished ({size(report.unfinished)}); import again when it is")
    return "\n".join(lines)


def _missions(report: ImportReport) -> str:
    if len(report.missions) > 1:
        return f"{len(report.missions)} missions: muniment missions lists them"
    return report.mission or "no mission: nothing in it"


def _kinds(counts: dict[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))


COMMAND = import_
