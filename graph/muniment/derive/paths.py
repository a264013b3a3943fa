"""File identity: when two spellings of a path are one file, by the rules of the file system that the file is on.

* A key is absolute where a base is known, with `/` between its parts, and has no `.`, `..` or empty parts. Links that
  are known are followed part by part, as the system does: `link/..` is the folder above what the link leads to. Where
  none is known, `..` is resolved by the words alone.
* posix: only `/` separates; a backslash is an ordinary character. Names that differ in case or in Unicode form stay
  apart unless the rules of the volume say otherwise.
* windows: both slashes separate; `C:\\x`, `c:/x`, `/c:/x` and `\\\\?\\C:\\x` are one place; `\\x` is on the drive of
  its base; a server and its share are the root of their paths.
* Folding follows the kind of volume: windows folds character by character (`ß` is not `ss`), others fold fully.
* `~/x` stays as it is, for nobody here knows whose home it is; on windows so does `/mnt/c/x`, another system's path.
* Only keys are normalised; what is shown keeps its spelling.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

import msgspec

WINDOWS = "windows"
MOST_LINKS = 40
"""Links that are followed on the way to one file; a system follows no more."""

_SHARE_PREFIX = re.compile(r"\A//[?.]/unc/", re.IGNORECASE)
_PREFIX = re.compile(r"\A(?://[?.]/|/\?\?/|/)(?=[A-Za-z]:(?:/|\Z))")
_DRIVE = re.compile(r"([A-Za-z]:)(/?)")
_SHARE = re.compile(r"//[^/]+(?:/+[^/]+)?")
_FOREIGN = re.compile(r"/mnt/[A-Za-z](?:/|\Z)")


REMEMBERED = 1_024
"""Paths whose places are remembered: a session names the same files again and again."""


class Rules(msgspec.Struct, frozen=True):
    """What a volume holds for the same name: `style` is posix or windows."""

    style: str = "posix"
    case_sensitive: bool = True
    normalization_sensitive: bool = True


class _Place(msgspec.Struct, frozen=True):
    """A path taken apart. `anchor` is "/", "c:/", "//server/share/", "~/"; "" or "c:" (on a drive) if relative."""

    anchor: str
    parts: tuple[str, ...]

    @property
    def absolute(self) -> bool:
        """Whether the place needs no base; a windows path from the root of some drive ("\\") still does."""
        return self.anchor.endswith("/")


def file_key(
    path: str, *, root: str | None, cwd: str | None, rules: Rules, links: Mapping[str, str] | None = None
) -> str:
    """Return the identity of the file that `path` names, seen from `cwd` (itself seen from `root`), else from `root`.

    Two spellings have one key exactly if the rules make them one file. With no base, a relative path stays relative.
    `links` leads from the key of each known link to that of what it leads to.
    """
    if links:
        return _followed(_joined_up(path, root, cwd, rules), rules, links)
    return _folded(_text(_placed(path, root, cwd, rules)), rules)


def shown_path(path: str, *, root: str | None, rules: Rules) -> str:
    """Return `path` as views show it: relative to `root` where it lies below it, else as given; spelled as it is."""
    if root is None:
        return path
    base = _placed(root, None, None, rules)
    place = _placed(path, root, None, rules)
    depth = len(base.parts)
    within = _Place(place.anchor, place.parts[:depth])
    if not base.absolute or _folded(_text(within), rules) != _folded(_text(base), rules):
        return path
    return "/".join(place.parts[depth:]) or "."


def project_key(root: str, rules: Rules) -> str:
    """Return the key of the project in folder `root`: the folder's own key, so that no two folders share one."""
    return file_key(root, root=None, cwd=None, rules=rules)


@lru_cache(maxsize=REMEMBERED)
def _placed(path: str, root: str | None, cwd: str | None, rules: Rules) -> _Place:
    place = _joined_up(path, root, cwd, rules)
    return _Place(place.anchor, _resolved(place))


def _joined_up(path: str, root: str | None, cwd: str | None, rules: Rules) -> _Place:
    place = _parsed(path, rules)
    for base in (cwd, root):
        if base is not None:
            place = _joined(_parsed(base, rules), place)
    return place


def _followed(place: _Place, rules: Rules, links: Mapping[str, str]) -> str:
    """Return the key of a place, each link in it replaced by what it leads to; a ring of links is left as it is."""
    reached, waiting = _Place(place.anchor, ()), list(reversed(place.parts))
    hops = 0
    while waiting:
        reached = _Place(reached.anchor, _resolved(_Place(reached.anchor, (*reached.parts, waiting.pop()))))
        target = links.get(_folded(_text(reached), rules))
        if target is not None and hops < MOST_LINKS:
            hops += 1
            led = _parsed(target, rules)
            reached = _Place(led.anchor, ())
            waiting += reversed(led.parts)
    return _folded(_text(reached), rules)


def _parsed(path: str, rules: Rules) -> _Place:
    anchor, rest = _windows_anchor(path) if rules.style == WINDOWS else ("/" if path.startswith("/") else "", path)
    parts = tuple(part for part in rest.split("/") if part and part != ".")
    if not anchor and parts[:1] == ("~",):
        return _Place("~/", parts[1:])
    return _Place(anchor, parts)


def _windows_anchor(path: str) -> tuple[str, str]:
    path = path.replace("\\", "/")
    bare = _PREFIX.sub("", _SHARE_PREFIX.sub("//", path, count=1), count=1)
    if drive := _DRIVE.match(bare):
        anchor = drive[1].lower() + ("/" if bare != path else drive[2])
        return anchor, bare[drive.end() :]
    if share := _SHARE.match(bare):
        server = "/".join(part for part in share[0].split("/") if part)
        return f"//{server.lower()}/", bare[share.end() :]
    if _FOREIGN.match(bare):
        return "/mnt/", bare[len("/mnt/") :]
    return ("\\", bare[1:]) if bare.startswith("/") else ("", bare)


def _joined(base: _Place, place: _Place) -> _Place:
    """Return `place` as seen from `base`, where it needs a base."""
    on_same_drive = place.anchor == base.anchor[:2] and not place.absolute
    if place.anchor == "" or (on_same_drive and base.absolute):
        return _Place(base.anchor, (*base.parts, *place.parts))
    if place.anchor == "\\" and base.anchor.endswith(":/"):
        return _Place(base.anchor, place.parts)
    return place


def _resolved(place: _Place) -> tuple[str, ...]:
    parts: list[str] = []
    for part in place.parts:
        if part != "..":
            parts.append(part)
        elif parts and parts[-1] != "..":
            parts.pop()
        elif place.anchor in ("", "~/") or place.anchor.endswith(":"):
            parts.append(part)
    return tuple(parts)


def _text(place: _Place) -> str:
    anchor = "/" if place.anchor == "\\" else place.anchor
    whole = anchor + "/".join(place.parts)
    bare_root = not place.parts and (anchor == "/" or anchor.endswith(":/"))
    return (whole if bare_root else whole.rstrip("/")) or "."


def _folded(text: str, rules: Rules) -> str:
    if not rules.normalization_sensitive:
        text = unicodedata.normalize("NFD", text)
    if not rules.case_sensitive:
        text = _simply_folded(text) if rules.style == WINDOWS else text.casefold()
    return text if rules.normalization_sensitive else unicodedata.normalize("NFC", text)


def _simply_folded(text: str) -> str:
    return text.lower() if text.isascii() else "".join(map(_simple_fold, text))


def _simple_fold(character: str) -> str:
    """Fold to one character: volumes of this kind keep names apart that differ in length when folded."""
    folded = character.casefold()
    if len(folded) > 1:
        folded = character.lower()
    return folded if len(folded) == 1 else character
