"""Structured results: what they count and name; never more than they hold, and nothing out of a broken one but its
failures.
"""

from __future__ import annotations

import json

import pytest

from muniment.derive.results.reading import result_in
from muniment.derive.runs import Ended, Told, run_of, run_outcome, told_of
from muniment.model.records import Counts

PYTEST = """<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0"
failures="1" skipped="1" tests="4" time="0.1"><testcase classname="tests.test_a" name="test_one" time="0"/>
<testcase classname="tests.test_a" name="test_two"><failure message="1 == 2">&lt;testsuite&gt;</failure></testcase>
<testcase classname="tests.test_a" name="test_three"><skipped type="pytest.skip" message="no"/></testcase>
<testcase classname="tests.test_a" name="test_four"><skipped type="pytest.xfail" message=""/></testcase>
</testsuite></testsuites>"""
GREEN = '<testsuite name="s" tests="2" failures="0"><testcase name="a"/><testcase name="b"/></testsuite>'
GO_JUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1">
\t<testsuite name="ex/rate" tests="2" failures="1" errors="0" id="0" time="0.01">
\t\t<testcase name="TestA" classname="ex/rate" time="0.000"></testcase>
\t\t<testcase name="TestB" classname="ex/rate"><failure message="Failed"><![CDATA[
<?xml version="1.0"?><testsuite tests="9"><testcase name="inside"/></testsuite>
]]></failure></testcase>
\t</testsuite>
</testsuites>
"""
GRADLE = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="com.ex.RateTest" tests="3" skipped="1" failures="0" errors="1" timestamp="2026-01-01T00:00:00">
  <properties/>
  <testcase name="a()" classname="com.ex.RateTest" time="0.1"/>
  <testcase name="b()" classname="com.ex.RateTest"><error message="boom" type="E">at X</error></testcase>
  <testcase name="c()" classname="com.ex.RateTest"><skipped/></testcase>
  <system-out><![CDATA[Tests run: 9]]></system-out>
</testsuite>
"""
FLAKY = '<testsuite tests="1"><testcase name="a"><flakyFailure message="x"/></testcase></testsuite>'
GTEST = '<testsuites tests="2" disabled="1"><testsuite tests="2"><testcase name="a" status="run"/>' + (
    '<testcase name="b" status="notrun"/></testsuite></testsuites>'
)
NESTED = '<testsuites><testsuite name="o" tests="2"><testsuite name="i" tests="1"><testcase name="a"/></testsuite>' + (
    '<testcase name="b"><failure/></testcase></testsuite></testsuites>'
)


def counts(passed: int, failed: int = 0, skipped: int = 0, **more: int) -> Counts:
    total = passed + failed + skipped
    return Counts(**{"collected": total, "passed": passed, "failed": failed, "skipped": skipped, **more})


def lines(*events: dict[str, object]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def go(action: str, package: str = "ex/rate", test: str = "", output: str = "") -> dict[str, object]:
    event: dict[str, object] = {"Time": "2026-01-01T00:00:00Z", "Action": action, "Package": package}
    return event | ({"Test": test} if test else {}) | ({"Output": output} if output else {})


GO_GREEN = lines(go("start"), go("run", test="TestA"), go("pass", test="TestA"), go("pass"))
GO_RED = lines(
    go("start"), go("run", test="TestA"), go("run", test="TestA/x"), go("fail", test="TestA/x"),
    go("fail", test="TestA"), go("skip", test="TestB"), go("fail"),
)  # fmt: skip
GO_CACHED = lines(
    go("start"), go("run", test="TestA"), go("pass", test="TestA"),
    go("output", output="ok  \tex/rate\t(cached)\n"), go("pass"),
)  # fmt: skip
GO_BROKEN_BUILD = lines({"ImportPath": "ex/rate", "Action": "build-fail"}, go("start"), go("fail"))
JEST = json.dumps(
    {
        "numTotalTests": 3, "numPassedTests": 1, "numFailedTests": 1, "numPendingTests": 1, "success": False,
        "testResults": [{"assertionResults": [{"fullName": "rate is right", "status": "failed"}]}],
    }
)  # fmt: skip
JEST_BROKEN_SUITE = json.dumps(
    {"numTotalTests": 1, "numPassedTests": 1, "numFailedTests": 0, "numRuntimeErrorTestSuites": 1, "success": False}
)
REPORT = {
    "exitcode": 1, "summary": {"passed": 2, "failed": 1, "skipped": 1, "deselected": 4, "total": 4, "collected": 8},
    "tests": [{"nodeid": "tests/test_a.py::test_x", "outcome": "failed"},
              {"nodeid": "tests/test_a.py::test_s", "outcome": "skipped"}],
}  # fmt: skip
LOG = lines(
    {"pytest_version": "9", "$report_type": "SessionStart"},
    {"nodeid": "t.py::a", "outcome": "passed", "when": "setup", "$report_type": "TestReport"},
    {"nodeid": "t.py::a", "outcome": "failed", "when": "call", "$report_type": "TestReport"},
    {"nodeid": "t.py::a", "outcome": "passed", "when": "teardown", "$report_type": "TestReport"},
    {"nodeid": "t.py::b", "outcome": "passed", "when": "call", "$report_type": "TestReport"},
    {"nodeid": "t.py::c", "outcome": "skipped", "when": "setup", "$report_type": "TestReport"},
    {"exitstatus": 1, "$report_type": "SessionFinish"},
)
LIBTEST = lines(
    {"type": "suite", "event": "started", "test_count": 2},
    {"type": "test", "event": "ok", "name": "a"},
    {"type": "test", "name": "tests::b", "event": "failed"},
    {"type": "suite", "event": "failed", "passed": 1, "failed": 1, "ignored": 0, "measured": 0, "filtered_out": 3},
)
TAP = "TAP version 13\nok 1 - a\n    not ok 1 - part\nnot ok 2 - b\nok 3 - c # SKIP no\nnot ok 4 - d # TODO\n1..4\n"

TESTS: list[tuple[str, str, Counts, tuple[str, ...]]] = [
    ("pytest's XML", PYTEST, counts(2, 1, 1), ("tests.test_a::test_two",)),
    ("one suite without a root", GREEN, counts(2), ()),
    ("a document between words", f"..F\n{PYTEST}\n1 failed in 0.1s\n", counts(2, 1, 1), ("tests.test_a::test_two",)),
    ("go-junit-report, with XML in an output", GO_JUNIT, counts(1, 1), ("ex/rate::TestB",)),
    ("Gradle", GRADLE, counts(1, 1, 1), ("com.ex.RateTest::b()",)),
    ("several documents", GREEN + "\n" + GRADLE, counts(3, 1, 1), ("com.ex.RateTest::b()",)),
    ("a test that passed when it ran again", FLAKY, counts(1), ()),
    ("googletest", GTEST, counts(1, 0, 1), ()),
    ("suites within suites", NESTED, counts(1, 1), ("b",)),
    ("an empty suite", '<testsuites tests="0"></testsuites>', counts(0), ()),
    ("go, green", GO_GREEN, counts(1), ()),
    ("go, red", GO_RED, counts(0, 1, 1), ("ex/rate.TestA", "ex/rate.TestA/x")),
    ("go, from the cache", GO_CACHED, Counts(collected=1, passed=0, failed=0, skipped=0, cached=1), ()),
    ("go, that does not build", GO_BROKEN_BUILD, counts(0, 1, collected=0), ("ex/rate",)),
    ("jest", JEST, counts(1, 1, 1), ("rate is right",)),
    ("jest, behind a log", f"console.log\n  {{ a: 1 }}\n{JEST}\n", counts(1, 1, 1), ("rate is right",)),
    ("jest, a file that does not load", JEST_BROKEN_SUITE, counts(1, 1, collected=1), ()),
    (
        "mocha",
        json.dumps({"stats": {"tests": 2, "passes": 1, "failures": 1, "pending": 0}, "failures": [{"fullTitle": "f"}]}),
        counts(1, 1),
        ("f",),
    ),
    (
        "rspec",
        json.dumps(
            {
                "summary": {"example_count": 3, "failure_count": 1, "pending_count": 1},
                "examples": [{"full_description": "rate", "status": "failed"}],
            }
        ),
        counts(1, 1, 1),
        ("rate",),
    ),
    (
        "playwright",
        json.dumps({"stats": {"expected": 2, "unexpected": 0, "flaky": 1, "skipped": 0}, "suites": []}),
        counts(3),
        (),
    ),
    ("pytest-json-report", json.dumps(REPORT, indent=1), counts(2, 1, 1, deselected=4, collected=8),
     ("tests/test_a.py::test_x",)),
    ("pytest-reportlog", LOG, counts(1, 1, 1), ("t.py::a",)),
    ("CTRF", json.dumps({"results": {"summary": {"tests": 2, "passed": 2, "failed": 0}, "tests": []}}), counts(2), ()),
    ("libtest", LIBTEST, counts(1, 1, deselected=3), ("tests::b",)),
    ("TAP", TAP, counts(1, 1, 2), ("b",)),
    ("TAP, nothing to run", "1..0 # SKIP no tests\n", counts(0), ()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted", "failed"), [row[1:] for row in TESTS], ids=[row[0] for row in TESTS])
def test_a_result_of_tests_is_counted(text: str, wanted: Counts, failed: tuple[str, ...]) -> None:
    found = result_in(text, "test")
    assert found is not None
    assert found.whole
    assert found.counts is not None
    told = {name: getattr(found.counts, name) for name in ("collected", "passed", "failed", "skipped", "cached")}
    assert told == {name: getattr(wanted, name) for name in told}
    assert (found.counts.deselected or None, found.failed) == (wanted.deselected, failed)


ESLINT = [{"filePath": "a.js", "messages": [{"ruleId": "no-var", "severity": 2}], "errorCount": 1, "warningCount": 3}]
SARIF = {
    "version": "2.1.0",
    "runs": [
        {
            "tool": {"driver": {"name": "x", "rules": [{"id": "R1", "defaultConfiguration": {"level": "error"}}]}},
            "results": [{"ruleId": "R1", "message": {"text": "bad"}}, {"ruleId": "R2", "level": "note"}],
        }
    ],
}
PROBLEMS: list[tuple[str, str, str, int]] = [
    ("ESLint", "lint", json.dumps(ESLINT), 1),
    ("ESLint, warnings only", "lint", json.dumps([ESLINT[0] | {"errorCount": 0, "messages": []}]), 0),
    ("SARIF", "lint", json.dumps(SARIF), 1),
    ("ruff", "lint", json.dumps([{"code": "F401", "filename": "a.py", "message": "unused"}]), 1),
    ("ruff, clean", "lint", "[]", 0),
    ("pylint", "lint", json.dumps([{"type": "convention", "path": "a.py", "message": "x", "symbol": "y"}]), 0),
    ("pyright", "types", json.dumps({"generalDiagnostics": [], "summary": {"errorCount": 2}}), 2),
    ("golangci-lint", "lint", json.dumps({"Issues": [{"FromLinter": "errcheck", "Text": "t"}]}), 1),
    ("rubocop", "lint", json.dumps({"files": [], "summary": {"offense_count": 4}}), 4),
    ("biome", "lint", json.dumps({"summary": {"errors": 1}, "diagnostics": []}), 1),
    ("stylelint", "lint", json.dumps([{"source": "a.css", "errored": True, "warnings": []}]), 1),
    ("mypy", "types", lines({"file": "a.py", "line": 1, "severity": "note", "message": "x"}), 0),
    ("cargo", "build", lines({"reason": "compiler-message", "message": {"level": "error", "message": "E"}},
                             {"reason": "build-finished", "success": False}), 1),
    ("cargo, built", "build", lines({"reason": "build-finished", "success": True}), 0),
]  # fmt: skip


@pytest.mark.parametrize(("family", "text", "errors"), [row[1:] for row in PROBLEMS], ids=[row[0] for row in PROBLEMS])
def test_a_list_of_problems_is_counted_by_its_errors(family: str, text: str, errors: int) -> None:
    found = result_in(text, family)
    assert found is not None
    assert found.counts == Counts(failed=errors)


BROKEN: list[tuple[str, str, int | None]] = [
    ("XML cut off behind a failure", PYTEST[:420], 1),
    ("XML cut off before one", PYTEST[:280], None),
    ("totals that say more than is listed", GREEN.replace('tests="2"', 'tests="3"'), None),
    ("a failure in the totals alone", GREEN.replace('failures="0"', 'failures="1"'), 1),
    ("a document type", f"<?xml version='1.0'?><!DOCTYPE testsuites [<!ENTITY a 'b'>]>{GREEN}", None),
    ("XML as deep as a well", "<testsuite>" + "<properties>" * 99 + "</properties>" * 99 + "</testsuite>", None),
    ("go, cut off", GO_GREEN.rsplit("\n", 2)[0] + "\n", None),
    ("go, cut off behind a failure", "\n".join(GO_RED.split("\n")[:5]) + "\n", 1),
    ("jest, cut off", JEST[:100], None),
    ("jest, interrupted", json.dumps({"numTotalTests": 1, "numPassedTests": 1, "wasInterrupted": True}), None),
    ("reportlog, cut off", "\n".join(LOG.split("\n")[:2]), None),
    ("pytest, interrupted", json.dumps(REPORT | {"exitcode": 2, "summary": {"passed": 2, "total": 2}}), None),
    ("libtest, cut off", LIBTEST.split("\n")[0] + "\n", None),
    ("TAP without all its results", "TAP version 13\n1..3\nok 1\nok 2\n", None),
    ("TAP that bails out", "TAP version 13\n1..1\nok 1\nBail out! no database\n", 1),
    ("SARIF of a tool that broke down", json.dumps({"version": "2.1.0", "runs": [
        {"invocations": [{"executionSuccessful": False}], "results": []}]}), None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "failed"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_broken_result_tells_of_failures_only(text: str, failed: int | None) -> None:
    found = result_in(text, "lint" if "2.1.0" in text else "test")
    assert found is not None
    assert not found.whole
    assert found.counts == (None if failed is None else Counts(failed=failed))


def test_an_entity_is_never_put_in() -> None:
    bomb = "<!DOCTYPE x [" + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9)) + "]>"
    found = result_in(
        f"<?xml version='1.0'?>\n{bomb}\n<testsuite tests='1'><testcase name='&a9;'/></testsuite>", "test"
    )
    assert found is None or not found.tells


@pytest.mark.parametrize(
    "text", ["", "3 passed in 0.1s", "{}", "[1, 2]", "<html></html>", '{"a": 1}\n', "[INFO] x", "ok"]
)
def test_what_is_no_result_is_none(text: str) -> None:
    assert result_in(text, "test") is None


OK = Ended(status="ok", exit_code=0)
LOST = Ended(status="ok", exit_code=0, own_status=False)
OUTCOMES: list[tuple[str, Ended, str, str]] = [
    ("go test -json ./...", OK, GO_GREEN, "passed"),
    ("go test -json ./...", OK, GO_RED, "failed"),
    ("go test -json ./...", OK, GO_CACHED, "empty"),
    ("go test -json ./... | tee out.json", LOST, GO_GREEN, "unknown"),
    ("go test -json ./... | tee out.json", LOST, GO_RED, "failed"),
    ("go test -json ./... | tail -3", LOST, GO_GREEN, "unknown"),
    ("go test ./... 2>&1 | go-junit-report", LOST, GO_JUNIT, "failed"),
    ("pytest --junitxml=/dev/stdout -q", OK, GREEN, "passed"),
    ("pytest --junitxml=/dev/stdout -q", OK, GREEN[:60], "unknown"),
    ("pytest --junitxml=/dev/stdout -q", OK, '<testsuite tests="0"/>', "empty"),
    ("pytest --junitxml=r.xml -q > log.txt && cat r.xml", OK, GREEN, "passed"),
    ("pytest --junitxml=r.xml -q > log.txt; cat r.xml", LOST, GREEN, "unknown"),
    ("pytest --junitxml=r.xml -q > log.txt; cat r.xml", LOST, PYTEST, "failed"),
    ("pytest --junitxml=r.xml -q > log.txt && cat r.xml", OK, GREEN[:60], "unknown"),
    ("npx jest --json", OK, JEST, "failed"),
    ("npm test", OK, f"> a@1 test\n> jest --json\n\n{JEST}", "failed"),
    ("npx eslint -f json .", OK, json.dumps(ESLINT), "failed"),
    ("ruff check --output-format=json", OK, "[]", "passed"),
]


@pytest.mark.parametrize(("command", "ended", "output", "wanted"), OUTCOMES)
def test_a_result_that_the_run_printed_decides(command: str, ended: Ended, output: str, wanted: str) -> None:
    assert run_outcome(run_of(command), ended, output) == wanted


def told(command: str, output: str) -> Told:
    run = run_of(command)
    assert run is not None
    return told_of(run, output)


def test_a_result_outranks_words_and_keeps_what_only_words_tell() -> None:
    found = told("pytest --junitxml=/dev/stdout", f"{GREEN}\n===== 2 passed, 5 deselected in 0.10s =====\n")
    assert (found.by, found.counts) == ("report", counts(2, deselected=5))


@pytest.mark.parametrize(
    "command",
    [
        "pytest -s",
        "pytest -s; cat old.xml",
        "pytest --junitxml=r.xml; cat other.xml",
        "pytest --junitxml=r.xml; cp old.xml r.xml; cat r.xml",
        "pytest --junitxml=r.xml; cat r.xml old.xml",
        "cat r.xml && pytest --junitxml=r.xml",
    ],
)
def test_what_may_be_of_another_run_is_no_result_of_this_one(command: str) -> None:
    assert told(command, GREEN).counts is None
    assert told("pytest --junitxml=r.xml; cat r.xml", GREEN).counts == counts(2)


JUNIT = "pytest -q --junitxml=/dev/stdout"
ONE = '<testcase name="a"/>'


@pytest.mark.parametrize(
    ("command", "output", "wanted"),
    [
        (JUNIT, f'<testsuite tests="1" failures="0">{ONE}</testsuite>', "passed"),
        (JUNIT, f'<testsuite tests="1" failures="1e3">{ONE}</testsuite>', "unknown"),
        (JUNIT, f'<testsuite tests="1" errors="99999999999">{ONE}</testsuite>', "unknown"),
        (JUNIT, f'<testsuite><error message="no set-up"/>{ONE}</testsuite>', "failed"),
        (JUNIT, '<testsuite><testcase name="a" status="failed"/></testsuite>', "failed"),
        (JUNIT, '<testsuite><testcase name="a" status="run" result="completed"/></testsuite>', "passed"),
        (JUNIT, '<testsuite><testcase name="a"><Failure/></testcase></testsuite>', "failed"),
        (JUNIT, '<testsuite xmlns:x="u"><testcase name="a"><x:failure/></testcase></testsuite>', "failed"),
        ("jest --json", '{"numTotalTests": 2, "numPassedTests": 2, "numFailedTests": 0}', "passed"),
        ("jest --json", '{"numTotalTests": 2, "numPassedTests": 1, "numPendingTests": 1}', "passed"),
        ("jest --json", '{"numTotalTests": 5, "numPassedTests": 2}', "unknown"),
        ("jest --json", '{"numTotalTests": 2, "numPassedTests": 2, "numFailedTests": "1"}', "unknown"),
        ("jest --json", '{"numTotalTests": 2, "numPassedTests": 2, "numFailedTests": NaN}', "unknown"),
        ("jest --json", '{"numTotalTests": 1, "numPassedTests": 1, "numPassedTests": 1}', "unknown"),
        (
            "jest --json",
            '{"numTotalTests": 1, "numPassedTests": 1, "testResults": [{"status": "failed"}]}',
            "failed",
        ),
        ("mocha --reporter json", '{"stats": {"tests": 3, "passes": 3, "failures": 0}}', "passed"),
        ("mocha --reporter json", '{"stats": {"tests": 3, "passes": 1, "failures": 0}}', "unknown"),
        (
            "mocha --reporter json",
            '{"stats": {"tests": 1, "passes": 1, "failures": 0}, "failures": [{"fullTitle": "x"}]}',
            "failed",
        ),
        ("vitest run --reporter=json", '{"results": {"summary": {"tests": 2, "passed": 2, "failed": 0}}}', "passed"),
        ("vitest run --reporter=json", '{"results": {"summary": {"tests": 5, "passed": 2, "failed": 0}}}', "unknown"),
        ("go test -json ./...", lines(go("pass", test="A"), go("pass")), "passed"),
        ("go test -json ./...", lines(go("fail", test="A"), go("pass", test="A"), go("pass")), "failed"),
        ("go test -json ./...", lines(go("pass", test="A"), go("fail"), go("pass")), "failed"),
        (
            "go test -json ./...",
            lines(go("pass", test="A"), go("pass"), {"Action": "build-fail", "ImportPath": "ex/other"}),
            "failed",
        ),
        ("go test -json ./...", lines(go("pass", test="A"), go("pass")) + '{"Action": "start", "Pack', "unknown"),
        (
            "cargo build --message-format=json",
            lines({"reason": "build-finished", "success": True}, {"reason": "build-finished", "success": False}),
            "failed",
        ),
    ],
)
def test_a_result_that_holds_a_failure_or_does_not_add_up_is_not_passed(command: str, output: str, wanted: str) -> None:
    ended = Ended(status="ok", exit_code=0)
    assert run_outcome(run_of(command), ended, output) == wanted
