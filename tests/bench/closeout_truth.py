"""What a recorded test run was, by a plain look at its words and at what it printed.

* The look is the bench's own and knows little: few runners, few forms. What it cannot tell is left out and counted, so
  that the truth of a case never comes from what is tested.
* A run is *clean* if its line holds nothing but it, harmless words before it and a pipe to `tail`: without that pipe,
  the client would have recorded the exit status.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TESTING = re.compile(
    r"^(?:go test|mise run test\S*|mix test|npx vitest|npx jest|bun test|npm (?:run )?test|pnpm (?:--filter \S+ )?test"
    r"|(?:python3? -m )?pytest|(?:python3? )?(?:\./)?(?:tests/)?runtests\.py)\b(?!.* --(?:version|help)\b)"
)
_BEFORE = re.compile(r"^(?:cd [^\s;&|]+ && |go clean -testcache && |mise run (?:fmt|lint) && )+")
_BEHIND = re.compile(r"\s*(?:2>&1)?\s*(?:\|\s*(?:tail|head)(?: -n)? -?\d+)?\s*$")
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PASSED = re.compile(
    r"\b(\d+) passed\b|^\s*(\d+) pass$|\b(\d+) tests?, 0 failures\b|^(ok)\s+\S+\s+(?:\d|\(cached\))", re.MULTILINE
)
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|fail|failures?|errors?)\b|^FAIL|--- FAIL|ERR_PNPM|^Traceback|No module named|ERROR task"
    r"|Running in the background|running in background",
    re.MULTILINE,
)
_LEFT_OUT = re.compile(r"\b[1-9]\d* (?:skipped|skip|todo|pending|excluded)\b|--- SKIP|no tests to run")
_NARROW = {
    "go": re.compile(r"(?<=^go test)(?: .*)?$"),
    "mise": re.compile(r"(?<=^mise run test).*$"),
    "mix": re.compile(r"(?<=^mix test)(?: .*)?$"),
    "vitest": re.compile(r"(?<=^npx vitest)(?: .*)?$"),
    "bun": re.compile(r"(?<=^bun test)(?: .*)?$"),
    "npm": re.compile(r"(?<=test) -- .*$"),
    "pnpm": re.compile(r" --filter \S+"),
    "pytest": re.compile(r"(?<=pytest)(?: .*)?$"),
}
_WIDE = {"go": " ./...", "vitest": " run"}
_NAMES = (("pnpm", "pnpm"), ("npm", "npm"), ("bun", "bun"), ("mix", "mix"), ("mise", "mise"), ("go ", "go"))


class Look(NamedTuple):
    """What a plain look tells of a run: its own words, those before them, its runner, and how it ended."""

    words: str
    before: str
    runner: str
    whole: bool
    passed: int
    failed: bool
    left_out: bool
    cached: bool
    clean: bool


def look_at(command: str, output: str) -> Look | None:
    """Return what a command is as a test run, None where it is none that this look knows."""
    line = " ".join(command.split("\n")) if command.count("\n") < 2 else command
    before = _BEFORE.match(line)
    head = before[0] if before else ""
    words = _BEHIND.sub("", line[len(head) :])
    if TESTING.match(words) is None:
        return None
    plain = _COLOURS.sub("", output)
    found = _PASSED.findall(plain)
    return Look(
        words=words,
        before=head,
        runner=_runner(words),
        whole=_widened(words) == words,
        passed=sum(1 if "ok" in each else int("".join(each)) for each in found),
        failed=_FAILED.search(plain) is not None,
        left_out=_LEFT_OUT.search(plain) is not None,
        cached="(cached)" in plain,
        clean=re.search(r"[;&|<>`$()]", re.sub(r'"[^"]*"|\'[^\']*\'', "", words)) is None,
    )


def _runner(words: str) -> str:
    found = next((name for begin, name in _NAMES if words.startswith(begin)), None)
    return found or ("vitest" if "vitest" in words or "jest" in words else "pytest")


def _widened(words: str) -> str:
    runner = _runner(words)
    return _NARROW[runner].sub(_WIDE.get(runner, ""), words, count=1)


def whole_command(look: Look) -> str:
    """Return the command that runs all tests with the runner of a run."""
    return _widened(look.words) if not look.whole else look.words


def narrow_command(look: Look, name: str) -> str | None:
    """Return a command that runs only what a name selects, None where this look knows none."""
    option = {"go": f" -run {name}", "bun": f" -t {name}", "vitest": f" -t {name}", "pytest": f" -k {name}"}
    wide = whole_command(look)
    if look.runner in option:
        return wide + option[look.runner]
    if look.runner == "npm":
        return f"{wide} -- -t {name}"
    return f"{wide} test/{name}_test.exs" if look.runner == "mix" else None


def fresh_output(output: str) -> str:
    """Return an output as it is without Go's cache."""
    return output.replace("(cached)", "0.412s")


def passing_output(runner: str, count: int = 12) -> str:
    """Return what a runner prints of a run in which so many tests passed."""
    return {
        "pytest": f"{'.' * count}\n========================= {count} passed in 0.84s =========================\n",
        "bun": f"bun test v1.3.1\n\n {count} pass\n 0 fail\n {2 * count} expect() calls\n"
        f"Ran {count} tests across 2 files. [1.20s]\n",
        "mix": f"{'.' * count}\nFinished in 1.0 seconds\n{count} tests, 0 failures\n",
        "go": "ok  \texample.org/tool/alpha\t0.412s\nok  \texample.org/tool/beta\t0.380s\n",
        "mise": "ok  \texample.org/tool/alpha\t0.412s\nok  \texample.org/tool/beta\t0.380s\n",
    }.get(runner, f" Test Files  3 passed (3)\n      Tests  {count} passed ({count})\n   Duration  1.20s\n")


def failing_output(runner: str) -> str:
    """Return what a runner prints of a run in which a test failed."""
    return {
        "pytest": "..F\n=========== short test summary info ============\nFAILED tests/test_rates.py::test_burst"
        "\n========= 1 failed, 2 passed in 0.31s =========\n",
        "bun": "(fail) rates > burst [1.20ms]\n\n 2 pass\n 1 fail\n 3 expect() calls\n"
        "Ran 3 tests across 1 file. [40.00ms]\n",
        "mix": "  1) test burst (RatesTest)\n\nFinished in 0.3 seconds\n3 tests, 1 failure\n",
        "go": "--- FAIL: TestBurst (0.00s)\nFAIL\nFAIL\texample.org/tool/rates\t0.412s\nFAIL\n",
        "mise": "--- FAIL: TestBurst (0.00s)\nFAIL\nFAIL\texample.org/tool/rates\t0.412s\nFAIL\n",
    }.get(runner, " FAIL  rates.test.ts > burst\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n")


def skipping_output(runner: str, passed: int, skipped: int) -> str | None:
    """Return what a runner prints where it skipped some tests; None where this look knows no such line."""
    whole = passed + skipped
    ran = f"{passed} passed, " if passed else ""
    return {
        "pytest": f"===== {ran}{skipped} skipped in 0.84s =====\n",
        "bun": f"bun test v1.3.1\n\n {passed} pass\n {skipped} skip\n 0 fail\n {whole} expect() calls\n"
        f"Ran {whole} tests across 2 files. [1.20s]\n",
        "mix": f"Finished in 1.0 seconds\n{whole} tests, 0 failures, {skipped} skipped\n",
        "go": "".join(f"--- PASS: TestA{n} (0.00s)\n" for n in range(passed))
        + "".join(f"--- SKIP: TestB{n} (0.00s)\n" for n in range(skipped))
        + "PASS\nok  \texample.org/tool/alpha\t0.412s\n",
    }.get(
        runner,
        f" Test Files  {'3 passed' if passed else '3 skipped'} (3)\n      Tests  "
        f"{f'{passed} passed | ' if passed else ''}{skipped} skipped ({whole})\n   Duration  1.20s\n",
    )
