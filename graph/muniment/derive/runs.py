"""Runs: which commands test, build, lint or check types, how wide, with whose exit status, and how they ended.

* A command line may hold several runs; `run_of` gives the weightiest (tests, then builds, linters, types), `runs_of`
  all.
* `masked`: exit status 0 does not tell that the run succeeded (a pipe without pipefail, `|| true`, `;`, the
  background).
  `sole`: another status tells that it was this run that failed.
* `passed` is said only of a run that executed something and whose own status, or own complete summary, says so. Where a
  lost status
  meets an incomplete summary, or a known one meets none, the outcome is `unknown`.
* A structured result (`results`) that the run printed, or that its line read back from the file that it names, outranks
  words; one that is cut off says nothing but what failed.
* A summary counts as the run's own only if nothing else may have written it: not where another command of the line
  prints such lines, and not behind a pipe into what rewrites lines (`sed`, `grep -o`) or reads others (`cat a.log`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from muniment.derive import summaries
from muniment.derive.effect_tables import NONE, UNKNOWN, UPDATING, UPDATING_SETTING, WRITES
from muniment.derive.effects import effect_of_simple, widest
from muniment.derive.going_on import left_running, may_still_write
from muniment.derive.replays import replayed
from muniment.derive.results.reading import is_result_alone, result_in
from muniment.derive.results.result import Result, part
from muniment.derive.run_doubts import is_doubtful, leans_on, prints_others
from muniment.derive.run_reports import CUT, Reported, reported, shown_form
from muniment.derive.run_settings import narrowed_by
from muniment.derive.run_words import SUITE, RunWords, Scope, run_words
from muniment.derive.shell import Simple, base_name, simple_commands
from muniment.importers.exit_status import own_status as status_is_own
from muniment.model.records import Counts

PASSED: Final = "passed"
FAILED: Final = "failed"
EMPTY: Final = "empty"
"""Nothing was executed: nothing collected, or all skipped, filtered out or replayed."""
UNKNOWN_OUTCOME: Final = "unknown"

_WEIGHT: Final = ("test", "build", "lint", "types")
_NEVER_RAN: Final = frozenset({124, 126, 127})
_PYTEST_COLLECTED_NONE: Final = 5
_PYTEST_MISUSED: Final = frozenset({2, 3, 4})
_SIGNALS: Final = 128
_SETUP: Final = frozenset(
    [
        "cd",
        "pushd",
        "popd",
        "export",
        "set",
        "unset",
        "source",
        ".",
        "mkdir",
        "pwd",
        "echo",
        "printf",
        "sleep",
        "true",
        ":",
        "date",
        "ls",
    ]
)
_HINT: Final = re.compile(
    r"test|spec|tox|nox|jest|mocha|ava|tap|unit|pest|\bt\b|build|make|ninja|webpack|compile|package|assemble|lint|check|ruff"
    r"|flake8|black|prettier|biome|credo|format|clippy|rubocop|vet|verify|bats|prove|mypy|pyright|tsc|types?|dialyzer|flow"
    r"|\bmvnw?\b"
)
"""Every known run has one of these in it; most commands have none, and need no parsing."""
_TELLING: Final = re.compile(r"pass|\bok\b|fail|tests?\b|errors?\b|issues?\b|success", re.IGNORECASE)
_SEARCHERS: Final = frozenset({"grep", "egrep", "fgrep", "rg", "ag"})
_SELECTORS: Final = _SEARCHERS | {"tail", "head", "cat", "less", "more", "sort", "uniq"}
"""Filters that print lines of what they are given as they are, unless their options say otherwise."""
_ADDRESSES: Final = re.compile(r"[0-9,$;p ]+")
_WRAPPERS: Final = frozenset({"script", "other", "tap"})
"""Tools that print what the runner prints that they call, in whatever form it has."""
_ENDS_OF_PIPES: Final = frozenset({"tail", "cat", "tee", "less", "more"})


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run in a command line. `scope` is "suite" or the names that it was narrowed to; `after` is the effect of what
    follows it, or goes on beside it. `apart`: it runs in the background.

    `foreign`: the summaries in the output may be of another run. `leans_on`: files and folders that decide what ran.

    `tool` and `group` tell the runner; runs of one group run the same tests. `cut`: its output went through more than a
    tail. `report`: whether the output holds structured results (printed, cut; "" none), `report_files` the files that
    hold them.
    """

    family: str
    scope: Scope
    tool: str
    group: str = ""
    masked: bool = False
    sole: bool = True
    cut: bool = False
    mixed: bool = False
    foreign: bool = False
    leans_on: tuple[str, ...] = ()
    folder: str = ""
    after: str = "none"
    command: str = ""
    apart: bool = False
    report: str = ""
    report_files: tuple[str, ...] = ()


def run_of(command: str) -> Run | None:
    """Return the weightiest run of a command line, None where it holds none that is known."""
    return weightiest(runs_of(command))


def weightiest(found: list[Run]) -> Run | None:
    """Return the run that a command line with these runs is for."""
    return min(found, key=lambda run: _WEIGHT.index(run.family)) if found else None


def runs_of(command: str) -> list[Run]:
    """Return all runs of a command line, in order. Of a line that is not understood: none."""
    return list(_runs_in(command)) if _HINT.search(command) is not None else []


@lru_cache(maxsize=1_024)
def _runs_in(command: str) -> tuple[Run, ...]:
    simples = simple_commands(command) or ()
    known = [(place, found) for place, simple in enumerate(simples) if (found := run_words(simple.words)) is not None]
    own = status_is_own(command) if known else False
    made = ((place, _run(simples, place, found, own=own)) for place, found in known)
    return tuple(_with_reports(run, simples, place, appends=">>" in command) for place, run in made)


def counts_in(command: str, output: str) -> Counts | None:
    """Return what the runner in `command` (or the family `test`, `build`, `lint`, `types`) counted, by its own output.

    None where the command holds no run that is known, or its output no summary.
    """
    run = Run(family=command, scope=SUITE, tool="script") if command in _WEIGHT else run_of(command)
    return None if run is None else told_of(run, output).counts


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What the output of a run says that it counted, and whether in words (output) or in a form for programs (report).

    `failed` and `skipped` are names, as far as a report gives them.
    """

    counts: Counts | None = None
    by: str = "output"
    failed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


def told_of(run: Run, output: str) -> Told:
    """Return what the output of a run says that it counted."""
    result = _structured(run, output)
    if result is not None and result.tells:
        counts = replayed(output, result.counts)
        words = _counted_in_words(run, output)
        if counts is not None and counts.deselected is None and words is not None and words.deselected:
            counts = msgspec.structs.replace(counts, deselected=words.deselected)
        return Told(counts=counts, by="report", failed=result.failed, skipped=result.skipped)
    return Told(counts=_counted_in_words(run, output))


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended, as its receipt has it."""

    status: str = "unknown"
    exit_code: int | None = None
    own_status: bool = True
    counts: Counts | None = None


def is_over(run: Run, status: str, exit_code: int | None, output: str) -> bool:
    """Tell whether a run came about and to its end, as far as its receipt tells: then it wrote what it was told to."""
    if status == "refused" or run.apart or summaries.is_running(output):
        return False
    if exit_code is None and status == UNKNOWN_OUTCOME:
        return False
    own_end = exit_code if not run.masked else None
    return not _prevented(own_end, run, output)


def run_outcome(run: Run | None, ended: Ended, output: str = "") -> str:
    """Return how a run ended: passed, failed, empty or unknown. `run` None: a run known by its report alone."""
    if ended.status == "refused" or summaries.is_running(output):
        return UNKNOWN_OUTCOME
    counts = ended.counts
    if counts is None and run is not None:
        counts = told_of(run, output).counts
    if counts is not None and counts.failed:
        return FAILED
    if ended.status == UNKNOWN_OUTCOME and ended.exit_code is None:
        return UNKNOWN_OUTCOME  # interrupted, timed out or still running: what it printed may not be the end
    own = ended.own_status and not (run is not None and run.masked)
    if own and _exited_badly(ended):
        return _bad(run, counts, ended.exit_code, output)
    succeeded = own and (ended.exit_code == 0 or ended.status == "ok")
    if not succeeded and run is not None and run.mixed:
        return UNKNOWN_OUTCOME
    if not succeeded and run is not None and summaries.says_failed(output):
        return FAILED if run.sole else UNKNOWN_OUTCOME
    if not succeeded and run is not None:
        return UNKNOWN_OUTCOME  # a summary alone is no success: a runner can fail after it has printed one
    return _good(run, counts)


def _run(simples: tuple[Simple, ...], place: int, found: RunWords, *, own: bool) -> Run:
    simple = simples[place]
    scope: Scope = found.scope
    if scope == SUITE and (simple.fed or simple.folder == "?"):
        scope = ("what xargs gives it",) if simple.fed else ("what is in the folder that it went to",)
    scope = (narrowed_by(found.tool, simple, simples[:place]) if scope == SUITE else ()) or scope
    behind = map(effect_of_simple, _beyond_pipe(simples, place))
    printing = list(filter(_may_print_summaries, _beside(simples, place)))
    return Run(
        family=found.family,
        scope=scope,
        tool=found.tool,
        group=found.group,
        masked=is_doubtful(simples, place, found) or (not own and (simple.grouped or _masked(simples, place))),
        sole=not simple.grouped and all(_is_setup(other) for other in simples[:place] + _beyond_pipe(simples, place)),
        cut=_is_cut(simples, place),
        mixed=bool(printing) or any(map(_rewrites, _filters(simples, place))),
        foreign=prints_others(simples, place, printing),
        leans_on=leans_on(simples, place),
        folder=simple.folder or "",
        after=widest([*behind, *_beside_it(simples, place), _adapting(simple, found)]),
        apart=simple.apart > 0,
        command=" ".join(simple.words),
    )


def _adapting(simple: Simple, found: RunWords) -> str:
    """The effect of a test run that writes anew what it compares with: it then tells nothing of what was there."""
    told = any(UPDATING_SETTING.match(setting) for setting in simple.settings)
    return WRITES if found.family == "test" and (told or not UPDATING.isdisjoint(found.options)) else NONE


def _beside_it(simples: tuple[Simple, ...], place: int) -> list[str]:
    """Return the effects of what the line runs in the background while the run at `place` does its work."""
    others = [other for other in left_running(simples, place) if other.apart != simples[place].apart]
    return [UNKNOWN] if may_still_write(others, effect_of_simple) else []


def _masked(simples: tuple[Simple, ...], place: int) -> bool:
    """Tell whether exit status 0 of the line says nothing of the run at `place`."""
    pipefail = any(simple.words[:1] == ("set",) and "pipefail" in simple.words for simple in simples[:place])
    errexit = any(
        simple.words[:1] == ("set",) and any(w[:1] == "-" and "e" in w for w in simple.words) for simple in simples
    )
    if simples[place].after == "|" and not pipefail:
        return True
    rest = simples[place:]
    return any(
        simple.after in ("||", "&", "(", ")") or (simple.after == ";" and simple is not simples[-1] and not errexit)
        for simple in rest
    )


def _beyond_pipe(simples: tuple[Simple, ...], place: int) -> tuple[Simple, ...]:
    """Return the commands behind the pipe that a command is in."""
    while place + 1 < len(simples) and simples[place].after == "|":
        place += 1
    return simples[place + 1 :]


def _beside(simples: tuple[Simple, ...], place: int) -> tuple[Simple, ...]:
    """Return the commands of a line that are not in the pipe of the run at `place`."""
    first = place
    while first and simples[first].before == "|":
        first -= 1
    return simples[:first] + _beyond_pipe(simples, place)


def _may_print_summaries(simple: Simple) -> bool:
    """Tell whether a command may print lines like a runner's: all but setup, git, harmless words and other runs."""
    if _is_setup(simple):
        return _TELLING.search(" ".join(simple.words)) is not None
    return simple.words[0] not in ("git", "exit", "test", "[", "fi") and run_words(simple.words) is None


def _is_setup(simple: Simple) -> bool:
    return not simple.words or base_name(simple.words[0]) in _SETUP


def _filters(simples: Sequence[Simple], place: int) -> Sequence[Simple]:
    """Return the commands that the output of the one at `place` is piped through."""
    first = place + 1
    while place + 1 < len(simples) and simples[place].after == "|":
        place += 1
    return simples[first : place + 1]


def _is_cut(simples: Sequence[Simple], place: int) -> bool:
    return any(
        not simple.words or base_name(simple.words[0]) not in _ENDS_OF_PIPES for simple in _filters(simples, place)
    )


def _rewrites(simple: Simple) -> bool:
    """Tell whether a filter may print lines that it was not given."""
    name = base_name(simple.words[0]) if simple.words else ""
    options = [word for word in simple.words[1:] if word.startswith("-") and word != "-"]
    operands = [word for word in simple.words[1:] if not word.startswith("-")]
    if name == "tee":
        return False
    if name == "sed":
        return options != ["-n"] or len(operands) != 1 or _ADDRESSES.fullmatch(operands[0]) is None
    if name not in _SELECTORS:
        return True
    if name in _SEARCHERS:
        given = any(re.match("-[ef].|--(?:regexp|file)=", word) for word in options)
        only = any(word.startswith(("--only", "--replace", "-r")) or re.match("-[a-zA-Z]*o", word) for word in options)
        return only or len([word for word in operands if not word.isdecimal()]) > (0 if given else 1)
    return any(not word.lstrip("+").isdecimal() for word in operands)


def _with_reports(run: Run, simples: tuple[Simple, ...], place: int, *, appends: bool) -> Run:
    """Add where the structured results of the run at `place` are: in its output, or in files that it names."""
    found = reported(simples[place], _filters(simples, place), appends=appends)
    back = _read_back(run, simples, place, found) if found.files else ""
    return msgspec.structs.replace(run, report=back or found.output, report_files=found.files)


def _read_back(run: Run, simples: tuple[Simple, ...], place: int, found: Reported) -> str:
    """Tell whether the line prints the run's file behind it, as it is, and prints no other file."""
    shown = [(p, told) for p in range(len(simples)) if (told := shown_form(simples, p)) is not None]
    if len(shown) != 1 or run.after not in ("none", "outside"):
        return ""
    at, (file, how) = shown[0]
    same = at > place and simples[at].folder == simples[place].folder and file in found.files
    return how if same else ""


def _structured(run: Run, output: str) -> Result | None:
    text = summaries.plain(output)
    if not run.report and (run.foreign or not (run.tool in _WRAPPERS and is_result_alone(text))):
        return None
    found = result_in(text, run.family)
    return part(found) if found is not None and run.report == CUT else found


def _counted_in_words(run: Run, output: str) -> Counts | None:
    if run.foreign:
        return None
    if run.family != "test":
        return summaries.problem_counts(output)
    counts = replayed(output, summaries.counts_of_tests(output, run.tool))
    if not run.cut or counts is None:
        return counts
    whole = summaries.counts_of_tests(output, run.tool, cut=True)
    return Counts(failed=counts.failed) if whole is None and counts.failed else whole


def _exited_badly(ended: Ended) -> bool:
    return ended.exit_code not in (None, 0) or (ended.exit_code is None and ended.status == "failed")


def _bad(run: Run | None, counts: Counts | None, code: int | None, output: str) -> str:
    """How a run ended whose own status is bad, and that counted no failure."""
    if run is not None and run.tool == "pytest" and code == _PYTEST_COLLECTED_NONE:
        return EMPTY
    if counts is not None and counts.passed is not None and not _executed(counts):
        return EMPTY
    if run is not None and not run.sole:
        return UNKNOWN_OUTCOME
    return UNKNOWN_OUTCOME if _prevented(code, run, output) else FAILED


def _good(run: Run | None, counts: Counts | None) -> str:
    """How a run without a known failure ended, whose status 0 is its own, or that is known by a report."""
    if run is not None and run.family != "test":
        return PASSED
    if counts is None:
        return UNKNOWN_OUTCOME
    if counts.passed:
        return PASSED
    return EMPTY if counts.passed is not None else UNKNOWN_OUTCOME


def _executed(counts: Counts) -> int:
    return (counts.passed or 0) + (counts.failed or 0)


def _prevented(code: int | None, run: Run | None, output: str) -> bool:
    """Tell whether a bad exit status says that the run never came about: not found, killed, timed out, used wrongly."""
    if code is not None and (code in _NEVER_RAN or code >= _SIGNALS):
        return True
    return (run is not None and run.tool == "pytest" and code in _PYTEST_MISUSED) or summaries.was_prevented(output)
