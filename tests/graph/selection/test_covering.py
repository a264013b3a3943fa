"""Covering: what older steps and files add to a view, by the names that they hold and nothing else shows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from muniment.selection.covering import Cover, Span
from muniment.selection.parts import MOST_CHARACTERS, MOST_LINES, MOST_OF_A_LINE, parts_of
from muniment.selection.past import Past
from muniment.selection.pieces import Desk
from muniment.selection.select import select
from muniment.selection.view import ViewRequest
from muniment.tokens import o200k
from tests.support.graphs import Story


def past(story: Story) -> Past:
    return Past(Desk(story.snapshot(), o200k(), 8000), (), ())


Told = tuple[tuple[str, ...], int, int]
"""Names, distance and cost of a span."""


def order(spans: Sequence[Told], *, bound: tuple[str, ...] = (), room: int = 100) -> list[int]:
    """Return the places of spans as they are taken, within `room` tokens."""
    costs = [cost for _, _, cost in spans]
    cover = Cover([Span(names, cost) for names, _, cost in spans], [far for _, far, _ in spans], [], past(Story()))
    cover.add(bound)
    taken: list[int] = []
    left = room

    def cost(place: int) -> int | None:
        return costs[place] if place not in taken and costs[place] <= left else None

    for place in cover.best(cost):
        taken.append(place)
        left -= costs[place]
        cover.add(spans[place][0])
    return taken


def test_names_that_are_shown_already_are_worth_nothing() -> None:
    spans = [(("alpha_one", "beta_two"), 0, 10), (("alpha_one",), 0, 10), (("gamma_three",), 0, 10)]
    assert order(spans) == [0, 2]
    assert order(spans, bound=("alpha_one", "beta_two")) == [2]


def test_the_cheaper_of_two_with_the_same_names_comes_first_and_what_does_not_fit_is_passed_over() -> None:
    spans = [(("alpha_one",), 0, 50), (("alpha_one",), 0, 10), (("beta_two",), 0, 200)]
    assert order(spans) == [1]
    assert order(spans, room=300) == [1, 2]


def test_nearer_names_and_paths_are_worth_more() -> None:
    far, near, path = (("old_name",), 90_000, 10), (("new_name",), 10, 10), (("src/till.py",), 90_000, 10)
    assert order([far, near, path]) == [2, 1, 0] or order([far, near, path]) == [1, 2, 0]
    assert order([far, near])[0] == 1
    assert order([far, path])[0] == 1


def test_what_is_everywhere_tells_nothing_apart() -> None:
    spans = [(("common_name", f"name_{i}") if i else ("common_name",), i, 10) for i in range(40)]
    assert 0 not in order(spans, room=1000)
    assert len(order(spans, room=1000)) == 39


@pytest.mark.parametrize("text", ["", "one", "a\n\nb\n", "x" * 5000, "\n".join(f"line {i}" for i in range(100))])
def test_parts_hold_each_line_once_in_order(text: str) -> None:
    parts = parts_of(text)
    joined = "".join(("\n" if part.lines and place else "") + part.text for place, part in enumerate(parts))
    assert joined == text
    assert sum(part.lines for part in parts) == text.count("\n") + 1
    begun = [sum(p.lines for p in parts[:i]) for i in range(len(parts))]
    assert [part.first for part in parts] == [
        at if part.lines else at - 1 for at, part in zip(begun, parts, strict=True)
    ]
    assert all(part.lines <= MOST_LINES for part in parts)
    assert all(len(part.text) <= MOST_CHARACTERS or part.lines == 1 for part in parts)


def test_of_a_giant_line_only_the_beginning_is_offered_and_what_is_cut_is_counted() -> None:
    parts = parts_of("x" * 500_000)
    assert sum(len(part.text) for part in parts) == MOST_OF_A_LINE * MOST_CHARACTERS
    assert parts[-1].cut == 500_000 - MOST_OF_A_LINE * MOST_CHARACTERS


def talkative() -> Story:
    """A long run, in which one old output names what is asked for at the end."""
    story = Story()
    story.say("Mend the till")
    story.run(
        "inspect registry", "\n".join(f"entry {i} of the registry" for i in range(40)) + "\nrounding_mode = half_even"
    )
    for i in range(120):
        story.run(f"check step {i}", "\n".join(f"nothing to see in step_{i} at row_{i}_{k}" for k in range(30)))
    story.say("Now change rounding_mode")
    return story


def test_an_old_part_that_names_what_is_used_now_is_shown_without_the_rest_of_its_output() -> None:
    view = select(talkative().snapshot(), ViewRequest(budget=2000), o200k())
    assert "rounding_mode = half_even" in view.text
    assert view.text.count("of the registry") < 20
    assert "of 41 lines omitted" in view.text
    assert view.tokens <= 2000


def test_a_user_s_long_message_that_is_shortened_gives_the_part_that_matters() -> None:
    story = Story()
    middle = "Write the sums to ledger_totals.csv when done."
    filler = "\n".join(
        f"This is sentence number {i} of a long explanation of nothing in particular." for i in range(60)
    )
    story.say(f"{filler}\n{middle}\n{filler}")
    for i in range(30):
        story.run(f"cat ledger_totals.csv | tail -{i}", "ok")
    view = select(story.snapshot(), ViewRequest(budget=4000), o200k())
    assert middle in view.text


SCRIPT = """
from muniment.selection.select import select
from muniment.selection.view import ViewRequest
from muniment.tokens import o200k
from tests.graph.selection.test_covering import talkative
import hashlib
print(hashlib.sha256(select(talkative().snapshot(), ViewRequest(budget=2000), o200k()).text.encode()).hexdigest())
"""


def test_the_view_is_the_same_under_every_hash_seed() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }  # fmt: skip
    assert len(told) == 1


def test_of_a_thousand_files_an_old_one_is_weighed_where_its_name_is_at_hand() -> None:
    story = Story()
    story.read("src/rounding_rules.py", "".join(f"def half_even_{i}(amount):\n" for i in range(20)))
    for number in range(400):
        story.read(f"src/part_{number}.py", "".join(f"value_{number}_{i} = {i}\n" for i in range(80)))
    story.say("Go on with the parts")
    for number in range(3, 15):
        story.run(f"pytest -k half_even_{number}", "ok")
    assert "def half_even_3" not in select(story.snapshot(), ViewRequest(budget=8000), o200k()).text
    story.run("pytest src/rounding_rules.py", "ok")
    assert "def half_even_3" in select(story.snapshot(), ViewRequest(budget=8000), o200k()).text
