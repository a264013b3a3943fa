"""Erasure: which entries a purge must take. Pure but for looking entries up.

* The entry behind the id goes, and with it every packet whose prose cites it or whose words hold its text. A packet
  that merely lists the id stays: it holds no text, and shows none. A claim or decision that cites it stays, since its
  disappearance would make a closeout pass; where it carries words of its own it is listed, so that a person can look.
* Its echoes go too: entries of the mission that made no node, so that no id leads to them, and that tell one of its
  texts again (Codex writes each message twice, Claude Code what a running command has printed so far). Left there, a
  text would be in the files still, and could come back as what the echo says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from muniment.errors import UnknownIdError
from muniment.journal.port import Journal, PurgeReport
from muniment.model.edges import EdgeKind
from muniment.model.ids import entry_number
from muniment.model.nodes import NODE_TYPES, AnyNode, Claim, Decision, Packet, text_of
from muniment.payload_markers import restore
from muniment.snapshot import Snapshot

EQUAL_FROM = 8
"""Characters from which on an equal text is an echo; below it is a word, which may stand anywhere."""
QUOTED_FROM = 24
"""Characters from which on a text that holds the purged one is an echo."""
PART_FROM = 200
"""Characters from which on a part of the purged text is an echo; a part of several lines is one in any case."""


class Purged(msgspec.Struct, frozen=True, kw_only=True):
    """What a purge did in the journal, and the claims and decisions that cite what is gone in words of their own."""

    report: PurgeReport
    citing: tuple[str, ...]


def positions(journal: Journal, mission: str, snapshot: Snapshot, wanted: str) -> tuple[list[int], tuple[str, ...]]:
    """Return the positions to purge for an id, and the ids of what cites it in words of its own.

    Raises:
        UnknownIdError: no entry stands behind the id.
    """
    nodes = snapshot.named(wanted)
    numbers = {number for node in nodes if (number := entry_number(node.handle)) is not None}
    if not numbers:
        raise UnknownIdError(wanted)
    citing = [source for node in nodes for source in _citing(snapshot, node)]
    numbers |= {number for node in _worded(snapshot, nodes) if (number := entry_number(node.handle))}
    numbers |= _echoes(journal, mission, snapshot, numbers)
    worded = tuple(node.id for node in citing if _has_words(node))
    return [journal.entry(mission, number).position for number in sorted(numbers)], worded


def _citing(snapshot: Snapshot, node: AnyNode) -> list[AnyNode]:
    found = [snapshot.node(edge.source) for edge in snapshot.edges_to(node.id, {EdgeKind.CITES})]
    return [each for each in found if each is not None]


def _worded(snapshot: Snapshot, purged: list[AnyNode]) -> Iterator[Packet]:
    """Yield the packets whose prose cites what is purged, or whose words hold a text of it."""
    names = {name for node in purged for name in (node.id, node.record, node.handle)}
    texts = [text for node in purged if len(text := _text(snapshot, node)) >= EQUAL_FROM]
    for packet in snapshot.of_kind(Packet):
        words = [packet.focus, *(snapshot.text(said.text) for said in packet.prose)]
        cited = any(names & set(said.cites) for said in packet.prose)
        if cited or any(text in word for text in texts for word in words):
            yield packet


def _has_words(node: AnyNode) -> bool:
    return isinstance(node, Decision) or (isinstance(node, Claim) and node.text is not None)


def _echoes(journal: Journal, mission: str, snapshot: Snapshot, purged: Collection[int]) -> set[int]:
    """Return the numbers of the entries that made no node and tell again what the purged ones say.

    Where others say the very same, an echo belongs to the nearest of them.
    """
    nodes = [(number, node) for node in _nodes(snapshot) if (number := entry_number(node.handle)) is not None]
    said = {text for number, node in nodes if number in purged and len(text := _text(snapshot, node)) >= EQUAL_FROM}
    if not said:
        return set()
    sayers: dict[str, list[int]] = {text: [] for text in said}
    for number, node in nodes:
        sayers.get(_text(snapshot, node), []).append(number)
    telling = {number for number, _ in nodes}
    found: set[int] = set()
    for entry in journal.read(mission):
        if entry.body is None or entry.number in telling:
            continue
        strings = {each.strip() for each in _strings(restore(entry.body, journal.payload)[0])}
        told = [text for text in said if any(_tells(each, text) for each in strings)]
        if any(_nearest(sayers[text], entry.number) in purged for text in told):
            found.add(entry.number)
    return found


def _nodes(snapshot: Snapshot) -> Iterator[AnyNode]:
    for kind in NODE_TYPES:
        yield from snapshot.of_kind(kind)  # type: ignore[misc]


def _text(snapshot: Snapshot, node: AnyNode) -> str:
    text = text_of(node)
    return snapshot.text(text).strip() if text is not None else ""


def _nearest(numbers: Collection[int], place: int) -> int:
    return min(numbers, key=lambda number: (abs(number - place), number))


def _tells(said: str, text: str) -> bool:
    """Tell whether a string is a text, quotes it, or is a telling part of it."""
    if said == text:
        return True
    if len(text) < len(said):
        return len(text) >= QUOTED_FROM and text in said
    long_enough = len(said) >= PART_FROM or (len(said) >= QUOTED_FROM and "\n" in said)
    return long_enough and said in text


def _strings(body: object) -> Iterator[str]:
    """Yield all strings of a JSON value but the keys of objects."""
    waiting = [body]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
