"""What a snapshot says of a file: its node, its versions, its current lines, and what became of an excerpt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from muniment.derive.paths import Rules, file_key
from muniment.derive.texts import split_lines
from muniment.model.edges import EdgeKind
from muniment.model.ledger import LedgerState
from muniment.model.nodes import Excerpt, File, FileVersion, Workspace
from muniment.snapshot import Snapshot
from tests.cases.outcome import WrongCaseError
from tests.cases.scene import Scene

CONTENT_GRADES = frozenset({"bytes", "lines"})


@dataclass
class Found:
    """A file of a mission."""

    node: File
    mission: str
    ledger: LedgerState | None
    versions: int


def file_of(scene: Scene, path: str) -> Found | None:
    """Return the file that a path of the case names; None where there is none."""
    found: list[Found] = []
    for mission in scene.missions():
        snapshot = scene.state(mission)
        for node in snapshot.of_kind(File):
            if node.key == key_in(snapshot, node.workspace, path):
                versions = [v for v in snapshot.of_kind(FileVersion) if v.file == node.id and v.grade in CONTENT_GRADES]
                found.append(Found(node, mission, snapshot.ledger(node.id), len(versions)))
    if len(found) > 1:
        raise WrongCaseError(f"{len(found)} files are called {path}")
    return found[0] if found else None


def key_in(snapshot: Snapshot, workspace: str, path: str) -> str:
    """Return the key that a path has in a workspace, by the rules of its file system."""
    node = snapshot.node(workspace)
    if not isinstance(node, Workspace):
        return path
    rules = Rules(
        style=node.fs_style,
        case_sensitive=node.case_sensitive,
        normalization_sensitive=node.normalization_sensitive,
    )
    return file_key(path, root=node.root, cwd=None, rules=rules)


def same_path(snapshot: Snapshot, one: str | None, other: str) -> bool:
    """Tell whether two spellings are one path in some workspace of a mission."""
    if one is None:
        return False
    return one == other or any(
        key_in(snapshot, node.id, one) == key_in(snapshot, node.id, other) for node in snapshot.of_kind(Workspace)
    )


def current_lines(scene: Scene, file: Found) -> list[str | None]:
    """Return the lines of a file as they are now, None where a line is not known."""
    if file.ledger is None:
        return []
    snapshot = scene.state(file.mission)
    end = max((segment.stop - 1 for segment in file.ledger.segments), default=0)
    lines: list[str | None] = [None] * max(end, file.ledger.total or 0)
    for segment in file.ledger.segments:
        excerpt = snapshot.node(segment.excerpt)
        if isinstance(excerpt, Excerpt):
            text = split_lines(snapshot.text(excerpt.text))
            lines[segment.start - 1 : segment.stop - 1] = text[segment.offset : segment.offset + segment.count]
    return lines


def excerpt_state(scene: Scene, record: str) -> tuple[str, tuple[int, int] | None]:
    """Return what has become of the lines that a read showed: current, moved (with the new place) or stale.

    Moved is said only where the lines stand at exactly one other place.
    """
    excerpts = [node for node in scene.nodes(record) if isinstance(node, Excerpt)]
    if len(excerpts) != 1:
        return ("no excerpt" if not excerpts else "several excerpts"), None
    excerpt = excerpts[0]
    snapshot = scene.state(scene.mission_of(record))
    node = next((file for file in snapshot.of_kind(File) if file.id == excerpt.file), None)
    if node is None:
        return "no excerpt of a file", None
    found = Found(node, snapshot.mission, snapshot.ledger(node.id), 0)
    now, then = current_lines(scene, found), split_lines(snapshot.text(excerpt.text))
    here = excerpt.first
    if now[here - 1 : here - 1 + len(then)] == then:
        return "current", (here, here + len(then) - 1)
    places = [i + 1 for i in range(len(now) - len(then) + 1) if now[i : i + len(then)] == then]
    if len(places) == 1:
        return "moved", (places[0], places[0] + len(then) - 1)
    return "stale", None


def versions_read(scene: Scene, record: str) -> list[str]:
    """Return the digests of the file versions that a record read or wrote."""
    snapshot = scene.state(scene.mission_of(record))
    digests: list[str] = []
    for node in scene.nodes(record):
        for edge in snapshot.edges_from(node.id, {EdgeKind.READS, EdgeKind.WRITES}):
            version = snapshot.node(edge.target)
            digests += [version.digest] if isinstance(version, FileVersion) else []
    return digests


def ranges(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return ascending numbers as intervals, both ends included."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)
