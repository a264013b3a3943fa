"""What comes out: of a check, of a case. A check that could not be asked is never a pass."""

from __future__ import annotations

import msgspec


class CannotAskError(Exception):
    """The product has no such capability yet."""

    def __init__(self, capability: str) -> None:
        self.capability = capability
        super().__init__(capability)


class WrongCaseError(Exception):
    """The case asks for something that the vocabulary does not have, or contradicts itself."""


class Result(msgspec.Struct, kw_only=True):
    """What one check found. `wrong` is empty where all that was asked holds.

    `asked` is false where nothing of it could be asked; `missing` names the capabilities that were needed. `value` is
    what a comparison over sizes or with another case compares.
    """

    check: str
    asked: bool = True
    wrong: list[str] = []
    missing: list[str] = []
    value: object = None

    @property
    def failed(self) -> bool:
        """Tell whether something differs."""
        return bool(self.wrong)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a case: passed, failed or skipped, and why."""

    word: str
    why: str = ""

    def line(self, file: str, case: str) -> str:
        """Return the line that is printed."""
        name = f"{self.word} {file} {case}"
        if not self.why:
            return name
        return f"{name} ({self.why})" if self.word == "passed" else f"{name}: {self.why}"


TARGET = "target"
"""Stands for a measure that is for the benchmark: it is no capability and never makes a case skipped."""


def outcome_of(results: list[Result]) -> Outcome:
    """Return what the results of a case's checks come to.

    A difference fails it. Else a check of which nothing could be asked makes it skipped; so does asking nothing at all.
    """
    wrong = [f"{result.check}: {text}" for result in results for text in result.wrong]
    if wrong:
        return Outcome(word="failed", why="; ".join(wrong))
    missing = list(dict.fromkeys(name for result in results for name in result.missing))
    unasked = [name for result in results if not result.asked for name in result.missing if name != TARGET]
    if unasked:
        return Outcome(word="skipped", why=", ".join(dict.fromkeys(unasked)))
    if not any(result.asked for result in results):
        return Outcome(word="skipped", why=", ".join(missing) or "nothing could be asked")
    return Outcome(word="passed", why=f"not asked: {', '.join(missing)}" if missing else "")
