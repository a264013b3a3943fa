"""The same question on each surface that the product has, under one scope.

`view`, `packet`: one of 4,000 tokens of every mission in sight. `packets`: those that are stored, with their texts.
`search`: for `text`, in all kinds. `get`: by id. `neighbours`: one step around `near`, with the texts. `counts`: what
the list of missions tells. `journal_files`: the bytes of every file of the store, and what is compressed in its tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import zstandard

from muniment.errors import EvidenceError, UnknownIdError
from muniment.handoff.contract import HEADINGS
from muniment.handoff.packet import Packet, PacketItem
from muniment.handoff.render import render
from muniment.model.nodes import text_of
from muniment.search.hits import MARK, MARK_END, MOST
from muniment.snapshot import ALL_EDGES
from muniment.store import EvidenceStore
from muniment_api.access import Access, Asked, Policy
from tests.cases.ask_graphql import graphql_surface
from tests.cases.expand import plain_text
from tests.cases.form import Ask
from tests.cases.outcome import CannotAskError, WrongCaseError
from tests.cases.scene import Scene, Surface, by_id
from tests.cases.world import refusal_of

VIEW_BUDGET = 4000
_SQLITE = b"SQLite format 3\0"
_ZSTD = b"\x28\xb5\x2f\xfd"


def ask_surfaces(scene: Scene, ask: Ask) -> None:
    """Ask each surface of a question. What the product does not have is noted as missing."""
    for name in ask.surfaces:
        if name not in SURFACES:
            raise WrongCaseError(f"no surface is called {name!r}")
        reader = SURFACES[name]
        if reader is None:
            scene.answers.missing.setdefault("surfaces", []).append(name)
            continue
        try:
            surface = reader(scene, _handle(scene, ask), ask)
        except EvidenceError as error:
            surface = Surface(refusal=refusal_of(error))
        except CannotAskError as error:
            scene.answers.missing.setdefault("surfaces", []).append(error.capability)
            continue
        scene.answers.surfaces[name] = surface
    refused = [surface.refusal for surface in scene.answers.surfaces.values()]
    if refused and all(refused):
        first = refused[0]
        assert first is not None
        scene.answers.refusals["surfaces"] = first


def _handle(scene: Scene, ask: Ask) -> EvidenceStore:
    """Return the handle of a question; where the request says something else of itself, what the service makes of it.

    Raises:
        ScopeError: it has no scope, or another one than it says.
    """
    if ask.claimed_scope is None:
        return scoped(scene, ask.scope)
    policy = Policy(tokens={"secret": (ask.scope or {}).get("project")})
    request = Asked(owner=False, authorization="Bearer secret", project=ask.claimed_scope.get("project"))
    return Access(scene.store, policy).admit(request).store


def scoped(scene: Scene, scope: dict[str, str] | None) -> EvidenceStore:
    """Return a handle of a scope; None is none given, which the product must refuse.

    Raises:
        ScopeError: it does.
    """
    given = scope or {}
    unknown = set(given) - {"project", "mission"}
    if unknown:
        raise WrongCaseError(f"a scope is by project or mission, not by {', '.join(sorted(unknown))}")
    mission = given.get("mission")
    return scene.store.scoped(project=given.get("project"), mission=scene.mission_of(mission) if mission else None)


def _view(scene: Scene, store: EvidenceStore, ask: Ask) -> Surface:
    found = Surface()
    for info in store.missions():
        view = store.view(info.mission, budget=VIEW_BUDGET)
        found.ids |= {item.record for item in view.items}
        for item in view.items:
            found.ids |= scene.records_of(item.receipts, info.mission)
        found.text += view.text + _json(view)
    return found


def _packet(scene: Scene, store: EvidenceStore, ask: Ask) -> Surface:
    found = Surface()
    for info in store.missions():
        _add(found, store.packet(info.mission, budget=VIEW_BUDGET))
    return found


def _packets(scene: Scene, store: EvidenceStore, ask: Ask) -> Surface:
    found = Surface()
    for info in store.missions():
        for told in store.packets(info.mission):
            found.ids.add(told.record)
            found.text += _json(told)
            _add(found, store.show_packet(told.id, mission=info.mission))
    return found


def _add(surface: Surface, packet: Packet) -> None:
    for section in HEADINGS:
        surface.ids |= {item.record for item in getattr(packet, section) if isinstance(item, PacketItem)}
    surface.text += render(packet) + _json(packet)


def _search(scene: Scene, store: EvidenceStore, ask: Ask) -> Surface:
    if not ask.text:
        raise WrongCaseError("the surface search needs a text")
    hits = store.search(plain_text(ask.text), limit=MOST)
    return Surface({hit.record for hit in hits}, "".join(_unmarked(hit.snippet) + _json(hit) for hit in hits))


def _unmarked(snippet: str) -> str:
    return snippet.replace(MARK, "").replace(MARK_END, "")


def _get(scene: Scene, store: EvidenceStore, ask: Ask) -> Surface:
    if ask.id is None:
        raise WrongCaseError("the surface get needs an id")
    got = by_id(store, ask.id)
    return Surface({got.record}, got.text + _json(got))


def _neighbours(scene: Scene, store: EvidenceStore, ask: Ask) -> Surface:
    if ask.near is None:
        raise WrongCaseError("the surface neighbours needs near")
    found = Surface()
    for info in store.missions():
        snapshot = store.snapshot(info.mission)
        seeds = [node.id for node in snapshot.named(ask.near) if node.record == ask.near]
        for step in snapshot.walk(seeds, ALL_EDGES, 1):
            found.ids.add(step.node.record)
            text = text_of(step.node)
            found.text += ("" if text is None else snapshot.text(text)) + _json(step.node)
    if not found.ids:
        raise UnknownIdError(ask.near)
    return found


def _counts(scene: Scene, store: EvidenceStore, ask: Ask) -> Surface:
    return Surface(text="".join(_json(info) for info in store.missions()))


def _graphql(scene: Scene, store: EvidenceStore, ask: Ask) -> Surface:
    return graphql_surface(store, ask)


def _journal_files(scene: Scene, store: EvidenceStore, ask: Ask) -> Surface:
    parts: list[bytes] = []
    for path in sorted(scene.world.store.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            parts.append(data)
            if data.startswith(_SQLITE):
                parts += _cells(path)
    return Surface(text=b"\n".join(parts).decode("utf-8", "replace"))


def _cells(path: Path) -> Iterator[bytes]:
    """Yield what is in the tables of a database, whole (on the disk it may be spread over pages) and uncompressed."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)) as database:
        # A virtual table has its bytes in other tables, which are among the names too.
        wanted = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        names = database.execute(wanted).fetchall()
        for (name,) in names:
            quoted = str(name).replace('"', '""')
            for row in database.execute(f'SELECT * FROM "{quoted}"'):
                for cell in row:
                    if isinstance(cell, str):
                        yield cell.encode("utf-8", "surrogatepass")
                    elif isinstance(cell, bytes):
                        yield cell
                        yield _uncompressed(cell)


def _uncompressed(cell: bytes) -> bytes:
    start = cell.find(_ZSTD)
    if start < 0:
        return b""
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(cell[start:])
    except zstandard.ZstdError:
        return b""


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


Reader = Callable[[Scene, EvidenceStore, Ask], Surface]

SURFACES: dict[str, Reader | None] = {
    "view": _view,
    "packet": _packet,
    "search": _search,
    "get": _get,
    "neighbours": _neighbours,
    "counts": _counts,
    "export": None,
    "graphql": _graphql,
    "packets": _packets,
    "journal_files": _journal_files,
}
"""Surface → how it is read; None where the product has none."""


def answer_of(scene: Scene, wanted: str) -> bytes:
    """Return the bytes of the answer to `get` in the scope of the question `surfaces`, the echo of the id left out."""
    ask = scene.ask("surfaces")
    try:
        store = scene.store if ask is None else scoped(scene, ask.scope)
        got = by_id(store, wanted)
    except EvidenceError as error:
        return f"{error.code}: {error}".replace(wanted, "ID").encode("utf-8", "surrogatepass")
    return msgspec.json.encode(got)
