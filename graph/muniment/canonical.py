"""Canonical encoding: which bytes stand for a value when it is hashed.

Rules, all of them:

1. A value is JSON: null, booleans, integers, finite floats, strings, lists, objects with string keys.
2. Objects have their keys sorted by Unicode code point; no white space; UTF-8; `/` and non-ASCII are not escaped.
3. Strings are taken as they are: no Unicode normalisation. A lone surrogate, which UTF-8 cannot hold, is written as its
   escape (`\\ud83d`), so that two different broken texts stay different.
4. `fields(...)` hashes a tuple of strings or integers by writing each as `<length in bytes>:<bytes>,`; so no choice of
   fields can run into another.

Golden examples: `tests/golden/canonical.json`.
"""

from __future__ import annotations

import json
import math
from typing import TypeAlias

import msgspec

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_ENCODER = msgspec.json.Encoder(order="sorted")


def encode(value: object) -> bytes:
    """Return the canonical bytes of a JSON value.

    Raises:
        TypeError: a key is not a string, or a value is no JSON value.
    """
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        return _with_escaped_surrogates(value)


def decode(data: bytes) -> Json:
    """Return the value of JSON bytes; lone surrogates are accepted.

    Raises:
        ValueError: `data` is not one JSON value (`msgspec.DecodeError` and `json.JSONDecodeError` are both of this
        kind).
    """
    try:
        value: Json = msgspec.json.decode(data)
    except ValueError:
        return _decode_leniently(data)
    return value


def fields(*parts: str | int) -> bytes:
    """Return `parts` as length-prefixed bytes (rule 4)."""
    texts = [part if isinstance(part, str) else f"{part:d}" for part in parts]
    joined = "".join([f"{len(text)}:{text}," for text in texts])
    if joined.isascii():  # as many bytes as characters
        return joined.encode()
    raws = [text.encode("utf-8", "surrogatepass") for text in texts]
    return b"".join([b"%d:%b," % (len(raw), raw) for raw in raws])


def _with_escaped_surrogates(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace")


def _decode_leniently(data: bytes) -> Json:
    """Accept what the strict decoder refuses but JSON's grammar allows: escapes of lone surrogates, huge integers."""
    value: Json = DECODER.decode(data.decode("utf-8"))
    return value


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is beyond the range of numbers")
    return number


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
"""Reads what JSON's grammar allows and no more: no NaN, no number that is infinite."""
