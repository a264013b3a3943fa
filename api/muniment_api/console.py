"""The console: what a command was told, and how it answers.

* Results go to stdout, everything else to stderr.
* With `--json` stdout holds exactly one strict JSON document in UTF-8; what UTF-8 cannot hold becomes `?`.
* Text for people may come from recorded sessions: control characters are shown, never sent to the terminal.
* Colours only on a terminal, and not with NO_COLOR.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import click

INDENT = 2
_CONTROL = re.compile(r"(?!\x1b\[(?:3[0-7]|0)m)[\x00-\x08\x0b-\x1f\x7f-\x9f]")
COLORS = {
    "proven": "green",
    "unproven": "yellow",
    "nothing_claimed": "yellow",
    "contradicted": "red",
    "error": "red",
    "warning": "yellow",
    "ok": "green",
}


@dataclass(slots=True, kw_only=True)
class Console:
    """One call of the program: its store, and whether JSON is wanted. The object of click's context."""

    store: Path
    json: bool = False
    color: bool = True

    def result(self, value: object, text: str) -> None:
        """Write a command's result: `value` as JSON if that is wanted, else `text`."""
        if self.json:
            self.out(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=INDENT))
        else:
            self.out(printable(text))

    def out(self, text: str) -> None:
        """Write a text to stdout, with a line end."""
        _write(text, err=False)

    def say(self, text: str) -> None:
        """Tell something beside the result, on stderr."""
        _write(printable(text), err=True)

    def styled(self, text: str, meaning: str) -> str:
        """Return a text in the colour that goes with a meaning, where colours are wanted."""
        if not self.color or self.json or not sys.stdout.isatty():
            return text
        return click.style(text, fg=COLORS.get(meaning))


def printable(text: str) -> str:
    """Return a text whose control characters are shown as `\\x1b`; line feeds, tabs and plain colours stay."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def _write(text: str, *, err: bool) -> None:
    click.echo(text.encode("utf-8", "replace"), err=err)
