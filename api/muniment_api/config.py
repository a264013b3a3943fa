"""Settings: the only place where the environment is read (but for the client of hooks, which loads nothing else).

* `MUNIMENT_STORE` names the store's folder; without it the store is `.muniment` in the current folder.
* `NO_COLOR`, if set to anything but "", turns colours off (https://no-color.org).
* An option on the command line wins over the environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

STORE_VARIABLE = "MUNIMENT_STORE"
DEFAULT_STORE = Path(".muniment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the surroundings say; `store` may be relative to the current folder."""

    store: Path
    color: bool


def settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings."""
    return Settings(
        store=Path(environment.get(STORE_VARIABLE) or DEFAULT_STORE),
        color=not environment.get("NO_COLOR"),
    )


def environment_value(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the value of a variable that an option names; "" where it is not set."""
    return environment.get(name, "")
