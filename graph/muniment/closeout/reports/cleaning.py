"""Cleaning: texts of sessions as they may leave the store in a report.

* Secrets give way to `[redacted:<kind>]`, also where the store was told to keep them: a report goes to places that the
  store does not know.
* Characters that do something where they are shown are written out, such as `\\x1b`: control characters (line feeds and
  tabs stay, CRLF becomes LF), what turns the direction of writing around, line ends that only some programs know, and
  what XML forbids.
* A lone surrogate becomes `?`. Ids and digests stay as they are: nothing of this is in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from muniment.secret_detection import find_secrets, might_hold_secrets

T = TypeVar("T")

_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_COMMAND = re.compile(r"##(?=\[|vso\[)")


def cleaned(value: T) -> T:
    """Return a value of plain types and structs with all of its texts cleaned."""
    plain = msgspec.to_builtins(value)
    texts = list(_texts(plain))
    secrets = might_hold_secrets("\n".join(texts))
    if not secrets and not any(_ACTING.search(text) or _SURROGATE.search(text) for text in texts):
        return value
    return msgspec.convert(_changed(plain, secrets=secrets), type(value))


def clean(text: str, *, secrets: bool = True) -> str:
    """Return one text cleaned; without `secrets` it is known to hold none."""
    if secrets:
        for secret in reversed(find_secrets(text)):
            text = f"{text[: secret.start]}[redacted:{secret.kind}]{text[secret.end :]}"
    return _SURROGATE.sub("?", _ACTING.sub(_written_out, text.replace("\r\n", "\n")))


def harmless(line: str) -> str:
    """Return a line for the log of a build: a forge that looks for its own commands in it, as `##[...]`, finds none."""
    return _COMMAND.sub("# #", line)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _texts(key)
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def _changed(value: object, *, secrets: bool) -> object:
    if isinstance(value, str):
        return clean(value, secrets=secrets)
    if isinstance(value, dict):
        return {_changed(key, secrets=secrets): _changed(part, secrets=secrets) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_changed(part, secrets=secrets) for part in value]
    return value
