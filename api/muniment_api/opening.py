"""What commands share: opening the store, finding the mission that is meant, plain values of answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import msgspec

from muniment.errors import AmbiguousIdError, EvidenceError, PurgedError, UnknownIdError, UsageError
from muniment.journal.port import MissionInfo
from muniment.model import ids
from muniment.model.nodes import Claim, Gap
from muniment.rehydration import PURGED
from muniment.store import EvidenceStore
from muniment_api.config import DEFAULT_STORE
from muniment_api.console import Console
from muniment_api.spool import drain

_PREFIX = "mission:"


@contextmanager
def open_store(
    console: Console, *, create: bool = False, engine: str | None = None, large_output: int | None = None
) -> Iterator[EvidenceStore]:
    """Open the store that the console names; `large_output` sets it so, for all who open it.

    Raises:
        StoreError: it is missing (and `create` is false), locked, or no store.
        DamageError: its files are damaged.
    """
    with EvidenceStore.open(console.store, create=create, engine=engine, large_output=large_output) as store:
        if create and console.store.name == DEFAULT_STORE.name:
            pass_over(console.store)
        take_in(console, store)
        yield store


def pass_over(store: Path) -> None:
    """Let git pass a store over: it lies in a project, and is none of its files."""
    ignored = store / ".gitignore"
    if not ignored.exists():
        ignored.write_text("*\n", encoding="utf-8")


def take_in(console: Console, store: EvidenceStore) -> None:
    """Take in what hooks left in the spool; that it cannot be taken in now is no reason to answer nothing."""
    try:
        drain(console.store, lambda _: store)
    except EvidenceError as error:
        console.say(f"what hooks left in the spool could not be taken in: {error}")


def pick_mission(console: Console, store: EvidenceStore, wanted: str | None) -> str:
    """Return the mission that is meant: by its id or its session's, by a unique beginning of one, else the newest.

    Raises:
        UnknownIdError: none is called so.
        UsageError: the store holds none.
        AmbiguousIdError: several begin so.
    """
    known = store.missions()
    if wanted is None:
        return _newest(console, known)
    exact = [info.mission for info in known if wanted in (info.mission, info.session)]
    found = exact or [info.mission for info in known if _begins(info, wanted)]
    if not found:
        raise UnknownIdError(wanted)
    if len(found) > 1:
        raise AmbiguousIdError(wanted, tuple(found))
    return found[0]


@contextmanager
def telling_more(store: EvidenceStore, mission: str, wanted: str) -> Iterator[None]:
    """Say more of a handle that nothing has: its entry was purged, or closeout made it for a claim that it read.

    Raises:
        PurgedError: the entry behind the handle was purged.
        UnknownIdError: nothing has this id.
    """
    try:
        yield
    except UnknownIdError:
        number = ids.entry_number(wanted)
        if number is None:
            raise
        places = store.snapshot(mission).named(ids.handle(Gap.letter, number, 0))
        if any(isinstance(place, Gap) and place.code == PURGED for place in places):
            raise PurgedError(wanted) from None
        if wanted.startswith(Claim.letter):
            raise UnknownIdError(
                wanted, "a claim that closeout read out of a text is shown with it: show what it names as `said in`"
            ) from None
        raise


def _newest(console: Console, known: list[MissionInfo]) -> str:
    if not known:
        raise UsageError("the store holds no mission yet: muniment import PATH")
    newest = max(known, key=lambda info: info.last_position)
    if len(known) > 1:
        console.say(f"newest of {len(known)} missions: {newest.mission} ({newest.format} session {newest.session})")
    return newest.mission


def _begins(info: MissionInfo, wanted: str) -> bool:
    return bool(wanted) and any(
        text.startswith(wanted) for text in (info.mission, info.mission.removeprefix(_PREFIX), info.session)
    )


def plain(value: object) -> dict[str, object]:
    """Return an answer as a JSON object."""
    found: dict[str, object] = msgspec.to_builtins(value)
    return found


def parse_lines(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Read `--lines 10-20` or `--lines 10`."""
    if value is None:
        return None
    first, _dash, last = value.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise click.BadParameter("give a line or an interval, such as 10 or 10-20")
    return int(first), int(last or first)
