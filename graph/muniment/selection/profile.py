"""Profiles: what is known of a model and of a kind of task, as far as a view's size depends on it.

Tables of a store's own file come before those of the package; the first that matches applies. A model's name is taken
without regard to case. Without a model nothing is multiplied: tokens are those of the counter.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Final

import msgspec

from muniment.errors import UsageError
from muniment.tokens import TokenCounter, scaled

BUDGET: Final = 8_000
"""Tokens of a view for which nobody named a budget or a model."""

Positive = Annotated[int, msgspec.Meta(ge=1)]
Factor = Annotated[float, msgspec.Meta(ge=0.1, le=10)]


class ModelProfile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A family of models: `window` and `budget` in its own tokens, of which one of o200k_base is `factor`."""

    name: str
    models: tuple[str, ...]
    source: str
    window: Positive = 128_000
    factor: Factor = 1.0
    budget: Positive = BUDGET


class TaskProfile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of task: its share of the model's usual budget."""

    name: str
    share: Factor
    source: str


class Profiles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All profiles, those that come first before."""

    model: tuple[ModelProfile, ...] = ()
    task: tuple[TaskProfile, ...] = ()

    def before(self, others: Profiles) -> Profiles:
        """Return these, and the others behind them."""
        return Profiles(model=self.model + others.model, task=self.task + others.task)

    def of_model(self, model: str | None) -> ModelProfile | None:
        """Return what is known of a model; None where none is named, or none matches."""
        if model is None:
            return None
        name = model.lower()
        return next((known for known in self.model if _matches(name, known.models)), None)

    def counter(self, model: str | None, counter: TokenCounter) -> TokenCounter:
        """Return a counter of a model's own tokens."""
        known = self.of_model(model)
        return counter if known is None else scaled(counter, known.factor)

    def budget(self, model: str | None, kind: str | None) -> int:
        """Return the usual size of a view for a model and a kind of task, never above a model's window.

        Raises:
            UsageError: no such kind of task is known.
        """
        known = self.of_model(model)
        share = 1.0 if kind is None else self._task(kind).share
        usual = BUDGET if known is None else min(known.budget, known.window)
        most = usual * share if known is None else min(usual * share, known.window)
        return max(int(most), 1)

    def _task(self, kind: str) -> TaskProfile:
        found = next((known for known in self.task if known.name == kind), None)
        if found is None:
            names = ", ".join(dict.fromkeys(known.name for known in self.task))
            raise UsageError(f"no kind of task {kind!r} is known; there are {names}")
        return found


def parsed(text: str, name: str) -> Profiles:
    """Return the profiles of a file; `name` is what errors call it.

    Raises:
        UsageError: it is no TOML, or holds something else than profiles.
    """
    try:
        return msgspec.convert(tomllib.loads(text), Profiles)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{name}: {error}") from None


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern.lower()) for pattern in patterns)
