"""Whether the exit status of a shell command line is the status of the command that it is about.

* A pipe without `pipefail` gives the status of its last part, `|| true` hides a failure, `;` keeps the last status
  only, `&` starts and does not wait. A status that came so proves nothing about the test or build in the line.
* The answer is careful: what is not understood (compounds, `eval`, a quote that never closes) is not the command's
  own.
* `a && b` keeps it: zero means that both succeeded. Under `set -e` so does `;`, under `pipefail` so does a pipe.
"""

from __future__ import annotations

from typing import Final

from muniment.importers.shell_words import shell_tokens, unquoted

_SEPARATORS: Final = frozenset({";", "\n"})
_REDIRECTIONS: Final = frozenset({">", ">>", "<", ">|", ">&", "<&", "&>", "&>>", "<<", "<<-", "<<<"})
_COMPOUND: Final = frozenset(
    {"if", "for", "while", "until", "case", "select", "function", "{", "[[", "((", "!", "coproc"}
)
_OPAQUE: Final = frozenset({"trap", "eval", "ssh", "watch", "exec"})
_PLACES: Final = frozenset({"cd", "pushd", "popd", "source", ".", "pwd"})
_SETTINGS: Final = frozenset({"export", "unset", "alias", "umask", "ulimit"})
_QUIET: Final = _PLACES | _SETTINGS | {"echo", "printf", "sleep", "true", ":", "date"}
"""Commands that only prepare or print: nobody asks whether they succeeded."""
_FEEDERS: Final = frozenset({"echo", "printf", "yes", "cat", "true"})
_SEARCHERS: Final = frozenset({"grep", "egrep", "fgrep", "rg", "sed", "awk", "jq", "xargs"})
_SHAPERS: Final = frozenset({"sort", "uniq", "wc", "tr", "cut", "column", "fold", "nl", "tac"})
_FILTERS: Final = _SEARCHERS | _SHAPERS | {"tail", "head", "tee", "cat", "less", "more", "true"}
_PREFIXES: Final = frozenset({"time", "env", "command", "sudo", "nohup", "nice", "builtin"})
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ash", "ksh"})


def own_status(command: str) -> bool:
    """Tell whether the exit status of `command`, run by a shell, is that of its essential command. Unsure is false."""
    tokens = shell_tokens(command)
    return tokens is not None and _own(tokens, pipefail=False)


def _own(tokens: list[str], *, pipefail: bool) -> bool:
    tokens = _trimmed(tokens)
    if not tokens or "&" in tokens or ";;" in tokens:
        return False
    if "(" in tokens:
        inside = tokens[1:-1]
        alone = tokens[0] == "(" and tokens[-1] == ")" and "(" not in inside and ")" not in inside
        return alone and _own(inside, pipefail=pipefail)
    return ")" not in tokens and _sequence_own(_split(tokens, _SEPARATORS), pipefail=pipefail)


def _sequence_own(statements: list[list[str]], *, pipefail: bool) -> bool:
    errexit = False
    earlier = False
    own = True
    for statement in statements:
        if statement[0] == "set":
            errexit = _switched("e", "errexit", statement, errexit)
            pipefail = _switched("", "pipefail", statement, pipefail)
            continue
        if earlier and not errexit:
            return False
        own = _chain_own(statement, pipefail=pipefail)
        if not own:
            return False
        earlier = earlier or not _quiet(statement)
    return own


def _switched(letter: str, name: str, words: list[str], before: bool) -> bool:
    """What a `set` makes of one shell option."""
    for place, word in enumerate(words[1:], start=1):
        named = word[1:].endswith("o") and words[place + 1 : place + 2] == [name]
        if word[:1] in ("-", "+") and (named or (letter and letter in word[1:])):
            before = word[0] == "-"
    return before


def _chain_own(statement: list[str], *, pipefail: bool) -> bool:
    if "||" in statement:
        place = statement.index("||")
        if not _gives_up(statement[place + 1 :]):
            return False
        statement = statement[:place]
    return all(_pipeline_own(part, pipefail=pipefail) for part in _split(statement, frozenset({"&&"})))


def _gives_up(words: list[str]) -> bool:
    """`|| exit 1`, `|| return 1` and `|| false` keep a failure a failure."""
    if words == ["false"]:
        return True
    if not words or words[0] not in ("exit", "return"):
        return False
    return len(words) == 1 or (len(words) == 2 and words[1].isdecimal() and int(words[1]) > 0)


def _pipeline_own(words: list[str], *, pipefail: bool) -> bool:
    commands = _split(words, frozenset({"|", "|&"}))
    if not commands or any(not _simple_own(command) for command in commands):
        return False
    if len(commands) == 1 or pipefail:
        return True
    names = [_name(command) for command in commands]
    return all(name in _FEEDERS for name in names[:-1]) and names[-1] not in _FILTERS


def _simple_own(command: list[str]) -> bool:
    """No compound, and a script given to another shell (`bash -c '…'`) keeps its own status too."""
    if not command or command[0] in _COMPOUND or _name(command) in _COMPOUND | _OPAQUE:
        return False
    for place, word in enumerate(command[1:-1], start=1):
        if word.startswith("-") and word.endswith("c") and any(_base(before) in _SHELLS for before in command[:place]):
            inner = unquoted(command[place + 1])
            tokens = None if inner is None else shell_tokens(inner)
            if tokens is None or not _own(tokens, pipefail="pipefail" in command[:place]):
                return False
    return True


def _quiet(statement: list[str]) -> bool:
    parts = _split(statement, frozenset({"&&", "||", "|", "|&"}))
    return all(_name(part) in _QUIET or _name(part) == "" for part in parts)


def _name(command: list[str]) -> str:
    """The program that a simple command runs, without its folder; "" for assignments only."""
    skip = False
    for word in command:
        if skip:
            skip = False
        elif word in _REDIRECTIONS:
            skip = True
        elif word not in _PREFIXES and not _is_assignment(word) and not word.startswith("-"):
            return _base(word)
    return ""


def _base(word: str) -> str:
    return word.rsplit("/", 1)[-1] or word


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _trimmed(tokens: list[str]) -> list[str]:
    start, end = 0, len(tokens)
    while start < end and tokens[start] in _SEPARATORS:
        start += 1
    while end > start and tokens[end - 1] in _SEPARATORS:
        end -= 1
    return tokens[start:end]


def _split(tokens: list[str], at: frozenset[str]) -> list[list[str]]:
    """Split at these operators; empty parts are left out (a line end after `&&` is no end)."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token in at:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]
