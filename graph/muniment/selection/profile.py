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
    """A family of models: `window`, `working` and `budget` in its own tokens, of which one of o200k_base is `factor`.

    `working` is how full its context may get before its state is carried into a new one; None: as far as the window
    lets it. `assumed`: the window is a guess, good enough for the size of a view, and nothing is compacted by it.
    """

    name: str
    models: tuple[str, ...]
    source: str
    window: Positive = 128_000
    assumed: bool = False
    working: Positive | None = None
    working_source: str = ""
    factor: Factor = 1.0
    budget: Positive = BUDGET


class TaskProfile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of task: its shares of the model's usual budget, and of its working limit."""

    name: str
    share: Factor
    source: str
    working: Factor = 1.0
    working_source: str = ""


class Compaction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is done without being asked; None: not said here.

    `automatic`: contexts may be called full, and hooks make packets. `accept`: hooks accept the packets that they make.
    """

    automatic: bool | None = None
    accept: bool | None = None

    def before(self, others: Compaction) -> Compaction:
        """Return what is said here, else there."""
        return Compaction(
            automatic=others.automatic if self.automatic is None else self.automatic,
            accept=others.accept if self.accept is None else self.accept,
        )


class Profiles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All profiles, those that come first before."""

    model: tuple[ModelProfile, ...] = ()
    task: tuple[TaskProfile, ...] = ()
    compaction: Compaction = Compaction()

    def before(self, others: Profiles) -> Profiles:
        """Return these, and the others behind them."""
        return Profiles(
            model=self.model + others.model,
            task=self.task + others.task,
            compaction=self.compaction.before(others.compaction),
        )

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
        share = 1.0 if kind is None else self.of_task(kind).share
        usual = BUDGET if known is None else min(known.budget, known.window)
        most = usual * share if known is None else min(usual * share, known.window)
        return max(int(most), 1)

    def of_task(self, kind: str) -> TaskProfile:
        """Return what is known of a kind of task.

        Raises:
            UsageError: nothing is.
        """
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
