"""`muniment hook`: answers a runtime's hook."""

from __future__ import annotations

import json
import sys

import click

from muniment_api import hook_client
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.hooks import answer, payload_of
from muniment_api.opening import open_store


@command("hook", examples=["muniment hook claude-code Stop < payload.json"])
@click.argument("runtime", type=click.Choice(hook_client.RUNTIMES))
@click.argument("event")
@click.option("--strict", is_flag=True, help="At Stop: having claimed nothing holds the agent back too.")
@click.option("--in-process", is_flag=True, help="Open the store here, whether or not there is a server.")
@click.pass_obj
def hook(console: Console, runtime: str, event: str, *, strict: bool, in_process: bool) -> None:
    """Answer EVENT of RUNTIME: the payload is on stdin, the answer in the runtime's own form on stdout.

    `muniment install` writes the settings that call this. It never fails the runtime: what cannot be recorded at once
    is spooled, and what goes wrong is told by `muniment doctor`.
    """
    if not in_process:
        options = ["--store", str(console.store), *(["--strict"] if strict else [])]
        sys.exit(hook_client.run([runtime, event, *options]))
    payload = payload_of(sys.stdin.buffer.read())
    with open_store(console, create=True) as store:
        told = answer(store, runtime, event, payload)
    console.out(json.dumps(told))


COMMAND = hook
