"""Digests: BLAKE3 over stored bytes, always under a domain; SHA-256 for others.

`digest_of` names content (payloads, file versions); `chain_hash` and `commitment` make the journal's chain;
`keyed_tag` makes short tags that nobody can guess without the store's key. The exact bytes that are hashed are
written down in `canonical.py`.
"""

from __future__ import annotations

import hashlib
from typing import NewType

from blake3 import blake3

Digest = NewType("Digest", str)
"""64 lower-case hexadecimal characters: BLAKE3-256."""

SALT_BYTES = 16
KEY_BYTES = 32

GENESIS = bytes(32)
"""The hash before the first entry."""

_ENTRY = b"muniment entry v1\n"
_BODY = b"muniment body v1\n"


def digest_of(data: bytes) -> Digest:
    """Return the content digest of `data`: plain BLAKE3, so that other tools can check it."""
    return Digest(blake3(data).hexdigest())


def commitment(salt: bytes, body: bytes) -> bytes:
    """Bind an entry's body: BLAKE3(domain ‖ salt ‖ body), 32 bytes. With the salt gone the body cannot be guessed."""
    return blake3(_BODY + salt + body).digest()


def chain_hash(previous: bytes, envelope: bytes, body_commitment: bytes) -> bytes:
    """Link an entry to the one before it: BLAKE3(domain ‖ previous ‖ commitment ‖ envelope), 32 bytes.

    `previous` and `body_commitment` have a fixed length of 32 bytes, so no two different triples give the same input.
    """
    return blake3(_ENTRY + previous + body_commitment + envelope).digest()


def keyed_tag(key: bytes, text: bytes, length: int) -> str:
    """Return the first `length` hexadecimal characters of BLAKE3 keyed with the store's 32-byte key."""
    return blake3(text, key=key).hexdigest()[:length]


def sha256_of(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal: for what leaves the store, where others know no BLAKE3."""
    return hashlib.sha256(data).hexdigest()
