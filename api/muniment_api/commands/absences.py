"""`muniment absences`: what searches did not find, and whether that still holds."""

from __future__ import annotations

from collections.abc import Iterator

import click

from muniment.closeout.absences import Absence
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import one_line, plural
from muniment_api.opening import open_store, pick_mission, plain


@command("absences", examples=["muniment absences", "muniment absences --path pricelist/prices.py --json"])
@click.option("--path", help="Only searches that could, or might, have seen this file.")
@click.option("--mission", help="The mission to look into.  [default: the newest]")
@click.option("--holding", is_flag=True, help="Only what still holds.")
@click.pass_obj
def absences(console: Console, path: str | None, mission: str | None, holding: bool) -> None:
    """List what searches did not find: where they looked, what they passed over, and whether it still holds.

    An absence is as wide as the search: files that it passed over may hold what it looked for.
    """
    with open_store(console) as store:
        found = store.absences(mission=pick_mission(console, store, mission), path=path)
    found = [absence for absence in found if not holding or absence.status == "holds"]
    console.result({"absences": [plain(absence) for absence in found]}, "\n".join(map(_told, found)))
    if not console.json:
        console.say(plural(len(found), "absence"))


def _told(found: Absence) -> str:
    return "\n".join(_lines(found))


def _lines(found: Absence) -> Iterator[str]:
    grade = "confirmed" if found.confirmed else f"inferred ({found.doubt.replace('_', ' ')})"
    what = f"no {one_line(found.pattern)!r} in the {found.within} of {_places(found)}"
    yield f"{found.handle}  {found.status}, {grade}: {what}"
    if found.excluded:
        yield f"    passed over: {', '.join(word.replace('_', ' ') for word in found.excluded)}"
    if found.because is not None:
        yield f"    {found.status} since {found.because}"
    if found.why:
        yield f"    could it see that file: {found.could_see} ({found.why.replace('_', ' ')})"


def _places(found: Absence) -> str:
    return ", ".join(one_line(place) for place in found.places)


COMMAND = absences
