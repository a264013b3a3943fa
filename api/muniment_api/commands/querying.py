"""`muniment query`: the graph in Cypher."""

from __future__ import annotations

import json

import click

from muniment.projection.asking import Answer
from muniment.projection.engine import ENGINES
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import one_line, plural
from muniment_api.opening import open_store, pick_mission, plain
from muniment_api.owner import query as ask_engine
from muniment_api.tables import table

LIMIT = 100
CELL = 80


@command(
    "query",
    examples=[
        "muniment query 'MATCH (n:Node) RETURN n.kind, count(*) ORDER BY n.kind'",
        'muniment query \'MATCH (r:Node {kind: "receipt"})-[:WRITES]->(v)-[:VERSION_OF]->(f) '
        "WHERE r.mission = $mission RETURN r.handle, f.data' --limit 5 --json",
    ],
)
@click.argument("cypher", metavar="CYPHER")
@click.option("--mission", help="What $mission in the query stands for.  [default: the newest]")
@click.option(
    "--engine", type=click.Choice(ENGINES), default=ENGINES[0], show_default=True, help="Which engine is asked."
)
@click.option("--limit", type=click.IntRange(min=1), default=LIMIT, show_default=True, help="Most rows.")
@click.pass_obj
def query(console: Console, cypher: str, mission: str | None, engine: str, limit: int) -> None:
    """Ask the graph in Cypher. Only reading is let through; anything else is refused before it runs.

    Nodes are (:Node {id, kind, mission, ordinal, handle, record, data}), with the whole node as JSON in data; edges
    have the kinds that graph/README.md lists, each with ordinal and state.
    """
    values: dict[str, str | int] = {}
    if mission or "$mission" in cypher:
        with open_store(console) as store:
            values["mission"] = pick_mission(console, store, mission)
    answer = ask_engine(console, engine, cypher, values, limit)
    console.result(plain(answer), table(answer.columns, _cells(answer), color=console.color))
    if not console.json:
        more = "; there are more: --limit" if answer.more else ""
        console.say(plural(len(answer.rows), "row") + more)


def _cells(answer: Answer) -> list[list[str]]:
    return [[one_line(_cell(value), CELL) for value in row] for row in answer.rows]


def _cell(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


COMMAND = query
