"""The journal's port: what the rest of Muniment may ask of a journal, whatever keeps it.

* Acknowledged means durable: when `append` returns, its entries and their payloads are on the disk, all or none of
  them.
* The triple (mission, session, source id) is stored once, however often it arrives, also after it was purged.
* Bodies are given back as they are stored, with payload markers; `payload_markers.restore` puts the texts back.
* Whatever is read is checked first: a damaged entry or payload, or an index that hides entries, is a
  :class:`DamageError`, never an answer. Any method may raise :class:`BusyError`, and :class:`StoreError` where the
  disk fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from muniment.digest import Digest
from muniment.model.entries import Draft, Entry


class StreamKey(NamedTuple):
    """One agent's own transcript: the root session's id and "" for the root agent, else the child's id."""

    session: str
    stream: str


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """Where the journal stands. Position 0 and 32 zero bytes: empty. `epoch` rises with each purge."""

    position: int
    hash: bytes
    epoch: int

    def __str__(self) -> str:
        """Return `<position>:<hash in hex>`: the form that a closeout prints and `verify` takes."""
        return f"{self.position}:{self.hash.hex()}"


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """Where a draft is in the journal. `new` is false where the same source id was there before."""

    position: int
    number: int
    new: bool


class Appended(msgspec.Struct, frozen=True, kw_only=True):
    """What an append did: one `placed` per draft, in their order; the head afterwards."""

    placed: tuple[Placed, ...]
    stored: int
    duplicates: int
    head: Head


class MissionInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A mission as the journal knows it.

    `project`, `format` and `session` are those of its first entry that is not quarantined (of its first 128).
    """

    mission: str
    project: str
    format: str
    session: str
    entries: int
    first_position: int
    last_position: int
    first_recorded_at: str
    last_recorded_at: str


class StreamInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One stream of a mission, in order of first position."""

    key: StreamKey
    entries: int
    first_position: int
    last_position: int


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that `verify` found. `position` and `payload` say where, as far as that can be said."""

    what: str
    position: int | None = None
    payload: Digest | None = None


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """What a walk over the whole journal found; `clean` is true where there are no problems."""

    entries: int
    payloads: int
    purged: int
    head: Head
    last_good: int
    problems: tuple[Problem, ...]

    @property
    def clean(self) -> bool:
        """Tell whether nothing is wrong."""
        return not self.problems


class PurgeReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a purge did.

    `purged` are the positions that lost their body now, `before` those that had lost it already. `shared` are
    entries that still hold one of the same payloads (empty after `everywhere`); `payloads` counts those that are gone.
    """

    purged: tuple[int, ...]
    before: tuple[int, ...]
    shared: tuple[int, ...]
    payloads: int
    epoch: int


class Journal(Protocol):
    """An append-only, hash-chained log of entries, with the payloads that their bodies name."""

    @property
    def key(self) -> bytes:
        """The store's key: 32 random bytes; for keyed tags and for the ids of lines that have none."""
        ...

    def head(self) -> Head:
        """Return where the journal stands."""
        ...

    def append(
        self,
        drafts: Sequence[Draft],
        payloads: Mapping[Digest, bytes],
        *,
        recorded_at: str,
        expected: int | None = None,
    ) -> Appended:
        """Store drafts, in their order, and those of `payloads` that a newly stored body names. One transaction.

        Raises:
            ConflictError: `expected` is not the last position; nothing was written.
            BusyError: another process held the journal too long; nothing was written.
            FieldError: a body is no JSON object, or a payload does not have the digest that it is given under.
        """
        ...

    def read(
        self, mission: str | None, *, after: int = 0, upto: int | None = None, stream: StreamKey | None = None
    ) -> Iterator[Entry]:
        """Yield entries with `after < position <= upto`, in order: all, or those of a mission, or of a stream of it.

        Streams in batches and holds no lock between them. What is appended after the call began is not seen.
        An unknown mission or stream has no entries.
        """
        ...

    def entry(self, mission: str, number: int) -> Entry:
        """Return entry `number` of a mission.

        Raises:
            UnknownIdError: there is none.
        """
        ...

    def find(self, mission: str, source_id: str) -> list[Entry]:
        """Return the entries of a mission with this source id, at most one per session, in order of position."""
        ...

    def missions(self) -> list[MissionInfo]:
        """Return all missions, in order of their first entry."""
        ...

    def mission(self, mission: str) -> MissionInfo | None:
        """Return one mission, or None where there is none."""
        ...

    def streams(self, mission: str) -> list[StreamInfo]:
        """Return the streams of a mission, in order of their first entry."""
        ...

    def payload(self, digest: Digest) -> bytes | None:
        """Return a payload's bytes, checked against the digest; None where it was purged.

        Raises:
            UnknownIdError: no entry ever named it.
        """
        ...

    def wait(self, after: int, timeout: float) -> Head:
        """Return as soon as the head is behind `after`, or the head as it is after `timeout` seconds."""
        ...

    def verify(self, expected_head: str | None = None) -> Verification:
        """Walk the whole journal and every payload; with a head printed earlier, say whether it is still contained."""
        ...

    def purge(self, positions: Sequence[int], *, why: str, recorded_at: str, everywhere: bool = False) -> PurgeReport:
        """Erase the bodies at these positions, and payloads that nothing else names, from every file of the journal.

        Raises:
            UnknownIdError: a position is not in the journal; nothing was erased.
            BusyError: a reader or writer held the journal too long. The message says whether nothing was erased or
                whether the erasing is only to be finished.
        """
        ...

    def close(self) -> None:
        """Let go of the journal."""
        ...
