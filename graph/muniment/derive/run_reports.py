"""Where a run puts its structured results, by its words: into its output, into files that it names, or both.

* An output holds them where the run was asked for a form for programs (`-json`, `--reporter=junit`, `-f json`), or is
  piped into what makes one (`go-junit-report`), and nothing behind it changes the lines.
* A file is the run's where an option for such files names it, or where the output goes into it.
* A place that stands for the output (`/dev/stdout`) is no file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from muniment.shell.prefixes import base_name
from muniment.shell.simple import Simple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRINTED: Final = "printed"
CUT: Final = "cut"
"""The output went through what may leave lines out: only failures count."""
_OUTPUT: Final = frozenset({"/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2", "/proc/self/fd/1", "-"})
_FORM: Final = re.compile(r"json|junit|\btap\b|sarif|xunit|checkstyle|ctrf", re.IGNORECASE)
_FORM_OPTIONS: Final = _words(
    """-f -F -R -O --format --formatter --reporter --reporters --output-format --out-format --message-format
    --test-reporter --output --output.formats"""
)
_FORM_FLAGS: Final = frozenset({"-json", "--json", "--outputjson", "--tap", "--json-report"})
_FILES: Final = _words(
    """--junitxml --junit-xml --junitfile --jsonfile --json-report-file --report-log --ctrf --log-junit --output-junit
    --junit-path --xunit-output --reporter-outfile"""
)
"""Options that name a file of results, whatever else is asked for."""
_FILES_OF_A_FORM: Final = _words(
    """--outputFile --outputFile.json --outputFile.junit --test-reporter-destination --out --output-file -o
    --out-file"""
)
"""Options that name a file for the form that another option asks for."""
_OWN_O: Final = frozenset({"pytest", "py.test", "go", "cargo", "python", "python3", "tox", "nox"})
"""Programs with another meaning of `-o`."""
MAKERS: Final = frozenset({"go-junit-report", "gotestsum", "tap-junit", "tap-xunit", "cargo2junit", "junit-report"})
"""Filters that turn what a runner prints into a report."""
_REPRINTERS: Final = frozenset({"tee", "cat"})
_READERS: Final = frozenset({"cat", "bat", "less", "more", "jq", "xmllint", "python", "python3", "type"})


class Reported(msgspec.Struct, frozen=True):
    """Where a run's results are. `output`: printed, cut, or "" where the output holds none; `files` as written."""

    output: str = ""
    files: tuple[str, ...] = ()


def reported(simple: Simple, filters: Sequence[Simple], *, appends: bool = False) -> Reported:
    """Return where the results of a run are that is piped through some filters.

    `appends`: a redirection of the line may add to what a file holds already.
    """
    options = _options(simple.words)
    formed = any(
        option in _FORM_FLAGS or (option in _FORM_OPTIONS and _FORM.search(value)) for option, value in options
    )
    named = [value for option, value in options if option in _FILES]
    if formed and base_name(simple.words[0]) not in _OWN_O:
        named += [value for option, value in options if option in _FILES_OF_A_FORM]
    elif formed:
        named += [value for option, value in options if option in _FILES_OF_A_FORM and option != "-o"]
    made = formed or any(base_name(each.words[0]) in MAKERS for each in filters if each.words)
    stdout = any(value in _OUTPUT for value in named) or (made and _prints_form(options))
    files = [value for value in named if value and value not in _OUTPUT]
    output = (_through(filters) if filters else PRINTED) if stdout or made else ""
    if made and not appends:
        files += _into([simple, *filters])
    return Reported(output, tuple(dict.fromkeys(files)))


def shown_form(simples: Sequence[Simple], place: int) -> tuple[str, str] | None:
    """Return which file the command at `place` prints as it is, and whether whole or cut; None where it prints none."""
    simple = simples[place]
    operands = _printed_operands(simple)
    if operands is None or len(operands) != 1 or simple.into:
        return None
    filters: list[Simple] = []
    while place + 1 < len(simples) and simples[place].after == "|":
        place += 1
        filters.append(simples[place])
    return operands[0], (_through(filters) if filters else PRINTED)


def _printed_operands(simple: Simple) -> list[str] | None:
    """Return the files that a command prints whole, None where it is no such command."""
    words = simple.words
    name = base_name(words[0]) if words else ""
    if name not in _READERS:
        return None
    plain = [word for word in words[1:] if not word.startswith("-")]
    if name == "jq":
        return plain[1:] + list(simple.source) if plain[:1] == ["."] else None
    if name in ("python", "python3"):
        return list(words[3:4]) + list(simple.source) if words[1:3] == ("-m", "json.tool") else None
    if name == "xmllint":
        return plain if "--format" in words else None
    return plain + list(simple.source)


def _through(filters: Sequence[Simple]) -> str:
    """Tell whether what some filters print is all that they were given, in a form for programs."""
    for each in filters:
        words = each.words
        name = base_name(words[0]) if words else ""
        if name in _REPRINTERS or name in MAKERS:
            continue
        if (name == "jq" and words[1:] in ((), (".",))) or words[1:3] == ("-m", "json.tool"):
            continue
        if name == "xmllint" and "--format" in words:
            continue
        return CUT
    return PRINTED


def _prints_form(options: Sequence[tuple[str, str]]) -> bool:
    return not any(option in _FILES_OF_A_FORM for option, _ in options)


def _into(pipe: Sequence[Simple]) -> list[str]:
    """Return the files that the output of a pipe goes into."""
    found = [name for each in pipe for name in each.into if not name.startswith("/dev/")]
    for each in pipe:
        name = base_name(each.words[0]) if each.words else ""
        if name == "tee" and "-a" not in each.words:
            found += [word for word in each.words[1:] if not word.startswith("-")]
        elif name in MAKERS:
            found += [value for option, value in _options(each.words) if option in ("-out", "--out", "--junitfile")]
    return found


def _options(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return each option of a command with what may be its value: behind its `=`, or the next word."""
    found: list[tuple[str, str]] = []
    for place, word in enumerate(words[1:], start=1):
        if not word.startswith("-"):
            continue
        option, equals, value = word.partition("=")
        following = words[place + 1] if place + 1 < len(words) else ""
        found.append((option, value if equals else "" if following.startswith("-") and following != "-" else following))
    return found
