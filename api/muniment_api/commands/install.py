"""`muniment install`: hooks into a runtime's settings, shown, undone, checked."""

from __future__ import annotations

from pathlib import Path

import click

from muniment.store import EvidenceStore
from muniment_api import installing
from muniment_api.command import command
from muniment_api.config import DEFAULT_STORE
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.hook_client import RUNTIMES
from muniment_api.installing import Wanted
from muniment_api.opening import pass_over


@command(
    "install",
    examples=["muniment install claude-code", "muniment install codex --user --check", "muniment install codex --undo"],
)
@click.argument("runtime", type=click.Choice(RUNTIMES))
@click.option("--project", "where", flag_value="project", default="project", help="For the current folder.  [default]")
@click.option("--user", "where", flag_value="user", help="For all projects of this user.")
@click.option("--show", "what", flag_value="show", help="Print the settings as they would be; change nothing.")
@click.option("--undo", "what", flag_value="undo", help="Take out what was installed, and nothing else.")
@click.option("--check", "what", flag_value="check", help="Say whether it is installed; exit 1 if not.")
@click.option("--strict", is_flag=True, help="Having claimed nothing holds the agent back too.")
@click.pass_context
def install(ctx: click.Context, runtime: str, where: str, what: str | None, *, strict: bool) -> None:
    """Write into the settings of RUNTIME that its hooks call Muniment: views at its starts, closeouts at its stops.

    What stands in the settings beside that is not touched; a copy of the file is kept beside it. Without --store the
    store is .muniment in the project, with --user in the home folder. A project's settings may be committed: they name
    no folder of this machine if muniment-hook is on the path, outside a virtual environment.
    """
    console: Console = ctx.obj
    wanted = _wanted(console, runtime, where, strict=strict)
    text = installing.read_text(wanted.file)
    if what == "check":
        _check(ctx, wanted, text)
    elif what == "show":
        shown = installing.installed_text(text, wanted)
        console.result({**_told(wanted), "settings": shown}, shown.rstrip())
    elif what == "undo":
        left = installing.undone_text(text)
        if left != text:
            installing.undo(wanted, left)
        done = "taken out of" if left != text else "not in"
        console.result({**_told(wanted), "changed": left != text}, f"hooks {done} {wanted.file}")
    else:
        _install(console, wanted, text)


def _install(console: Console, wanted: Wanted, text: str) -> None:
    new = installing.installed_text(text, wanted)
    if new != text:
        installing.write_text(wanted.file, new)
    EvidenceStore.open(wanted.store, create=True).close()
    pass_over(wanted.store)
    done = "written into" if new != text else "already in"
    lines = [f"hooks {done} {wanted.file}, recording into {wanted.store}"]
    if wanted.runtime == "codex":
        lines.append("Codex runs hooks only once they are trusted: say /hooks there")
    console.result({**_told(wanted), "changed": new != text}, "\n".join(lines))


def _check(ctx: click.Context, wanted: Wanted, text: str) -> None:
    missing = installing.missing(text, wanted)
    words = f"not installed in {wanted.file}: {', '.join(missing)}" if missing else f"installed in {wanted.file}"
    ctx.obj.result({**_told(wanted), "missing": missing}, words)
    ctx.exit(Exit.NOT_PROVEN if missing else Exit.OK)


def _wanted(console: Console, runtime: str, where: str, *, strict: bool) -> Wanted:
    base = Path.home() if where == "user" else Path.cwd()
    store = console.store if console.store != DEFAULT_STORE else base / DEFAULT_STORE
    shared = where == "project" and console.store == DEFAULT_STORE
    file = base / installing.FILES[runtime]
    return Wanted(runtime=runtime, file=file, store=store.absolute(), strict=strict, shared=shared)


def _told(wanted: Wanted) -> dict[str, object]:
    return {"runtime": wanted.runtime, "file": str(wanted.file), "store": str(wanted.store)}


COMMAND = install
