"""The words behind the numbers in stored rows: missions, sessions, streams, projects, actors, formats.

A number never comes to mean another word, so what was read once is kept.
"""

from __future__ import annotations

import sqlite3

from muniment.journal.chain import Names, StreamNames, Unsound
from muniment.journal.port import StreamKey
from muniment.payload_markers import bytes_text, text_bytes


class StoredNames:
    """Reads and remembers names of one journal file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._words: dict[int, str] = {}
        self._streams: dict[int, StreamNames] = {}

    def lookups(self) -> Names:
        """Return the lookups that `chain.checked` needs."""
        return Names(stream=self.stream, word=self.word)

    def word(self, number: int) -> str:
        """Return a project, an actor or a format.

        Raises:
            Unsound: the number stands for nothing.
        """
        found = self._words.get(number)
        if found is None:
            row = self._connection.execute("SELECT text FROM name WHERE id = ?", (number,)).fetchone()
            found = self._words[number] = _text(row[0] if row else None, f"name {number}")
        return found

    def stream(self, number: int) -> StreamNames:
        """Return the mission, session and stream that a stream's number stands for.

        Raises:
            Unsound: the number stands for nothing.
        """
        found = self._streams.get(number)
        if found is None:
            row = self._connection.execute(
                "SELECT mission.id, session.id, mission.text, session.text, stream.text FROM stream"
                " JOIN session ON session.id = stream.session"
                " JOIN mission ON mission.id = session.mission WHERE stream.id = ?",
                (number,),
            ).fetchone()
            if row is None:
                raise Unsound(f"stream {number} is gone")
            parts = [_text(part, f"a name of stream {number}") for part in row[2:]]
            found = self._streams[number] = StreamNames(row[0], row[1], *parts)
        return found

    def mission(self, text: str) -> tuple[int, int] | None:
        """Return the number of a mission and how many entries it has, or None."""
        row: tuple[int, int] | None = self._connection.execute(
            "SELECT id, entries FROM mission WHERE text = ?", (text_bytes(text),)
        ).fetchone()
        return row

    def stream_number(self, mission: int, key: StreamKey) -> tuple[int, int] | None:
        """Return the number of a stream and how many entries it has, or None."""
        row: tuple[int, int] | None = self._connection.execute(
            "SELECT stream.id, stream.entries FROM session JOIN stream ON stream.session = session.id"
            " WHERE session.mission = ? AND session.text = ? AND stream.text = ?",
            (mission, text_bytes(key.session), text_bytes(key.stream)),
        ).fetchone()
        return row

    def missions(self) -> list[tuple[int, int, str]]:
        """Return number, length and text of each mission.

        Raises:
            Unsound: a text cannot be read.
        """
        rows = self._connection.execute("SELECT id, entries, text FROM mission").fetchall()
        return [(number, entries, _text(text, f"mission {number}")) for number, entries, text in rows]

    def streams(self, mission: int) -> list[tuple[int, int, StreamKey]]:
        """Return number, length and key of each stream of a mission.

        Raises:
            Unsound: a text cannot be read.
        """
        rows = self._connection.execute(
            "SELECT stream.id, stream.entries, session.text, stream.text FROM session"
            " JOIN stream ON stream.session = session.id WHERE session.mission = ?",
            (mission,),
        ).fetchall()
        return [
            (number, entries, StreamKey(_text(session, "a session"), _text(stream, "a stream")))
            for number, entries, session, stream in rows
        ]

    def numbers_of_source(self, mission: int, source_id: str) -> list[int]:
        """Return the numbers, within the mission, of the entries with a source id; in order."""
        rows = self._connection.execute(
            "SELECT entry.number FROM session JOIN entry ON entry.session = session.id"
            " WHERE session.mission = ? AND entry.source_id = ? ORDER BY entry.number",
            (mission, text_bytes(source_id)),
        ).fetchall()
        return [int(row[0]) for row in rows]


def _text(value: object, what: str) -> str:
    if not isinstance(value, bytes):
        raise Unsound(f"{what} is gone")
    try:
        return bytes_text(value)
    except UnicodeDecodeError as error:
        raise Unsound(f"{what} cannot be read") from error
