"""Coverage, check-write, holds and absences on the command line: what they print and how they exit."""

from __future__ import annotations

import json
from pathlib import Path

from muniment_api.access import Policy
from tests.api.conftest import Ask, Run
from tests.api.service import asking, mission_ids

PRICES = "pricelist/prices.py"


def test_coverage_lists_seen_lines_with_their_receipts(ask: Ask, run: Run) -> None:
    found = ask("coverage", PRICES)
    assert found["total_lines"] == 22
    assert found["unseen"] == []
    assert {lines["handle"] for lines in found["seen"]} == {"R18", "R23", "R25", "R30", "R32"}  # type: ignore[attr-defined]
    assert "seen  1-2" in run("coverage", PRICES).stdout


def test_a_file_that_is_not_on_record_has_no_coverage_and_may_be_written(ask: Ask) -> None:
    assert ask("coverage", "nowhere.py", code=2)["error"]
    assert ask("check-write", "nowhere.py")["reasons"] == ["not_on_record"]


def test_check_write_exits_by_what_it_finds(ask: Ask, run: Run) -> None:
    assert ask("check-write", PRICES, "--lines", "1-10")["ok"] is True
    told = [
        {"kind": "file_changed_outside", "id": "x", "session": "S", "path": "/w/a.py", "by": "unknown"},
        {"kind": "tool_returned", "id": "r", "session": "S", "tool": "read", "path": "/w/a.py", "content": "a\nb\n"},
    ]
    lines = "".join(json.dumps(record) + "\n" for record in reversed(told))
    assert run("import", "-", "--format", "ndjson-records", stdin=lines.encode()).exit_code == 0
    found = run("check-write", "/w/a.py")
    assert found.exit_code == 1
    assert "changed since by X" in found.stdout
    assert "never seen: lines 1-?" in found.stdout


def test_holds_names_what_ended_a_receipt(ask: Ask, run: Run) -> None:
    assert ask("holds", "R5")["status"] == "holds"
    found = ask("holds", "R7", code=1)
    assert (found["status"], found["reason"]) == ("stale", "lines_changed")
    assert "since R23  Edit" in run("holds", "R7").stdout
    assert "lines that it showed have changed since" in run("holds", "R7").stdout
    assert ask("holds", "U2", code=2)["error"]


def test_absences_of_a_session_without_searches_are_none(ask: Ask) -> None:
    assert ask("absences") == {"absences": []}


def test_graphql_answers_the_same(store: Path) -> None:
    with asking(store, Policy(project="/projects/pricelist")) as served:
        (home,) = mission_ids(served)
        found = served.data(
            """query($m: ID!, $p: String!) {
              coverage(mission: $m, path: $p) { totalLines seen { first last handle } unseen { first last } }
              checkWrite(mission: $m, path: $p, firstLine: 1, lastLine: 10) { ok reasons receipts doubt { id } }
              holds(mission: $m, receipt: "R7") { status reason because since lines { first last } }
              absences(mission: $m) { pattern status }
            }""",
            m=home,
            p=PRICES,
        )
        assert served.code('query($m: ID!) { coverage(mission: $m, path: "no.py") { path } }', m=home) == "unknown_id"
    coverage, check, held = (dict(found[name]) for name in ("coverage", "checkWrite", "holds"))  # type: ignore[call-overload]
    assert (coverage["totalLines"], coverage["unseen"]) == (22, [])
    assert coverage["seen"][0] == {"first": 1, "last": 2, "handle": "R18"}
    assert (check["ok"], check["doubt"]) == (True, None)
    assert (held["status"], held["reason"]) == ("stale", "lines_changed")
    assert found["absences"] == []
