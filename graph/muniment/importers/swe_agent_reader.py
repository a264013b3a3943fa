"""What capture needs to know of a SWE-agent trajectory's parts, and small readers of what stands in them."""

from __future__ import annotations

from muniment import canonical
from muniment.digest import digest_of
from muniment.importers.lenient import objects, string
from muniment.importers.protocol import SourceLine
from muniment.model.entries import JSON_OBJECT

HEAD = "document"


class SweReader:
    """Reads the parts of one trajectory, in order."""

    def __init__(self, file_name: str) -> None:
        self._name = file_name
        self._session = ""
        self._answered = False

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where a part belongs; never raises."""
        root, kind, ignored, actor = None, HEAD, False, "harness"
        if is_step(body):
            kind, actor = "step", "agent"
            root = folder_of(body)[0]
            if not self._session:
                first = string(body, "thought") or string(body, "response") or string(body, "action")
                self._session = f"{self._name}:{digest_of(first.encode('utf-8', 'replace'))[:12]}"
        elif HEAD not in body:
            role = string(body, "role")
            self._answered = self._answered or role == "assistant"
            kind, ignored = f"history:{role or 'unknown'}", self._answered
            actor = {"assistant": "agent", "user": "user", "tool": "tool"}.get(role, "harness")
            actor = "harness" if body.get("is_demo") is True or (role == "user" and self._answered) else actor
        return SourceLine(
            session=self._session, stream="", source_id=None, kind=kind, ignored=ignored, actor=actor, root=root
        )


def is_step(body: JSON_OBJECT) -> bool:
    """Tell whether a part is a step of the trajectory."""
    return isinstance(body.get("action"), str) and isinstance(body.get("observation"), str) and "role" not in body


def folder_of(body: JSON_OBJECT) -> tuple[str | None, bool]:
    """Return the working directory that a step tells, and whether it is that from before its action."""
    state = body.get("state")
    return string(object_of(state), "working_dir") or None, isinstance(state, str)


def open_file_of(body: JSON_OBJECT) -> str | None:
    """Return the file that a step says is open."""
    told = string(object_of(body.get("state")), "open_file")
    return told if told not in ("", "n/a") else None


def object_of(value: object) -> JSON_OBJECT:
    """Return an object that is given as itself or as its JSON text."""
    if isinstance(value, str):
        try:
            value = canonical.decode(value.encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def text_of(body: JSON_OBJECT) -> str:
    """Return the text of a message."""
    parts = [string(part, "text") for part in objects(body, "content")]
    return string(body, "content") or "\n".join(part for part in parts if part)
