"""What capture needs to know of the events of an OpenHands event list."""

from __future__ import annotations

from muniment.importers.lenient import integer, mapping, string
from muniment.importers.protocol import SourceLine
from muniment.model.entries import JSON_OBJECT

HEAD = "document"
_UNREAD = frozenset({"agent_state_changed", "null", "change_agent_state", "condensation_request", "recall"})


class LegacyReader:
    """Reads the events of one list, in order."""

    def __init__(self, file_name: str) -> None:
        self._name = file_name
        self._session = ""

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where an event belongs; never raises."""
        if HEAD in body:
            self._name = string(mapping(body, HEAD), "instance_id") or self._name
            return SourceLine(session="", stream="", source_id=None, kind=HEAD, ignored=False, actor="harness")
        self._session = self._session or f"{self._name}:{string(body, 'timestamp')[:19]}".rstrip(":")
        kind, is_action = kind_of(body)
        source = string(body, "source")
        actor = source if is_action and source in ("user", "agent") else "harness" if is_action else "tool"
        ident = integer(body, "id")
        return SourceLine(
            session=self._session,
            stream="",
            source_id=None if ident is None else f"event:{ident}",
            kind=kind,
            ignored=is_unread(body),
            actor="harness" if kind in ("system", "recall", "error") else actor,
            root=string(mapping(mapping(body, "extras"), "metadata"), "working_dir") or None,
        )


def kind_of(body: JSON_OBJECT) -> tuple[str, bool]:
    """Return the kind of an event, and whether it is an action."""
    action = string(body, "action")
    return (action, True) if action else (string(body, "observation"), False)


def is_unread(body: JSON_OBJECT) -> bool:
    """Tell whether no rule reads an event."""
    kind, is_action = kind_of(body)
    if kind == "recall":  # what was recalled counts, the asking does not
        return is_action or not string(body, "content").strip()
    return kind in _UNREAD or not kind
