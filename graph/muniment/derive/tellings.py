"""Two tellings of one session: its transcript, and what hooks told while it ran.

* The transcript tells more, so what it tells is taken from it, in its order.
* What hooks alone tell, and what was recorded by callers while the session ran, is put right behind the newest record
  before it that both tell; so a change that only a hook saw stands between the calls between which it was seen.
* Calls, results, tasks and delegations are the same where their ids are. A message is the same where author and words
  are, a boundary, a change of model and the opening where it is the n-th of its kind: there, ids differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from muniment.digest import digest_of
from muniment.importers.hook_streams import is_live
from muniment.model.entries import QUARANTINE_FORMAT, RECORD_FORMAT, Entry
from muniment.model.records import (
    ContextBoundary,
    Message,
    ModelChanged,
    Record,
    SessionForked,
    SessionOpened,
)


class Told(NamedTuple):
    """What one entry tells: the entry with its body whole, its lifted strings by digest, its records."""

    entry: Entry
    payloads: dict[str, str]
    records: list[Record]


Waiting = dict[str, list[Told]]
"""Key of a record that both tell → what hooks alone tell behind it; "" stands for the beginning."""


class Merge:
    """Puts what hooks alone tell between what the transcript tells."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self._counts: Counter[str] = Counter()

    def around(self, told: Told) -> Iterator[Told]:
        """Yield what an entry of the transcript tells, with what stands before the first and behind this one."""
        yield from self._waiting.pop("", ())
        yield told
        if self._waiting:
            for key in keys_of(told.records, self._counts):
                yield from self._waiting.pop(key, ())


def is_transcript(entry: Entry) -> bool:
    """Tell whether an entry is of a transcript: neither of hooks, nor a caller's record, nor a broken line."""
    return not is_live(entry.stream) and entry.format not in (RECORD_FORMAT, QUARANTINE_FORMAT)


def keys_of(records: Iterable[Record], counts: Counter[str]) -> list[str]:
    """Return the keys by which records of two tellings are known to be the same; `counts` are those so far."""
    return [_key(record, counts) for record in records]


def told_alone(live: Iterable[Told], told: set[str]) -> Waiting:
    """Return what hooks alone tell, by the key behind which it stands. `told`: the keys of the transcript's records."""
    waiting: Waiting = {}
    counts: Counter[str] = Counter()
    anchor = ""
    for entry, payloads, records in live:
        alone: list[Record] = []
        for record, key in zip(records, keys_of(records, counts), strict=True):
            if key in told:
                _wait(waiting, anchor, Told(entry, payloads, alone))
                anchor, alone = key, []
            else:
                alone.append(record)
        _wait(waiting, anchor, Told(entry, payloads, alone))
    return waiting


def _wait(waiting: Waiting, anchor: str, told: Told) -> None:
    if told.records or told.entry.body is None:
        waiting.setdefault(anchor, []).append(told)


def _key(record: Record, counts: Counter[str]) -> str:
    if isinstance(record, Message):
        words = digest_of(record.text.strip().encode("utf-8", "surrogatepass"))
        return _numbered(f"said {record.by} {words}", counts)
    if isinstance(record, ContextBoundary):
        return _numbered("boundary", counts)
    if isinstance(record, ModelChanged):
        return _numbered(f"model {record.to}", counts)
    if isinstance(record, SessionOpened | SessionForked):
        return _numbered("opened", counts)
    return f"id {type(record).__name__} {record.id}"


def _numbered(word: str, counts: Counter[str]) -> str:
    counts[word] += 1
    return f"{word} {counts[word]}"
