"""Which files a patch names: unified diffs, git's own, and the patches of agents' tools."""

from __future__ import annotations

import re
from typing import Final

_AGENT: Final = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE)
_HEADER: Final = re.compile(
    r"^--- (?P<old>[^\t\n]+)(?:\t[^\n]*)?\n\+\+\+ (?P<new>[^\t\n]+)(?:\t[^\n]*)?$"
    r"|^(?:rename|copy) (?:from|to) (?P<moved>.+)$"
    r"|^diff --git a/(?P<left>.+) b/(?P<right>.+)$",
    re.MULTILINE,
)


def patched_paths(text: str, strip: int | None) -> list[str] | None:
    """Return the paths that a patch writes, without `strip` leading parts; None where it names none.

    `strip` None takes off `a/` and `b/`. Where both sides of a file are named, both count.
    """
    if "*** Begin Patch" in text:
        found = _AGENT.findall(text)
        return list(dict.fromkeys(found)) or None
    paths: dict[str, None] = {}
    for match in _HEADER.finditer(text):
        for side in ("old", "new"):
            path = match[side]
            if path is not None and path.strip() != "/dev/null":
                paths[_stripped(path.strip().strip('"'), strip)] = None
        for side in ("moved", "left", "right"):
            if match[side] is not None:
                path = match[side].strip().strip('"')
                paths[_stripped(f"x/{path}", strip) if strip else path] = None
    return list(paths) or None


def _stripped(path: str, strip: int | None) -> str:
    if strip is None:
        return re.sub(r"\A[abciwo]/", "", path)
    return "/".join(path.split("/")[strip:]) if path.count("/") >= strip else path.rsplit("/", 1)[-1]
