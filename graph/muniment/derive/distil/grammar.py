"""The grammar: by which words tools say that something is wrong, and what that is worth.

A rule is a pattern for one line, what a line that it fits establishes, and a worth. The worths have five steps, and
nothing is finer than these: a `CAUSE` says what went wrong and where; a `REPORT` says that and names it, or gives a
part of it; a `HINT` has the look of one; a `SUMMARY` counts; an `ECHO` repeats that something failed.

* Rules are tried in order and the first that fits counts, so that what is said with care comes before what is guessed.
* Echoes come first: "exited with code 1" holds a word of alarm too. So does "0 errors", which is no alarm at all:
  counts of nothing are taken out before a line is judged, and results of tests that passed are no signs. Nor are names
  that only hold such a word (`error.go`, `test_error`).
* Rules are about tools that many people use; none is about one project or one log.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

CAUSE: Final = 10
REPORT: Final = 7
HINT: Final = 4
SUMMARY: Final = 5
ECHO: Final = 3
WARNING: Final = 1

FAILING_TEST: Final = "failing test"
ASSERTION: Final = "assertion"
ERROR: Final = "error"
DIAGNOSTIC: Final = "diagnostic"
RESULT: Final = "summary"
AFTERMATH: Final = "what the failure led to"
WARNED: Final = "warning"
PROJECT_FRAME: Final = "frame in a project file"


class Rule(msgspec.Struct, frozen=True):
    """What a line establishes that begins so, holds this, or says that in whatever case, and how much it is worth."""

    establishes: str
    worth: int
    begins: re.Pattern[str] | None
    holds: re.Pattern[str] | None
    says: re.Pattern[str] | None

    def fits(self, line: str, low: str) -> bool:
        """Tell whether a line fits; `low` is the same in lower case."""
        return (
            (self.begins is not None and self.begins.match(line) is not None)
            or (self.holds is not None and self.holds.search(line) is not None)
            or (self.says is not None and self.says.search(low) is not None)
        )


def _rule(
    establishes: str,
    worth: int,
    *,
    begins: tuple[str, ...] = (),
    holds: tuple[str, ...] = (),
    says: tuple[str, ...] = (),
) -> Rule:
    return Rule(establishes, worth, _any(begins), _any(holds), _any(says))


def _any(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None


_NAMED: Final = r"(?<![./\\_-])"
_WORD: Final = r"(?<![\w./\\-])"
_ENDS: Final = r"(?![\w/\\-]|\.\w)"

ALARMS: Final[dict[str, re.Pattern[str] | None]] = {
    **{word: re.compile(rf"{_NAMED}{word}s?{_ENDS}") for word in ("error", "exception", "failure", "warning")},
    **{
        word: re.compile(rf"{_WORD}{word}{_ENDS}")
        for word in ("fatal", "panic", "abort", "aborted", "aborting", "killed")
    },
    **{word: re.compile(rf"{_WORD}{word}{_ENDS}") for word in ("undefined", "undeclared", "unresolved", "conflict")},
    **{word: re.compile(rf"{_WORD}{word}{_ENDS}") for word in ("denied", "refused", "rejected", "mismatch", "unknown")},
    **{
        word: re.compile(rf"{_WORD}{word}{_ENDS}")
        for word in ("invalid", "illegal", "unsupported", "unexpected", "missing")
    },
    **{
        word: re.compile(rf"{_WORD}{word}{_ENDS}")
        for word in ("incompatible", "wrong", "timeout", "warn", "terminated")
    },
    "fail": re.compile(rf"{_WORD}fail(?:ed|ures?|ing|s)?{_ENDS}"),
    "expected": re.compile(rf"{_WORD}expected{_ENDS}"),
    "exit": re.compile(rf"{_WORD}exit(?:ed|s|ing)?[ :]"),
    "assert": re.compile(rf"{_NAMED}assert(?:ion)?(?:error)?s?{_ENDS}"),
    "tests run:": re.compile(r"tests run: \d+, failures: \d+, errors: \d+, skipped: \d+[^\S\n]*$|.*<<<", re.MULTILINE),
    **dict.fromkeys(
        (
            *(
                "err!",
                "[error",
                "[fatal",
                "[severe",
                "err]",
                "traceback",
                "caused by",
                "received:",
                "not ok",
                "cannot ",
            ),
            *("can't ", "could not", "couldn't", "unable to", "not found", "no such", "no module", "timed out"),
            *("segmentation", "core dumped", "no space", "out of memory", "outofmemory", "not exist", "no rule"),
            *("non-zero", "***", "✗", "✖", "✕", "× ", "●", "____", " passed", " passing", "ran "),
            *("test result", "tests:", "test suites", "build success", "help 1", " problem", "e   ", "stdout ----"),
            *(
                "what went wrong",
                "deprecat",
                "internalerror",
                "mvn <args>",
                "elifecycle",
                "re-run ",
                "resume the build",
            ),
            *(") test ", "failure/error", "complete log of", "returned ", "reference to", "definition of"),
        )
    ),
}
"""Words in lower case that a line must hold to be a sign, and how each must stand in it: as a word of its own, not in
the name of a file or a function, though class names may end in one; None: anyhow."""

PASSING: Final = re.compile(
    r"\s*(?:PASSED|PASS|ok|OK|✓|✔|√)(?:\s|$)|.*\s(?:PASSED|ok|OK|XFAIL|SKIPPED)(?:\s+\[\s*\d+%\])?\s*$"
    r"|(?:SKIPPED|XFAIL|XPASS|XFAILED)\b|\++ |\[INFO\] (?:Download|Progress)"
    r"|\s*(?:Download(?:ing|ed)?|Fetch(?:ing|ed)|Collecting|Requirement already|Get:\d|Unpacking|Extracting)\b"
)
"""Lines that report success or fetch something: names in them are no alarm. Those with `+` are what a shell traces."""

PASSED_TESTS: Final = f"{' PASSES ':=^80}"
SHORT_SUMMARY: Final = re.compile(r"=+ short test summary info =+$")
"""Headings of pytest: what passed tests printed stands between them, under headings like those of failures."""

CAPTURED: Final = re.compile(r"-{3,} Captured .+ -{3,}$")
TEST_HEADING: Final = re.compile(r"_{3,} .+ _{3,}$|=+ (?:short test summary|warnings summary|FAILURES|ERRORS|PASSES)")
"""What a test printed stands between these."""

NOTHING: Final = re.compile(
    r"\b(?:0|no|No|without) (?:errors?|failures?|failed|failing|warnings?|problems?|issues?)\b"
    r"|\b(?:[Ff]ailures?|[Ee]rrors?|[Ff]ailed|[Ww]arnings?|[Ss]kipped|[Pp]roblems|FAILED|ERRORS?)(?: in \w+)?"
    r"\s*[:=]\s*0\b"
)
"""Counts of nothing."""
BARE: Final = re.compile(r"\s*\[\w+\]\s*$")
"""A level with nothing behind it."""
QUIET: Final = re.compile(r"\s*\[?(?:INFO|DEBUG|TRACE|NOTE|VERBOSE|info|debug|trace)\]?[\s:]")
"""Levels at which nothing is wrong, whatever words stand there; only summaries and echoes are looked for in them."""

_PLACE = r"\.[A-Za-z]\w{0,7}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)|:\[\d+,\d+\])"
_LOCATED = rf"[^\s:()\[\]]+{_PLACE}"
"""`src/a.c:12:5`, `a.ts(3,5)`, `/x/A.java:[27,122]`."""
_EXCEPTION = (
    r"(?:[\w$]+[.:/\\]+)*[A-Z][\w$]*(?:Error|Exception|Failure|Failed|Interrupt|Fault|Exit|Violation|Mismatch)\b"
)

RULES: Final = (
    _rule(
        AFTERMATH,
        ECHO,
        begins=(
            r"\W*(?:INFO\] |FAILURE: )?(?:BUILD|Build|build) (?:FAILED|FAILURE|failed|failure|FAIL)\b(?! to)",
            r"Build step .* marked build as|Finished: |FAIL\s*$|error Command failed|compilation terminated",
            r"(?:g|n)?make(?:\[\d+\])?: \*\*\*|ninja: build stopped|collect2: |For more information about this error",
            r"\* (?:Try|Get more help|Exception is)|> (?:Run with|Get more help)|\[ERROR\] For more information about",
            r"(?:error|ERROR)(?:\[\w+\])?: (?:could not compile|aborting due to|test failed, to|process completed)",
            r"(?:\[INFO\] )?\d+ errors?(?: generated\.?)?\s*$|\s*Error: Process completed",
            r"npm (?:ERR!|error) (?:code|errno|path|command|workspace|location|lifecycle|A complete|\s*$)",
        ),
        holds=(
            r"\[Help \d+\]|[Rr]e-run Maven|resume the build|mvn <args>|ELIFECYCLE|RUST_BACKTRACE|ld returned \d",
            r"complete log of this run|[Cc]ommand failed\b|Failed at the \S+ script",
        ),
        says=(
            r"\bexit(?:ed|s)?(?: with)?(?: error)? (?:code|status|value)\b|\bexited with \d",
            r"\breturned (?:a )?(?:non-zero|exit)",
        ),
    ),
    _rule(
        RESULT,
        SUMMARY,
        begins=(
            r"=+ .*\b\d+ (?:passed|failed|errors?|skipped|warnings?|deselected)\b.*=+\s*$",
            r"=+ no tests ran|\d+ (?:passed|failed).* in \d",
            r"Ran \d+ tests? in |FAILED \((?:failures|errors|unexpected)|OK(?: \(.*\))?$",
            r"(?:\[\w+\]\s+)?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+\s*$",
            r"test result: |\s*Tests?:? +\d+ (?:passed|failed)|Tests: |Test Suites: |\s*Test Files +\d",
            r"\s*\d+ (?:passing|failing|pending)\b|(?:#|ℹ) (?:fail|tests|pass) \d",
            r"\s*\d+ (?:tests?|examples?|runs|doctests?), ",
            r"Found \d+ errors?\b|\W*\d+ problems? \(|\d+ tests? completed, \d+ failed|\d+% tests passed",
        ),
    ),
    _rule(RESULT, WARNING, begins=(r"Success: no issues",), holds=(r"\bBUILD SUCCESS",)),
    _rule(
        FAILING_TEST,
        CAUSE,
        begins=(
            r"_{3,} .+ _{3,}$|(?:FAIL|ERROR): (?:test|[\w.]+ \()|\s*--- FAIL: |\s*● ",
            r"(?:FAILED|ERROR) \S+::\S+ - ",
            r"---- .+ (?:stdout|stderr) ----$|not ok \d+|\S.* > .* FAILED\s*$|\s*FAIL  ?\S+ > ",
        ),
        holds=(r"<<< (?:FAILURE|ERROR)!",),
    ),
    _rule(
        FAILING_TEST,
        REPORT,
        begins=(
            r"(?:FAILED|ERROR) \S+(?:::| - |\.\w+$)|FAIL\s+\S+|test .+ \.\.\. FAILED$|\s*[✗✖✕×]\s|\s*\d+\) \S",
            r"\s*Failure/Error: ",
            r"> Task \S+ FAILED|\[ERROR\] +(?:Failures|Errors): *$|\[ERROR\]   ?\w+(?:Test|IT|Tests)\b",
        ),
        holds=(r"\bFAILED(?:\s+\[\s*\d+%\])?\s*$|\.\.\. (?:FAIL|ERROR)$|\*\*\*(?:Failed|Exception)",),
    ),
    _rule(
        ERROR,
        CAUSE,
        begins=(
            r"E   +(?:\S+: |assert |[\w.]+$)",
            rf"\W*(?:Caused by: |Uncaught |Unhandled |Exception in thread \S+ )?{_EXCEPTION}(?:: |:$|$| \[)",
            r"(?:\w+: )?(?:fatal|FATAL|Fatal)(?: error)?: |panic: |thread '.+' (?:\(\d+\) )?panicked at|Killed\b",
            r"\W*Error: \S|error(?:\[\w+\])?: \S|\* What went wrong:|e: \S|ERROR: \S|CMake Error|::error",
            r"npm (?:ERR!|error) (?:[A-Z]\w*Error|Cannot|Could not|Missing|notarget|404|peer|ERESOLVE)",
        ),
        holds=(
            r"##\[error\]|Failed to execute goal|Execution failed for task",
            r"undefined reference to|undefined symbol|multiple definition of",
        ),
        says=(r"segmentation fault|core dumped|no space left on device|out of memory|outofmemory|\boomkilled\b",),
    ),
    _rule(
        DIAGNOSTIC,
        CAUSE,
        begins=(
            rf"\[?ERROR\]?:? \S*{_LOCATED}|\s+\d+:\d+\s+(?:error|✖)\s|\w+\d* [^ ]+\.\w+:\d+.*\berror\b",
            rf"(?:\./)?{_LOCATED}: (?:undefined|cannot|syntax|undeclared|declared|imported|missing|not enough|too many|"
            r"invalid|expected|\w*(?:Error|Exception|Failed)$)",
        ),
        holds=(rf"{_PLACE}:? ?(?:-\s*)?(?:\w+ )?(?:error|Error|ERROR|fatal)\b",),
    ),
    _rule(
        ERROR,
        REPORT,
        begins=(
            r"E   +|\[(?:ERROR|FATAL|SEVERE)\] ?\S|(?:ERROR|FATAL|SEVERE|CRITICAL)\b|npm ERR!|npm error|Traceback",
            r"\s+(?:Expected|Received|expected|actual|Actual|left|right):|\s*\+ (?:expected|actual)|[╷│╵]?\s*Error: ",
        ),
        holds=(r"\b(?:ERROR|FATAL|SEVERE|CRITICAL) [\[\w(]",),
        says=(
            r"command not found|no such file or directory|permission denied|connection (?:refused|reset)",
            r"does not exist",
            r"(?:cannot|can't|could not|couldn't|unable to|failed to) \w+|\bnot found\b|\btimed out\b|\bkilled\b",
            r"\bno (?:module named|matching|such|rule to make|tests? (?:found|ran))",
            r"\b(?:error|exception|panic) ?[:!\[]",
        ),
    ),
    _rule(WARNED, WARNING, says=(r"\bwarn(?:ing)?s?\b|\bdeprecat",)),
    _rule(
        ERROR,
        HINT,
        says=(
            r"\b(?:errors?|failed|failures?|fails|exceptions?|fatal|aborted|abort|aborting)\b",
            r"\b(?:denied|refused|rejected|unresolved|undefined|undeclared|mismatch|conflict|incompatible)\b",
            r"\b(?:invalid|illegal|unsupported|unexpected|missing|unknown|wrong)\b|\btimeout(?! ?=)\b",
        ),
    ),
)
"""In order: the first that fits counts."""

DETAIL: Final = re.compile(
    r"\s*(?:at |\.\.\. \d+ (?:more|common)|Caused by: |Suppressed: )|\s*File \"[^\"]+\", line \d+|E   |>  "
    r"|\s*(?:\^|~|\||=|-->|>|note:|help:|\d+ \||\.\.\.)"
)
"""Lines that belong to what stands before them though they are not indented, or not always."""

RULER: Final = re.compile(r"(?:\[\w+\] )?[-=*_#]{5,}\s*$")
"""A line that only parts others."""

FRAME: Final = re.compile(
    r"\s*(?:at (?:async )?(?P<java>[\w.$/<>\[\] ]+)\(|File \"(?P<python>[^\"]+)\", line"
    r"|(?P<path>\S+\.\w{1,5}):\d+(?::\d+)?(?::| |$)|at (?P<node>(?:file://|node:|/|\w:\\|\./)[^)\s]*))"
)
FOREIGN: Final = re.compile(
    r"^(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|opentest4j|apache\.maven|gradle|mockito|hamcrest|"
    r"assertj|testng|codehaus|springframework))\b"
    r"|site-packages|dist-packages|node_modules|^node:|/lib/python\d|/usr/lib|/\.cargo/registry|/rustc/|/go/src/|<frozen"
    r"|internal/|/pkg/mod/"
)
"""Frames of language, library and test framework: the others are the project's own."""

WARNING_LEVEL: Final = re.compile(r"\W*(?:WARN|WARNING|warn|warning)\b")
"""What a logger puts before a warning: a trace below it is no error."""
