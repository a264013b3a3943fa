"""Loading a fresh database by COPY from files: for a rebuild only, and never rolled back.

The files lie in the folder of the database that is being built and go with it if the process dies.
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from muniment.graph import Additions
from muniment.model.edges import EdgeKind
from muniment.model.nodes import kind_of
from muniment.projection.engine import Engine
from muniment.projection.rows import (
    Row,
    edge_row,
    ended_page,
    node_row,
    observation_row,
    pages_of,
    record_name,
)
from muniment.projection.standing import Standing, join
from muniment.projection.tables import schema

_OPTIONS = "(header=false, parallel=false, quote='\"', escape='\"', delim=',', null_strings=['\\\\N'])"
_NODE_TABLES = ("Node", "Observation", "Bucket")


class Loader:
    """Collects rows in files, one a table, and copies them into a fresh database."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, TextIO] = {}
        self._nodes: dict[str, str] = {}
        self._buckets: set[str] = set()

    def take(self, mission: str, standing: Standing, added: Additions) -> None:
        """Take in additions; move the standing's counts and sizes."""
        counts = standing.counts
        for place, node in enumerate(added.nodes):
            if node.id not in self._nodes:
                self._nodes[node.id] = kind_of(node)
                seq = counts.nodes + place
                self._write("Node", node_row(mission, node, seq))
                for page in pages_of(mission, node, standing.sizes):
                    self._hold(page.name, node.id, node.ordinal, seq)
                self._hold(record_name(mission, node.record), node.id, node.ordinal, seq)
        for place, edge in enumerate(added.edges):
            if edge.source in self._nodes and edge.target in self._nodes:
                self._write(edge.kind.value, edge_row(edge, counts.edges + place))
                standing.joins.add(join(self._nodes[edge.source], edge.kind, self._nodes[edge.target]))
            if (ended := ended_page(mission, edge, standing.sizes)) is not None and edge.target in self._nodes:
                self._hold(ended.name, edge.target, edge.ordinal, counts.edges + place)
        for place, seen in enumerate(added.observations):
            row = observation_row(seen, counts.observations + place)
            self._write("Observation", {"id": row["id"], "data": row["data"]})
            self._write("LEDGER", {"a": row["file"], "b": row["id"], "o": row["ordinal"], "s": row["seq"]})
        standing.counts = counts.behind(added)

    def load(self, engine: Engine) -> None:
        """Make the tables and copy everything in; delete the files."""
        for statement in schema():
            engine.run(statement)
        for file in self._files.values():
            file.close()
        tables = [*_NODE_TABLES, "HOLDS", "LEDGER", *(kind.value for kind in EdgeKind)]
        for table in tables:
            if table in self._files:
                path = self._path(table)
                engine.run(f"COPY {table} FROM '{_quoted(path)}' {_OPTIONS}")
                path.unlink()
        self._files.clear()

    def close(self) -> None:
        """Let go of the files."""
        for file in self._files.values():
            file.close()

    def _hold(self, bucket: str, node: str, ordinal: int, seq: int) -> None:
        if bucket not in self._buckets:
            self._buckets.add(bucket)
            self._write("Bucket", {"id": bucket})
        self._write("HOLDS", {"a": bucket, "b": node, "o": ordinal, "s": seq})

    def _write(self, table: str, row: Row) -> None:
        file = self._files.get(table)
        if file is None:
            file = self._files[table] = self._path(table).open("w", encoding="utf-8", newline="")
        file.write(",".join(map(_field, row.values())) + "\n")

    def _path(self, table: str) -> Path:
        return self._folder / f"{table}.csv"


def _field(value: str | int) -> str:
    return str(value) if isinstance(value, int) else '"' + value.replace('"', '""') + '"'


def _quoted(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace("'", "\\'")
