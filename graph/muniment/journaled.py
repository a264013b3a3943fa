"""What a fold and its readers take from the journal: a mission's entries up to a position, and texts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from muniment.derive.reading import StreamKey
from muniment.digest import Digest
from muniment.journal.port import Journal
from muniment.journal.port import StreamKey as JournalStream
from muniment.model.entries import Entry
from muniment.model.nodes import Text
from muniment.payload_markers import PURGED_TEXT, bytes_text

CACHED_TEXTS = 256


class MissionEntries:
    """A mission's entries in the journal, up to some position."""

    def __init__(self, journal: Journal, mission: str, upto: int | None = None) -> None:
        self._journal = journal
        self._mission = mission
        self._upto = upto

    def entries(self, stream: StreamKey | None, after: int) -> Iterator[Entry]:
        """Yield the entries behind a position."""
        key = None if stream is None else JournalStream(*stream)
        return self._journal.read(self._mission, after=after, upto=self._upto, stream=key)

    def streams(self) -> dict[StreamKey, int]:
        """Return the streams that have begun, with their last position."""
        end = self._upto
        return {
            (info.key.session, info.key.stream): info.last_position if end is None else min(info.last_position, end)
            for info in self._journal.streams(self._mission)
            if end is None or info.first_position <= end
        }

    def payload(self, digest: Digest) -> bytes | None:
        """Return a payload."""
        return self._journal.payload(digest)


class Texts:
    """The texts behind `Text` values; remembers the payloads that were read last."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._held: OrderedDict[str, str] = OrderedDict()

    def clear(self) -> None:
        """Forget all payloads."""
        self._held.clear()

    def __call__(self, text: Text) -> str:
        """Return the characters of a text; `[purged]` where they are gone."""
        if text.digest is None:
            return text.inline or ""
        whole = self._held.get(text.digest)
        if whole is None:
            data = self._journal.payload(Digest(text.digest))
            if data is None:
                return PURGED_TEXT
            whole = bytes_text(data)
            self._held[text.digest] = whole
            if len(self._held) > CACHED_TEXTS:
                self._held.popitem(last=False)
        else:
            self._held.move_to_end(text.digest)
        return whole[text.start : text.stop]
