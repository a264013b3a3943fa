"""Prefixes: words that only run another command, taken off it.

* `env A=b timeout 60 uv run pytest -x` is `pytest -x`. What remains is the end of the words, but that `uv run -m x` and
  `uv run x.py` are `python -m x` and `python x.py`.
* A prefix with options that are not known stays: nobody can tell where its command begins.
"""

from __future__ import annotations

import re
from typing import Final

SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash"})

_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_PREFIXES: Final = frozenset(
    {
        "command",
        "builtin",
        "exec",
        "nohup",
        "time",
        "chronic",
        "caffeinate",
        "setsid",
        "coproc",
        "unbuffer",
        "cross-env",
    }
)
_LOOKS_UP: Final = frozenset({"-v", "-V"})
_VALUED: Final = {
    "env": frozenset({"-u", "--unset"}),
    "sudo": frozenset({"-u", "-g"}),
    "doas": frozenset({"-u"}),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "gtimeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "xargs": frozenset({"-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a", "-J", "-R"}),
    "time": frozenset({"-f", "-o", "--format", "--output"}),
}
"""Prefix → its options that take a value in the next word."""
_MOVES: Final = re.compile(r"-C|--chdir|-S|--split-string|-D|--chroot|-o\Z|--output")
"""Options of prefixes after which the command is in another folder, in one word with others, or writes a file."""
_RUNS: Final = (
    ("uv", "run"), ("uvx",), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run"), ("rye", "run"),
    ("pixi", "run"), ("pipx", "run"), ("uv", "tool", "run"), ("bundle", "exec"), ("pnpm", "exec"), ("pnpm", "dlx"),
    ("npm", "exec"), ("mise", "exec"), ("mise", "x"), ("npx",), ("bunx",), ("yarn", "exec"), ("yarn", "dlx"),
    ("bun", "x"), ("corepack",), ("rbenv", "exec"), ("pyenv", "exec"), ("asdf", "exec"), ("dotenv", "run"),
)  # fmt: skip


_RUNS_OF: Final = {name: tuple(prefix for prefix in _RUNS if prefix[0] == name) for name, *_ in _RUNS}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RUN_OPTIONS: Final = _words(
    """-y --yes -- -q --quiet --no-install --bun --frozen --locked --no-sync --all-extras --isolated --active --offline
    --no-project --dev"""
)
_RUN_VALUED: Final = _words("--with --extra --group --package -p --python --env-file --from --only-group")


def base_name(word: str) -> str:
    """Return the name of a program without its folder."""
    return word.rsplit("/", 1)[-1]


def is_assignment(word: str) -> bool:
    """Tell whether a word sets a variable of a command's environment."""
    return _ASSIGNMENT.match(word) is not None


def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """Take off what only runs another command: `env A=b timeout 60 uv run pytest -x` → `pytest -x`."""
    while words:
        rest = _without_prefix(words)
        if rest is None:
            break
        words = rest
    return words


def _without_prefix(words: tuple[str, ...]) -> tuple[str, ...] | None:
    name = base_name(words[0])
    if name in _PREFIXES and words[1:2] and not words[1].startswith("-"):
        return _past_options(words[1:], frozenset()) or None if name == "cross-env" else words[1:]
    if name == "command" and words[1:2] and words[1] in _LOOKS_UP:
        return None
    if name in _VALUED:
        rest = _past_options(words[1:], _VALUED[name])
        if any(_MOVES.match(word) for word in words[1 : len(words) - len(rest)] if name != "stdbuf"):
            return None
        rest = rest[1:] if name in ("timeout", "gtimeout") else rest
        return rest or None
    return _run_by_tool(name, words)


def _run_by_tool(name: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    for prefix in _RUNS_OF.get(name, ()):
        if (name, *words[1 : len(prefix)]) == prefix and len(words) > len(prefix):
            rest = words[len(prefix) :]
            while rest and (rest[0] in _RUN_OPTIONS or rest[0] in _RUN_VALUED):
                rest = rest[2:] if rest[0] in _RUN_VALUED else rest[1:]
            python = name in ("uv", "poetry", "pipenv", "pdm", "hatch", "rye") and rest[:1]
            if python and (rest[0] in ("-m", "-c", "-") or rest[0].endswith(".py")):
                return ("python", *rest)
            return rest if rest and not rest[0].startswith("-") else None
    return None


def _past_options(words: tuple[str, ...], valued: frozenset[str]) -> tuple[str, ...]:
    i = 0
    while i < len(words) and (words[i].startswith("-") or _ASSIGNMENT.match(words[i])):
        i += 2 if words[i] in valued else 1
    return words[i:]
