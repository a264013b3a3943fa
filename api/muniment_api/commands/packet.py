"""`muniment packet`: builds, checks, accepts, shows, lists and forks packets."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from muniment.errors import FormatError, UnknownIdError, UsageError
from muniment.handoff.acceptance import PacketInfo
from muniment.handoff.messages import FORMS, carried_by
from muniment.handoff.packet import Packet
from muniment.handoff.portable import is_written
from muniment_api.command import command, group, mission_argument
from muniment_api.commands.packet_building import build
from muniment_api.commands.packet_output import handle_of, problem_line, show_packet
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.layout import columns
from muniment_api.opening import open_store, pick_mission, plain

Given = str | dict[str, object] | Packet
mission_option = click.option("--mission", help="The mission that it is of.  [default: the newest]")


@command(
    "check",
    examples=["muniment packet check H39", "muniment packet check packet.json --json"],
    short="Say what is wrong with a packet.",
)
@click.argument("packet", metavar="ID|FILE")
@mission_option
@click.pass_context
def check(ctx: click.Context, packet: str, mission: str | None) -> None:
    """Say what is wrong with a packet: a stored one by its ID, else one in a FILE (`-` is stdin).

    A FILE holds a packet as JSON, or as `packet show --form` writes it. Exits with 0 if nothing is wrong, else with 1.
    """
    console: Console = ctx.obj
    with open_store(console) as store, _saying_where("neither a file nor", packet):
        found = store.check_packet(_given(packet), mission=pick_mission(console, store, mission))
    told = "nothing is wrong" if found.passed else "\n".join(map(problem_line, found.problems))
    console.result({**plain(found), "passed": found.passed}, told)
    ctx.exit(Exit.OK if found.passed else Exit.NOT_PROVEN)


@command(
    "accept",
    examples=["muniment packet accept packet.json", "muniment packet accept H39 --reason handover"],
    short="Check a packet and put it in force.",
)
@click.argument("packet", metavar="ID|FILE")
@mission_option
@click.option("--view", metavar="ID", help="The emitted view that goes with it.")
@click.option("--reason", default="", help="Why, in words.")
@click.pass_context
def accept(ctx: click.Context, packet: str, mission: str | None, view: str | None, reason: str) -> None:
    """Check a packet and put it in force: a stored one by its ID, else one in a FILE (`-` is stdin).

    A packet that is refused changes nothing, and why is on record. Exits with 0 if it is in force, else with 1.
    """
    console: Console = ctx.obj
    with open_store(console) as store, _saying_where("neither a file nor", packet):
        home = pick_mission(console, store, mission)
        done = store.accept_packet(_given(packet), mission=home, view=view, reason=reason)
        name = handle_of(store, home, done.packet)
    told = [f"{'in force' if done.accepted else 'refused'}: {name}", *map(problem_line, done.problems)]
    console.result(plain(done), "\n".join(told))
    ctx.exit(Exit.OK if done.accepted else Exit.NOT_PROVEN)


@command(
    "show",
    examples=["muniment packet show", "muniment packet show --form anthropic", "muniment packet show --json"],
    short="Print a stored packet, or the one in force.",
)
@click.argument("packet", metavar="[ID]", required=False)
@mission_option
@click.option("--form", type=click.Choice(FORMS), help="As messages of a provider, or as lines that read back.")
@click.pass_obj
def show(console: Console, packet: str | None, mission: str | None, form: str | None) -> None:
    """Print a stored packet with its texts as they are on record now; without ID the one in force."""
    with open_store(console) as store, _saying_where("not", packet):
        home = pick_mission(console, store, mission)
        wanted = packet or store.packet_in_force(home)
        if not wanted:
            raise UsageError(
                "no packet is in force in this mission yet: `muniment packet build --accept` puts one in force"
            )
        found = store.show_packet(wanted, mission=home)
    show_packet(console, found, form)


@command(
    "list",
    examples=["muniment packet list", "muniment packet list --json"],
    short="List packets, with what became of each.",
)
@mission_argument
@click.pass_obj
def listed(console: Console, mission: str | None) -> None:
    """List the packets of MISSION, oldest first, with what became of each."""
    with open_store(console) as store:
        found = store.packets(pick_mission(console, store, mission))
    console.result({"packets": [plain(each) for each in found]}, columns([_row(each) for each in found]) or "none yet")


@command(
    "fork",
    examples=["muniment packet fork H39 --session second", "muniment packet fork H39 --session b --json"],
    short="Open another session that begins with a packet.",
)
@click.argument("packet", metavar="ID")
@mission_option
@click.option("--session", required=True, help="What the new session is called.")
@click.pass_context
def fork(ctx: click.Context, packet: str, mission: str | None, session: str) -> None:
    """Open another session of the same mission whose whole history is a packet, and print the packet's text.

    The first session is left as it was. Exits with 0, or with 1 if the packet would not be accepted as things are now.
    """
    console: Console = ctx.obj
    with open_store(console) as store, _saying_where("not", packet):
        home = pick_mission(console, store, mission)
        done = store.fork_packet(packet, session=session, mission=home)
        name = handle_of(store, home, done.packet)
    told = [done.text] if done.forked else ["refused: build another packet", *map(problem_line, done.problems)]
    console.result(plain(done), "\n".join(told))
    if done.forked and not console.json:
        console.say(f"session {session} begins with {name}")
    ctx.exit(Exit.OK if done.forked else Exit.NOT_PROVEN)


@contextmanager
def _saying_where(what: str, wanted: str | None) -> Iterator[None]:
    """Say of a name that no packet has, where packets are listed.

    Raises:
        UnknownIdError: no packet has it.
    """
    try:
        yield
    except UnknownIdError as error:
        if error.wanted != wanted:
            raise
        raise UnknownIdError(wanted, f"it is {what} a stored packet; `muniment packet list` lists them") from None


def _given(wanted: str) -> Given:
    """Return a packet out of a file or stdin; what is no file is an id."""
    path = Path(wanted)
    if wanted != "-" and not path.is_file():
        return wanted
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if wanted == "-" else path.read_text("utf-8", "replace")
    try:
        found = text.removesuffix("\n") if is_written(text) else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"{wanted}: it holds no packet, neither as JSON nor in a form of `packet show`: {error}"
        ) from None
    if isinstance(found, str | list):
        carried = carried_by(found)
        if carried.packet is None:
            raise FormatError(f"{wanted}: it carries no packet")
        return carried.packet
    if not isinstance(found, dict):
        raise FormatError(f"{wanted}: expected a packet, found {type(found).__name__}")
    return found


def _row(info: PacketInfo) -> tuple[str, ...]:
    state = "in force" if info.in_force else info.state
    who = " ".join(filter(None, (info.session, info.agent)))
    return (info.handle, state, info.compactor or info.by, info.model, who, ", ".join(info.codes), info.id)


@group(
    "packet",
    examples=["muniment packet build --accept", "muniment packet check packet.json", "muniment packet show --json"],
    commands=[build, check, accept, show, listed, fork],
)
def packet() -> None:
    """Build, check and accept packets: the least state with which another context can go on."""


COMMAND = packet
