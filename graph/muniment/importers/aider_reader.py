"""What capture needs to know of the pieces of an aider history."""

from __future__ import annotations

import re

from muniment.importers.aider_pieces import AGENT, NOTICE, START, STARTED, USER
from muniment.importers.lenient import string
from muniment.importers.protocol import SourceLine
from muniment.model.entries import JSON_OBJECT

ROOT = re.compile(r"^> Git working dir: (.+?)\s*$", re.MULTILINE)


class AiderReader:
    """Reads the pieces of one history, in order."""

    def __init__(self, file_name: str) -> None:
        self._name = file_name
        self._session = ""

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where a piece belongs; never raises."""
        kind, text = string(body, "kind") or "unknown", string(body, "text")
        if kind == START and not self._session:
            self._session = f"{self._name}:{text.removeprefix(STARTED).strip()}"
        root = ROOT.search(text) if kind == NOTICE else None
        actor = {USER: "user", AGENT: "agent"}.get(kind, "harness")
        return SourceLine(
            session=self._session,
            stream="",
            source_id=None,
            kind=kind,
            ignored=kind == "unknown",
            actor=actor,
            root=root[1] if root else None,
        )
