"""search: what people and machines get to read of it."""

from __future__ import annotations

from tests.api.conftest import Ask, Run
from tests.api.test_reading import MISSION, objects


def test_hits_tell_where_they_are_with_the_match_marked(run: Run) -> None:
    done = run("search", "PriceError", "--kind", "file")
    assert done.exit_code == 0
    assert "/projects/pricelist/pricelist/prices.py  line" in done.stdout
    assert "⟦PriceError⟧" in done.stdout
    assert "hits" in done.stderr


def test_hits_in_json_can_be_shown(run: Run, ask: Ask) -> None:
    hits = objects(ask("search", '"public signature"', "--limit", "1"), "hits")
    (hit,) = hits
    assert (hit["kind"], hit["mission"]) == ("message", MISSION)
    assert "public signature" in run("show", str(hit["handle"])).stdout


def test_nothing_found_is_told_and_is_no_fault(run: Run, ask: Ask) -> None:
    done = run("search", "xylophone")
    assert (done.exit_code, done.stdout.strip()) == (0, "")
    assert done.stderr == "0 hits\n"
    assert ask("search", "xylophone") == {"hits": []}


def test_a_mission_is_named_as_elsewhere_and_an_unknown_one_refused(run: Run, ask: Ask) -> None:
    assert objects(ask("search", "parse_price", "--mission", MISSION[:14]), "hits")
    assert run("search", "parse_price", "--mission", "mission:none").exit_code == 2


def test_a_wrong_kind_or_limit_is_wrong_use(run: Run) -> None:
    assert run("search", "x", "--kind", "excerpt").exit_code == 2
    assert run("search", "x", "--limit", "201").exit_code == 2
    assert run("search", "x", "--kind", "file", "--limit", "200").exit_code == 0


def test_what_was_withdrawn_is_found_with_history_only(run: Run, ask: Ask) -> None:
    assert objects(ask("search", '"public signature"', "--kind", "message"), "hits")
    assert run("withdraw", "U2", "--why", "no longer").exit_code == 0
    assert not objects(ask("search", '"public signature"', "--kind", "message"), "hits")
    (hit,) = objects(ask("search", '"public signature"', "--kind", "message", "--history"), "hits")
    assert hit["state"] == "withdrawn"
