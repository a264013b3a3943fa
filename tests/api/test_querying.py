"""query, rebuild --engine and what doctor says of projections."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from muniment import EvidenceStore
from tests.api.conftest import Ask, Run
from tests.api.test_reading import MISSION, objects
from tests.support.hooking import serving

COUNT = "MATCH (n:Node) WHERE n.mission = $mission RETURN n.kind, count(*) ORDER BY n.kind"


def test_a_query_answers_in_a_table(run: Run) -> None:
    done = run("query", "MATCH (n:Node) WHERE n.kind IN ['session', 'mission'] RETURN n.kind, count(*) ORDER BY n.kind")
    assert done.exit_code == 0
    assert [line.split() for line in done.stdout.splitlines()[2:]] == [["mission", "1"], ["session", "1"]]
    assert done.stderr.endswith("2 rows\n")


def test_a_query_answers_in_json_with_the_mission_and_a_limit(ask: Ask) -> None:
    told = ask("query", "MATCH (n:Node) WHERE n.mission = $mission RETURN n.mission, n.ordinal", "--limit", "2")
    assert told["rows"][0][0] == MISSION  # type: ignore[index]
    assert (len(told["rows"]), told["more"]) == (2, True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) DETACH DELETE n",
        "MATCH (n:Node) SET n.kind = 'x' RETURN n",
        "CREATE (:Node {id: 'x'})",
        "MERGE (:Node {id: 'x'})",
        "COPY (MATCH (n:Node) RETURN n.id) TO '/tmp/x.csv'",
        "LOAD FROM '/etc/passwd' RETURN *",
        "MATCH (n:Node) RETURN n.id; MATCH (n:Node) DELETE n",
        "CALL threads=1",
        "DROP TABLE Node",
        "ATTACH 'x' AS y",
        "INSTALL fts",
        "MATCH (n:Node) RETURN n.id /* unclosed",
        "MATCH (n:Node) WHERE 1=1LOAD FROM '/etc/passwd' (header=false) RETURN *",
        "MATCH (n:Node) WHERE 1=1.5e3LOAD FROM '/etc/passwd' (header=false) RETURN *",
        "MATCH (n:Node) WHERE n.ordinal = $1LOAD FROM '/etc/passwd' (header=false) RETURN *",
        "MATCH (n:Node) WHERE 1=1CALL current_setting('threads') RETURN *",
        "MATCH (n:Node) WHERE 1=1SET n.kind = 'x' RETURN n",
        "CALL /* of */ `threads`=1",
        "RETURN " + "(" * 5_000 + "1" + ")" * 5_000,
        "RETURN " + "CASE WHEN true THEN " * 40 + "1" + " END" * 40,
        "RETURN '" + "x" * 100_000 + "'",
        "",
    ],
)
def test_a_query_that_does_not_only_read_is_refused(run: Run, query: str) -> None:
    done = run("query", query)
    assert done.exit_code == 2
    assert "refused" in done.stderr


def test_no_comment_hides_what_the_engine_would_run(run: Run) -> None:
    # The engine takes `/***/` for the beginning of a comment that goes on; for us the quotes behind it are a string.
    done = run("query", "MATCH (n:Node) /***/ ' */ LOAD FROM \"/etc/passwd\" (header=false) /* ' */ RETURN *")
    assert done.exit_code == 2
    assert "root" not in done.stdout
    assert run("query", "MATCH (n:Node) /* a 'comment; **/ RETURN n.id // it's one, too").exit_code == 0


def test_words_in_strings_and_names_of_properties_are_no_reason_to_refuse(ask: Ask) -> None:
    told = ask("query", "MATCH (n:Node) WHERE n.data CONTAINS 'create; delete' RETURN n.id AS `set` // drop")
    assert told["columns"] == ["set"]
    nested = "CASE WHEN true THEN CASE WHEN n.ordinal > 1 THEN 'load' ELSE 'a' END ELSE 'b' END"
    assert ask("query", f"MATCH (n1set:Node), (n:Node) RETURN {nested} AS word, [[1]] AS list")["columns"] == [
        *("word", "list")
    ]


def test_what_the_engine_does_not_understand_is_wrong_use(run: Run) -> None:
    done = run("query", "MATCH (n:Node) RETURN n.colour")
    assert done.exit_code == 2
    assert "colour" in done.stderr


def test_rebuild_builds_a_projection_and_doctor_tells_of_it(run: Run, ask: Ask) -> None:
    done = run("rebuild", "--engine", "kuzu")
    assert (done.exit_code, done.stderr) == (0, "the kuzu projection of all missions was built anew\n")
    checks = {str(check["name"]): check for check in objects(ask("doctor"), "checks")}
    assert checks["projection kuzu"]["status"] == "ok"
    assert "not in use" in str(checks["projection kuzu"]["message"])


def test_a_server_that_holds_the_projection_is_asked_and_answers_the_same(store: Path, run: Run) -> None:
    alone = run("query", COUNT)
    with serving(store, "--engine", "kuzu") as (_, url):
        assert httpx.get(f"{url}/readyz").is_success
        assert run("query", COUNT).stdout == alone.stdout
        refused, unknown = run("query", "CREATE (:Node {id: 'x'})"), run("query", "MATCH (n:Node) RETURN n.colour")
        assert (refused.exit_code, unknown.exit_code) == (2, 2)
        assert "refused" in refused.stderr
        assert "colour" in unknown.stderr
    assert run("query", COUNT).stdout == alone.stdout


def test_the_whole_graph_is_shown_neither_over_the_network_nor_where_one_project_is_served(
    store: Path, run: Run
) -> None:
    asked = {"query": "MATCH (n:Node) RETURN n.id"}
    with serving(store, "--engine", "kuzu", "--project", "other") as (_, url):
        answer = httpx.post(f"{url}/cypher", json=asked, headers={"muniment-mission": MISSION})
        assert answer.status_code == 403
        assert answer.json()["errors"][0]["extensions"]["code"] == "scope_required"
        done = run("query", COUNT)
        assert done.exit_code == 2
        assert "shows project other alone: stop it" in done.stderr


def test_a_projection_that_no_server_holds_is_told_with_its_process(store: Path, run: Run) -> None:
    with EvidenceStore.open(store, engine="kuzu"):
        done = run("query", COUNT)
        assert done.exit_code == 3
        assert "the kuzu projection is held by" in done.stderr
