"""`muniment serve`: the store for other programs."""

from __future__ import annotations

import json
import os
import re
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click

from muniment.errors import StoreError, UsageError
from muniment.scope import ACCEPT, SCOPED_ACTORS, WITHDRAW
from muniment.store import EvidenceStore
from muniment_api.access import LOCAL_NAMES, Policy
from muniment_api.access_log import configure_logs
from muniment_api.app import create_app
from muniment_api.command import command
from muniment_api.config import environment_value
from muniment_api.console import Console
from muniment_api.cypher_route import CYPHER_ROUTE
from muniment_api.hook_routes import hook_route
from muniment_api.mcp_desk import ServedDesk
from muniment_api.mcp_server import mounted
from muniment_api.opening import open_store, take_in
from muniment_api.serving import SOCKET_NAME, Place, owned, serve, tcp_socket, unix_socket

_SENDABLE = re.compile(r"[!-~]+")
"""What a header can carry as a token."""


@command(
    "serve",
    examples=["muniment serve --project /projects/pricelist", "muniment serve --port 0 --engine memory --create"],
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address; off loopback only with a token.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="The port; 0: a free one.")
@click.option("--project", help="Serve this project alone.  [default: each request names its own]")
@click.option(
    "--token-env",
    "token_names",
    multiple=True,
    metavar="NAME[=PROJECT]",
    help="Ask for the token in this environment variable; it may be for one project alone.",
)
@click.option("--as-user", is_flag=True, help="Let requests over TCP record and withdraw in the user's name.")
@click.option(
    "--allow-import",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="Let requests over TCP import sessions under this folder.",
)
@click.option("--allow-accept", is_flag=True, help="Requests over TCP may put packets in force, and fork them.")
@click.option(
    "--engine",
    metavar="NAME",
    default="memory",
    show_default=True,
    help="What answers questions about the graph: kuzu, ladybug or memory; the answers are the same.",
)
@click.option("--create", is_flag=True, help="Make the store if it is not there.")
@click.pass_obj
def serve_(
    console: Console,
    *,
    host: str,
    port: int,
    project: str | None,
    token_names: tuple[str, ...],
    as_user: bool,
    allow_accept: bool,
    roots: tuple[Path, ...],
    engine: str,
    create: bool,
) -> None:
    """Serve the store over GraphQL, NDJSON and MCP, on loopback and on the socket in the store's folder.

    Each request sees one project or mission: that of --project or of its token, or the one that its header
    Muniment-Project or Muniment-Mission names. Where it listens goes to stdout as one line of JSON, the log to stderr.
    """
    store, place = console.store, Place(host=host, port=port)
    tokens = dict(_token(name) for name in token_names)
    if len(tokens) < len(token_names):
        raise UsageError("two tokens are the same: each needs its own")
    policy = Policy(
        project=project,
        tokens=tokens,
        actors=SCOPED_ACTORS | ({"user"} if as_user else frozenset()),
        verbs=Policy().verbs | ({WITHDRAW} if as_user else frozenset()) | ({ACCEPT} if allow_accept else frozenset()),
        roots=tuple(root.resolve() for root in roots),
        names=LOCAL_NAMES | {_named(host)},
    )
    if create:
        with open_store(console, create=True):
            pass
    with ExitStack() as held:
        tcp = held.enter_context(tcp_socket(place, has_token=bool(tokens)))
        held.enter_context(owned(store))
        local = held.enter_context(unix_socket(store))
        configure_logs()
        bound = tcp.getsockname()
        where = {"url": f"http://{_named(bound[0])}:{bound[1]}", "socket": str(store / SOCKET_NAME) if local else None}
        console.out(json.dumps({**where, "pid": os.getpid(), "store": str(store)}))
        if not local:
            console.say("muniment: the store's path is too long for a socket; only TCP is served")
        app = create_app(partial(_opened, console, engine), policy, routes=[hook_route(store), CYPHER_ROUTE])
        if not serve(mounted(app, ServedDesk()), [tcp, *([local] if local else [])]):
            raise StoreError("the server could not start; the log above says why")


def _opened(console: Console, engine: str | None) -> EvidenceStore:
    """Open the store, with what hooks left while there was no server."""
    store = EvidenceStore.open(console.store, engine=engine)
    take_in(console, store)
    return store


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _token(option: str) -> tuple[str, str | None]:
    """Return the token that `NAME` or `NAME=PROJECT` stands for, and its project."""
    name, named, project = option.partition("=")
    secret = environment_value(name)
    if not secret:
        raise UsageError(f"the environment variable {name} holds no token")
    if _SENDABLE.fullmatch(secret) is None:
        raise UsageError(f"the token in {name} cannot be sent: use ASCII letters, digits and signs, and no blanks")
    if named and not project:
        raise UsageError(f"{option} names no project; without `=` the token is for any")
    return secret, project or None


COMMAND = serve_
