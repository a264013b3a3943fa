"""Places: which files a path, a folder or a pattern of a constraint means, and what was written there since.

* `vendor/` is all below a folder; a name without a slash is a file or folder of that name anywhere; `*` and `?` as in
  shells, `**` any folders.
* Only files inside the workspace count, and only changes by an agent that are known to be of that file.
* What stands again as it stood at the beginning was not changed, as far as the outcome goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from muniment.closeout.evidence import Evidence
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Excerpt, File, Receipt

_WHOLE: Final = frozenset({"bytes", "lines", "absent"})
_TEST: Final = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|/)test_[^/]*\.py$|(?:^|/)conftest\.py$|_(?:test|spec)\.\w+$|\.(?:test|spec)\.\w+$"
    r"|(?:^|/)\w+Tests?\.(?:java|kt|cs|swift)$"
)
_GENERATED_PATH: Final = re.compile(
    r"(?:^|/)(?:__)?generated(?:__)?/|\.pb\.(?:go|cc|h)$|_pb2(?:_grpc)?\.pyi?$|\.g\.dart$|\.generated\.\w+$"
)
_GENERATED_TEXT: Final = re.compile(
    r"@generated\b|\bgenerated (?:by|from|with|using)\b.{0,120}\bdo not (?:edit|modify)"
    r"|\bdo not (?:edit|modify)\b.{0,120}\bgenerated\b|\bcode generated\b.{0,80}\bdo not edit",
    re.I | re.S,
)
_HEAD: Final = 10
"""Lines at a file's beginning that may say that it is generated."""


class Written(NamedTuple):
    """A file that a receipt changed."""

    file: File
    receipt: Receipt


def written_since(
    evidence: Evidence, since: int, means: Callable[[File], bool], *, by_hand: bool = False
) -> Iterator[Written]:
    """Yield the first change by an agent, behind an ordinal, of each file that is meant, unless it was undone.

    `by_hand`: what commands changed does not count.
    """
    looked: dict[str, File | None] = {}
    for change in evidence.changes.all:
        if change.asked <= since:
            continue
        for wanted in change.files:
            if wanted not in looked:
                looked[wanted] = _meant(evidence, wanted, means)
            file = looked[wanted]
            receipt = _by_agent(evidence, change.cause) if file is not None else None
            if file is not None and receipt is not None and not (by_hand and receipt.tool == "command"):
                looked[wanted] = None
                if not _as_before(evidence, file, since):
                    yield Written(file, receipt)


def _meant(evidence: Evidence, wanted: str, means: Callable[[File], bool]) -> File | None:
    file = evidence.snapshot.node(wanted)
    return file if isinstance(file, File) and is_inside(evidence, file) and means(file) else None


def _by_agent(evidence: Evidence, cause: str) -> Receipt | None:
    receipt = evidence.snapshot.node(cause)
    if not isinstance(receipt, Receipt) or receipt.by == "user" or not evidence.stands(receipt):
        return None
    return receipt


def relative(evidence: Evidence, file: File) -> str:
    """Return a file's key below its workspace's root."""
    root = evidence.key(".", file.workspace).rstrip("/")
    return file.key.removeprefix(root + "/") if root not in ("", ".") else file.key.removeprefix("./")


def is_inside(evidence: Evidence, file: File) -> bool:
    """Tell whether a file is in its workspace, and none of the repository's own."""
    path = relative(evidence, file)
    return not path.startswith(("/", "../", "~")) and not path.startswith(".git/")


def means(evidence: Evidence, file: File, wanted: str) -> bool:
    """Tell whether a path, a folder or a pattern means a file."""
    path, name = relative(evidence, file), wanted.removeprefix("./").rstrip("/")
    if any(sign in name for sign in "*?["):
        return _matches(path, name, anywhere="/" not in name)
    if "/" not in name:
        parts = path.split("/")
        return name == parts[-1] or name in parts[:-1] if not wanted.endswith("/") else name in parts[:-1]
    key = evidence.key(name, file.workspace)
    inside = path == name or path.startswith(name + "/") or path.endswith("/" + name)
    return inside or file.key == key or file.key.startswith(key + "/")


def _matches(path: str, pattern: str, *, anywhere: bool) -> bool:
    if anywhere:
        return any(fnmatchcase(part, pattern) for part in path.split("/"))
    ways = {pattern, pattern.replace("**/", ""), pattern + "/*"}
    return any(fnmatchcase(path, way) for way in ways)


def is_test(evidence: Evidence, file: File) -> bool:
    """Tell whether a file is one of tests, by its path."""
    return _TEST.search(relative(evidence, file)) is not None


def is_generated(evidence: Evidence, file: File) -> bool:
    """Tell whether a file is generated, by its path or by what its first known lines say."""
    if _GENERATED_PATH.search(relative(evidence, file)):
        return True
    return _GENERATED_TEXT.search("\n".join(_head(evidence, file))) is not None


def _head(evidence: Evidence, file: File) -> Iterator[str]:
    """Yield what is known of a file's first lines."""
    state = evidence.snapshot.ledger(file.id)
    for segment in state.segments if state is not None else ():
        node = evidence.snapshot.node(segment.excerpt)
        if segment.start > _HEAD or not isinstance(node, Excerpt):
            return
        yield from evidence.text(node.text).split("\n")[segment.offset : segment.offset + segment.count][:_HEAD]


def was_there(evidence: Evidence, file: File) -> bool:
    """Tell whether a file was seen before anybody on record wrote it."""
    first = next(iter(evidence.snapshot.edges_from(file.id, {EdgeKind.OBSERVED})), None)
    return first is not None and not evidence.snapshot.edges_to(first.target, {EdgeKind.WRITES})


def is_gone(evidence: Evidence, file: File) -> bool:
    """Tell whether a file is known not to be there any more."""
    return evidence.is_absent(evidence.changes.current(file.id))


def _as_before(evidence: Evidence, file: File, since: int) -> bool:
    before, now = evidence.changes.version_at(file.id, since), evidence.changes.current(file.id)
    if before is None or now is None or before.grade not in _WHOLE:
        return False
    return (before.grade, before.digest) == (now.grade, now.digest)
