"""Payloads in the journal's file: packed, deduplicated by digest, checked whenever they are read.

* zstd, level 3, one frame per payload, with its content size; kept as it is where that is smaller.
* The size is checked before anything is unpacked, so that a damaged frame cannot ask for the whole memory.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from typing import NamedTuple

import zstandard

from muniment.digest import Digest, digest_of
from muniment.journal.chain import Unsound

LEVEL = 3
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_OF_THREAD = threading.local()
_RAW = 0
_ZSTD = 1


class Packed(NamedTuple):
    """A payload as it is stored."""

    digest: Digest
    form: int
    size: int
    data: bytes


def is_digest(text: str) -> bool:
    """Tell whether `text` has the form of a digest."""
    return _DIGEST.match(text) is not None


def compressor() -> zstandard.ZstdCompressor:
    """Return a compressor; it is for one thread at a time."""
    return zstandard.ZstdCompressor(level=LEVEL, write_content_size=True)


def pack(digest: Digest, data: bytes, by: zstandard.ZstdCompressor) -> Packed:
    """Return the stored form of a payload."""
    frame = by.compress(data)
    if len(frame) < len(data):
        return Packed(digest, _ZSTD, len(data), frame)
    return Packed(digest, _RAW, len(data), data)


def unpack(digest: Digest, form: object, size: object, data: object) -> bytes:
    """Return the bytes of a stored payload.

    Raises:
        Unsound: they are not what was written.
    """
    if isinstance(data, bytes) and isinstance(size, int):
        if form == _RAW and len(data) == size:
            return _checked(digest, data)
        if form == _ZSTD and _frame_size(data) == size:
            return _checked(digest, _unzip(digest, data))
    raise Unsound(f"payload {digest} is not what was written", payload=digest)


def is_stored(connection: sqlite3.Connection, digest: Digest) -> bool:
    """Tell whether a payload is in the file."""
    found = connection.execute("SELECT 1 FROM payload WHERE digest = ?", (bytes.fromhex(digest),))
    return found.fetchone() is not None


def insert(connection: sqlite3.Connection, packed: Packed) -> None:
    """Store a payload that is not in the file."""
    connection.execute(
        "INSERT INTO payload (digest, form, size, data) VALUES (?, ?, ?, ?)",
        (bytes.fromhex(packed.digest), packed.form, packed.size, packed.data),
    )


def load(connection: sqlite3.Connection, digest: Digest) -> bytes | None:
    """Return the bytes of a payload, or None where it is not in the file.

    Raises:
        Unsound: it is not what was written.
    """
    row = connection.execute(
        "SELECT form, size, data FROM payload WHERE digest = ?", (bytes.fromhex(digest),)
    ).fetchone()
    return None if row is None else unpack(digest, *row)


def _frame_size(data: bytes) -> int:
    try:
        return zstandard.frame_content_size(data)
    except zstandard.ZstdError:
        return -1


def _unzip(digest: Digest, data: bytes) -> bytes:
    try:
        return _decompressor().decompress(data, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise Unsound(f"payload {digest} cannot be unpacked ({error})", payload=digest) from error


def _decompressor() -> zstandard.ZstdDecompressor:
    """Return this thread's decompressor: making one takes longer than unpacking most payloads."""
    made: zstandard.ZstdDecompressor | None = getattr(_OF_THREAD, "decompressor", None)
    if made is None:
        made = _OF_THREAD.decompressor = zstandard.ZstdDecompressor()
    return made


def _checked(digest: Digest, data: bytes) -> bytes:
    if digest_of(data) != digest:
        raise Unsound(f"payload {digest} is not what was written", payload=digest)
    return data
