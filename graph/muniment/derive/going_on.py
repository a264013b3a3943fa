"""Commands that go on in the background: which of a line are left running, what they may still write, what ends them.

* `a &` goes on until the line waits for it (`wait`), or ends it (`kill`), or somebody does so later.
* What only reads, runs tests or serves (a development server) is left out: it changes no files that people keep. So is
  what goes into the log of such a command.
* A later command ends one only if it names it: by a process id that its start printed, by words of its command, by
  the file that holds its process id or the port that it was given; by the number of its job where no other goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from muniment.derive.effect_tables import UNKNOWN, WRITES
from muniment.shell.commands import simple_commands
from muniment.shell.prefixes import base_name
from muniment.shell.simple import Simple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WRITING: Final = (WRITES, UNKNOWN)
_SCRIPT_RUNNERS: Final = _words("npm pnpm yarn bun deno make just task nx turbo")
_SERVER_SCRIPT: Final = re.compile(r"(?:dev|start|serve|server|preview|storybook)(?:[:_-][\w:-]+)?")
_SERVERS: Final = _words(
    """vite uvicorn gunicorn hypercorn daphne waitress-serve http-server live-server browser-sync serve puma unicorn
    thin webpack-dev-server redis-server postgres mongod mysqld nginx caddy httpd http.server ngrok cloudflared ollama
    mailhog"""
)
_SERVING: Final = frozenset(
    {
        *(("next", "dev"), ("next", "start"), ("flask", "run"), ("rails", "s"), ("rails", "server"), ("php", "-S")),
        *(("ng", "serve"), ("astro", "dev"), ("astro", "preview"), ("nuxt", "dev"), ("nuxi", "dev"), ("remix", "dev")),
        *(("gatsby", "develop"), ("hugo", "server"), ("mkdocs", "serve"), ("webpack", "serve"), ("expo", "start")),
        *(("manage.py", "runserver"), ("artisan", "serve"), ("streamlit", "run"), ("fastapi", "dev"), ("vite", "dev")),
        *(("fastapi", "run"), ("wrangler", "dev"), ("vercel", "dev"), ("storybook", "dev"), ("parcel", "serve")),
        *(
            ("docker", "compose"),
            ("docker-compose", "up"),
            ("mix", "phx.server"),
            ("symfony", "serve"),
            ("jupyter", "server"),
            ("python", "http.server"),
        ),
    }
)
"""First words of commands that serve what is there."""
_SERVER_FILE: Final = re.compile(r"serve[r]?\.(?:[cm]?[jt]s|py|rb|php)")
_INTERPRETERS: Final = _words("node bun deno tsx ts-node ruby")
_WRITES_TOO: Final = _words("build watch --watch generate codegen")
_KILLS: Final = _words("-9 -15 -2 -3 -KILL -TERM -INT -QUIT -SIGKILL -SIGTERM -SIGINT -SIGQUIT -s KILL TERM INT -n --")
_FINDERS: Final = _words("pgrep pidof lsof fuser cat ps grep awk ss")
_PID: Final = re.compile(r"^(?:\[\d+\][+ -]*)?(?:PID:?|pid:?|PID=|pid=)?\s*(\d{2,7})$", re.MULTILINE)
_PID_TOLD: Final = re.compile(r"\b(?:pid|process(?: id)?)[ =:]+(\d{2,7})\b", re.IGNORECASE)
_VARIABLE: Final = re.compile(r"\$\{?(\w+|!)\}?")
_LAST: Final = frozenset({"$!", "${!}", "%%", "%+", "%"})


class Going(msgspec.Struct, array_like=True):
    """A command that may still run: the receipt of its start, its text, and the process ids that its start printed."""

    receipt: str
    command: str
    pids: tuple[str, ...] = ()


def left_running(simples: Sequence[Simple], upto: int | None = None) -> list[Simple]:
    """Return the commands of a line that still run in the background when the one at `upto` (None: the end) begins."""
    jobs: dict[int, list[Simple]] = {}
    held: dict[str, int] = {}
    for simple in (each for outer in simples[:upto] for each in (*outer.nested, outer)):
        if simple.apart:
            jobs.setdefault(simple.apart, []).append(simple)
            continue
        _note_variables(simple, jobs, held)
        for ended in _ended_in_line(simple, jobs, held):
            jobs.pop(ended, None)
    return [simple for job in jobs.values() for simple in job]


def may_still_write(simples: Iterable[Simple], effect_of: Callable[[Simple], str]) -> bool:
    """Tell whether commands that were left running may change files: all but those that read, test or serve."""
    return any(effect_of(_unlogged(simple)) in _WRITING and not is_server(simple.words) for simple in simples)


def is_server(words: tuple[str, ...]) -> bool:
    """Tell whether a command serves what is there until it is ended."""
    if not words or not _WRITES_TOO.isdisjoint(words):
        return False
    name = base_name(words[0])
    if name.startswith("python") or name == "py":
        rest = [word for word in words[1:] if word != "-m"]
        return bool(rest) and (_is_server_file(rest[0]) or is_server((base_name(rest[0]), *rest[1:])))
    if name in _INTERPRETERS and words[1:2] and _is_server_file(words[1]):
        return True
    if (name, *words[1:2]) == ("docker", "compose"):
        return "up" in words
    if name == "php" and words[1:2] != ("-S",):
        return words[1:3] == ("artisan", "serve")
    if name in _SCRIPT_RUNNERS:
        plain = [word for word in words[1:] if not word.startswith("-") and word not in ("run", "run-script")]
        return bool(plain) and _SERVER_SCRIPT.fullmatch(plain[0]) is not None
    return name in _SERVERS or (name, *words[1:2]) in _SERVING


def _is_server_file(word: str) -> bool:
    return _SERVER_FILE.fullmatch(base_name(word)) is not None


def pids_in(output: str) -> tuple[str, ...]:
    """Return the process ids that the start of a command printed."""
    return tuple(dict.fromkeys([*_PID.findall(output[:2000]), *_PID_TOLD.findall(output[:2000])]))


def ended_by(command: str, going: Mapping[str, Going], *, succeeded: bool) -> list[str]:
    """Return which of the commands that go on another command ends, by their keys."""
    if not any(word in command for word in ("kill", "fuser", "xargs")):
        return []
    found: list[str] = []
    for simple in simple_commands(command) or ():
        if not simple.apart and _is_kill(simple):
            found += [key for key, each in going.items() if _names(simple, command, each)]
            operands = [word for word in simple.words[1:] if not word.startswith("-")]
            if succeeded and len(going) == 1 and operands and (operands[0] in _LAST or operands[0].startswith("%")):
                found += going
    return list(dict.fromkeys(found))


def _unlogged(simple: Simple) -> Simple:
    return msgspec.structs.replace(simple, into=())


def _note_variables(simple: Simple, jobs: Mapping[int, object], held: dict[str, int]) -> None:
    for setting in (*simple.settings, *simple.words[:2]):
        name, equals, value = setting.partition("=")
        if equals and value in ("$!", "${!}") and jobs:
            held[name] = max(jobs)


def _ended_in_line(simple: Simple, jobs: Mapping[int, list[Simple]], held: Mapping[str, int]) -> list[int]:
    name = base_name(simple.words[0]) if simple.words else ""
    operands = [word for word in simple.words[1:] if not word.startswith("-") or word == "-n"]
    if name == "wait":
        if not operands or (len(operands) >= len(jobs) and "-n" not in operands):
            return list(jobs)
        return [job for word in operands for job in _jobs_named(word, jobs, held)]
    if not _is_kill(simple) or simple.before == "||":
        return []
    if name in ("pkill", "killall"):
        return [
            job for job, parts in jobs.items() if _pattern_fits(simple, " ".join(w for p in parts for w in p.words))
        ]
    if any(nested.words[:1] == ("jobs",) for nested in simple.nested) or operands == ["0"]:
        return list(jobs)
    return [job for word in operands for job in _jobs_named(word, jobs, held)]


def _jobs_named(word: str, jobs: Mapping[int, object], held: Mapping[str, int]) -> list[int]:
    if word in _LAST:
        return [max(jobs)] if jobs else []
    if word[:1] == "%" and word[1:].isdecimal():
        return [int(word[1:])]
    match = _VARIABLE.fullmatch(word)
    return [held[match[1]]] if match is not None and match[1] in held else []


def _is_kill(simple: Simple) -> bool:
    """Tell whether a command ends processes: no other signal, no mere question."""
    words = simple.words
    name = base_name(words[0]) if words else ""
    if name == "fuser":
        return "-k" in words[1:] or "--kill" in words[1:]
    if name not in ("kill", "pkill", "killall"):
        return False
    own = {"-f", "-x", "-u", "-q", "-w", "-v", "-e", "-i"} if name != "kill" else set()
    return all(word in _KILLS or word in own for word in words[1:] if word.startswith("-"))


def _pattern_fits(simple: Simple, text: str) -> bool:
    operands = [word for word in simple.words[1:] if not word.startswith("-") and word not in _KILLS]
    if not operands:
        return False
    try:
        return re.search(operands[-1], text) is not None
    except re.error:
        return operands[-1] in text


def _names(simple: Simple, line: str, going: Going) -> bool:
    """Tell whether a command that ends processes means one that goes on."""
    name = base_name(simple.words[0])
    if name in ("pkill", "killall"):
        return _pattern_fits(simple, going.command)
    operands = [word for word in simple.words[1:] if not word.startswith("-")]
    if any(word in going.pids for word in operands):
        return True
    if name == "fuser":
        return any(_has_port(going.command, word) for word in operands)
    asked = [*simple.nested, *((simple_commands(line) or ()) if simple.fed else ())]
    return any(_finds(each, going) for each in asked)


def _finds(simple: Simple, going: Going) -> bool:
    """Tell whether a command that looks for process ids would find one that goes on."""
    name = base_name(simple.words[0]) if simple.words else ""
    rest = [word for word in simple.words[1:] if not word.startswith("-") or ":" in word]
    if name not in _FINDERS or not rest:
        return False
    if name == "cat":
        return all(base_name(word) in going.command for word in rest)
    if name in ("lsof", "ss", "fuser"):
        return any(_has_port(going.command, word) for word in simple.words[1:])
    pattern = rest[0].replace("[", "").replace("]", "")
    return name in ("pgrep", "pidof", "grep") and len(pattern) > 2 and pattern in going.command


def _has_port(command: str, word: str) -> bool:
    match = re.search(r"(?:^|:)(\d{2,5})(?:/tcp|/udp)?$", word)
    return match is not None and re.search(rf"\b{match[1]}\b", command) is not None
