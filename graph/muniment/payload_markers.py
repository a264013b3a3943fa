"""Payload markers: long strings are lifted out of a body and come back when it is read.

* A string of more than `THRESHOLD` bytes of UTF-8 becomes `{"$payload": <digest>, "chars": <length>}`; its bytes are
  a payload.
* Bytes are UTF-8; a lone surrogate, which UTF-8 cannot hold, is kept as the three bytes that `surrogatepass` gives it.
* An object of the source that has a key `$payload` (or that key behind more `$`) gets one `$` more, so that no text
  of a source can pass for a marker; `restore` takes it off again. Hence `restore(lift(x)) == x` for every JSON
  object.
* Keys of objects are never lifted. Parts of a body without long strings are shared, not copied.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from muniment.digest import Digest, digest_of
from muniment.errors import FieldError
from muniment.model.entries import JSON_OBJECT

THRESHOLD = 1024
"""Bytes of UTF-8 up to which a string stays in its body."""
PURGED_TEXT = "[purged]"
"""What stands for a text whose payload was purged."""

BytesOf = Callable[[Digest], "bytes | None"]
"""Answers the bytes of a payload, or None where it has been purged."""

MARKER_START = b'"$payload":"'
"""What a marker looks like in canonical bytes; inside a string there would be a backslash before each quote."""

MARKED = b'$payload"'
"""What the canonical bytes of each body hold that is not as its source had it: the end of a marker's key, or of one
that looks like it.
"""

_KEY = "$payload"
_SURELY_SHORT = THRESHOLD // 4
_HOLDERS = frozenset({dict, list})
_IN_CANONICAL_BYTES = re.compile(rb'"\$payload":"([0-9a-f]{64})"')


def lift(body: JSON_OBJECT) -> tuple[JSON_OBJECT, dict[Digest, bytes]]:
    """Return the body with markers in the place of its long strings, and the payloads by digest.

    Raises:
        FieldError: the body is nested too deeply to be walked.
    """
    payloads: dict[Digest, bytes] = {}
    try:
        lifted = _lift(body, payloads)
    except RecursionError:
        raise FieldError("", "nested too deeply") from None
    return (lifted if isinstance(lifted, dict) else body), payloads


def restore(body: JSON_OBJECT, bytes_of: BytesOf) -> tuple[JSON_OBJECT, bool]:
    """Return the body with its texts back in their places, and whether one of them has been purged.

    A purged text comes back as `[purged]`.
    """
    work = _Restoring(bytes_of)
    restored = work.value(body)
    return (restored if isinstance(restored, dict) else body), work.purged


def marked_in(canonical_body: bytes) -> list[Digest]:
    """Return the digests that the markers of a lifted body name, from its canonical bytes; in order, each once."""
    found = (match.decode("ascii") for match in _IN_CANONICAL_BYTES.findall(canonical_body))
    return [Digest(text) for text in dict.fromkeys(found)]


def text_bytes(text: str) -> bytes:
    """Return the bytes that stand for a text in a payload."""
    return text.encode("utf-8", "surrogatepass")


def bytes_text(data: bytes) -> str:
    """Return the text of a payload's bytes."""
    return data.decode("utf-8", "surrogatepass")


def _lift(value: object, payloads: dict[Digest, bytes]) -> object:
    if isinstance(value, str):
        return value if len(value) <= _SURELY_SHORT else _lift_text(value, payloads)
    if isinstance(value, dict):
        return _lift_object(value, payloads)
    if isinstance(value, list):
        items = [_lift(item, payloads) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _lift_text(text: str, payloads: dict[Digest, bytes]) -> object:
    if text.isascii() and len(text) <= THRESHOLD:
        return text
    data = text_bytes(text)
    if len(data) <= THRESHOLD:
        return text
    digest = digest_of(data)
    payloads[digest] = data
    return {_KEY: digest, "chars": len(text)}


def _lift_object(value: dict[str, object], payloads: dict[Digest, bytes]) -> dict[str, object]:
    changed = False
    out: dict[str, object] = {}
    for key, part in value.items():
        name = "$" + key if _is_marker_like(key) else key
        new = _lift(part, payloads)
        changed = changed or new is not part or name is not key
        out[name] = new
    return out if changed else value


def _is_marker_like(key: str) -> bool:
    return key.endswith(_KEY) and not key[: -len(_KEY)].strip("$")


class _Restoring:
    """One pass over a body; remembers whether a purged text was met."""

    def __init__(self, bytes_of: BytesOf) -> None:
        self._bytes_of = bytes_of
        self.purged = False

    def value(self, value: object) -> object:
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            items = [self.value(item) for item in value]
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        return value

    def _object(self, value: dict[str, object]) -> object:
        digest = value.get(_KEY)
        if isinstance(digest, str):
            return self._text(Digest(digest))
        restored = {
            key: new for key, part in value.items() if type(part) in _HOLDERS and (new := self.value(part)) is not part
        }
        out = {**value, **restored} if restored else value
        if _KEY not in "".join(value):
            return out
        return {key[1:] if _is_marker_like(key) else key: part for key, part in out.items()}

    def _text(self, digest: Digest) -> str:
        data = self._bytes_of(digest)
        if data is None:
            self.purged = True
            return PURGED_TEXT
        return bytes_text(data)
