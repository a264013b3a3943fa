"""Profiles and policies of a store: those of the package, behind those of files in the store's folder.

`profiles.toml` says what models and kinds of tasks need, `policy.toml` what may be shown to whom. A file that is there
and cannot be understood is an error: what somebody wrote must not be passed over.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Final

from muniment.errors import StoreError
from muniment.selection import policy, profile
from muniment.selection.policy import Policy
from muniment.selection.profile import Profiles

PROFILES: Final = "profiles.toml"
POLICY: Final = "policy.toml"


def profiles_of(folder: Path) -> Profiles:
    """Return the profiles that hold in a store.

    Raises:
        StoreError: the store's file cannot be read.
        UsageError: it is no file of profiles.
    """
    own = _text(folder / PROFILES)
    return built_in() if own is None else profile.parsed(own, str(folder / PROFILES)).before(built_in())


def policy_of(folder: Path) -> Policy:
    """Return what may be shown to whom in a store.

    Raises:
        StoreError: the store's file cannot be read.
        UsageError: it is no policy.
    """
    own = _text(folder / POLICY)
    return built_in_policy() if own is None else policy.parsed(own, str(folder / POLICY)).before(built_in_policy())


@lru_cache(maxsize=1)
def built_in() -> Profiles:
    """Return the profiles of the package."""
    return profile.parsed(_packaged(PROFILES), PROFILES)


@lru_cache(maxsize=1)
def built_in_policy() -> Policy:
    """Return the policy of the package."""
    return policy.parsed(_packaged(POLICY), POLICY)


def _packaged(name: str) -> str:
    return resources.files("muniment.selection").joinpath(name).read_text(encoding="utf-8")


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
