"""Settings of a store: what all its processes must agree upon, in a small file of its folder.

Without the file, or where it cannot be understood, the usual values hold. Another value makes saved folds and
projections of the store another derivation: they are made anew when it is opened next.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from muniment.derive.state import LARGE_OUTPUT
from muniment.errors import StoreError, UsageError

FILE_NAME: Final = "settings.json"
LEAST: Final = 100
"""Tokens below which no output can be called large: a distillation would be longer."""


class Settings(msgspec.Struct, frozen=True):
    """The settings. `large_output`: tokens above which an output is large, and distilled."""

    large_output: int = LARGE_OUTPUT


def settings_of(folder: Path) -> Settings:
    """Return the settings of the store in a folder."""
    try:
        found = msgspec.json.decode((folder / FILE_NAME).read_bytes(), type=Settings)
    except (OSError, msgspec.MsgspecError):
        return Settings()
    return found if found.large_output >= LEAST else Settings()


def set_large_output(folder: Path, tokens: int | None) -> None:
    """Set from how many tokens on an output is large; None leaves it as it is.

    Raises:
        UsageError: fewer than `LEAST`.
        StoreError: the folder cannot be written.
    """
    if tokens is None:
        return
    if not LEAST <= tokens < 2**31:
        raise UsageError(f"large_output is a number of tokens, at least {LEAST}; found {tokens}")
    try:
        if settings_of(folder).large_output != tokens:
            fresh = folder / f"{FILE_NAME}.new"
            fresh.write_bytes(msgspec.json.encode(Settings(large_output=tokens)))
            fresh.replace(folder / FILE_NAME)
    except OSError as error:
        raise StoreError(f"the settings of {folder} cannot be written: {error.strerror or error}") from error
