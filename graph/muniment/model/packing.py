"""Packing: values as compact bytes and back, also where a text holds lone surrogates, which no encoder takes.

* The usual way is plain msgpack. Only a value with such a text takes the slow way: in all its texts a backslash is
  doubled and a lone surrogate becomes `\\udxxx`.
* The first byte says which way it was.
* `json_text` does the same as JSON, where what was packed should be legible.
* `writable` is for what goes out: there, a lone surrogate becomes a question mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

T = TypeVar("T")

_PLAIN: Final = b"p"
_ESCAPED: Final = b"e"
_ESCAPE = re.compile(r"\\(\\|u[0-9a-f]{4})")


def pack(value: object) -> bytes:
    """Return the bytes of a value of plain types."""
    try:
        return _PLAIN + msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, builtin_types=(bytes,))
        return _ESCAPED + msgspec.msgpack.encode(_with_texts(plain, _escaped))


def unpack(data: bytes, kind: type[T]) -> T:
    """Return the value of type `kind` that was packed.

    Raises:
        msgspec.MsgspecError: the bytes are not those of such a value.
    """
    packed = memoryview(data)[1:]
    if data[:1] == _PLAIN:
        return msgspec.msgpack.decode(packed, type=kind)
    return msgspec.convert(_with_texts(msgspec.msgpack.decode(packed), _restored), kind)


def json_text(value: object) -> str:
    """Return a value of plain types as JSON in plain text; a leading space says that its texts are escaped."""
    try:
        return msgspec.json.encode(value).decode("utf-8")
    except UnicodeEncodeError:
        return " " + msgspec.json.encode(_with_texts(msgspec.to_builtins(value), _escaped)).decode("utf-8")


def from_json_text(text: str, kind: type[T]) -> T:
    """Return the value of type `kind` that `json_text` wrote.

    Raises:
        msgspec.MsgspecError: the text is not that of such a value.
    """
    if text.startswith(" "):
        return msgspec.convert(_with_texts(msgspec.json.decode(text), _restored), kind)
    return msgspec.json.decode(text, type=kind)


def escaped(text: str) -> str:
    """Return a text that every encoder and every engine takes: lone surrogates, NUL and backslashes are escaped."""
    return _escaped(text).replace("\0", "\\u0000")


def restored(text: str) -> str:
    """Return the text that was escaped."""
    return _restored(text)


def writable(value: T) -> T:
    """Return a value that can be written as strict JSON: itself, or with question marks for lone surrogates."""
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.convert(_with_texts(msgspec.to_builtins(value), _repaired), type(value))
    return value


def _with_texts(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_with_texts(key, change): _with_texts(part, change) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_texts(part, change) for part in value]
    return tuple(_with_texts(part, change) for part in value) if isinstance(value, tuple) else value


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").encode("utf-8", "backslashreplace").decode("utf-8")


def _repaired(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _restored(text: str) -> str:
    return _ESCAPE.sub(lambda match: "\\" if match[1] == "\\" else chr(int(match[1][1:], 16)), text)
