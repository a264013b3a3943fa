"""Commands in the background: as long as one may still write, what runs beside it or later proves less."""

from __future__ import annotations

import pytest

from muniment.closeout.evidence import Evidence
from muniment.closeout.holding import holding
from muniment.model import records as r
from muniment.model.nodes import LEFT_RUNNING, Receipt
from tests.support.claims import Case
from tests.support.graphs import SESSION


def judged(case: Case) -> tuple[str, str]:
    case.claim("tests_pass")
    verdict = case.verdict()
    return verdict.status, verdict.reason


def ended(case: Case, call: str) -> None:
    case.add(r.ProcessEnded(id=case._id("p"), by="harness", session=SESSION, call=call))


@pytest.mark.parametrize("start", ["./watch.sh &", "nohup make watch &", "npm run watch > w.log 2>&1 &"])
def test_what_may_still_write_weakens_each_run_after_it(start: str) -> None:
    case = Case()
    case.ran(start)
    case.tests()
    assert judged(case) == ("unproven", "effect_unknown")


def test_it_weakens_the_run_that_a_known_file_depends_on() -> None:
    case = Case()
    case.ran("(sleep 5; rm src/a.py) &")
    case.tests()
    assert judged(case) == ("unproven", "effect_unknown")


@pytest.mark.parametrize(
    "start",
    [
        "npm run dev &",
        "npm run dev > dev.log 2>&1 &",
        "python -m http.server &",
        "pytest -q > /tmp/t.log &",
        "./w.sh & wait",
    ],
)
def test_a_server_or_a_reader_in_the_background_weakens_nothing(start: str) -> None:
    case = Case()
    case.ran(start)
    case.tests()
    assert judged(case) == ("proven", "")


@pytest.mark.parametrize("end", ["pkill -f watch.sh", "kill 4242", "kill %1", "told"])
def test_once_it_has_ended_runs_prove_again(end: str) -> None:
    case = Case()
    start = case.ran("./watch.sh & echo $!", "4242\n")
    case.tests()
    if end == "told":
        ended(case, start)
    else:
        case.ran(end)
    assert judged(case) == ("unproven", "effect_unknown")
    again = Case()
    start = again.ran("./watch.sh & echo $!", "4242\n")
    if end == "told":
        ended(again, start)
    else:
        again.ran(end)
    again.tests()
    assert judged(again) == ("proven", "")


def test_what_the_runtime_leaves_running_goes_on_until_it_says_otherwise() -> None:
    for running, reason in ((True, "effect_unknown"), (False, "")):
        case = Case()
        start = case.ran("./migrate.sh", exit_code=None, status="unknown", running=True)
        if not running:
            ended(case, start)
        case.tests()
        assert judged(case)[1] == reason


def test_a_server_that_the_runtime_leaves_running_weakens_nothing() -> None:
    case = Case()
    case.ran("npm run dev", exit_code=None, status="unknown", running=True)
    case.tests()
    assert judged(case) == ("proven", "")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("./watch.sh & pytest", "effect_unknown"),
        ("./watch.sh & P=$!; pytest && kill $P", "effect_unknown"),
        ("./watch.sh & wait; pytest", ""),
        ("npm run dev & pytest", ""),
    ],
)
def test_what_runs_beside_a_run_of_the_same_line_weakens_it(line: str, reason: str) -> None:
    case = Case()
    case.tests(command=line, own_status=True)
    case.claim("tests_pass")
    assert case.verdict().reason == reason


def test_a_process_that_names_its_files_weakens_what_is_about_these_alone() -> None:
    case = Case()
    case.ran("(sleep 5; sed -i s/a/b/ src/a.py) &")
    for path in ("src/a.py", "src/b.py"):
        case.read(path, "a\n")
    snapshot = case.snapshot()
    evidence = Evidence(snapshot)
    reads = [node for node in snapshot.of_kind(Receipt) if node.tool == "read"]
    assert [holding(evidence, read).status for read in reads] == ["unknown", "holds"]


def test_the_start_says_that_it_left_something_running() -> None:
    case = Case()
    case.ran("./watch.sh &")
    case.ran("npm run dev &")
    assert [LEFT_RUNNING in node.flags for node in case.snapshot().of_kind(Receipt)] == [True, False]


def test_the_end_of_something_that_is_not_known_ends_nothing() -> None:
    case = Case()
    case.ran("./watch.sh &")
    ended(case, "nobody")
    case.tests()
    assert judged(case) == ("unproven", "effect_unknown")
