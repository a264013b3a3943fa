"""`muniment doctor`: is everything as it should be?"""

from __future__ import annotations

import platform
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import click
import msgspec

from muniment import __version__
from muniment.errors import EvidenceError
from muniment.projection.folder import states
from muniment.rehydration import PURGED
from muniment.store import EvidenceStore
from muniment.tokens import o200k
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.exits import Exit, error_line, exit_of
from muniment_api.hook_client import FAULTS_NAME, SPOOL_NAME
from muniment_api.layout import plural, size
from muniment_api.spool import drain, faults, set_aside, waiting

LOW_DISK = 1_000_000_000  # bytes
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at. `status`: ok, warning or error; `exit`: the exit code that goes with an error."""

    name: str
    status: str
    message: str
    exit: int = 0


@command("doctor", examples=["muniment doctor", "muniment doctor --json"])
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Look for problems of the installation and of the store; take in what hooks left.

    Exits with 0 if there is no error (warnings are no errors), else with the code of the first one.
    """
    console: Console = ctx.obj
    checks = [*_installation(), *_folder(console.store), *_contents(console.store)]
    errors = [check for check in checks if check.status == "error"]
    lines = [f"{console.styled(f'{check.status:<8}', check.status)} {check.name}: {check.message}" for check in checks]
    found = [msgspec.to_builtins(check) for check in checks]
    console.result({"checks": found, "healthy": not errors}, "\n".join(lines))
    ctx.exit(errors[0].exit if errors else Exit.OK)


def _installation() -> Iterator[Check]:
    yield _ok("muniment", __version__)
    yield _ok("python", f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}")
    packages = ("blake3", "msgspec", "zstandard", "redact-secret", "bpe-openai", "networkx")
    yield _ok("packages", ", ".join(f"{name} {version(name)}" for name in packages))
    yield _ok("tokens", f"{o200k().name} counts offline: 'muniment' has {o200k().count('muniment')}")


def _folder(store: Path) -> Iterator[Check]:
    if not store.is_dir():
        return
    files = [file for file in store.iterdir() if file.is_file()]
    yield _ok("store", f"{store}, {plural(len(files), 'file')}, {size(sum(file.stat().st_size for file in files))}")
    free = shutil.disk_usage(store).free
    status = "ok" if free >= LOW_DISK else "warning"
    yield Check(name="disk", status=status, message=f"{size(free)} free")
    if any(path.stat().st_mode & OTHERS_WRITE for path in (store, *files)):
        yield Check(name="access", status="warning", message=f"others may write to the store: chmod -R go-w {store}")


def _contents(path: Path) -> Iterator[Check]:
    try:
        with EvidenceStore.open(path) as store:
            yield from _hooks(path, store)
            yield from _journal(store)
            yield from _projections(path)
            for info in store.missions():
                yield _mission(store, info.mission)
    except EvidenceError as error:
        yield Check(name="store", status="error", message=error_line(error), exit=exit_of(error))


def _hooks(path: Path, store: EvidenceStore) -> Iterator[Check]:
    """Say what hooks left behind, after taking in what waits."""
    taken = drain(path, lambda _: store)
    failed, bad = faults(path), set_aside(path)
    if failed:
        last = failed[-1]
        message = f"{plural(len(failed), 'hook')} failed open; last {last.runtime} {last.event}: {last.why}"
        yield Check(name="hooks", status="warning", message=f"{message}; see {path / SPOOL_NAME / FAULTS_NAME}")
    if bad:
        yield Check(name="spool", status="warning", message=f"{plural(len(bad), 'payload')} set aside, first {bad[0]}")
    if left := len(waiting(path)):
        yield Check(name="spool", status="warning", message=f"{plural(left, 'payload')} still waiting")
    elif taken:
        yield _ok("spool", f"{plural(taken, 'payload')} of hooks taken in")


def _projections(path: Path) -> Iterator[Check]:
    for found in states(path):
        held = f"held by process {found.holder}" if found.holder else "not in use"
        aside = f"; {plural(found.aside, 'older one')} set aside" if found.aside else ""
        message = f"{size(found.size)}, {held}{aside}"
        if found.sound or found.holder:
            yield _ok(f"projection {found.engine}", message)
        else:
            unsound = f"{message}; not sound: it is built anew when it is next opened"
            yield Check(name=f"projection {found.engine}", status="warning", message=unsound)


def _journal(store: EvidenceStore) -> Iterator[Check]:
    found = store.verify()
    if found.clean:
        yield _ok("journal", f"{found.entries} entries sound, head {str(found.head)[:24]}…")
        return
    message = f"{found.problems[0].what}; sound up to position {found.last_good}; see muniment verify"
    yield Check(name="journal", status="error", message=message, exit=Exit.DAMAGED)


def _mission(store: EvidenceStore, mission: str) -> Check:
    reports = store.reports(mission)
    told = "".join(f"; {report.count} {report.code.replace('_', ' ')}" for report in reports)
    status = "warning" if any(report.code != PURGED for report in reports) else "ok"
    return Check(name=mission, status=status, message=f"the graph is derived{told}")


def _ok(name: str, message: str) -> Check:
    return Check(name=name, status="ok", message=message)


COMMAND = doctor
