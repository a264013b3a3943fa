"""What the notices of aider tell beside themselves: commits, commands, and the rounded numbers of tokens."""

from __future__ import annotations

import re

from muniment.importers.plain_records import OpenCall, Outcome, Spot, called, returned, used
from muniment.model.records import CommitMade, Record

_COMMIT = re.compile(r"^> Commit ([0-9a-f]{6,40}) (.*?)\s*$", re.MULTILINE)
_TOKENS = re.compile(r"^> Tokens: ([\d.,]+)(k|M)? sent,(?:[^\n]*?hit,)? ([\d.,]+)(k|M)? received", re.MULTILINE)
_RUNNING = re.compile(r"^> Running (?!.*\.\.\.)(.+?)[ \t]*$\n?", re.MULTILINE)


def unquoted(text: str) -> str:
    """Return a notice without its marks."""
    return "\n".join(line.removeprefix("> ").rstrip() for line in text.split("\n")).strip()


def told_by(spot: Spot, model: str | None, text: str) -> list[Record]:
    """Return the commits, commands and token numbers that a notice tells of."""
    found: list[Record] = [
        CommitMade(
            id=spot.ident(f"commit:{place}"), by="harness", commit=match[1], message=match[2] or None, **spot.place
        )
        for place, match in enumerate(_COMMIT.finditer(text))
    ]
    running = _RUNNING.search(text)
    if running is not None:
        at = Spot(spot.entry, spot.clock)
        call = OpenCall(ident=spot.ident("run"), name="run", tool="command", command=running[1])
        output = unquoted(text[running.end() :])
        found += [called(at, call, by="user"), returned(at, call, Outcome(output=output))]
    tokens = _TOKENS.search(text)
    if tokens is not None:
        given, output_tokens = _count(tokens[1], tokens[2]), _count(tokens[3], tokens[4])
        found += used(spot, model, given=given, output=output_tokens)
    return found


def _count(number: str, unit: str | None) -> int:
    try:
        return round(float(number.replace(",", "")) * {"k": 1000, "M": 1_000_000}.get(unit or "", 1))
    except ValueError:
        return 0
