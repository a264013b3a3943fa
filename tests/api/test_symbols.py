"""symbols: what people and machines get to read of it."""

from __future__ import annotations

from tests.api.conftest import Ask, Run
from tests.api.test_reading import objects


def test_a_file_s_definitions_are_listed_with_their_lines(run: Run) -> None:
    done = run("symbols", "pricelist/prices.py")
    assert done.exit_code == 0, done.output
    assert "parse_price" in done.stdout
    assert "function" in done.stdout
    assert "prices.py (F" in done.stderr


def test_definitions_in_json_have_lines_and_kinds(ask: Ask) -> None:
    told = objects(ask("symbols", "prices.py"), "definitions")
    assert {"name", "what", "first", "last"} <= set(told[0])


def test_a_path_that_is_not_known_is_no_success(run: Run) -> None:
    done = run("symbols", "nowhere.py")
    assert done.exit_code == 2
    assert "nowhere.py" in done.stderr
