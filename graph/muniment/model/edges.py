"""Edges: how things are joined, in four families, and which kinds may join which.

An edge is never changed; it carries the ordinal of the record that made it and is never older than its ends.
`state` is what the edge says beside its kind: the new state on MOVED, the reason on SUPERSEDES; on KEPT whether the
next context began with something that was `preserved`, or with a `summary`, a `packet` or a `view`.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class EdgeKind(StrEnum):
    """All kinds of edges."""

    SUPPORTS = "SUPPORTS"
    REFUTES = "REFUTES"
    CITES = "CITES"
    SUPERSEDES = "SUPERSEDES"
    REPEATS = "REPEATS"
    WITHDRAWS = "WITHDRAWS"
    DEPENDS_ON = "DEPENDS_ON"
    ABOUT = "ABOUT"
    READS = "READS"
    WRITES = "WRITES"
    EXCERPT_OF = "EXCERPT_OF"
    VERSION_OF = "VERSION_OF"
    PART_OF = "PART_OF"
    MENTIONS = "MENTIONS"
    PRODUCED = "PRODUCED"
    DELEGATED = "DELEGATED"
    PRECEDES = "PRECEDES"
    OBSERVED = "OBSERVED"
    MOVED = "MOVED"
    KEPT = "KEPT"
    FORGOT = "FORGOT"

    __hash__ = str.__hash__  # the enumeration's own is written in Python, and each look at an edge hashes its kind


class Family(StrEnum):
    """What an edge is for."""

    SUPPORT = "support"
    SUPERSESSION = "supersession"
    DEPENDENCY = "dependency"
    TEMPORAL = "temporal"


FAMILIES: dict[EdgeKind, Family] = {
    EdgeKind.SUPPORTS: Family.SUPPORT,
    EdgeKind.REFUTES: Family.SUPPORT,
    EdgeKind.CITES: Family.SUPPORT,
    EdgeKind.SUPERSEDES: Family.SUPERSESSION,
    EdgeKind.REPEATS: Family.SUPERSESSION,
    EdgeKind.WITHDRAWS: Family.SUPERSESSION,
    EdgeKind.DEPENDS_ON: Family.DEPENDENCY,
    EdgeKind.ABOUT: Family.DEPENDENCY,
    EdgeKind.READS: Family.DEPENDENCY,
    EdgeKind.WRITES: Family.DEPENDENCY,
    EdgeKind.EXCERPT_OF: Family.DEPENDENCY,
    EdgeKind.VERSION_OF: Family.DEPENDENCY,
    EdgeKind.PART_OF: Family.DEPENDENCY,
    EdgeKind.MENTIONS: Family.DEPENDENCY,
    EdgeKind.PRODUCED: Family.DEPENDENCY,
    EdgeKind.DELEGATED: Family.DEPENDENCY,
    EdgeKind.PRECEDES: Family.TEMPORAL,
    EdgeKind.OBSERVED: Family.TEMPORAL,
    EdgeKind.MOVED: Family.TEMPORAL,
    EdgeKind.KEPT: Family.TEMPORAL,
    EdgeKind.FORGOT: Family.TEMPORAL,
}

ANY = frozenset({"*"})

JOINS: dict[EdgeKind, tuple[frozenset[str], frozenset[str]]] = {
    EdgeKind.SUPPORTS: (
        frozenset({"receipt", "fact", "message", "excerpt", "call", "event"}),
        frozenset({"claim", "task"}),
    ),
    EdgeKind.REFUTES: (frozenset({"receipt", "event"}), frozenset({"claim"})),
    EdgeKind.CITES: (frozenset({"claim", "decision", "packet", "task"}), ANY),
    EdgeKind.SUPERSEDES: (frozenset({"fact", "decision", "packet"}), frozenset({"fact", "decision", "packet"})),
    EdgeKind.REPEATS: (frozenset({"excerpt"}), frozenset({"excerpt"})),
    EdgeKind.WITHDRAWS: (frozenset({"message", "agent"}), ANY),
    EdgeKind.DEPENDS_ON: (frozenset({"task"}), frozenset({"task"})),
    EdgeKind.ABOUT: (
        frozenset({"receipt", "claim", "event", "fact", "message"}),
        frozenset({"artifact", "call", "claim", "decision", "delegation", "fact", "file", "task"}),
    ),
    EdgeKind.READS: (frozenset({"receipt"}), frozenset({"file_version"})),
    EdgeKind.WRITES: (frozenset({"receipt", "event"}), frozenset({"file_version"})),
    EdgeKind.EXCERPT_OF: (frozenset({"excerpt"}), frozenset({"file_version", "receipt"})),
    EdgeKind.VERSION_OF: (frozenset({"file_version"}), frozenset({"file"})),
    EdgeKind.PART_OF: (ANY, frozenset({"mission", "session", "agent", "workspace", "message", "file"})),
    EdgeKind.MENTIONS: (frozenset({"message", "receipt", "call", "excerpt", "task", "fact"}), frozenset({"name"})),
    EdgeKind.PRODUCED: (frozenset({"call", "receipt", "agent"}), frozenset({"receipt", "artifact"})),
    EdgeKind.DELEGATED: (frozenset({"call", "agent"}), frozenset({"delegation"})),
    EdgeKind.PRECEDES: (frozenset({"session", "message"}), frozenset({"session", "message"})),
    EdgeKind.OBSERVED: (frozenset({"file"}), frozenset({"file_version"})),
    EdgeKind.MOVED: (
        frozenset({"agent", "receipt"}),
        frozenset({"task", "question", "delegation", "receipt", "timer", "packet"}),
    ),
    EdgeKind.KEPT: (frozenset({"boundary"}), ANY),
    EdgeKind.FORGOT: (frozenset({"boundary"}), ANY),
}
"""Edge kind → (kinds it may start from, kinds it may lead to); `*` is any kind."""


class Edge(msgspec.Struct, frozen=True, gc=False, array_like=True, omit_defaults=True):
    """A directed edge from node `source` to node `target`."""

    kind: EdgeKind
    source: str
    target: str
    ordinal: int
    state: str = ""


def may_join(kind: EdgeKind, source_kind: str, target_kind: str) -> bool:
    """Tell whether an edge of this kind may join these kinds of nodes."""
    sources, targets = JOINS[kind]
    return (sources is ANY or source_kind in sources) and (targets is ANY or target_kind in targets)
