"""Effects: what a shell command line may have changed. First form, by a table of the common tools.

* `none`: it only reads, as far as the files that people keep go. Test runners, linters, type checkers and compilers
  count as such
  although they write caches and build folders, unless they are told to update snapshots or to fix what they find.
* `outside`: version control's own books, a remote, or (where the workspace's `root` is given) files outside of it.
* `writes`: it changes files of the workspace; `unknown`: nobody can tell. Unsure is unknown.
* A line's effect is the widest of its commands' effects; what a loop or condition might run counts as run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from typing import Final

from muniment.derive.effect_tables import (
    HARMLESS_MODULES,
    NONE,
    OUTSIDE,
    OUTSIDE_ONLY,
    READERS,
    UNKNOWN,
    UPDATING,
    UPDATING_SETTING,
    WRITERS,
    WRITES,
    WRITES_FILE,
)
from muniment.derive.git_effects import git_effect
from muniment.derive.run_words import run_words
from muniment.derive.shell import Simple, base_name, simple_commands, unwrapped

_ORDER: Final = (NONE, OUTSIDE_ONLY, WRITES, UNKNOWN)
_NOWHERE: Final = re.compile(r"/dev/(?:null|stdout|stderr|tty|fd/\d+)\Z|&?\d\Z|-\Z")
_ASKS: Final = frozenset({"--version", "-V", "--help", "-h", "version", "help"})
_BUILT_ASIDE: Final = frozenset({"go", "cargo", "mix", "maven", "gradle", "dotnet", "cmake", "ninja"})
"""Builds that write into a build folder or a cache only."""

Words = tuple[str, ...]


def effect_of(command: str, root: str | None = None) -> str:
    """Return the effect of a shell command line: none, outside, writes or unknown.

    `root` is the workspace's folder: with it, files that are written outside of it by absolute path count as outside.
    """
    simples = simple_commands(command)
    return UNKNOWN if simples is None else widest(effect_of_simple(simple, root) for simple in simples)


def widest(effects: Iterable[str]) -> str:
    """Return the widest of some effects; none where there are none."""
    return max(effects, key=_ORDER.index, default=NONE)


def effect_of_simple(simple: Simple, root: str | None = None) -> str:
    """Return the effect of a simple command with its redirections and substitutions."""
    effects = [effect_of_simple(nested, root) for nested in simple.nested]
    effects += [_written(target, root) for target in simple.into]
    if any(UPDATING_SETTING.match(setting) for setting in simple.settings):
        effects.append(UNKNOWN)
    return widest([*effects, _words_effect(simple.words, root)])


def _words_effect(words: Words, root: str | None) -> str:
    if not words:
        return NONE
    name = base_name(words[0])
    asks = (len(words) == 2 and words[1] in _ASKS) or (words[1:] and words[-1] == "--help")
    if "/" not in words[0] and asks:
        return NONE
    if words[0] == name and name in READERS:
        return NONE
    rule = _RULES.get(name)
    if rule is not None:
        return rule(words, root)
    if name in OUTSIDE:
        return OUTSIDE_ONLY
    if name in WRITERS:
        return _operands_written(words, root)
    return _run_effect(words, root)


def _run_effect(words: Words, root: str | None) -> str:
    """The effect of a known runner: none, but for builds of which nobody knows where they write."""
    run = run_words(words)
    if run is None:
        return UNKNOWN
    if any(word.split("=", 1)[0] in UPDATING for word in words):
        return WRITES
    reports = [_written(target, root) for target in _reports(words)]
    if run.family == "build" and run.tool not in _BUILT_ASIDE:
        return UNKNOWN
    if run.tool == "tsc" and "--noEmit" not in words and "--build" not in words:
        return WRITES
    return widest([NONE, *reports])


def _reports(words: Words) -> list[str]:
    """Return the files that options tell a runner to write."""
    found: list[str] = []
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option in WRITES_FILE:
            found.append(value if equals else words[place + 1] if place + 1 < len(words) else word)
    return found


def _written(target: str, root: str | None) -> str:
    """The effect of writing to a path."""
    if _NOWHERE.match(target):
        return NONE
    if root is None or not target.startswith("/") or "$" in target or "`" in target:
        return WRITES
    path, base = posixpath.normpath(target), posixpath.normpath(root)
    return WRITES if path == base or path.startswith(base.rstrip("/") + "/") else OUTSIDE_ONLY


def _operands_written(words: Words, root: str | None) -> str:
    """The effect of a tool that writes its operands: outside where all of them lie there."""
    operands = [word for word in words[1:] if not word.startswith("-")]
    if base_name(words[0]) == "cp":
        operands = operands[-1:]
    effects = {_written(word, root) for word in operands}
    return OUTSIDE_ONLY if effects == {OUTSIDE_ONLY} else WRITES


def _gh(words: Words, _root: str | None) -> str:
    return WRITES if words[1:3] in (("pr", "checkout"), ("repo", "sync")) or "clone" in words[1:3] else OUTSIDE_ONLY


_FIND_WRITES: Final = frozenset({"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"})
_FIND_RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def _find(words: Words, root: str | None) -> str:
    effects = [WRITES] if _FIND_WRITES & set(words) else [NONE]
    for place, word in enumerate(words):
        if word in _FIND_RUNS:
            rest = words[place + 1 :]
            stop = next((i for i, end in enumerate(rest) if end in (";", "\\;", "+")), len(rest))
            effects.append(_words_effect(unwrapped(rest[:stop]), root))
    return widest(effects)


def _fd(words: Words, _root: str | None) -> str:
    return UNKNOWN if {"-x", "--exec", "-X", "--exec-batch"} & set(words) else NONE


def _rg(words: Words, _root: str | None) -> str:
    return UNKNOWN if any(word.split("=", 1)[0] in ("--pre", "--hostname-bin") for word in words) else NONE


_ADDRESS: Final = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)"
_SED_STEP: Final = re.compile(
    r"[\s;{}]+|(?:" + _ADDRESS + r"(?:[,~][+~]?" + _ADDRESS + r")?\s*)?!?\s*"
    r"(?:[pdqQ=nNhHgGxDlP]\d*(?=[\s;{}]|\Z)"
    r"|s(?P<mark>[/|#,:@%~])(?:(?!(?P=mark))[^\\\n]|\\.)*(?P=mark)(?:(?!(?P=mark))[^\\]"
    r"|\\.)*(?P=mark)[gpiIm\d]*(?=[\s;{}]|\Z)"
    r"|\{)"
)
"""One step of a sed script: an address with a command that prints, deletes or substitutes; `w` and `e` are not among
them.
"""


def _is_harmless_sed(script: str) -> bool:
    place = 0
    while place < len(script):
        step = _SED_STEP.match(script, place)
        if step is None or step.end() == place:
            return False
        place = step.end()
    return True


def _sed(words: Words, _root: str | None) -> str:
    if any(re.match(r"-[nErsuz]*i|--in-place", word) for word in words[1:]):
        return WRITES
    if any(word in ("-f", "--file") for word in words):
        return UNKNOWN
    scripts = [words[i + 1] for i, word in enumerate(words[:-1]) if word in ("-e", "--expression", "-ne")]
    if not scripts:
        scripts = [word for word in words[1:] if not word.startswith("-")][:1]
    return NONE if all(map(_is_harmless_sed, scripts)) else UNKNOWN


def _awk(words: Words, _root: str | None) -> str:
    if any(word in ("-i", "-f", "--file", "--include") for word in words):
        return UNKNOWN
    text = " ".join(words[1:])
    if "system(" in text or re.search(r"\|\s*&?\s*(?:getline|[\"'a-z])", text):
        return UNKNOWN
    return WRITES if re.search(r"\bprintf?\b[^;}\n]*>", text) else NONE


def _sorted(words: Words, _root: str | None) -> str:
    return WRITES if any(word.startswith(("-o", "--output")) for word in words) else NONE


def _two_operands(words: Words, _root: str | None) -> str:
    """`uniq in out`, `xxd in out`: a second operand is written."""
    operands = [word for word in words[1:] if not word.startswith("-")]
    return WRITES if len(operands) > 1 else NONE


def _tee(words: Words, root: str | None) -> str:
    return widest(_written(word, root) for word in words[1:] if not word.startswith("-"))


def _in_place(words: Words, _root: str | None) -> str:
    return WRITES if any(re.match(r"-i|--in-?place", word) for word in words[1:]) else NONE


def _perl(words: Words, _root: str | None) -> str:
    return WRITES if any(re.match(r"-\w*i", word) for word in words[1:]) else UNKNOWN


def _source(words: Words, _root: str | None) -> str:
    """A virtual environment's script sets variables only; any other script may do anything."""
    return NONE if words[1:] and words[1].endswith("/bin/activate") else UNKNOWN


def _formatter(words: Words, _root: str | None) -> str:
    """Formatters write unless told to check."""
    return (
        NONE
        if {"--check", "-c", "--diff", "-l", "--list-different", "--check-formatted", "-d"} & set(words)
        else WRITES
    )


def _gofmt(words: Words, _root: str | None) -> str:
    return WRITES if "-w" in words else NONE


def _tar(words: Words, _root: str | None) -> str:
    first = words[1].lstrip("-") if len(words) > 1 else ""
    return NONE if first.startswith("t") or "--list" in words else WRITES


def _unzip(words: Words, _root: str | None) -> str:
    return NONE if {"-l", "-p", "-t", "-Z"} & set(words) else WRITES


def _curl(words: Words, root: str | None) -> str:
    into = [words[i + 1] for i, word in enumerate(words[:-1]) if word in ("-o", "--output", "--output-dir", "-c", "-D")]
    into += ["file"] if any(re.match(r"-\w*O|--remote-name", word) for word in words[1:]) else []
    into += ["file"] if any(re.match(r"-\w+o\Z|-o.", word) for word in words[1:]) else []
    return widest([OUTSIDE_ONLY, *(_written(target, root) for target in into)])


def _python(words: Words, root: str | None) -> str:
    for place, word in enumerate(words[1:], start=1):
        if word == "-m":
            module = words[place + 1 : place + 2]
            known = module and module[0] in HARMLESS_MODULES
            return NONE if known else _words_effect(unwrapped(words[place + 1 :]), root) if module else UNKNOWN
        if not word.startswith("-"):
            break
    return _run_effect(words, root)


def _ruff(words: Words, root: str | None) -> str:
    if {"--fix", "--fix-only", "--unsafe-fixes", "--add-noqa"} & set(words):
        return WRITES
    return _formatter(words, root) if words[1:2] == ("format",) else _run_effect(words, root)


def _biome(words: Words, _root: str | None) -> str:
    changing = {"--write", "--fix", "--apply", "--apply-unsafe", "--unsafe"} & set(words)
    return WRITES if changing else NONE if words[1:2] in (("check",), ("lint",), ("format",), ("ci",)) else UNKNOWN


def _mix(words: Words, root: str | None) -> str:
    return _formatter(words, root) if words[1:2] == ("format",) else _run_effect(words, root)


def _go(words: Words, root: str | None) -> str:
    verb = words[1] if len(words) > 1 else ""
    if verb in ("doc", "list", "version", "env"):
        return UNKNOWN if "-w" in words or "-u" in words else NONE
    if verb == "clean":
        return OUTSIDE_ONLY if "-testcache" in words or "-cache" in words else WRITES
    if verb in ("fmt", "fix", "generate", "get", "mod", "install", "run"):
        return WRITES if verb in ("fmt", "fix") else UNKNOWN
    if verb == "build":
        return _go_build(words, root)
    return _run_effect(words, root)


def _go_build(words: Words, root: str | None) -> str:
    """A build of several packages is thrown away; one of a main package leaves its program here, and nobody says which
    it is."""
    if "-o" in words:
        return _written(words[words.index("-o") + 1] if words[-1] != "-o" else "", root)
    return NONE if any(word.endswith("...") for word in words) else WRITES


def _script_runner(words: Words, root: str | None) -> str:
    """npm and its like: looking things up in the registry or the project is harmless."""
    verbs = [word for word in words[1:] if not word.startswith("-")]
    if verbs[:1] and verbs[0] in (
        "view",
        "info",
        "ls",
        "list",
        "outdated",
        "why",
        "audit",
        "search",
        "whoami",
        "bin",
        "root",
    ):
        return UNKNOWN if "fix" in verbs else NONE
    if any(re.fullmatch(r"(?:fmt|format|fix)(?:[:_-][\w:-]+)?|lint:fix", verb) for verb in verbs[:2]):
        return UNKNOWN if {"fmt:check", "format:check", "format-check"} & set(verbs) else WRITES
    return _run_effect(words, root)


_RULES: Final[dict[str, Callable[[Words, str | None], str]]] = {
    "git": git_effect,
    "source": _source,
    ".": _source,
    "gh": _gh,
    "find": _find,
    "fd": _fd,
    "rg": _rg,
    "sed": _sed,
    "gsed": _sed,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    "sort": _sorted,
    "tree": _sorted,
    "uniq": _two_operands,
    "xxd": _two_operands,
    "tee": _tee,
    "yq": _in_place,
    "jq": _in_place,
    "perl": _perl,
    "ruby": _perl,
    **dict.fromkeys(("black", "prettier", "isort", "rustfmt", "shfmt", "clang-format", "autopep8", "yapf"), _formatter),
    "gofmt": _gofmt,
    "goimports": _gofmt,
    "tar": _tar,
    "unzip": _unzip,
    "curl": _curl,
    **dict.fromkeys(("python", "python2", "python3", "py", "pypy3"), _python),
    "ruff": _ruff,
    "biome": _biome,
    "mix": _mix,
    "go": _go,
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "mise", "just", "task", "make"), _script_runner),
}
