"""A picture, and how nodes are called and coloured in all of them."""

from __future__ import annotations

from typing import Final

import msgspec

from muniment.drawing.layered import Box
from muniment.drawing.markup import cut_front
from muniment.model.nodes import AnyNode, Call, Event, Excerpt, File, FileVersion, Node, Receipt, kind_of, text_of
from muniment.snapshot import Snapshot

COLORS: Final[dict[str, str]] = {
    "message": "#8250df",
    "fact": "#8250df",
    "task": "#9a6700",
    "question": "#9a6700",
    "decision": "#bc4c00",
    "claim": "#bc4c00",
    "call": "#218bff",
    "receipt": "#0969da",
    "file": "#1a7f37",
    "file_version": "#1a7f37",
    "excerpt": "#4ac26b",
    "artifact": "#1a7f37",
    "boundary": "#cf222e",
    "gap": "#cf222e",
    "delegation": "#1b7c83",
    "agent": "#1b7c83",
    "session": "#1b7c83",
}
OTHER: Final = "#6e7781"
PATH_ROOM = 28


class Picture(msgspec.Struct, frozen=True):
    """A picture as SVG; notebooks draw it by themselves. `str(picture)` is the document."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        """Return the same inside a page's element: there, pointing at a mark tells what it stands for."""
        return f"<div>{self.svg}</div>"

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture of {len(self.svg)} characters of SVG>"


def color_of(node: Node) -> str:
    """Return the colour of a node's kind."""
    return COLORS.get(kind_of(node), OTHER)


def box_of(snapshot: Snapshot, node: AnyNode, column: int) -> Box:
    """Return a node as a box: its handle and kind, what it says in a line, all of it as a tooltip."""
    return Box(
        id=node.id,
        column=column,
        head=f"{node.handle} {kind_of(node).replace('_', ' ')}{_ending(node)}",
        line=said(snapshot, node),
        color=color_of(node),
        tooltip=f"{node.handle} · {said(snapshot, node)}",
    )


def said(snapshot: Snapshot, node: Node) -> str:
    """Return what a node says or is about."""
    if isinstance(node, Receipt | Call):
        return snapshot.text(node.command) if node.command is not None else cut_front(node.path or node.name, PATH_ROOM)
    if isinstance(node, File):
        return cut_front(node.path, PATH_ROOM)
    if isinstance(node, FileVersion):
        file = snapshot.node(node.file)
        return f"{cut_front(file.path, PATH_ROOM - 10)} {node.digest[:8]}" if isinstance(file, File) else node.grade
    if isinstance(node, Excerpt):
        return f"lines {node.first}-{node.last}"
    if isinstance(node, Event):
        return " ".join(filter(None, (node.what, node.was, node.now)))
    body = text_of(node)
    if body is not None:
        return snapshot.text(body)
    names = ("text", "path", "name", "agent", "session", "root_session", "code", "outcome")
    found = (getattr(node, name, None) for name in names)
    return next((each for each in found if isinstance(each, str) and each), "")


def _ending(node: AnyNode) -> str:
    if not isinstance(node, Receipt):
        return ""
    if node.exit_code is not None:
        return f" · {node.name} → exit {node.exit_code}"
    return f" · {node.name}" if node.status == "ok" else f" · {node.name} → {node.status}"
