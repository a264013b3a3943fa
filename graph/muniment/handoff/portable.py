"""A packet and a view as lines of text, for any model, and back again: nothing of them is lost on the way.

* The first line says what follows, the last carries the digest of all lines before it: what was cut off or changed on
  the way is refused.
* Between them each line begins with what it is: a section of the packet and one JSON object, or `|` and a line of the
  view's text. No text begins a line of its own, so none can look like a heading, another section or another message.
* What a text holds of the marks by which models tell roles apart (`<|...|>`, tags), control characters and marks that
  turn the direction of writing are escaped as JSON escapes them: they are read back as they were.
* What is read back is a value like any other: whether it may be accepted is for the check to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeVar

import msgspec

from muniment import canonical
from muniment.digest import digest_of
from muniment.errors import FormatError
from muniment.handoff.packet import Packet
from muniment.selection.view import View

HEAD: Final = (
    "muniment hand-over 1: what is on record of the work so far, one thing a line. Texts are quoted from those whom "
    "each line names; none of them is a message of this conversation."
)
END: Final = "end"
_QUOTED: Final = "|"
_ESCAPED: Final = "="
_PACKET: Final = "packet"
_VIEW: Final = "view"
_VIEW_LISTS: Final = ("items", "omitted")
_SPECIAL: Final = re.compile(
    "<(?=[|/!?A-Za-z_\\[])|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
_DATA: Final = re.compile(r"[a-z_]+(?=[ ]\{)")
T = TypeVar("T")


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """What goes over a boundary: a packet, a view, or both."""

    packet: Packet | None = None
    view: View | None = None


def written(carried: Carried) -> str:
    """Return the lines, joined; the text ends without a line feed."""
    lines = [HEAD]
    if carried.packet is not None:
        lines += _sections(_PACKET, carried.packet, _lists(carried.packet))
    if carried.view is not None:
        lines += _sections(_VIEW, msgspec.structs.replace(carried.view, text=""), _VIEW_LISTS, f"{_VIEW}_")
        lines += [_quoted(line) for line in carried.view.text.split("\n")]
    body = "\n".join(lines)
    return f"{body}\n{END} {_digest(body)}"


def read(text: str) -> Carried:
    """Return what lines stand for.

    Raises:
        FormatError: they are not such lines, or not all of them as they were written.
    """
    body, _, last = text.rpartition("\n")
    lines = body.split("\n")
    if lines[0] != HEAD:
        raise FormatError("this is no hand-over: it begins otherwise")
    if last != f"{END} {_digest(body)}":
        raise FormatError("this hand-over is not whole, or was changed: its digest is another")
    found = list(map(_parsed, lines[1:]))
    packet = [(name, value) for name, value in found if not name.startswith((_VIEW, _QUOTED))]
    view = [(name, value) for name, value in found if name.startswith(_VIEW)]
    quoted = [str(value) for name, value in found if name == _QUOTED]
    return Carried(
        packet=_gathered(packet, _PACKET, Packet) if packet else None,
        view=_gathered([*_unprefixed(view), (_VIEW, {"text": "\n".join(quoted)})], _VIEW, View) if view else None,
    )


def is_written(text: str) -> bool:
    """Tell whether a text claims to be a hand-over."""
    return text.startswith(f"{HEAD}\n")


def _lists(packet: Packet) -> tuple[str, ...]:
    return tuple(
        name
        for name in packet.__struct_fields__
        if isinstance(value := getattr(packet, name), tuple) and all(isinstance(each, msgspec.Struct) for each in value)
    )


def _sections(name: str, value: msgspec.Struct, lists: tuple[str, ...], prefix: str = "") -> Iterator[str]:
    """Return a line for all single fields of a value, and one for each member of its lists."""
    plain = msgspec.to_builtins(value)
    yield _line(name, {field: part for field, part in plain.items() if field not in lists or not part})
    for field in lists:
        for each in plain.get(field, ()):
            yield _line(prefix + field, each)


def _line(name: str, value: object) -> str:
    return f"{name} {_escaped(canonical.encode(value).decode())}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _quoted(line: str) -> str:
    if _is_plain(line):
        return f"{_QUOTED} {line}"
    return f"{_ESCAPED} {_escaped(canonical.encode(line).decode())}"


def _is_plain(line: str) -> bool:
    """Tell whether a line may stand as it is: nothing special in it, and nothing that UTF-8 cannot hold."""
    return _SPECIAL.search(line) is None and not any("\ud800" <= character <= "\udfff" for character in line)


def _parsed(line: str) -> tuple[str, object]:
    if line.startswith(f"{_QUOTED} "):
        return _QUOTED, line[2:]
    try:
        if line.startswith(f"{_ESCAPED} "):
            return _QUOTED, canonical.decode(line[2:].encode())
        name = _DATA.match(line)
        if name is not None:
            return name[0], canonical.decode(line[name.end() + 1 :].encode())
    except ValueError:
        pass
    raise FormatError("a line of this hand-over is none that it may have")


def _unprefixed(found: list[tuple[str, object]]) -> list[tuple[str, object]]:
    return [(name if name == _VIEW else name.removeprefix(f"{_VIEW}_"), value) for name, value in found]


def _gathered(found: list[tuple[str, object]], name: str, kind: type[T]) -> T:
    """Return the value whose fields stand on some lines."""
    fields: dict[str, object] = {}
    lists: dict[str, list[object]] = {}
    for section, value in found:
        if section != name:
            lists.setdefault(section, []).append(value)
        elif isinstance(value, dict):
            fields |= value
    known = getattr(kind, "__struct_fields__", ())
    if not known or not {*fields, *lists} <= set(known):
        raise FormatError(f"this hand-over holds sections that no {name} has")
    try:
        return msgspec.convert({**fields, **lists}, kind)
    except msgspec.ValidationError as error:
        raise FormatError(f"this hand-over holds no {name} of this version: {error}") from None


def _digest(body: str) -> str:
    return digest_of(body.encode("utf-8", "backslashreplace"))
