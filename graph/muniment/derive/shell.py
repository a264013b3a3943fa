"""Shell lines cut into simple commands, as far as effects and runs need them; no expansion, no evaluation.

* A simple command keeps its words without quotes, its assignments, the files that it redirects into, the scripts inside
  its
  substitutions, and the operators on both sides of it.
* Loops and conditions are taken apart: what they may run is listed as if it ran. What is not understood (functions,
  `case`,
  arrays, quotes that never close) gives None: the caller must not guess.
* `bash -lc '…'` is the script inside it. Prefixes that run another command (`env`, `timeout`, `uv run`, `npx`) are
  taken off.
* A here-document without a quoted delimiter that holds a substitution is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from muniment.importers.shell_words import shell_tokens

SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh"})

_SEPARATORS: Final = frozenset({";", "\n", "&", "&&", "||", "|", "|&", "(", ")"})
_INTO: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&"})
_FROM: Final = frozenset({"<", "<<<", "<&"})
_DOCUMENT: Final = frozenset({"<<", "<<-"})
_KEYWORDS: Final = frozenset(
    {"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "time"}
)
_LISTS: Final = frozenset({"for", "select"})
_NOT_UNDERSTOOD: Final = frozenset({"case", "function", "coproc", "esac"})
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_QUOTED_WORD: Final = re.compile(r"""['"\\]""")
_LITERAL_DOCUMENT: Final = re.compile(r"""\$\(cat <<-?\s*(['"])(\w+)\1\n.*?\n\s*\2\s*\n\s*\)""", re.DOTALL)
"""`$(cat <<'EOF' … EOF)`: a text and nothing else, however many quotes it holds."""


REMEMBERED = 256
"""Command lines whose parts are remembered: one line is asked for its effect, its runs and its counts in turn."""


class Simple(msgspec.Struct, frozen=True, kw_only=True):
    """One simple command. `before` and `after` are the operators around it ("" at the ends; a line end is `;`).

    `grouped`: inside parentheses, braces, a loop or a condition, where the operators around it do not tell whose status
    counts.
    `fed`: `xargs` gives it more words.
    """

    words: tuple[str, ...]
    settings: tuple[str, ...] = ()
    into: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    grouped: bool = False
    fed: bool = False


@lru_cache(maxsize=REMEMBERED)
def simple_commands(text: str) -> tuple[Simple, ...] | None:
    """Return the simple commands of a shell line in order, or None where the line is not understood."""
    text = _LITERAL_DOCUMENT.sub("text", text)
    tokens = shell_tokens(text)
    if tokens is None or ";;" in tokens or _live_document(text, tokens):
        return None
    grouped = any(token in ("(", "{") or token in _LISTS or token in ("if", "while", "until") for token in tokens)
    found: list[Simple] = []
    for part, before, after in _parts(tokens):
        simple = _simple(part, before, after, grouped)
        if simple is None:
            return None
        nested = _script(simple)
        if nested is None:
            if simple.words or simple.settings or simple.into or simple.inner:
                found.append(simple)
            continue
        inside = simple_commands(nested)
        if inside is None:
            return None
        found += _placed(inside, simple)
    return tuple(found)


def unquoted(word: str) -> str:
    """Return the text of a word without its quotes and escapes; variables and substitutions stay as written."""
    if _QUOTED_WORD.search(word) is None:
        return word
    text: list[str] = []
    i = 0
    while i < len(word):
        char = word[i]
        if char == "'":
            stop = word.find("'", i + 1)
            text.append(word[i + 1 : stop])
            i = stop + 1
        elif char == "\\":
            text.append(word[i + 1 : i + 2])
            i += 2
        elif char == '"':
            i, inside = _double_quoted(word, i + 1)
            text.append(inside)
        else:
            text.append(char)
            i += 1
    return "".join(text)


def _double_quoted(word: str, i: int) -> tuple[int, str]:
    text: list[str] = []
    while i < len(word) and word[i] != '"':
        if word[i] == "\\" and word[i + 1 : i + 2] in ('"', "\\", "$", "`"):
            i += 1
        elif word.startswith("$(", i):
            stop = _closing(word, i + 2)
            text.append(word[i:stop])
            i = stop
            continue
        text.append(word[i : i + 1])
        i += 1
    return i + 1, "".join(text)


def _parts(tokens: list[str]) -> list[tuple[list[str], str, str]]:
    """Split at the operators; each part with the operators before and after it. Redirections stay in the parts."""
    parts: list[tuple[list[str], str, str]] = []
    part: list[str] = []
    before = ""
    for token in tokens:
        if token not in _SEPARATORS:
            part.append(token)
            continue
        operator = {"\n": ";", "|&": "|"}.get(token, token)
        parts.append((part, before, operator))
        part, before = [], operator
    parts.append((part, before, ""))
    return parts


def _simple(part: list[str], before: str, after: str, grouped: bool) -> Simple | None:
    if part and after == "(" and part[-1] not in _INTO | _FROM | _KEYWORDS:
        return None  # a function or an array
    raw, into = _redirected(part)
    inner = [script for word in part for script in substitutions(word)]
    while raw and raw[0] in _KEYWORDS:
        raw = raw[1:]
    if raw and raw[0] in _LISTS:
        raw = []
    if raw and raw[0] in _NOT_UNDERSTOOD:
        return None
    place = 0
    while place < len(raw) and _ASSIGNMENT.match(raw[place]):
        place += 1
    return Simple(
        words=unwrapped(tuple(unquoted(word) for word in raw[place:])),
        settings=tuple(unquoted(word) for word in raw[:place]),
        into=into,
        inner=tuple(inner),
        before=before,
        after=after,
        grouped=grouped,
        fed="xargs" in raw,
    )


def _redirected(part: list[str]) -> tuple[list[str], tuple[str, ...]]:
    words: list[str] = []
    into: list[str] = []
    i = 0
    while i < len(part):
        word = part[i]
        following = part[i + 1] if i + 1 < len(part) else None
        if word in _INTO or word in _FROM or word in _DOCUMENT:
            if (
                word in _INTO
                and following is not None
                and not (word == ">&" and (following.isdigit() or following == "-"))
            ):
                into.append(unquoted(following))
            i += 2
        elif word in ("0", "1", "2") and following in _INTO | _FROM:
            i += 1  # the number of a stream
        else:
            words.append(word)
            i += 1
    return words, tuple(into)


def substitutions(word: str) -> list[str]:
    """Return the scripts inside a word's `$(…)` and backquotes; arithmetic is none."""
    found: list[str] = []
    i, double = 0, False
    while i < len(word):
        if word[i] == "\\":
            i += 2
        elif word[i] == "'" and not double:
            i = word.find("'", i + 1) + 1 or len(word)
        elif word.startswith("$((", i):
            i = _closing(word, i + 2)
        elif word.startswith("$(", i):
            stop = _closing(word, i + 2)
            found.append(word[i + 2 : stop - 1])
            i = stop
        elif word[i] == "`":
            stop = word.find("`", i + 1)
            found.append(word[i + 1 : stop])
            i = stop + 1 or len(word)
        else:
            double = double != (word[i] == '"')
            i += 1
    return found


def _closing(word: str, i: int) -> int:
    """Return the place after the parenthesis that closes what is open at `i`."""
    depth = 1
    while i < len(word) and depth:
        if word[i] == "\\":
            i += 1
        elif word[i] == "'":
            i = word.find("'", i + 1)
            if i < 0:
                return len(word)
        else:
            depth += {"(": 1, ")": -1}.get(word[i], 0)
        i += 1
    return i


def _live_document(text: str, tokens: list[str]) -> bool:
    """Tell whether a here-document may run something: an unquoted delimiter, and a substitution that is in no word."""
    for place, token in enumerate(tokens[:-1]):
        if token in _DOCUMENT and _QUOTED_WORD.search(tokens[place + 1]) is None:
            marks = sum(word.count("$(") + word.count("`") for word in tokens)
            return text.count("$(") + text.count("`") > marks
    return False


def _script(simple: Simple) -> str | None:
    """Return the script that a command gives to another shell (`bash -lc '…'`), or None."""
    words = simple.words
    if not words or base_name(words[0]) not in SHELLS:
        return None
    for place, word in enumerate(words[1:-1], start=1):
        if re.fullmatch(r"-[a-z]*c", word):
            return words[place + 1]
        if not word.startswith(("-", "+")) and word not in ("pipefail", "errexit"):
            return None
    return None


def _placed(inside: Sequence[Simple], outer: Simple) -> list[Simple]:
    """Put the commands of an inner script in the place of the command that ran it."""
    if not inside:
        return []
    grouped = outer.grouped or (len(inside) > 1 and (outer.before, outer.after) != ("", ""))
    placed = [msgspec.structs.replace(simple, grouped=simple.grouped or grouped) for simple in inside]
    placed[0] = msgspec.structs.replace(placed[0], before=outer.before, settings=outer.settings + placed[0].settings)
    placed[-1] = msgspec.structs.replace(
        placed[-1], after=outer.after, into=placed[-1].into + outer.into, inner=placed[-1].inner + outer.inner
    )
    return placed


def base_name(word: str) -> str:
    """Return the name of a program without its folder."""
    return word.rsplit("/", 1)[-1]


_PREFIXES: Final = frozenset({"command", "builtin", "exec", "nohup", "time", "chronic", "caffeinate"})
_VALUED: Final = {
    "env": frozenset({"-u", "-C", "-S"}),
    "sudo": frozenset({"-u", "-g", "-C"}),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "xargs": frozenset({"-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a"}),
}
"""Prefix → its options that take a value in the next word."""
_RUNS: Final = (
    ("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run"), ("rye", "run"),
    ("bundle", "exec"),     ("pnpm", "exec"), ("npm", "exec"), ("mise", "exec"), ("npx",), ("bunx",), ("yarn", "exec"),
    ("bun", "x"), ("corepack",),
)  # fmt: skip


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
    if name in _PREFIXES:
        return None if words[1:2] and words[1].startswith("-") else words[1:]
    if name in _VALUED:
        rest = _past_options(words[1:], _VALUED[name])
        rest = rest[1:] if name == "timeout" else rest
        return rest or None
    for prefix in _RUNS:
        if (name, *words[1 : len(prefix)]) == prefix and len(words) > len(prefix):
            rest = words[len(prefix) :]
            while rest and rest[0] in ("-y", "--yes", "--", "-q", "--quiet", "--no-install", "--bun", "--frozen"):
                rest = rest[1:]
            return rest if rest and not rest[0].startswith("-") else None
    return None


def _past_options(words: tuple[str, ...], valued: frozenset[str]) -> tuple[str, ...]:
    i = 0
    while i < len(words) and (words[i].startswith("-") or _ASSIGNMENT.match(words[i])):
        i += 2 if words[i] in valued else 1
    return words[i:]
