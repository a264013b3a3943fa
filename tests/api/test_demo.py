"""The bundled session tells its story, and the demo shows it."""

from __future__ import annotations

import json

from click.testing import CliRunner

from muniment_api.cli import cli
from tests.api.conftest import Answer


def demo() -> Answer:
    done = CliRunner().invoke(cli, ["demo", "--json"])
    assert done.exit_code == 0, done.output
    shown: Answer = json.loads(done.stdout)
    return shown


def test_the_demo_works_though_the_verdict_is_not_proven() -> None:
    done = CliRunner().invoke(cli, ["demo"])
    assert done.exit_code == 0
    parts = [
        done.stdout.index(part) for part in ("1  IMPORT", "2  GRAPH", "3  VIEW", "4  CLOSEOUT", "Your own sessions")
    ]
    assert parts == sorted(parts)
    assert "verdict: unproven" in done.stdout


def test_the_constraint_that_was_stated_once_and_the_decision_are_in_the_view() -> None:
    view = demo()["view"]
    assert isinstance(view, dict)
    assert "Do not change the public signature" in view["text"]
    assert "Refuse it" in view["text"]
    assert "Add a line to CHANGELOG.md" in view["text"]


def test_the_view_shows_the_file_as_it_is_now_and_the_repeated_read_once() -> None:
    shown = demo()
    view, repeats = shown["view"], shown["repeats"]
    assert isinstance(view, dict)
    assert isinstance(repeats, list)
    assert view["text"].count("def parse_price") == 1
    assert "InvalidOperation" not in view["text"]
    assert len(repeats) == 1


def test_one_claim_is_stale_and_one_is_proven() -> None:
    closeout = demo()["closeout"]
    assert isinstance(closeout, dict)
    tests = next(claim for claim in closeout["claims"] if claim["type"] == "tests_pass")
    assert tests["status"] == "unproven"
    assert [claim for claim in closeout["claims"] if claim["status"] == "proven"]
