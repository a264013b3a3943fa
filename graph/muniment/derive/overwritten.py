"""What a tool's answer says it changed, put into the graph: which files are in doubt, and what else is known of it.

* A command's effect is what its text tells; a script that it runs is known where the ledger has all of its lines.
* The known files that it names, or that lie below a folder or fit a pattern that it names, are in doubt from then on. A
  path of which nothing was known is a file from then on, but where it holds nothing that people keep.
* A commit whose hooks say that they changed files did change files, and nobody says which.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Final

import msgspec

from muniment.derive import files
from muniment.derive.builder import Builder
from muniment.derive.changing.effect import SOMETHING, together
from muniment.derive.effect_tables import UNKNOWN, WRITES
from muniment.derive.effects import Effect, effects_of
from muniment.derive.paths import file_key
from muniment.derive.sessions import rules_of
from muniment.derive.state import FileState, Rooted
from muniment.model.edges import EdgeKind
from muniment.model.nodes import ENVIRONMENT_CHANGED, WRITES_NAMED, Receipt
from muniment.model.records import ToolReturned

HARMLESS_TOOLS = frozenset(
    {
        *("agent", "task", "taskcreate", "taskget", "tasklist", "taskoutput", "taskstop", "taskupdate"),
        *("todoread", "todowrite", "update_plan", "enterplanmode", "exitplanmode", "getgoal"),
        *("askuserquestion", "request_user_input", "bashoutput", "killshell", "skill", "slashcommand"),
        *("toolsearch", "tool_search", "web_search", "webfetch", "websearch", "view_image"),
        *("listmcpresources", "readmcpresource"),
    }
)
"""Tools of the known runtimes that change nothing in the workspace by themselves; names in lower case."""
HOSTED: Final = ("mcp__codex_apps__",)
"""How the names of tools begin that the provider runs elsewhere: they never reach the workspace."""

_PATTERN = frozenset("*?[")
_SCRIPT_RUNNER: Final = re.compile(r"\b(?:npm|pnpm|yarn|bun)\b")
_NPM_SCRIPT: Final = re.compile(r"^> \S+@\S+ ([\w:.-]+)(?: \S+)?\n> (.+)$", re.MULTILINE)
_BUN_SCRIPT: Final = re.compile(r"^\$ (.+)$", re.MULTILINE)
_HOOK_WROTE: Final = re.compile(r"files were modified by this hook|Applying modifications from tasks", re.IGNORECASE)


class Touched(msgspec.Struct, frozen=True):
    """What an effect touches: files that are known, and paths of which nothing was known."""

    known: tuple[FileState, ...] = ()
    fresh: tuple[str, ...] = ()
    named: bool = True


def effect_told(builder: Builder, session: Rooted, record: ToolReturned, command: str | None, name: str) -> Effect:
    """Return the effect of what a tool did, by what its source says, by its kind, or by its command."""
    if record.effect is not None:
        return Effect(kind=record.effect, named=record.effect not in (WRITES, UNKNOWN))
    if record.tool in ("read", "search"):
        return Effect()
    if record.tool == "write":
        return Effect() if record.status in ("failed", "refused") else Effect(kind=WRITES)
    if command is None:
        elsewhere = name.lower() in HARMLESS_TOOLS or name.startswith(HOSTED)
        return Effect() if elsewhere else Effect(kind=UNKNOWN, named=False)
    cwd = record.cwd or session.cwd or session.root
    effect = effects_of(
        command,
        _ground(session.root, cwd),
        cwd,
        text_of=texts_known(builder, session),
        scripts=_printed_scripts(command, record.output or ""),
    )
    hooked = "commit" in command and _HOOK_WROTE.search(record.output or "") is not None
    return together([effect, SOMETHING]) if hooked else effect


def _ground(root: str | None, cwd: str | None) -> str | None:
    """Return the folder that counts as the workspace for a command: one that works in another checkout beside it may
    write to either, so it is what holds both; None where that is everything.
    """
    if root is None or cwd is None or not (root.startswith("/") and cwd.startswith("/")):
        return root
    home, place = root.rstrip("/").split("/"), cwd.rstrip("/").split("/")
    if place[: len(home)] == home:
        return root
    same = next((at for at, (a, b) in enumerate(zip(home, place, strict=False)) if a != b), len(place))
    return "/".join(home[:same]) or None


def touched(builder: Builder, session: Rooted, effect: Effect) -> Touched:
    """Return what a command's effect touches in a session's workspace."""
    if effect.kind not in (WRITES, UNKNOWN) or not effect.paths:
        return Touched(named=effect.named)
    rules = rules_of(session)
    places = {
        path: f"{session.workspace}\n{file_key(path, root=session.root, cwd=None, rules=rules)}"
        for path in effect.paths
    }
    found: dict[str, FileState] = {}
    met: set[str] = set()
    exact = frozenset(places.values())
    below = tuple(f"{wanted.rstrip('/')}/" for wanted in exact)
    patterned = any(not _PATTERN.isdisjoint(wanted) for wanted in exact)
    for place, file in builder.state.files.items():
        if not (patterned or place in exact or place.startswith(below)):
            continue
        for path, wanted in places.items():
            if stands_for(wanted, place):
                found[place] = file
                met.add(path)
    fresh = [path for path in effect.paths if path not in met and path not in effect.aside]
    patterns = any(not _PATTERN.isdisjoint(path) for path in fresh)
    return Touched(
        known=tuple(found.values()),
        fresh=tuple(path for path in fresh if _PATTERN.isdisjoint(path)),
        named=effect.named and not patterns,
    )


def flags_of(effect: Effect, touch: Touched) -> dict[str, bool]:
    """Return the flags of a receipt that tell of a command's effect."""
    return {
        WRITES_NAMED: effect.kind == WRITES and effect.named and touch.named,
        ENVIRONMENT_CHANGED: effect.environment,
    }


def put_in_doubt(builder: Builder, session: Rooted, receipt: Receipt, touch: Touched) -> None:
    """Say in the graph that a receipt's command wrote these files, and that nobody knows what they hold now."""
    new = [files.file_for(builder, session, path) for path in touch.fresh]
    for file in (*touch.known, *new):
        builder.edge(EdgeKind.ABOUT, receipt.id, file.node)
        files.put_in_doubt(builder, file, receipt.id)


def _printed_scripts(command: str, output: str) -> dict[str, str]:
    """Return the scripts of the project that their runners printed before they ran them, by name."""
    if _SCRIPT_RUNNER.search(command) is None:
        return {}
    named = dict(_NPM_SCRIPT.findall(output))
    only = _BUN_SCRIPT.findall(output)
    return named or ({"": only[0]} if only and output.startswith(f"$ {only[0]}") else {})


def texts_known(builder: Builder, session: Rooted) -> Callable[[str], str | None]:
    """Return what gives the whole text of a file of a workspace by its path, None where not all of it is known."""
    rules = rules_of(session)

    def text_of(path: str) -> str | None:
        key = file_key(path, root=session.root, cwd=None, rules=rules)
        file = builder.state.files.get(f"{session.workspace}\n{key}")
        if file is None or not file.ledger.complete:
            return None
        lines = files.known_file_lines(builder, file)
        return None if None in lines else "".join(f"{line}\n" for line in lines)

    return text_of


def stands_for(wanted: str, place: str) -> bool:
    """Tell whether a path that is written stands for a file: the file itself, a folder above it, or a pattern."""
    if place == wanted or place.startswith(wanted.rstrip("/") + "/"):
        return True
    return not _PATTERN.isdisjoint(wanted) and fnmatchcase(place, wanted)
