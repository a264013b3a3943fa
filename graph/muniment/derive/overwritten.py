"""What a shell command may have overwritten, as far as its words name it.

The words of each simple command that writes, and the targets of redirections. A word may be a file, a folder or a
pattern; which of the known files it stands for is told by their keys. What a command writes without naming it is not
found here: a view says that it may have.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from muniment.derive.effect_tables import WRITES
from muniment.derive.effects import effect_of_simple
from muniment.derive.paths import file_key
from muniment.derive.sessions import rules_of
from muniment.derive.shell import simple_commands
from muniment.derive.state import FileState, FoldState, Rooted

_PATTERN = frozenset("*?[")


def overwritten(state: FoldState, session: Rooted, command: str, cwd: str | None) -> list[FileState]:
    """Return the known files of a session's workspace that a command that ran names as things that it writes."""
    named = _named(command, session, cwd or session.cwd)
    if not named:
        return []
    rules = rules_of(session)
    keys = [file_key(word, root=session.root, cwd=folder, rules=rules) for word, folder in named]
    places = [f"{session.workspace}\n{key}" for key in keys]
    return [file for place, file in state.files.items() if any(_stands_for(wanted, place) for wanted in places)]


def _named(command: str, session: Rooted, cwd: str | None) -> list[tuple[str, str | None]]:
    """Return the words that name what is written, each with the folder that it is relative to."""
    found: list[tuple[str, str | None]] = []
    for simple in simple_commands(command) or ():
        words = [word for word in (*simple.words[1:], *simple.into) if word]
        if simple.words[:1] == ("cd",) and words:
            cwd = words[0] if words[0].startswith("/") else f"{cwd or session.root or ''}/{words[0]}"
        elif effect_of_simple(simple, session.root) == WRITES:
            found += [(text, cwd) for text in words if not text.startswith("-")]
    return found


def _stands_for(wanted: str, place: str) -> bool:
    if place == wanted or place.startswith(wanted.rstrip("/") + "/"):
        return True
    return not _PATTERN.isdisjoint(wanted) and fnmatchcase(place, wanted)
