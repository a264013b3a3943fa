"""Errors on their way out: exit codes, the line for people, the object for machines.

The table in api/README.md is this one; a test compares them.
"""

from __future__ import annotations

from enum import IntEnum

from muniment import errors
from muniment.errors import EvidenceError


class Exit(IntEnum):
    """Exit codes of the program."""

    OK = 0
    NOT_PROVEN = 1
    USAGE = 2
    STORE = 3
    DAMAGED = 4
    INTERRUPTED = 130


MEANINGS: dict[Exit, str] = {
    Exit.OK: "done; for `closeout`: proven; for `check-write`: seen; for `holds`: it does; for `packet`: accepted; "
    "for `compaction advise`: there is room",
    Exit.NOT_PROVEN: "not proven, refused, problems found, or the answer cannot be given as asked",
    Exit.USAGE: "the call is wrong: options, an unknown or ambiguous id, an unknown format",
    Exit.STORE: "the store is missing, locked, of another version, or cannot be written",
    Exit.DAMAGED: "stored bytes are not what was written",
    Exit.INTERRUPTED: "interrupted (Ctrl-C)",
}

CODES: dict[type[EvidenceError], Exit] = {
    errors.FieldError: Exit.USAGE,
    errors.UsageError: Exit.USAGE,
    errors.UnknownIdError: Exit.USAGE,
    errors.AmbiguousIdError: Exit.USAGE,
    errors.FormatError: Exit.USAGE,
    errors.ScopeError: Exit.USAGE,
    errors.PurgedError: Exit.NOT_PROVEN,
    errors.BudgetInfeasibleError: Exit.NOT_PROVEN,
    errors.PacketRefusedError: Exit.NOT_PROVEN,
    errors.ConflictError: Exit.NOT_PROVEN,
    errors.SecretRefusedError: Exit.NOT_PROVEN,
    errors.StoreError: Exit.STORE,
    errors.JournalMissingError: Exit.STORE,
    errors.BusyError: Exit.STORE,
    errors.DamageError: Exit.DAMAGED,
}

REMEDIES: dict[str, str] = {
    "unknown_id": "`muniment missions` lists missions, `muniment log` the handles of one",
    "ambiguous_id": "give more of the id, or name the mission with --mission",
    "busy": "try again, or see which process holds the store",
}
"""Error code → what to do, where the message does not say it."""


def exit_of(error: EvidenceError) -> Exit:
    """Return the exit code of an error: that of its class, else of the nearest class above it."""
    return next((CODES[cls] for cls in type(error).__mro__ if cls in CODES), Exit.NOT_PROVEN)


def error_line(error: EvidenceError) -> str:
    """Return the one line that people read."""
    remedy = REMEDIES.get(error.code)
    message = " ".join(str(error).split())
    return f"{message}; {remedy}" if remedy and "`muniment " not in message else message


def error_object(code: str, message: str, facts: dict[str, object] | None = None) -> dict[str, object]:
    """Return the JSON document of an error: `code` and `message`, beside them the facts that it carries."""
    return {"error": {"code": code, "message": message, **(facts or {})}}


def facts_of(error: EvidenceError) -> dict[str, object]:
    """Return what an error carries in attributes, as far as it is plain JSON."""
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(error).items()}
    return {name: value for name, value in plain.items() if isinstance(value, str | int | list)}
