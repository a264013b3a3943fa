"""`muniment missions`: which missions the store holds."""

from __future__ import annotations

import click

from muniment.journal.port import MissionInfo
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import columns
from muniment_api.opening import open_store, plain


@command("missions", examples=["muniment missions", "muniment missions --json"])
@click.pass_obj
def missions(console: Console) -> None:
    """List the missions of the store: one root session each, with all that came of it."""
    with open_store(console) as store:
        known = store.missions()
    text = columns([HEADER, *map(_row, known)]) if known else "no missions yet: muniment import PATH"
    console.result({"missions": [plain(info) for info in known]}, text)


HEADER = ("MISSION", "FORMAT", "ENTRIES", "RECORDED", "SESSION", "PROJECT")


def _row(info: MissionInfo) -> tuple[str, ...]:
    return (
        info.mission,
        info.format,
        str(info.entries),
        info.last_recorded_at[:19],
        info.session,
        info.project,
    )


COMMAND = missions
