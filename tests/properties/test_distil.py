"""Properties of distillation, over logs put together from what tools print."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from muniment.derive.distil import distil, narrowed
from muniment.derive.texts import line_count
from muniment.tokens import o200k

PIECES = st.sampled_from(
    [
        "step {} done",
        "",
        "error: price {} is missing",
        "src/a.c:{}:1: error: gone",
        "\tat shop.Main.run(Main.java:{})",
        "Caused by: java.io.IOException: {}",
        "E   assert {} == 2",
        "____ test_{} ____",
        "[ERROR] Failed to execute goal {}",
        "[ERROR] ",
        "-----------------",
        "    ^~~~",
        "Progress {}%\r",
        "\x1b[31mFAILED\x1b[0m tests/test_a.py::test_{}",
        "x" * 700,
        "=== {} failed in 1s ===",
        "warning: {}",
        "2024-05-01T10:00:00Z {}",
        "\N{MULTIPLICATION SIGN} {} tests",
        "\ud800 {}",
        "exited with code {}",
    ]
)
LOGS = st.lists(PIECES | st.text(max_size=60), max_size=80).map(
    lambda pieces: "\n".join(piece.replace("{}", str(place)) for place, piece in enumerate(pieces))
)
STATUSES = st.sampled_from([None, 0, 2, "ok", "failed", "unknown"])


@given(text=LOGS, budget=st.integers(0, 700), status=STATUSES)
def test_excerpts_are_sorted_disjoint_inside_and_cost_no_more_than_the_budget(
    text: str, budget: int, status: str | int | None
) -> None:
    made = distil(text, status=status, budget=budget)
    assert made.lines == line_count(text)
    ranges = sorted([(span.first, span.last) for span in made.excerpts] + list(made.omitted))
    assert [line for first, last in ranges for line in range(first, last + 1)] == list(range(1, made.lines + 1))
    assert [span.first for span in made.excerpts] == sorted(span.first for span in made.excerpts)
    assert all(span.establishes for span in made.excerpts)
    assert made.tokens == o200k().count(made.text)
    assert made.tokens <= max(budget, LEAST_MARK)


LEAST_MARK = 8
"""What is always said, that all lines are left out, where there is not even room for that."""


@given(text=LOGS, budget=st.integers(20, 400), status=STATUSES)
def test_the_same_output_gives_the_same_distillation(text: str, budget: int, status: str | int | None) -> None:
    assert distil(text, status=status, budget=budget) == distil(text, status=status, budget=budget)


@given(text=LOGS, budget=st.integers(60, 400), data=st.data())
def test_what_comes_first_is_in_and_a_smaller_distillation_is_of_the_same_lines(
    text: str, budget: int, data: st.DataObject
) -> None:
    lines = dict(enumerate(text.split("\n"), 1))
    some = data.draw(st.sets(st.sampled_from(sorted(lines)), min_size=1, max_size=20))
    made = narrowed({number: lines[number] for number in some}, len(lines), first=some, budget=budget)
    shown = {number for span in made.excerpts for number in range(span.first, span.last + 1)}
    assert shown <= some
    assert made.tokens <= budget


def test_the_time_grows_with_the_length_and_no_faster() -> None:
    part = "step {} done\nsrc/a.c:{}:1: error: gone\n    ^~~~\n\tat shop.Main.run(Main.java:{})\n" + "x" * 60 + "\n"

    def seconds(times: int) -> float:
        text = "".join(part.replace("{}", str(number)) for number in range(times))
        best = 9.0
        for _ in range(3):
            started = time.process_time()
            distil(text, budget=1_000)
            best = min(best, time.process_time() - started)
        return best

    small = seconds(1_000)
    assert seconds(8_000) < small * 8 * 2.5
