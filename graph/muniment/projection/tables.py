"""The projection's statements: the schema and the named reads and writes, from the .cypher files beside this one.

* Nothing but kinds of edges is ever filled into a statement; all else is a parameter.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from muniment.model.edges import EdgeKind

SCHEMA_VERSION: Final = "2"
"""Raised whenever the tables change: a projection of another version is set aside."""

_HERE = Path(__file__).parent


def schema() -> list[str]:
    """Return the statements that make the tables."""
    edges = [
        f"CREATE REL TABLE {kind.value}(FROM Node TO Node, ordinal INT64, seq INT64, state STRING, data STRING)"
        for kind in EdgeKind
    ]
    return [*_statements(_HERE / "schema.cypher"), *edges]


@cache
def named(name: str) -> str:
    """Return the statement with this name."""
    return _named()[name]


def over(name: str, kinds: Iterable[EdgeKind]) -> str:
    """Return a statement over these kinds of edges (at least one)."""
    return _over(name, tuple(sorted(kind.value for kind in kinds)))


@cache
def _over(name: str, kinds: tuple[str, ...]) -> str:
    return named(name).replace("<kinds>", "|".join(kinds))


@cache
def _named() -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in (_HERE / "reads.cypher").read_text(encoding="utf-8").splitlines():
        if line.startswith("// "):
            name = line.removeprefix("// ")
        elif line.strip():
            found[name] = line.rstrip(";")
    return found


def _statements(file: Path) -> list[str]:
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("//")]
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]
