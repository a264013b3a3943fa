"""Render: a packet as a plain text for a model.

* Each thing is one line that begins with `- ` and its handle; whatever follows of it is indented. So no text, whatever
  it says, stands where a heading or a handle of the packet stands.
* What is to be done stands in two sections alone, which say so: open tasks and valid next actions. Settled tasks say
  that they are history.
* Handles are shown, not ids: each resolves within the mission.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from muniment.derive.texts import readable
from muniment.handoff.contract import HEADINGS
from muniment.handoff.packet import NextAction, Packet, PacketItem, Prose
from muniment.selection.focus import IN_PROGRESS

DIGEST: Final = 8
"""Characters of a digest that are shown: the whole one is behind the handle."""

Line = PacketItem | NextAction | Prose

_LINE_ENDS = re.compile("[\n\u2028\u2029]")
_MARKS = {"purged": "[purged]", "withdrawn": "[withdrawn]", "superseded": "[superseded]"}


def render(packet: Packet) -> str:
    """Return the text of a packet. `packet.tokens` counts it."""
    handles = handles_of(packet)
    root = packet.workspace.root
    told = {action.about for action in packet.next_actions}
    blocks = [head_of(packet, handles)]
    for section, heading in HEADINGS.items():
        lines: tuple[Line, ...] = getattr(packet, section)
        if section == "unverified":  # what would prove it is said once
            lines = tuple(without_step(line) if line.id in told else line for line in packet.unverified)
        if lines:
            blocks.append("\n".join([heading, *(line_of(section, line, handles, root) for line in lines)]))
    left = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in packet.left_out.items() if count)
    if left:
        blocks.append(f"Left out for want of room, all on record: {left}.")
    return readable("\n\n".join(blocks))


def without_step(item: PacketItem) -> PacketItem:
    """Return a claim without what would prove it: one of the next actions says it."""
    return msgspec.structs.replace(item, next_step="")


def handles_of(packet: Packet) -> dict[str, str]:
    """Return the handle of each id that a packet carries or cites."""
    found = dict(packet.handles)
    for section in HEADINGS:
        for line in getattr(packet, section):
            if isinstance(line, PacketItem):
                found[line.id] = line.handle
    return found


def head_of(packet: Packet, handles: dict[str, str]) -> str:
    """Return the lines before the first section."""
    where, owner = packet.workspace, packet.owner
    told = [
        f"Packet of {packet.mission}, covers to {_one_line(packet.covers_to) or 'nothing'} (ordinal {packet.ordinal})",
        f"after packet {handles.get(packet.base, packet.base)}" if packet.base else "",
    ]
    who = [
        f"{name} {_one_line(value)}" for name, value in (("session", owner.session), ("agent", owner.agent)) if value
    ]
    who += [f"model {_one_line(owner.model)}"] if owner.model else []
    place = [_one_line(where.root), f"branch {_one_line(where.branch)}" if where.branch else ""]
    place += [f"commit {_one_line(where.commit)}" if where.commit else ""]
    place += [f"{where.files:,} files known, digest {where.digest[:12]}" if where.digest else ""]
    lines = [_joined("; ", told), _joined(", ", who), _joined(", ", place)]
    lines.append(f"focus: {_one_line(packet.focus)}" if packet.focus else "")
    return "\n".join(filter(None, lines))


def line_of(section: str, line: Line, handles: dict[str, str], root: str = "") -> str:
    """Return the line, or lines, of one thing in its section; paths below `root` without it."""
    if isinstance(line, Prose):
        return f"- {_inside(line.text)}{_named(' [', line.cites, handles, ']')}"
    if isinstance(line, NextAction):
        return _action(line, handles)
    label = _label(section, line, root)
    text = _inside(line.text) if line.state not in _MARKS else _MARKS[line.state]
    told = f"- {line.handle or line.id}{' ' + label if label else ''}{': ' + text if text else ''}"
    more = [
        f"; waits for {_handles(line.after, handles)}" if line.after else "",
        f"; because: {_inside(line.why)}" if line.why and section == "decisions" else "",
        f"; {_inside(line.why)}" if line.why and section != "decisions" else "",
        f"; rejected: {_inside('; '.join(line.rejected))}" if line.rejected else "",
        f"; next: {_inside(line.next_step)}" if line.next_step else "",
        _named(" [", line.cites, handles, "]"),
    ]
    return told + "".join(more)


def _label(section: str, item: PacketItem, root: str) -> str:
    """Return what stands between a handle and its text."""
    marked = item.state in _MARKS
    told = [_one_line(item.what)]
    if item.path is not None:
        told.append(_one_line(item.path.removeprefix(root.rstrip("/") + "/") if root else item.path))
    if item.lines is not None:
        told.append(f"lines {item.lines[0]}-{item.lines[1]}")
    if item.digest:
        told.append(f"digest {item.digest[:DIGEST]}")
    if item.state == "conflict":
        told.append("CONFLICT")
    elif section in ("tasks", "settled", "unverified", "delegations", "tail") and item.state and not marked:
        told.append("[in progress]" if item.state == IN_PROGRESS else f"[{_one_line(item.state)}]")
    if item.tokens and section == "pointers":
        told.append(f"{item.tokens:,} tokens")
    return " ".join(filter(None, told))


def _action(action: NextAction, handles: dict[str, str]) -> str:
    what = action.handle or handles.get(action.about or action.task, action.task)
    told = f"- {action.action} {what}"
    if action.task and action.about not in ("", action.task):
        told += f" for {handles.get(action.task, action.task)}"
    told += f": {_inside(action.why)}" if action.why else ""
    told += f"; run: {_inside(action.command)}" if action.command else ""
    return told + _named(" [", action.cites, handles, "]")


def _named(before: str, ids: tuple[str, ...], handles: dict[str, str], after: str) -> str:
    return f"{before}{_handles(ids, handles)}{after}" if ids else ""


def _handles(ids: Iterable[str], handles: dict[str, str]) -> str:
    return " ".join(_one_line(handles.get(each, each)) for each in ids)


def _joined(between: str, parts: list[str]) -> str:
    return between.join(filter(None, parts))


def _one_line(text: str) -> str:
    return " ".join(readable(text).split())


def _inside(text: str) -> str:
    return _LINE_ENDS.sub("\n  ", readable(text))
