"""Installing hooks: which commands a runtime's settings get, and how the file that holds them is changed.

* Only what was written here is ever changed or taken out: handlers whose command calls the hook client. All else keeps
  its text to the character, and its place.
* Before the first change the file is copied beside itself (`*.muniment-backup`); undoing everything removes the copy,
  and a file that held nothing else.
* Installing again changes nothing, or brings commands up to date.
* Settings of a project are shared with others: where the program is on everybody's path (and not in a virtual
  environment of one's own), and the store in the project, commands name no folder of this machine.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from muniment.errors import UsageError
from muniment_api.json_text import Holder, Item, inserted, read_holder, removed

BACKUP: Final = ".muniment-backup"
SCRIPT: Final = "muniment-hook"
MODULE: Final = "muniment_api.hook_client"
_OURS: Final = re.compile(rf"(?:{re.escape(SCRIPT)}|-m {re.escape(MODULE)})['\"]? (?:claude-code|codex) \w+(?: |\Z)")
_SHARED: Final = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "PostCompact"),
    *("SubagentStart", "SubagentStop", "Stop", "SessionEnd"),
)
EVENTS: Final = {
    "claude-code": (
        *_SHARED,
        *("PostToolUseFailure", "PostToolBatch", "TaskCreated", "TaskCompleted", "FileChanged", "CwdChanged"),
        "InstructionsLoaded",
    ),
    "codex": _SHARED,
}
TIMEOUTS: Final = {"SessionStart": 40, "Stop": 90, "TaskCompleted": 90, "PreCompact": 40, "SessionEnd": 3}
"""Seconds that the runtime waits, longer than the client does."""
TIMEOUT: Final = 15
SHARED_STORES: Final = {"claude-code": '"${CLAUDE_PROJECT_DIR:-.}"/.muniment', "codex": ".muniment"}
"""A project's store, as any clone of it may name it: Claude Code says where the project is, and the hook client looks
for a relative one from where it is called."""
FILES: Final = {"claude-code": Path(".claude/settings.json"), "codex": Path(".codex/hooks.json")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be installed: for which runtime, in which file, recording into which store.

    `shared`: the file and the store are a project's, and others have them elsewhere.
    """

    runtime: str
    file: Path
    store: Path
    strict: bool = False
    shared: bool = False

    def command(self, event: str, program: str) -> str:
        """Return the command that answers an event."""
        strict = " --strict" if self.strict else ""
        store = SHARED_STORES[self.runtime] if self.shared else shlex.quote(str(self.store))
        return f"{program} {self.runtime} {event} --store {store}{strict}"

    def groups(self, event: str) -> list[dict[str, object]]:
        """Return what may stand in the settings for an event; the first is what is written."""
        timeout = TIMEOUTS.get(event, TIMEOUT)
        commands = [self.command(event, program) for program in programs(shared=self.shared)]
        return [{"hooks": [{"type": "command", "command": each, "timeout": timeout}]} for each in commands]

    def stands(self, text: str, event: str) -> bool:
        """Tell whether the settings hold the hook of an event, once."""
        found = list(_groups(text, event))
        return len(found) == 1 and found[0] in self.groups(event)


def programs(*, shared: bool) -> list[str]:
    """Return how the hook client may be called, best first: its script beside this Python, else on the path, else as a
    module; in settings that are shared its bare name, wherever the path has it."""
    beside, found = Path(sys.executable).with_name(SCRIPT), shutil.which(SCRIPT)
    place = str(beside) if beside.exists() else found
    own = shlex.quote(place) if place else f"{shlex.quote(sys.executable)} -m {MODULE}"
    if not shared or found is None:
        return [own]
    return [SCRIPT, own] if _is_everybodys(Path(found), beside) else [own, SCRIPT]


def _is_everybodys(found: Path, beside: Path) -> bool:
    """Tell whether what the path has is this program, and stays there when a virtual environment is left."""
    if beside.exists() and not found.samefile(beside):
        return False
    return sys.prefix == sys.base_prefix or not found.absolute().is_relative_to(sys.prefix)


def installed_text(text: str, wanted: Wanted) -> str:
    """Return the text of the settings with the hooks in it.

    Raises:
        UsageError: the text is no JSON object, or has something else in the place of hooks.
    """
    for event in EVENTS[wanted.runtime]:
        if not wanted.stands(text, event):
            text = _with_group(without_event(text, event), event, wanted.groups(event)[0])
    return text


def undone_text(text: str) -> str:
    """Return the text of the settings without any hook that was installed.

    Raises:
        UsageError: as for `installed_text`.
    """
    hooks, before = _hooks(text), text
    for item in list(hooks.items) if hooks is not None else []:
        text = without_event(text, item.key)
    top, hooks = read_holder(text, 0), _hooks(text)
    member = top.find("hooks")
    if text == before or hooks is None or member is None or hooks.items:
        return text
    return removed(text, top, member)


def without_event(text: str, event: str) -> str:
    """Return the text without what was installed for an event."""
    while True:
        hooks = _hooks(text)
        member = hooks.find(event) if hooks is not None else None
        if hooks is None or member is None:
            return text
        groups = read_holder(text, member.value)
        group = next((item for item in groups.items if _holds_ours(_value(text, item))), None)
        if group is None:
            return text
        handlers = _handlers(text, group)
        ours = [item for item in handlers.items if _is_ours(_value(text, item))]
        if len(ours) < len(handlers.items):  # somebody has put his own beside it
            text = removed(text, handlers, ours[0])
        elif len(groups.items) > 1:
            text = removed(text, groups, group)
        else:
            text = removed(text, hooks, member)


def missing(text: str, wanted: Wanted) -> list[str]:
    """Return the events whose hooks are not installed as they should be."""
    return [event for event in EVENTS[wanted.runtime] if not wanted.stands(text, event)]


def read_text(file: Path) -> str:
    """Return the text of a settings file; an empty object where there is no file, or nothing in it.

    Raises:
        UsageError: it is no text.
    """
    try:
        text = file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return "{}\n"
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is no UTF-8: {error.reason}") from None
    return text if text.strip() else "{}\n"


def write_text(file: Path, text: str) -> None:
    """Change a settings file: with a copy of what was there, at once, with the mode that it had."""
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    backup = file.with_name(file.name + BACKUP)
    if file.exists() and not backup.exists() and undone_text(before := read_text(file)) == before:
        shutil.copy2(file, backup)
    _replace(file, text)


def undo(wanted: Wanted, text: str) -> None:
    """Write what is left; drop the copy, and the file where nothing is left that was there before."""
    file = wanted.file.resolve()
    backup = file.with_name(file.name + BACKUP)
    if not backup.exists() and json.loads(text) == {}:
        file.unlink(missing_ok=True)
        return
    # Lists of hooks that held nothing go with what was installed into them: only the copy has them as they were.
    before = read_text(backup)
    if backup.exists() and text == undone_text(installed_text(before, wanted)) and before == undone_text(before):
        backup.replace(file)
        return
    _replace(file, text)


def _replace(file: Path, text: str) -> None:
    """Put a text in the place of a file; nobody who may not read that one can read it on the way."""
    new, known = file.with_name(f".{file.name}.{os.getpid()}"), file.exists()
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600 if known else 0o666)
    with os.fdopen(handle, "wb") as out:
        out.write(text.encode("utf-8"))
    if known:
        shutil.copymode(file, new)
    new.replace(file)


def _hooks(text: str) -> Holder | None:
    top = read_holder(text, 0)
    if text[top.start] != "{" or text[top.end + 1 :].strip():
        raise UsageError("the settings are no JSON object")
    member = top.find("hooks")
    if member is None:
        return None
    if text[member.value] != "{":
        raise UsageError("`hooks` in the settings is no object")
    return read_holder(text, member.value)


def _groups(text: str, event: str) -> Iterator[object]:
    hooks = _hooks(text)
    member = hooks.find(event) if hooks is not None else None
    if member is None:
        return
    if text[member.value] != "[":
        raise UsageError(f"`hooks.{event}` in the settings is no list")
    for item in read_holder(text, member.value).items:
        group = _value(text, item)
        if _holds_ours(group):
            yield group


def _with_group(text: str, event: str, group: dict[str, object]) -> str:
    hooks = _hooks(text)
    if hooks is None:
        return inserted(text, read_holder(text, 0), "hooks", {event: [group]}, 0)
    member = hooks.find(event)
    if member is None:
        return inserted(text, hooks, event, [group], 1)
    return inserted(text, read_holder(text, member.value), "", group, 2)


def _value(text: str, item: Item) -> object:
    return json.loads(text[item.value : item.end])


def _handlers(text: str, group: Item) -> Holder:
    member = read_holder(text, group.value).find("hooks")
    return read_holder(text, group.value if member is None else member.value)


def _holds_ours(group: object) -> bool:
    handlers = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(handlers, list) and any(map(_is_ours, handlers))


def _is_ours(handler: object) -> bool:
    command = handler.get("command") if isinstance(handler, dict) else None
    return isinstance(command, str) and _OURS.search(command) is not None
