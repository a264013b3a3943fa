"""Streams of events: `go test -json`, cargo's and libtest's JSON lines, and those of pytest-reportlog.

* A stream is whole if all that began in it has ended: each package of Go, each suite of libtest, the session of pytest,
  the build of cargo.
* Of Go only tests by themselves are counted, as in its words; parts of a test are named where they fail.
* Tests of a Go package that came from the cache were not executed.
* Where one thing ended more than once (`-count=2`, two runs in one stream), the worst end counts. A last line that is
  cut off makes a stream one that has no end.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from muniment.derive.results.result import BROKEN, Result, joined, result_of
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import Counts

_DECODER = msgspec.json.Decoder(dict[str, object])
_GO_ENDS = frozenset({"pass", "fail", "skip"})


def event_results(text: str, family: str) -> Iterator[Result]:
    """Return the results of the streams in a text that are of a family of runs."""
    events = list(_events(text))
    if not events:
        return
    if _is_cut_off(text):
        yield BROKEN
    makers = (_go, _libtest, _reportlog) if family == "test" else (_cargo,) if family in ("build", "lint") else (_mypy,)
    for maker in makers:
        found = maker(events)
        if found is not None:
            yield found


def go_output(text: str) -> str:
    """Return what the packages and tests of a `go test -json` stream printed; "" where there is no such stream."""
    printed = (event.get("Output") for event in _events(text) if event.get("Action") == "output")
    return "".join(part for part in printed if isinstance(part, str))


def _events(text: str) -> Iterator[JSON_OBJECT]:
    for line in text.split("\n"):
        if line.startswith("{") and line.rstrip().endswith("}"):
            try:
                yield _DECODER.decode(line)
            except (ValueError, RecursionError):
                continue


def _is_cut_off(text: str) -> bool:
    last = text.rstrip().rpartition("\n")[2]
    return last.startswith("{") and not last.endswith("}")


def _worst(before: str, end: str) -> str:
    return before if before == "fail" or (before == "pass" and end == "skip") else end


def _text(event: JSON_OBJECT, name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""


def _number(event: JSON_OBJECT, name: str) -> int:
    value = event.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


class _GoPackage:
    """What a stream tells of one package."""

    def __init__(self) -> None:
        self.ended = ""
        self.cached = False
        self.tests: dict[str, str] = {}


def _go(events: list[JSON_OBJECT]) -> Result | None:
    packages: dict[str, _GoPackage] = {}
    broken: list[str] = []
    for event in events:
        action, test = _text(event, "Action"), _text(event, "Test")
        if action == "build-fail":
            broken.append(_text(event, "ImportPath"))
        if not action or "Package" not in event:
            continue
        package = packages.setdefault(_text(event, "Package"), _GoPackage())
        if test:
            before = package.tests.get(test, "")
            package.tests[test] = _worst(before, action) if action in _GO_ENDS else before
        elif action in _GO_ENDS:
            package.ended = _worst(package.ended, action)
        elif action == "output" and "(cached)" in _text(event, "Output"):
            package.cached = True
    if not packages:
        return result_of(Counts(failed=len(broken)), broken, whole=False) if broken else None
    unbuilt = [
        result_of(Counts(failed=1), [name], whole=False) for name in broken if name.split(" ")[0] not in packages
    ]
    return joined([*unbuilt, *(_go_package(name, package) for name, package in packages.items())])


def _go_package(name: str, package: _GoPackage) -> Result:
    top = [state for test, state in package.tests.items() if "/" not in test]
    failed = [f"{name}.{test}" for test, state in package.tests.items() if state == "fail"]
    number = top.count("fail") or (1 if package.ended == "fail" or failed else 0)
    passed = top.count("pass")
    counts = Counts(
        collected=len(top),
        passed=0 if package.cached else passed,
        failed=number,
        skipped=top.count("skip"),
        cached=passed if package.cached else None,
    )
    return result_of(counts, failed or ([name] if number else []), whole=bool(package.ended))


def _libtest(events: list[JSON_OBJECT]) -> Result | None:
    suites = [event for event in events if event.get("type") == "suite"]
    tests = [event for event in events if event.get("type") == "test"]
    if not suites and not tests:
        return None
    ended = [event for event in suites if event.get("event") in ("ok", "failed")]
    failed = [_text(event, "name") for event in tests if event.get("event") in ("failed", "timeout")]
    told = sum(_number(event, "failed") or event.get("event") == "failed" for event in ended)
    passed, ignored = (sum(_number(event, name) for event in ended) for name in ("passed", "ignored"))
    counts = Counts(
        collected=passed + told + ignored,
        passed=passed,
        failed=max(told, len(failed)),
        skipped=ignored,
        deselected=sum(_number(event, "filtered_out") for event in ended),
    )
    begun = sum(event.get("event") == "started" for event in suites)
    return result_of(counts, failed, whole=0 < begun == len(ended))


def _reportlog(events: list[JSON_OBJECT]) -> Result | None:
    told = [event for event in events if "$report_type" in event]
    if not told:
        return None
    worst: dict[str, str] = {}
    for event in told:
        outcome, name = _text(event, "outcome"), _text(event, "nodeid")
        if _text(event, "$report_type") not in ("TestReport", "CollectReport") or not outcome:
            continue
        if event["$report_type"] == "CollectReport" and outcome != "failed":
            continue
        state = "passed" if outcome == "skipped" and "wasxfail" in event else outcome
        if worst.get(name) != "failed" and (state != "passed" or name not in worst):
            worst[name] = state
    names = {state: [name for name, own in worst.items() if own == state] for state in ("failed", "skipped", "passed")}
    ends = [_number(event, "exitstatus") for event in told if event["$report_type"] == "SessionFinish"]
    status = max(ends, default=-1, key=lambda each: (each not in (0, 5), each))
    failed = len(names["failed"]) or (1 if status == 1 else 0)
    counts = Counts(collected=len(worst), passed=len(names["passed"]), failed=failed, skipped=len(names["skipped"]))
    return result_of(counts, names["failed"], names["skipped"], whole=status in (0, 1, 5))


def _cargo(events: list[JSON_OBJECT]) -> Result | None:
    """`--message-format=json` of cargo: its errors, and whether the build came to an end."""
    told = [event for event in events if "reason" in event]
    if not told:
        return None
    errors: list[str] = []
    for event in told:
        message = event.get("message")
        if isinstance(message, dict) and message.get("level") in ("error", "error: internal compiler error"):
            errors.append(_text(message, "message"))
    ends = [event.get("success") is True for event in told if event["reason"] == "build-finished"]
    if not ends:
        return result_of(Counts(failed=len(errors)), errors, whole=False) if errors else BROKEN
    failed = len(errors) or (0 if all(ends) else 1)
    return result_of(Counts(failed=failed), errors)


def _mypy(events: list[JSON_OBJECT]) -> Result | None:
    """`--output json` of mypy prints a line for each message and nothing else; no line tells that it ended."""
    told = [event for event in events if "severity" in event and "file" in event and "line" in event]
    if not told:
        return None
    errors = [f"{_text(e, 'file')}:{e['line']}: {_text(e, 'message')}" for e in told if e["severity"] == "error"]
    return result_of(Counts(failed=len(errors)), errors, whole=not errors)
