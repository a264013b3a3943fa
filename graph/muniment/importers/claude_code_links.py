"""Parent links of a Claude Code transcript: from line to line there, from message to message here.

* A line's `parentUuid` may name a line that is no message (a tool's result, a progress note): the message's parent is
  then the message that this line follows.
* A parent that no earlier line has is a broken link; it is kept as it stands, so that it can be reported. A child's
  transcript may begin behind a line of its parent's: there such a link is dropped.
* The last `REMEMBERED_LINES` lines are remembered; a link further back is dropped too, once so many have been.
"""

from __future__ import annotations

import msgspec

from muniment.importers.lenient import maybe_string
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import Message, Record

REMEMBERED_LINES = 2048


def linked(records: list[Record], body: JSON_OBJECT, lines: dict[str, str | None], *, child: bool) -> list[Record]:
    """Return the records of a line with the parents of its messages put right, and remember the line in `lines`.

    `lines` maps the uuid of a line to the id of the message that it is, or that it follows.
    """
    uuid, parent = maybe_string(body, "uuid"), maybe_string(body, "parentUuid")
    message = _parent_message(parent, lines, child=child)
    out = [_with_parent(record, message) if isinstance(record, Message) else record for record in records]
    if uuid is not None and uuid not in lines:
        own = next((record.id for record in out if isinstance(record, Message)), None)
        lines[uuid] = own if own is not None else lines.get(parent or "")
        while len(lines) > REMEMBERED_LINES:
            del lines[next(iter(lines))]
    return out


def _parent_message(parent: str | None, lines: dict[str, str | None], *, child: bool) -> str | None:
    if parent is None or parent in lines:
        return lines.get(parent or "")
    return None if child or len(lines) >= REMEMBERED_LINES else parent


def _with_parent(message: Message, parent: str | None) -> Message:
    return message if message.parent == parent else msgspec.structs.replace(message, parent=parent)
