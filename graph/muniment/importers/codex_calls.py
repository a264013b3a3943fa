"""The tool calls of Codex: what a call is, before anything is known of its result.

* The family says what a call is good for: `command`, `write` (patches, also those inside a shell command that does
  nothing else), `search` (the web), `tasks` (the plan), `other`.
* An argv list `["bash", "-lc", X]` is the command X; any other list is joined as a shell would read it.
* Arguments are kept small: the command and a patch's text are left out, long values are cut.
"""

from __future__ import annotations

import shlex
from urllib.parse import unquote

from muniment import canonical
from muniment.importers.codex_patch import patch_in_shell
from muniment.importers.codex_state import OpenCall, absolute, is_windows, parsed, rows, table, text_of
from muniment.model.entries import JSON_OBJECT

COMMANDS = frozenset({"exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec"})
QUESTIONS = frozenset({"request_user_input", "ask_user_question", "ask_user"})
ARGUMENT_LIMIT = 500
_SHELLS = ("sh", "bash", "zsh", "dash", "ksh")
_LEFT_OUT = frozenset({"cmd", "command", "input", "patch", "plan", "workdir", "working_directory"})


def call_of(payload: JSON_OBJECT, cwd: str | None) -> tuple[OpenCall, JSON_OBJECT]:
    """Return the call that an item makes, and its arguments as given."""
    kind = payload.get("type")
    if kind == "local_shell_call":
        arguments = table(payload.get("action"))
        return _command("local_shell", arguments, cwd), arguments
    if kind in ("web_search_call", "tool_search_call", "image_generation_call"):
        arguments = table(payload.get("action")) or parsed(payload.get("arguments"))
        name = str(kind).removesuffix("_call")
        return OpenCall(name=name, tool="search" if name == "web_search" else "other"), arguments
    name = _full_name(payload)
    given = payload.get("input")
    arguments = parsed(payload.get("arguments")) or parsed(given)
    if name in COMMANDS:
        return _command(name, arguments, cwd), arguments
    if name == "apply_patch":
        patch = text_of(given) or text_of(arguments.get("input")) or text_of(arguments.get("patch"))
        return OpenCall(name=name, tool="write", patch=patch or "", cwd=cwd), arguments
    if name == "write_stdin":
        poll = arguments.get("session_id")
        return OpenCall(name=name, tool="command", poll=str(poll), cwd=cwd), arguments
    call = _other(name, arguments, cwd)
    return call, arguments or ({"text": given} if isinstance(given, str) else {})


def small(arguments: JSON_OBJECT) -> JSON_OBJECT | None:
    """Return the arguments without what the record says elsewhere and with long values cut."""
    kept: JSON_OBJECT = {}
    for name, value in arguments.items():
        if name in _LEFT_OUT or value is None:
            continue
        if isinstance(value, str):
            kept[name] = value if len(value) <= ARGUMENT_LIMIT else value[:ARGUMENT_LIMIT] + "…"
        elif isinstance(value, (bool, int, float)) or len(canonical.encode(value)) <= ARGUMENT_LIMIT:
            kept[name] = value
    return kept or None


def command_text(command: object) -> str | None:
    """Return the text of a command that is given as a string or as an argv list."""
    if isinstance(command, str):
        return command
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        return None
    words = [str(word) for word in command]
    shell = words[0].replace("\\", "/").rsplit("/", 1)[-1]
    if len(words) == 3 and shell in _SHELLS and words[1] in ("-lc", "-c"):
        return words[2]
    return shlex.join(words)


def folder_of(place: str | None, cwd: str | None) -> str | None:
    """Return a call's working directory; a `file://` address is taken apart."""
    if place is None or not place:
        return cwd
    if place.startswith("file://"):
        place = unquote(place.removeprefix("file://"))
        place = place[1:] if is_windows(place[1:]) else place
    return absolute(place, cwd)


def _command(name: str, arguments: JSON_OBJECT, cwd: str | None) -> OpenCall:
    given = arguments.get("cmd", arguments.get("command"))
    place = text_of(arguments.get("workdir")) or text_of(arguments.get("working_directory"))
    folder, text = folder_of(place, cwd), command_text(given)
    call = OpenCall(name=name, tool="command", command=text, cwd=folder)
    if isinstance(given, list) and len(given) == 2 and given[0] in ("apply_patch", "applypatch"):
        call.tool, call.patch = "write", text_of(given[1])
        return call
    found = patch_in_shell(text) if text is not None else None
    if found is not None:
        call.patch, inside, alone = found
        call.tool = "write" if alone else "command"
        if inside is not None and alone:
            call.cwd = absolute(inside, folder)
    return call


def _other(name: str, arguments: JSON_OBJECT, cwd: str | None) -> OpenCall:
    call = OpenCall(name=name, tool="tasks" if name == "update_plan" else "other", cwd=cwd)
    path = text_of(arguments.get("path"))
    call.path = absolute(path, cwd) if path and name == "view_image" else None
    if name in QUESTIONS:
        call.questions = rows(arguments.get("questions"))
    if name.rsplit("__", 1)[-1] == "spawn_agent":
        call.name = "spawn_agent"
        call.text = text_of(arguments.get("message")) or text_of(arguments.get("task"))
    return call


def _full_name(payload: JSON_OBJECT) -> str:
    name, namespace = text_of(payload.get("name")) or "", text_of(payload.get("namespace"))
    if not namespace or not namespace.startswith("mcp__"):
        return name
    return namespace + ("" if name.startswith("_") else "__") + name
