"""Distillation of an output: which lines are kept, what is said of them, and what it costs. All logs are made here."""

from __future__ import annotations

import pytest

from muniment.derive.distil import Distillation, Run, distil, narrowed
from muniment.derive.distil.page import clipped, page_of
from muniment.tokens import o200k


def kept(made: Distillation) -> set[int]:
    return {line for span in made.excerpts for line in range(span.first, span.last + 1)}


def log(*parts: str | tuple[int, str]) -> str:
    """Return a log; `(n, line)` is a line n times, with its number in the place of {}."""
    lines: list[str] = []
    for part in parts:
        lines += [part] if isinstance(part, str) else [part[1].format(number) for number in range(part[0])]
    return "".join(f"{line}\n" for line in lines)


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


QUIET = (300, "12:00:0{} INFO worker processed batch without errors")

FAILURES = {
    "gcc": (("src/a.c: In function 'main':", "src/a.c:7:10: error: 'total' undeclared", "    7 |  return total;"), 1),
    "tsc": (("src/app.ts(12,5): error TS2304: Cannot find name 'price'.",), 0),
    "go build": (("# example.com/shop", "./price.go:41:9: undefined: parsePrice"), 1),
    "go test": (("--- FAIL: TestPrice (0.00s)", "    price_test.go:12: got 3, want 4"), 0),
    "rustc": (("error[E0382]: borrow of moved value: `s`", "  --> src/main.rs:61:60", "   |"), 0),
    "rust test": (("---- tests::adds stdout ----", "thread 'tests::adds' panicked at src/lib.rs:9:5:"), 0),
    "python": (("Traceback (most recent call last):", '  File "app.py", line 3, in f', "ValueError: no price"), 2),
    "pytest": (("____________ test_price ____________", "", ">   assert 1 == 2", "E   assert 1 == 2"), 3),
    "unittest": (("FAIL: test_price (shop.T.test_price)", "-" * 70, "AssertionError: 3 != 4"), 2),
    "java": (
        ('Exception in thread "main" java.lang.IllegalStateException: empty', "\tat shop.Main.run(Main.java:4)"),
        0,
    ),
    "maven": (("[ERROR] /w/src/Main.java:[3,9] cannot find symbol", "  symbol: class Price"), 0),
    "gradle": (("* What went wrong:", "Execution failed for task ':compileJava'."), 0),
    "npm": (("npm error code ERESOLVE", "npm error ERESOLVE unable to resolve dependency tree"), 1),
    "node": (("TypeError: Cannot read properties of undefined (reading 'price')", "    at load (/w/app.js:4:9)"), 0),
    "jest": (("  ● prices › rounds", "", "    expect(received).toBe(expected)"), 0),
    "eslint": (("/w/src/a.js", "  3:7  error  'price' is not defined  no-undef"), 1),
    "terraform": (("╷", '│ Error: Unsupported argument "prices"', "│   on main.tf line 3:"), 1),
    "linker": (("/usr/bin/ld: a.o: in function `main':", "a.c:(.text+0xa): undefined reference to `price'"), 1),
    "shell": (("cp: cannot stat '/etc/prices': No such file or directory",), 0),
    "git": (("fatal: No tags can describe '60a18941'.",), 0),
    "annotation": (("##[error]price_test.go:559:42: undefined: plans.Pending",), 0),
    "exunit": (("  1) test rounds (PriceTest)", "     test/price_test.exs:12"), 0),
    "cmake": (("CMake Error at CMakeLists.txt:6 (find_package):", "  By not providing FindPrice.cmake"), 0),
}


@pytest.mark.parametrize("tool", FAILURES)
@pytest.mark.parametrize("place", ["in the middle", "at the beginning"])
def test_what_a_tool_says_of_a_failure_is_kept_wherever_it_stands(tool: str, place: str) -> None:
    lines, decisive = FAILURES[tool]
    before = (150, QUIET[1]) if place == "in the middle" else (3, QUIET[1])
    text = log(before, "", *lines, "", (500, QUIET[1]), "done")
    assert line_of(text, lines[decisive]) in kept(distil(text, budget=150))


@pytest.mark.parametrize(
    "line",
    [
        "ok   example.com/shop/errors 0.01s",
        "PASSED tests/test_errors.py::test_error_is_raised",
        "test_failure (shop.T.test_failure) ... ok",
        "[INFO] Running shop.AssertionErrorCreatorTest",
        "Tests run: 18, Failures: 0, Errors: 0, Skipped: 0",
        "found 0 errors and no warnings",
        " * [new branch]   fix-value-errors -> origin/fix-value-errors",
        "Downloading https://example.com/error-prone-2.0.jar",
        "+ echo error",
    ],
)
def test_words_of_alarm_in_names_and_counts_of_nothing_are_no_alarm(line: str) -> None:
    text = log((100, "step {}"), line, (100, "step {} of the second part"))
    assert line_of(text, line) not in kept(distil(text, budget=60))
    alarm = log((100, "step {}"), "error: price is missing", (100, "step {} of the second part"))
    assert line_of(alarm, "price is missing") in kept(distil(alarm, budget=60))


def test_a_cause_outweighs_its_echoes() -> None:
    echoes = [f"make[{level}]: *** [all] Error 2" for level in range(30)]
    text = log(QUIET, "src/a.c:7:10: error: 'total' undeclared", *echoes, "BUILD FAILED", "exited with code 2")
    made = distil(text, budget=80)
    assert line_of(text, "undeclared") in kept(made)
    assert "diagnostic" in next(span for span in made.excerpts if "diagnostic" in span.establishes).establishes


def test_what_is_said_again_and_again_leaves_room_for_what_is_said_once() -> None:
    text = log(
        *(f"ERROR retrying connection to cache (attempt {n})" for n in range(200)), "ValueError: no price", QUIET
    )
    assert line_of(text, "no price") in kept(distil(text, budget=100))


def test_causes_of_an_exception_and_frames_of_the_project_come_before_frames_of_libraries() -> None:
    frames = [f"\tat org.junit.runner.Step{n}.run(Step.java:{n})" for n in range(60)]
    text = log(
        QUIET,
        "java.lang.RuntimeException: load failed",
        *frames,
        "\tat shop.Prices.load(Prices.java:17)",
        "Caused by: java.io.IOException: prices are gone",
        *frames,
        QUIET,
    )
    made = distil(text, budget=200)
    assert {line_of(text, "load failed"), line_of(text, "are gone"), line_of(text, "Prices.java:17")} <= kept(made)


def test_the_end_is_kept_and_of_a_run_that_succeeded_more_of_it() -> None:
    text = log((200, "warning: price {} is deprecated"), (30, "result {}"), "all is well")
    count = len(text.splitlines())
    assert count in kept(distil(text, budget=100))
    assert set(range(count - 9, count + 1)) <= kept(distil(text, status=0, budget=100))


def test_what_a_command_shows_of_files_is_no_report_of_a_failure() -> None:
    text = log((200, "    x = {}"), 'raise ValueError("fatal: no price")', (200, "    y = {}"))
    place = line_of(text, "no price")
    assert place not in kept(distil(text, command="cat a.py | head -500", status=0, budget=100))
    assert place in kept(distil(text, command="make test", status=2, budget=100))
    assert place in kept(distil(text, command="cat build.log", status=0, budget=100))


def test_what_passed_tests_printed_is_no_failure() -> None:
    passed = [
        "=" * 36 + " PASSES " + "=" * 36,
        "____ test_a ____",
        "Traceback (most recent call last):",
        "KeyError: 'a'",
    ]
    text = log(
        "____ test_b ____", "E   assert 1 == 2", *passed, QUIET, f"{' short test summary info ':=^80}", "1 failed"
    )
    assert line_of(text, "KeyError") not in kept(distil(text, budget=60))
    assert line_of(text, "1 == 2") in kept(distil(text, budget=60))


def test_what_a_failed_test_printed_comes_after_what_it_failed_by() -> None:
    heading, captured = f"{' test_price ':_^80}", f"{' Captured stderr call ':-^80}"
    printed = [f"ERROR: cannot reach cache {name}" for name in ("a", "bc", "def", "ghij")]
    text = log(heading, "", ">   assert price() == 2", "E   assert 1 == 2", "", "a_test.py:3: AssertionError", captured)
    text += log(*printed, "Traceback (most recent call last):", "OSError: no cache", f"{' 1 failed in 1.0s ':=^80}")
    made = kept(distil(text, budget=60))
    assert {line_of(text, "test_price"), line_of(text, "E   assert"), line_of(text, "a_test.py:3")} <= made
    assert line_of(text, "cache def") not in made


def test_what_comes_often_is_noise_even_the_first_time() -> None:
    noise = [f"java.lang.IllegalStateException: expected in test {number}" for number in range(80)]
    text = log((50, "step {}"), *noise, (50, "step {} later"), "java.io.IOException: prices are gone", (50, "bye {}"))
    made = kept(distil(text, budget=40))
    assert line_of(text, "are gone") in made
    assert line_of(text, "in test 0") not in made


def test_colours_times_and_lines_that_were_written_over_cost_nothing() -> None:
    stamp = "2024-05-01T10:00:00.1234567Z "
    plain = "src/a.c:7:10: error: 'total' undeclared"
    dressed = log(*(f"{stamp}step {n}" for n in range(300)), f"{stamp}\x1b[1;31m{plain}\x1b[0m")
    assert page_of(dressed).shown[-1] == plain
    over = "".join(f"Progress ({n}%)\r" for n in range(100)) + "[ERROR] price.c:3:1: error: gone\n"
    assert page_of(over).shown == ["[ERROR] price.c:3:1: error: gone"]
    assert page_of("a\r\nb\r\n").shown == ["a", "b"]
    assert plain in distil(dressed, budget=60).text


def test_a_file_name_with_a_time_in_few_lines_stays() -> None:
    lines = ["10:00:00 first", *(f"line {n}" for n in range(50))]
    assert page_of("\n".join(lines)).shown == lines


def test_a_very_long_line_is_shown_by_its_ends_and_its_place() -> None:
    line = "a" * 5_000 + " undefined symbol q"
    made = distil(f"{line}\n", budget=100)
    assert "undefined symbol q" in made.text
    assert len(made.text) < 300
    assert clipped("short", 100) == "short"


def test_each_part_says_what_it_establishes() -> None:
    text = log(
        "$ make test",
        QUIET,
        "____________ test_price ____________",
        "",
        ">   assert price() == 2",
        "E   assert 1 == 2",
        "",
        "tests/test_price.py:11: AssertionError",
        "=== 1 failed, 300 passed in 2.0s ===",
    )
    made = distil(text, budget=200)
    said = {name for span in made.excerpts for name in span.establishes}
    assert {"failing test", "error", "summary", "first lines", "last lines"} <= said


def test_a_distillation_made_smaller_keeps_what_was_put_first_and_the_numbers_of_the_output() -> None:
    lines = {3: "step", 40: "the cause is here", 41: "and here", 90: "error: price is missing"}
    made = narrowed(lines, 100, first={40, 41}, run=Run("make", 2), budget=40)
    assert {40, 41} <= kept(made)
    assert made.lines == 100
    assert sum(last - first + 1 for first, last in made.omitted) + len(kept(made)) == 100
    assert "[…48 lines]" in made.text
    assert made.tokens == o200k().count(made.text)


@pytest.mark.parametrize("text", ["", "\n", "\r", "\x00\ud800", "x" * 100_000, "\n" * 5_000])
def test_odd_outputs_are_distilled_too(text: str) -> None:
    assert distil(text, budget=50).tokens <= 50
