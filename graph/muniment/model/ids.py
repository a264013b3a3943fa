"""Ids: how missions, nodes and short handles are named.

* A mission's id is a hash of (format, root session id): the same session file gives the same mission everywhere.
* A node's id is a hash of (kind, mission, record id, role): independent of run order and of the code's version, so that
  packets, waivers and people may cite it.
* A handle (`R42`) is what people and models see: the letter of the kind and the number of the journal entry that made
  the node, counted within the mission. Numbers are given once, at append; so a handle never comes to mean another
  thing.
"""

from __future__ import annotations

import re
from typing import NewType

from blake3 import blake3

from muniment import canonical

MissionId = NewType("MissionId", str)
NodeId = NewType("NodeId", str)
Position = NewType("Position", int)
"""Place in the journal, from 1; the order of recording. 0 stands before the first entry."""
Ordinal = NewType("Ordinal", int)
"""Causal place in a mission, from 1. 0 stands before the first record."""

ID_HEX = 24
"""Hexadecimal characters of a derived id: 96 bits, so that 10^9 nodes collide with a chance of 10^-11."""

_LINE = re.compile(r"line:([0-9]+)\.([0-9]+):[0-9a-f]+\Z")
_PART = re.compile(r"part:([A-Za-z_]*)\.([0-9]+):[0-9a-f]+\Z")
_HANDLE = re.compile(r"([A-Z][a-z]?)([1-9][0-9]*)([a-z]*)\Z")
_NODE_ID = re.compile(rf"[a-z_]+:[0-9a-f]{{{ID_HEX}}}\Z")


def mission_id(format_name: str, root_session: str) -> MissionId:
    """Return the id of the mission that the root session `root_session` of a format is."""
    return MissionId(f"mission:{_hash('mission', format_name, root_session)}")


def node_id(kind: str, mission: str, record: str, role: str = "") -> NodeId:
    """Return the id of the node of `kind` that `record` makes in `mission`; `role` tells several of one kind apart."""
    return NodeId(f"{kind}:{_hash(kind, mission, record, role)}")


def is_derived_id(text: str) -> bool:
    """Tell whether `text` has the form of a mission's or a node's id."""
    return _NODE_ID.match(text) is not None


def handle(letter: str, number: int, place: int) -> str:
    """Return the handle of the `place`-th node (from 0) with this letter that entry `number` of the mission made."""
    suffix = ""
    while place > 0:
        place, rest = divmod(place - 1, 26)
        suffix = chr(ord("a") + rest) + suffix
    return f"{letter}{number}{suffix}"


def entry_number(text: str) -> int | None:
    """Return the number of the entry that a handle points to, or None where `text` is no handle."""
    match = _HANDLE.match(text)
    return int(match[2]) if match else None


def line_id(number: int, place: int, tag: str) -> str:
    """Return the source id of the `place`-th object (from 0) on line `number` of a file without ids of its own."""
    return f"line:{number}.{place}:{tag}"


def line_place(source_id: str) -> tuple[int, int] | None:
    """Return number and place of a source id that `line_id` made; None for any other."""
    match = _LINE.match(source_id) if source_id.startswith("line:") else None
    return (int(match[1]), int(match[2])) if match else None


def part_id(holder: str, number: int, tag: str) -> str:
    """Return the source id of part `number` (from 1) of the list `holder` of a document, where it has no id itself."""
    return f"part:{holder}.{number}:{tag}"


def part_place(source_id: str) -> tuple[str, int] | None:
    """Return list and number of a source id that `part_id` made; None for any other."""
    match = _PART.match(source_id) if source_id.startswith("part:") else None
    return (match[1], int(match[2])) if match else None


def _hash(*parts: str) -> str:
    return blake3(canonical.fields(*parts)).hexdigest()[:ID_HEX]
