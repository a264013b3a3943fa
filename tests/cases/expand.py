"""Texts, repeat blocks and raw files of cases, written out.

A text is a string, `{"repeat": n, "text": t}`, `{"base64": b}` or a list of these. `{i}` and `{i+k}` in a repeated
template are its number, counted from 0 (plus k); an inner repeat counts for itself.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tests.cases.form import EVENT, Raw

_PLACE = re.compile(r"\{i(?:\+(\d+))?\}")
_BOM = b"\xef\xbb\xbf"


def fill(template: object, number: int) -> object:
    """Return a template with its number filled in."""
    if isinstance(template, str):
        return _PLACE.sub(lambda match: str(number + int(match[1] or 0)), template)
    if isinstance(template, list):
        return [fill(part, number) for part in template]
    if isinstance(template, dict):
        if "repeat" in template:
            return template
        return {str(fill(key, number)): fill(part, number) for key, part in template.items()}
    return template


def text_bytes(text: object) -> bytes:
    """Return the bytes of a text.

    Raises:
        ValueError: it is no text.
    """
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(text, list | tuple):
        return b"".join(text_bytes(part) for part in text)
    if isinstance(text, dict) and "base64" in text:
        return base64.b64decode(str(text["base64"]))
    if isinstance(text, dict) and {"repeat", "text"} == set(text):
        return _repeated(text["text"], _number(text["repeat"]))
    raise ValueError(f"not a text: {str(text)[:80]}")


def plain_text(text: object) -> str:
    """Return a text as a string; a byte that is part of no character becomes a lone surrogate."""
    data = text_bytes(text)
    return decoded(data) or data.decode("utf-8", "surrogateescape")


def decoded(data: bytes) -> str | None:
    """Return bytes as a string, lone surrogates allowed; None where they are no text."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def plain_events(events: Iterable[EVENT], size: int | None) -> Iterator[EVENT]:
    """Yield events with repeat blocks written out; `size` is what `"repeat": "n"` takes."""
    for event in events:
        if "repeat" not in event:
            yield event
            continue
        templates = event["events"]
        assert isinstance(templates, list)
        times = size if event["repeat"] == "n" else _number(event["repeat"])
        if times is None:
            raise ValueError('"repeat": "n" in a case without sizes')
        seq = _number(event["seq"])
        for number in range(times):
            for template in templates:
                filled = fill(template, number)
                assert isinstance(filled, dict)
                yield {"seq": seq, **filled}
                seq += 1


def write_lines(path: Path, raw: Raw, change: Callable[[str], str], *, mode: str = "wb") -> None:
    """Write a raw file, or (mode `ab`) the lines that it gains; a part at a time, so that memory stays small.

    `change` is made to each line that is given as one string.
    """
    end = raw.line_end.encode()
    with path.open(mode) as file:
        if raw.bom:
            file.write(_BOM)
        pending = b""
        for line in _lines(raw.raw_lines):
            file.write(pending)
            for part in _parts(change(line) if isinstance(line, str) else line):
                file.write(part)
            pending = end
        if raw.final_newline:
            file.write(pending)


def _lines(lines: Iterable[object]) -> Iterator[object]:
    for line in lines:
        if isinstance(line, dict) and "line" in line:
            for number in range(_number(line["repeat"])):
                yield fill(line["line"], number)
        else:
            yield line


def _parts(text: object) -> Iterator[bytes]:
    """Yield the bytes of a line, long repeats in pieces."""
    for part in text if isinstance(text, list | tuple) else [text]:
        if isinstance(part, dict) and "repeat" in part and not _counts(part["text"]):
            unit, times = text_bytes(part["text"]), _number(part["repeat"])
            piece = max(1, (1 << 20) // max(1, len(unit)))
            for done in range(0, times, piece):
                yield unit * min(piece, times - done)
        else:
            yield text_bytes(part)


def _repeated(template: object, times: int) -> bytes:
    if not _counts(template):
        return text_bytes(template) * times
    return b"".join(text_bytes(fill(template, number)) for number in range(times))


def _counts(template: object) -> bool:
    return not isinstance(template, str) or _PLACE.search(template) is not None


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError(f"not a number: {value!r}")  # noqa: TRY004  a wrong case, as all else here
    return value
