"""When a context is full enough that its state should be carried into a new one, and why.

* The limit is the model's working limit (what is known to go well) times the share of the kind of task, and never above
  what the window leaves once a packet, a first view and an answer have their room.
* Measured drift lowers the limit, by half at most: who carries things over badly should carry them while they are few.
* A window that nobody knows never makes anything compact; nor does anything where a store has opted out.
* All figures are in the model's own tokens, as its runtime counts them.
"""

from __future__ import annotations

from typing import Final

import msgspec

from muniment.errors import UsageError
from muniment.handoff.packet import BUDGET
from muniment.selection.profile import ModelProfile, Profiles

ANSWER: Final = 8_000
"""Tokens that are kept for what a model answers."""
MOST_LOWERED: Final = 0.5
"""What is left of a limit where drift is at its worst."""

REASONS: Final[dict[str, str]] = {
    "below_limit": "there is room",
    "at_limit": "the working limit is reached",
    "over_window": "more is in use than the window holds",
    "unknown_window": "nobody knows how much this model's context holds, so nothing is compacted by itself",
    "opted_out": "this store has opted out: nothing is compacted by itself",
}
"""Reason of an advice → what it says, in words."""


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a context should be compacted now.

    `reason` is a word of `REASONS`, `text` the whole in words. `limit` and `window` are None where they are not known;
    `source` says where the figures are from, `profile` whose they are. `drift` is what lowered the limit.
    """

    compact: bool
    reason: str
    text: str
    tokens_in_use: int
    model: str = ""
    task_kind: str = ""
    profile: str = ""
    limit: int | None = None
    window: int | None = None
    drift: float = 0.0
    source: str = ""


def should_compact(
    profiles: Profiles, model: str | None, tokens_in_use: int, task_kind: str | None = None, *, drift: float = 0.0
) -> Advice:
    """Return whether a context of `tokens_in_use` should be compacted now. `drift`: how badly this model carried its
    state over before, from 0 (as if there had been no boundary) to 1.

    Raises:
        UsageError: `tokens_in_use` is no whole number or below 0, or no such kind of task is known.
    """
    if type(tokens_in_use) is not int or tokens_in_use < 0:
        raise UsageError(f"tokens_in_use is a number of tokens, 0 or more; found {tokens_in_use!r}")
    share = 1.0 if task_kind is None else profiles.of_task(task_kind).working
    known = profiles.of_model(model)
    told = Advice(
        compact=False, reason="", text="", tokens_in_use=tokens_in_use, model=model or "", task_kind=task_kind or ""
    )
    if known is None or known.assumed:
        return _worded(told, "unknown_window")
    drift = min(max(drift, 0.0), 1.0)
    limit = _limit(known, share, profiles.budget(model, task_kind), drift)
    told = msgspec.structs.replace(
        told, profile=known.name, limit=limit, window=known.window, drift=drift, source=_source(known)
    )
    if profiles.compaction.automatic is False:
        return _worded(told, "opted_out")
    if tokens_in_use > known.window:
        return _worded(told, "over_window")
    return _worded(told, "at_limit" if tokens_in_use >= limit else "below_limit")


def _limit(known: ModelProfile, share: float, view: int, drift: float) -> int:
    """Return the tokens from which on a context is full; 1 at least."""
    room = int(BUDGET * known.factor) + view + min(ANSWER, known.window // 10)
    most = max(known.window - room, known.window // 2)
    working = most if known.working is None else min(known.working, most)
    lowered = working * share * (1 - MOST_LOWERED * drift)
    return max(min(int(lowered), most), 1)


def _source(known: ModelProfile) -> str:
    return known.working_source or known.source


def _worded(told: Advice, reason: str) -> Advice:
    compact = reason in {"at_limit", "over_window"}
    words = f"{told.tokens_in_use:,} tokens are in use: {REASONS[reason]}"
    if told.limit is not None and reason != "opted_out":
        words += f" ({told.limit:,} of a window of {told.window:,}"
        words += f", lowered since {told.drift:.0%} went astray before)" if told.drift else ")"
    return msgspec.structs.replace(told, compact=compact, reason=reason, text=words)
