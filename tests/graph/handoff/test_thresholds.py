"""When a context should be compacted: by limits whose figures have sources, never by a window that nobody knows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.errors import UsageError
from muniment.handoff.thresholds import REASONS, should_compact
from muniment.profiles import built_in
from muniment.selection import profile
from muniment.selection.profile import Profiles

OWN = """
[compaction]
automatic = true

[[model]]
name = "mine"
models = ["my-model*"]
window = 100_000
working = 60_000
working_source = "measured here"
source = "measured here too"

[[model]]
name = "small"
models = ["small*"]
window = 2000
working = 1900
source = "too small for a packet"

[[task]]
name = "short"
share = 1.0
working = 0.5
source = "none"
working_source = "short work is handed over early"
"""


@pytest.fixture
def own() -> Profiles:
    return profile.parsed(OWN, "own").before(built_in())


def test_a_context_is_full_from_its_working_limit_on_and_says_where_that_is_from(own: Profiles) -> None:
    full = should_compact(own, "my-model-2", 60_000)
    assert (full.compact, full.reason, full.limit, full.window) == (True, "at_limit", 60_000, 100_000)
    assert full.source == "measured here"
    assert "60,000" in full.text


def test_a_context_below_its_limit_has_room(own: Profiles) -> None:
    room = should_compact(own, "my-model-2", 59_999)
    assert (room.compact, room.reason) == (False, "below_limit")


def test_more_than_the_window_is_full_whatever_the_limit(own: Profiles) -> None:
    assert should_compact(own, "my-model", 100_001).reason == "over_window"


@pytest.mark.parametrize("model", [None, "", "something-nobody-knows-1"])
def test_an_unknown_window_never_compacts_by_itself_and_says_so(model: str | None, own: Profiles) -> None:
    told = should_compact(own, model, 10_000_000)
    assert (told.compact, told.reason, told.limit, told.window) == (False, "unknown_window", None, None)
    assert "nobody knows" in told.text


def test_a_store_that_opted_out_is_never_told_to_compact(own: Profiles) -> None:
    out = profile.parsed("[compaction]\nautomatic = false", "out").before(own)
    told = should_compact(out, "my-model", 10_000_000)
    assert (told.compact, told.reason) == (False, "opted_out")


def test_drift_lowers_a_limit_by_half_at_most_and_never_raises_it(own: Profiles) -> None:
    limits = [should_compact(own, "my-model", 1, drift=drift).limit for drift in (-1.0, 0.0, 0.5, 1.0, 9.0)]
    assert limits == [60_000, 60_000, 45_000, 30_000, 30_000]
    assert "astray" in should_compact(own, "my-model", 1, drift=0.5).text


def test_a_kind_of_task_takes_its_share_and_an_unknown_one_is_refused(own: Profiles) -> None:
    assert should_compact(own, "my-model", 30_000, "short").compact
    assert not should_compact(own, "my-model", 30_000, "edit").compact
    with pytest.raises(UsageError, match="cooking"):
        should_compact(own, "my-model", 1, "cooking")


def test_fewer_than_no_tokens_is_refused(own: Profiles) -> None:
    with pytest.raises(UsageError, match="-1"):
        should_compact(own, "my-model", -1)


def test_each_known_limit_has_a_source_and_keeps_room_for_packet_view_and_answer() -> None:
    for known in built_in().model:
        assert known.assumed or known.working is None or len(known.working_source) > 20
        told = should_compact(built_in(), known.models[0].replace("*", "x"), 1)
        if told.limit is not None:
            assert told.limit + 4_000 + 8_000 < known.window


@given(st.integers(0, 2_000_000), st.floats(0, 1), st.sampled_from(["my-model", "small-1", "claude-opus-4-5", "gpt-5"]))
def test_a_limit_is_never_above_the_window_and_advice_follows_it(tokens: int, drift: float, model: str) -> None:
    told = should_compact(profile.parsed(OWN, "own").before(built_in()), model, tokens, drift=drift)
    assert told.limit is not None
    assert told.window is not None
    assert 1 <= told.limit <= told.window
    assert told.compact == (tokens >= told.limit)
    assert told.reason in REASONS
