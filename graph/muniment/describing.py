"""What a node says, in words for one line."""

from __future__ import annotations

from muniment.model.nodes import AnyNode, Call, Event, Receipt, text_of
from muniment.snapshot import Snapshot

TELLING = ("path", "text", "session", "root_session", "code", "detail", "child", "root")
"""Fields that say what a node without a text is about."""


def described(snapshot: Snapshot, node: AnyNode) -> str:
    """Return what a node says: a command and how it ended, a text, or what it is about."""
    if isinstance(node, Call | Receipt):
        text = snapshot.text(node.command) if node.command is not None else node.path or ""
        return f"{node.name or node.tool} {text}{_ending(node)}"
    if isinstance(node, Event):
        return " ".join(filter(None, (node.what, node.was, node.now)))
    body = text_of(node)
    if body is not None:
        return snapshot.text(body)
    told = (getattr(node, field, None) for field in TELLING)
    return " ".join(part for part in told if isinstance(part, str))


def _ending(node: Call | Receipt) -> str:
    if isinstance(node, Call):
        return ""
    if node.exit_code is not None:
        return f" → exit {node.exit_code}"
    return "" if node.status == "ok" else f" → {node.status}"


def one_line(text: str, most: int) -> str:
    """Return a text on one line, shortened at a word where that is possible."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    cut = flat[: most - 1]
    head, _, _tail = cut.rpartition(" ")
    return (head if len(head) > most // 2 else cut) + "…"
