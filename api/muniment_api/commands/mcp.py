"""`muniment mcp`: the store as an MCP server over stdin and stdout."""

from __future__ import annotations

from pathlib import Path

import click

from muniment.derive.paths import Rules, project_key
from muniment.model.ids import mission_id
from muniment.scope import READ, RECORD
from muniment_api.command import command
from muniment_api.config import environment_value
from muniment_api.console import Console
from muniment_api.mcp_desk import OwnDesk
from muniment_api.mcp_server import build
from muniment_api.opening import open_store

SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""Set by Claude Code for the servers that it starts."""


@command("mcp", examples=["muniment mcp", "claude mcp add muniment -- muniment mcp --store .muniment"])
@click.option("--project", help="Serve this project.  [default: that of the current folder]")
@click.option(
    "--mission", help="Serve this mission alone.  [default: the session that started the server, if it says so]"
)
@click.pass_obj
def mcp(console: Console, project: str | None, mission: str | None) -> None:
    """Answer a model's tool calls: view, show, search and closeout; decisions, facts, claims and questions recorded.

    What is recorded is recorded in the agent's name.
    """
    session = environment_value(SESSION_VARIABLE)
    if project is None and mission is None and session:
        mission = mission_id("claude-code", session)
    if project is None and mission is None:
        project = project_key(str(Path.cwd()), Rules())
    with open_store(console, create=True) as store:
        desk = OwnDesk(store.scoped(project=project, mission=mission, actors={"agent"}, verbs={READ, RECORD}))
        try:
            build(desk).run("stdio")
        finally:
            desk.close()


COMMAND = mcp
