"""`muniment recover`: a new store from what is sound of a damaged one."""

from __future__ import annotations

from pathlib import Path

import click

from muniment.journal.recover import Recovery, recover
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import plural
from muniment_api.opening import plain

FOLDER = click.Path(path_type=Path, file_okay=False)


@command("recover", examples=["muniment recover .muniment --to recovered"])
@click.argument("source", required=False, metavar="[DAMAGED]", type=FOLDER)
@click.option("--to", "target", required=True, metavar="NEW", type=FOLDER, help="A new folder.")
@click.pass_obj
def recover_(console: Console, source: Path | None, target: Path) -> None:
    """Save the sound beginning of the store in folder DAMAGED into a new store; the damaged files are not touched."""
    saved = recover(source or console.store, target)
    console.result(plain(saved), _text(saved, target))
    if not saved.key_kept:
        console.say("the store's key was lost: markers of redacted secrets will differ from the old ones")


def _text(saved: Recovery, target: Path) -> str:
    kept = f"kept {plural(saved.kept, 'entry', 'entries')} and {plural(saved.payloads, 'payload')} in {target}"
    if saved.problem is None:
        lines = [f"{kept}; nothing was damaged"]
    else:
        lines = [f"{kept}; lost at least {saved.lost}", f"first problem: {saved.problem.what}"]
    return "\n".join([*lines, f"head {saved.head}"])


COMMAND = recover_
