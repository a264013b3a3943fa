"""Missions about files and what became of them, told in few words: reads, edits, changes, commands, searches."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.model import records as r
from tests.support.graphs import SESSION, Story


def numbered(first: int, last: int, word: str = "line") -> str:
    """Return lines `first`..`last` of a file whose lines say their number."""
    return "".join(f"{word} {n}\n" for n in range(first, last + 1))


class Doings(Story):
    """A mission with short words for what happens to files."""

    def shown(
        self, path: str, first: int = 1, last: int = 10, total: int | None = 10, *, agent: str = "", text: str = ""
    ) -> str:
        """A read shows lines of a file whose lines say their number, or `text`."""
        content = text or numbered(first, last)
        return self.tool("read", path=path, content=content, lines=(first, last), total_lines=total, agent=agent)

    def wrote(self, path: str, content: str, *, agent: str = "") -> str:
        """An agent gives the whole content of a file."""
        return self.tool("write", path=path, content=content, effect="writes", agent=agent)

    def edited(self, path: str, at: int, removed: Sequence[str], added: Sequence[str], *, agent: str = "") -> str:
        """An agent replaces lines from `at` on."""
        lines = (*(f"-{line}" for line in removed), *(f"+{line}" for line in added))
        change = r.FileChange(path=path, hunks=(r.Hunk(at, at, lines),))
        return self.tool("write", path=path, changes=(change,), effect="writes", agent=agent)

    def outside(self, path: str, content: str | None = None, change: str = "written", to: str | None = None) -> str:
        """Somebody who is not on record changes a file."""
        return self.add(
            r.FileChangedOutside(
                id=self._id("x"), by="unknown", session=SESSION, path=path, content=content, change=change, to=to
            )
        )

    def ran(self, command: str, output: str = "", *, exit_code: int = 0, agent: str = "", **fields: object) -> str:
        """A command came back; its effect is the one that its text has."""
        given: dict[str, object] = {"command": command, "output": output, "exit_code": exit_code, "status": None}
        return self.tool("command", name="Bash", agent=agent, **{"effect": None, **given, **fields})

    def searched(self, pattern: str, *places: str, **fields: object) -> str:
        """A search found nothing, and ignored nothing."""
        given = {"matches": 0, "files_considered": 3, "files_ignored": 0, **fields}
        return self.tool("search", pattern=pattern, searched=places or (".",), **given)

    def surroundings(self, what: str, now: str, was: str | None = None, *, deployed: bool = False) -> str:
        """The environment changed, or what is deployed."""
        kind = r.DeploymentChanged if deployed else r.EnvironmentChanged
        return self.add(kind(id=self._id("e"), by="unknown", session=SESSION, what=what, now=now, was=was))

    def tool(self, family: str, **fields: object) -> str:
        """A tool answered."""
        given = {"status": "ok", "effect": "none", "by": "tool", **fields}
        return self.add(r.ToolReturned(id=self._id("r"), session=SESSION, tool=family, **given))  # type: ignore[arg-type]
