"""missions, view, closeout, show, log: what people and machines get to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment_api.commands.log import SHOWN
from tests.api.conftest import Answer, Ask, Run

SESSION = "5b0f6a52-7c1e-4d0a-9a3e-2f6f4b1d8c10"
MISSION = "mission:ce93dd3273a0b5dbf4aa49a0"


def objects(answer: Answer, key: str) -> list[Answer]:
    value = answer[key]
    assert isinstance(value, list)
    return value


def test_missions_lists_the_session_with_its_project(run: Run, ask: Ask) -> None:
    (mission,) = objects(ask("missions"), "missions")
    assert (mission["mission"], mission["session"], mission["project"]) == (MISSION, SESSION, "/projects/pricelist")
    assert MISSION in run("missions").stdout


def test_the_view_goes_to_stdout_and_its_size_to_stderr(run: Run) -> None:
    done = run("view")
    assert "Do not change the public signature of parse_price" in done.stdout
    assert "of 8000 tokens (o200k_base)" in done.stderr
    assert "of 8000 tokens" not in done.stdout


def test_the_view_in_json_is_within_its_budget_and_says_why_each_item_is_there(ask: Ask) -> None:
    answer = ask("view", "--budget", "700")
    tokens = answer["tokens"]
    assert isinstance(tokens, int)
    assert tokens <= 700
    assert all(item["why"] and item["role"] for item in objects(answer, "items"))
    assert objects(answer, "omitted")


def test_a_budget_below_what_binds_is_refused_with_what_it_takes(ask: Ask) -> None:
    error = ask("view", "--budget", "5", code=1)["error"]
    assert isinstance(error, dict)
    assert error["code"] == "budget_infeasible"
    needed = error["needed"]
    assert ask("view", "--budget", str(needed))["tokens"]


def test_the_view_before_a_call_knows_nothing_of_it(ask: Ask, run: Run) -> None:
    log = objects(ask("log", "--kind", "call"), "log")
    test_run = next(row for row in log if "pytest" in str(row["text"]))
    before = run("view", "--before", str(test_run["record"])).stdout
    assert "1 failed" not in before
    assert "1 failed" in run("view").stdout


def test_before_and_as_of_exclude_one_another(run: Run) -> None:
    done = run("view", "--before", "toolu_01example000000000005", "--as-of", "3")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("muniment: ")


def test_closeout_tells_proven_from_unproven_and_exits_with_1(run: Run, ask: Ask) -> None:
    done = run("closeout")
    assert done.exit_code == 1
    assert "verdict: unproven" in done.stdout
    answer = ask("closeout", code=1)
    assert (answer["verdict"], answer["passed"]) == ("unproven", False)
    statuses = {claim["type"]: claim["status"] for claim in objects(answer, "claims")}
    assert statuses["tests_pass"] == "unproven"
    assert "proven" in statuses.values()


def test_a_claim_read_out_of_a_text_names_the_text_in_place_of_being_shown(run: Run) -> None:
    assert "said in: U37" in run("closeout").stdout
    assert "All tests pass" in run("show", "U37").stdout
    done = run("show", "L37")
    assert done.exit_code == 2
    assert "said in" in done.stderr


def test_a_receipt_that_falls_short_is_not_told_as_what_proves(run: Run) -> None:
    unproven, proven = run("closeout").stdout.split("\n\n")[1:3]
    assert ("receipt: R27" in unproven, "by:" in unproven) == (True, False)
    assert "by: R34" in proven


def test_each_claim_that_is_not_proven_says_why_and_what_to_do(ask: Ask) -> None:
    claims = objects(ask("closeout", code=1), "claims")
    assert all(claim["reason"] and claim["next_step"] for claim in claims if claim["status"] != "proven")


def test_show_gives_the_whole_text_or_some_lines_of_it(run: Run, ask: Ask) -> None:
    receipt = next(row for row in objects(ask("log", "--kind", "receipt"), "log") if row["state"] == "failed")
    whole = run("show", str(receipt["handle"])).stdout
    assert "1 failed, 3 passed" in whole
    some = ask("show", str(receipt["handle"]), "--lines", "1-2")
    assert (some["lines"], some["text"]) == ([1, 2], "\n".join(whole.splitlines()[:2]))


def test_show_says_of_a_receipt_what_was_run_and_how_it_ended(run: Run) -> None:
    done = run("show", "R27")
    assert "python -m pytest" not in done.stdout
    assert done.stderr == "R27 · receipt of 2 lines · Bash python -m pytest -q → exit 0\n"
    assert run("show", "U2").stderr == "U2 · message of 1 line\n"


@pytest.mark.parametrize("lines", ["x", "3-1", "0-2", "-4"])
def test_lines_that_are_no_interval_are_wrong_use(run: Run, lines: str) -> None:
    assert run("show", "R14", "--lines", lines).exit_code == 2


def test_log_lists_in_causal_order_and_can_be_cut_to_kinds_and_length(run: Run, ask: Ask) -> None:
    rows = objects(ask("log"), "log")
    ordinals = [int(str(row["ordinal"])) for row in rows]
    assert ordinals == sorted(ordinals)
    assert {row["kind"] for row in objects(ask("log", "--kind", "task"), "log")} == {"task"}
    assert len(run("log", "--last", "3").stdout.splitlines()) == 3
    assert run("log", "--kind", "nonsense").exit_code == 2
    assert "receipt" in SHOWN


@pytest.mark.parametrize("name", [MISSION, MISSION.removeprefix("mission:")[:6], SESSION, SESSION[:4]])
def test_a_mission_may_be_named_by_its_id_its_session_or_a_beginning_of_one(run: Run, name: str) -> None:
    assert run("log", name).exit_code == 0


def test_an_unknown_mission_or_id_exits_with_2_and_says_what_to_do(run: Run, ask: Ask) -> None:
    done = run("log", "nothing")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "muniment missions" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    error = ask("show", "R999", code=2)["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["wanted"]) == ("unknown_id", "R999")


def test_without_a_mission_the_newest_is_taken_and_told(run: Run, ask: Ask, tmp_path: Path, example: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(example.read_text(encoding="utf-8").replace(SESSION, SESSION[:-1] + "f"), encoding="utf-8")
    ask("import", str(other))
    done = run("log")
    assert "newest of 2 missions" in done.stderr
    assert run("log", SESSION[:8]).exit_code == 2
    assert run("log", SESSION).exit_code == 0


def test_a_store_that_is_not_there_exits_with_3(tmp_path: Path, run: Run) -> None:
    done = run("missions", "--store", str(tmp_path / "none"))
    assert (done.exit_code, done.stdout) == (3, "")
    assert not (tmp_path / "none").exists()
