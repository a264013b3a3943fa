"""Lists of problems as one JSON document, by their shape: what linters, type checkers and builds found.

* Only errors count, as in their words: warnings do not fail a run. A tool without levels has errors only.
* SARIF may be of several tools; a tool that says that it did not run to its end says nothing whole.
* An empty list says that there is nothing to say: ruff, pylint and stylelint mean that they found nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from muniment.derive.results.fields import listed, number, rows, table, text
from muniment.derive.results.result import Result, result_of
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import Counts


def _errors(number_of: int, names: Iterable[str] = ()) -> Result:
    return result_of(Counts(failed=number_of), [name for name in names if name])


def _sarif(value: object) -> Result | None:
    body = table(value)
    if "runs" not in body or not (text(body, "version").startswith("2.") or "sarif" in text(body, "$schema")):
        return None
    found: list[str] = []
    ended = True
    for run in rows(body, "runs"):
        ended = ended and all(each.get("executionSuccessful") is not False for each in rows(run, "invocations"))
        levels = _levels(run)
        for result in rows(run, "results"):
            rule = text(result, "ruleId")
            level = text(result, "level") or levels.get(rule, "warning")
            fails = text(result, "kind") in ("", "fail") and not rows(result, "suppressions")
            if level == "error" and fails:
                found.append(f"{rule}: {text(table(result.get('message')), 'text')}")
    return result_of(Counts(failed=len(found)), found, whole=ended)


def _levels(run: JSON_OBJECT) -> dict[str, str]:
    """Return the level that each rule of a tool has where a result does not say its own."""
    driver = table(table(run.get("tool")).get("driver"))
    return {
        text(rule, "id"): text(table(rule.get("defaultConfiguration")), "level") or "warning"
        for rule in rows(driver, "rules")
    }


def _eslint(value: object) -> Result | None:
    """ESLint: a row for each file, with its own number of errors."""
    files = listed(value)
    if not files or not all("filePath" in file and "errorCount" in file for file in files):
        return None
    names = [
        f"{text(file, 'filePath')}: {text(message, 'ruleId') or text(message, 'message')}"
        for file in files
        for message in rows(file, "messages")
        if message.get("severity") == 2
    ]
    return _errors(sum(number(file, "errorCount") for file in files), names)


def _stylelint(value: object) -> Result | None:
    files = listed(value)
    if not files or not all("source" in file and "errored" in file for file in files):
        return None
    errors = [row for file in files for row in rows(file, "warnings") if row.get("severity") == "error"]
    bad = sum(file.get("errored") is True for file in files)
    return _errors(max(len(errors), bad), [text(row, "rule") for row in errors])


def _listed_problems(value: object) -> Result | None:
    """ruff, pylint and others: a row for each problem."""
    if value == []:
        return _errors(0)
    problems = listed(value)
    if not problems or not all("message" in row and ("filename" in row or "path" in row) for row in problems):
        return None
    bad = [row for row in problems if text(row, "type") in ("", "error", "fatal")]
    names = [f"{text(row, 'filename') or text(row, 'path')}: {text(row, 'code') or text(row, 'symbol')}" for row in bad]
    return _errors(len(bad), names)


def _pyright(value: object) -> Result | None:
    body = table(value)
    told = table(body.get("summary"))
    if "generalDiagnostics" not in body or "errorCount" not in told:
        return None
    bad = [row for row in rows(body, "generalDiagnostics") if row.get("severity") == "error"]
    return _errors(max(number(told, "errorCount"), len(bad)), [f"{text(r, 'file')}: {text(r, 'rule')}" for r in bad])


def _golangci(value: object) -> Result | None:
    body = table(value)
    if "Issues" not in body:
        return None
    issues = rows(body, "Issues")
    return _errors(len(issues), [f"{text(row, 'FromLinter')}: {text(row, 'Text')}" for row in issues])


def _rubocop(value: object) -> Result | None:
    body = table(value)
    told = table(body.get("summary"))
    if "offense_count" not in told:
        return None
    offenses = [row for file in rows(body, "files") for row in rows(file, "offenses")]
    return _errors(number(told, "offense_count"), [text(row, "cop_name") for row in offenses])


def _diagnostics(value: object) -> Result | None:
    """biome and oxlint: diagnostics with a severity, and (biome) their number."""
    body = table(value)
    if not isinstance(body.get("diagnostics"), list):
        return None
    bad = [row for row in rows(body, "diagnostics") if row.get("severity") in ("error", "fatal")]
    told = number(table(body.get("summary")), "errors")
    return _errors(max(told, len(bad)), [text(row, "category") or text(row, "code") for row in bad])


SHAPES: Final[tuple[Callable[[object], Result | None], ...]] = (
    _sarif,
    _eslint,
    _stylelint,
    _listed_problems,
    _pyright,
    _golangci,
    _rubocop,
    _diagnostics,
)
