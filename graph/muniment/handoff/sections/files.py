"""Files that matter: changed in the mission, touched by open tasks, newest read; each by its current version.

* A file is its newest version: digest and grade. What it holds is one rehydration away.
* Files of open tasks come first, then changed ones, then those that were only read, each the newest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec

from muniment.derive.texts import readable
from muniment.digest import digest_of
from muniment.handoff.packet import PacketItem, WorkspaceState
from muniment.handoff.parts import Part, Sources, part_of, ranked
from muniment.model.nodes import Event, Excerpt, File, FileVersion, Receipt, Workspace
from muniment.snapshot import LiveReads

MOST: Final = 32
"""Files that a packet names."""
_EVENTS: Final = ("branch", "commit", "model")


def files(sources: Sources) -> Iterable[Part]:
    """Return the files that matter, those that are likeliest to be needed first."""
    live = sources.live
    wanted = live.worked_on([task.id for task in live.open_tasks()])
    changed = changed_by(sources)
    known = {file.id: file for file in live.files()}
    for each in changed:
        node = live.node(each)
        if each not in known and isinstance(node, File) and sources.request.provider is None:
            known[each] = node

    def matters(file: File) -> tuple[bool, bool, bool, int, str]:
        return (
            not sources.matches(file.path),
            file.id not in wanted,
            file.id not in changed,
            -live.touched(file.id),
            file.id,
        )

    chosen = sorted(known.values(), key=matters)[:MOST]
    twice = _ambiguous(sources)
    parts = []
    for file in chosen:
        part = _part(sources, file, changed.get(file.id, ""), file.id in wanted)
        if part is not None and isinstance(part.item, PacketItem):
            path = file.key if file.path in twice else file.path
            item = msgspec.structs.replace(part.item, path=readable(path))
            parts.append(msgspec.structs.replace(part, item=item))
    return ranked(parts)


def changed_by(sources: Sources) -> dict[str, str]:
    """Return the files that are known to have been changed, each with the newest that changed it."""
    return {file: change.cause for change in sources.evidence.changes.all for file in change.files}


def version_of(live: LiveReads, file: str) -> FileVersion | None:
    """Return the current version of a file; None where none is known."""
    state = live.ledger(file)
    node = live.node(state.version) if state is not None and state.version else None
    return node if isinstance(node, FileVersion) else None


def held_in(live: LiveReads) -> tuple[str, int]:
    """Return the digest over the current versions of all known files, "" where there are none, and their number."""
    known = ((file.key, version_of(live, file.id)) for file in live.files())
    held = sorted((key, version.digest) for key, version in known if version is not None)
    return digest_of(msgspec.json.encode(held)) if held else "", len(held)


def workspace_of(sources: Sources) -> WorkspaceState:
    """Return the workspace as last seen; its digest is over the current versions of all known files."""
    live = sources.live
    digest, files = held_in(live)
    spaces = live.newest([Workspace])
    told = newest_told(sources)
    return WorkspaceState(
        root=sources.shown(spaces[0].root or "") if spaces else "",
        branch=sources.shown(told.get("branch", "")),
        commit=told.get("commit", ""),
        digest=digest,
        files=files,
    )


def newest_told(sources: Sources) -> dict[str, str]:
    """Return branch and commit as last told in the sessions in focus, and the model as last told of the agent in focus:
    a child may work with another.
    """
    found: dict[str, str] = {}
    for event in sources.live.newest([Event]):
        here = sources.focus.sessions is None or event.session in sources.focus.sessions
        theirs = event.what != "model" or event.agent == sources.focus.agent
        if here and theirs and event.what in _EVENTS and event.now:
            found.setdefault(event.what, readable(event.now))
    return found


def _ambiguous(sources: Sources) -> frozenset[str]:
    """Return the paths that several files have, as they were first met: those of other worktrees."""
    counts = Counter(file.path for file in sources.snapshot.of_kind(File))
    return frozenset(path for path, count in counts.items() if count > 1)


def _part(sources: Sources, file: File, cause: str, wanted: bool) -> Part | None:
    version = version_of(sources.live, file.id)
    if version is None:
        return None
    shown = "" if cause else _newest_receipt(sources, file.id)
    why = "changed" if cause else "read" if shown else ""
    return part_of(
        "files",
        file,
        "",
        what=version.grade,
        why=", ".join(filter(None, ("of an open task" if wanted else "", why))),
        cites=tuple(filter(None, (cause or shown,))),
        digest=version.digest,
    )


def _newest_receipt(sources: Sources, file: str) -> str:
    """Return the receipt that showed the newest of the current lines."""
    state = sources.live.ledger(file)
    nodes = [sources.live.node(segment.excerpt) for segment in (state.segments if state is not None else ())]
    excerpts = [node for node in nodes if isinstance(node, Excerpt)]
    newest = max(excerpts, key=lambda node: (node.ordinal, node.id), default=None)
    receipt = sources.live.node(newest.receipt) if newest is not None else None
    return receipt.id if isinstance(receipt, Receipt) else ""
