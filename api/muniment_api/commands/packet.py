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
from muniment.store import EvidenceStore
from muniment_api.command import command, group, mission_argument
from muniment_api.commands.packet_building import build
from muniment_api.commands.packet_output import handle_of, problem_line, show_packet
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.layout import columns
from muniment_api.opening import open_store, pick_mission, plain

Given = str | dict[str, object] | Packet
_NODE = "packet:"
mission_option = click.option("--mission", help="The mission that it is of.  [default: its own, else the newest]")


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
        given = _given(packet)
        found = store.check_packet(given, mission=_home(console, store, mission, given))
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
        given = _given(packet)
        home = _home(console, store, mission, given)
        done = store.accept_packet(given, mission=home, view=view, reason=reason)
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
@click.option("--session", help="Without ID: the session whose packet it is.  [default: the newest]")
@click.option("--agent", default="", help="Without ID: the agent whose packet it is.  [default: the root agent]")
@click.option("--form", type=click.Choice(FORMS), help="As messages of a provider, or as lines that read back.")
@click.pass_context
def show(ctx: click.Context, /, packet: str | None, mission: str | None, form: str | None, **whose: str | None) -> None:
    """Print a stored packet with its texts as they are on record now; without ID the one in force."""
    console: Console = ctx.obj
    if packet is not None and any(whose.values()):
        raise click.UsageError("--session and --agent say whose packet is in force: leave them out beside an ID")
    with open_store(console) as store, _saying_where("not", packet):
        home = _home(console, store, mission, packet)
        wanted = packet or store.packet_in_force(home, session=whose["session"], agent=whose["agent"] or "")
        if not wanted:
            raise UsageError("no packet is in force there yet: `muniment packet build --accept` puts one in force")
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
        home = _home(console, store, mission, packet)
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


def _home(console: Console, store: EvidenceStore, wanted: str | None, given: Given | None) -> str:
    """Return the mission that is meant: the one asked for, else the one that a packet is of, else the newest.

    Raises:
        UnknownIdError: none is called so, or no packet has this node id.
    """
    if wanted is None and isinstance(given, str) and given.startswith(_NODE):
        return store.show_packet(given).mission
    named = given.get("mission") if isinstance(given, dict) else getattr(given, "mission", None)
    if wanted is None and named in [info.mission for info in store.missions()]:
        return str(named)
    return pick_mission(console, store, wanted)


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
