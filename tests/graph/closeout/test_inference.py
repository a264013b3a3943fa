"""What a text claims: only plain statements, and a wrong inference must be rarer than a missed one."""

from __future__ import annotations

import pytest

from muniment.closeout.inference import criterion_claims, inferred_claims

CLAIMS = [
    ("All tests pass.", ["tests_pass"]),
    ("All tests pass. Here's a summary of what we addressed:", ["tests_pass"]),
    ("Done: all 212 tests are passing.", ["tests_pass"]),
    ("The full test suite passes now.", ["tests_pass"]),
    ("**All 478 tests pass** ✅", ["tests_pass"]),
    ("- ✅ All tests pass", ["tests_pass"]),
    ("- [x] All tests pass", ["tests_pass"]),
    ("All 703 tests pass (478 API + 225 crypto).", ["tests_pass"]),
    ("All tests pass and linter is clean.", ["tests_pass", "lint_clean"]),
    ("All tests pass ✅ and linter shows 0 issues ✅", ["tests_pass", "lint_clean"]),
    ("All 120 tests pass, zero credo issues.", ["tests_pass", "lint_clean"]),
    ("The build succeeds.", ["build_ok"]),
    ("The project compiles without errors.", ["build_ok"]),
    ("Tests pass, the build passes, type check is clean.", ["tests_pass", "build_ok", "types_clean"]),
    ("Lint passes with no warnings.", ["lint_clean"]),
    ("I fixed the rate and wrapped\nthe call; all tests pass.", ["tests_pass"]),
    ("`pytest tests/test_rate.py` passes.", ["tests_pass"]),
    ("- `bunx biome check src/a.ts` passed.", ["lint_clean"]),
    ("`npm run build`: passed", ["build_ok"]),
    ("Created `src/rate.py` with the new formula.", ["file_written"]),
    ("I've written `docs/plan.md`.", ["file_written"]),
    ("- Added a new file `tests/test_rate.py`", ["file_written"]),
    ("Ran the full test suite, all pass.", ["tests_pass"]),
    ("Great! All the tests have passed. It seems fine.", ["tests_pass"]),
    ("Validation passed:\n- `bun test a.test.ts`\n- `bun run lint`", ["tests_pass", "lint_clean"]),
    ("All checks are green:\n\n- `npm run build`", ["build_ok"]),
    ("Deleted `old/rate.py`.", ["file_absent"]),
    ("There are no remaining references to `old_rate` in `src/`.", ["absent_in_file"]),
    ("I only changed `src/a.py` and `src/b.py`.", ["only_changed"]),
    ("`src/a.py` is the only file changed.", ["only_changed"]),
]
NO_CLAIMS = [
    "",
    "The test passes.",
    "Good, the existing test still passes.",
    "Validation passed:\n- `bun test a.test.ts` failed",
    "Validation passed:\n- not run: `bun run lint`",
    "Validation:\n- `bun run lint`",
    "Checks that should pass:\n- `bun run lint`",
    "Validation passed.\n\nTo reproduce:\n- `bun run lint`",
    "Validation passed:\n- all of it\n\nThe rest:\n- `bun run lint`",
    "Deleted `old_rate` from the table.",
    "Should I have deleted `old/rate.py`?",
    "There are no remaining references to `old_rate` in `src/` that I know of.",
    "There are no references to `old_rate` in the code.",
    "I only changed `src/a.py` by hand.",
    "Only `rate` was changed in `src/a.py`.",
    "Tests should pass now.",
    "The tests do not pass yet.",
    "All tests pass except one.",
    "Not all tests pass.",
    "All but two tests pass.",
    "Do all tests pass?",
    "If all tests pass, merge it.",
    "Once the build succeeds we can ship.",
    "I will now run the whole suite.",
    "Let me verify that all tests pass.",
    "Make sure all tests pass.",
    "Next: run the tests until all tests pass.",
    "I expect all tests pass.",
    "You asked that all tests pass.",
    "All attribution tests pass.",
    "Unit tests for the parser pass.",
    "Tests pass for both backends",
    "All tests pass on my branch of the old code",
    "All tests pass locally but CI fails.",
    "Before my change all tests passed.",
    "Previously, all tests passed.",
    "Tests would pass with a newer compiler.",
    "The test passes an argument to the parser.",
    "The function passes all tests of equality to the caller.",
    'The log says "all tests pass".',
    "The message is: “All tests pass”",
    "> All tests pass.",
    "```\nAll tests pass.\n```",
    "```text\nAll tests pass.",
    "    pytest: `x`\n\n~~~\nAll tests pass\n~~~",
    "| Tests | All tests pass |",
    "## Next steps\n\n- All tests pass\n- The build passes",
    "**Acceptance criteria:**\n- All tests pass",
    "Acceptance: all tests pass.",
    "- [ ] All tests pass",
    "I believed that\nall tests pass",
    "Most tests pass.",
    "90% of tests pass",
    "Both strategies pass.",
    "Added `strategy.EnsureGitignore()` call to `setup.go`.",
    "Added `name` to `config.json`.",
    "I would have created `src/rate.py`.",
    "Create `src/rate.py`.",
    "`src/rate.py` was not created.",
    "Updated `src/rate.py`.",
    "Created PR https://example.org/pull/1",
    "Created `git push --force` alias",
    "`git status` passed.",
    "`pytest` should pass.",
    "The build takes two minutes.",
    "Builds on what passes for a cache.",
]


@pytest.mark.parametrize(("text", "types"), CLAIMS)
def test_a_plain_statement_is_a_claim(text: str, types: list[str]) -> None:
    assert [claim.type for claim in inferred_claims(text)] == types


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_what_is_no_plain_statement_is_no_claim(text: str) -> None:
    assert inferred_claims(text) == []


def test_a_claim_quotes_its_sentence_and_tells_its_scope() -> None:
    [claim] = inferred_claims("Fixed it. `pytest tests/test_rate.py` passes. Anything else?")
    assert claim.quote == "`pytest tests/test_rate.py` passes."
    assert claim.scope == ("tests/test_rate.py",)
    assert claim.what == "pytest tests/test_rate.py"


def test_a_written_file_is_named() -> None:
    [claim] = inferred_claims("Created `src/rate.py`.")
    assert claim.path == "src/rate.py"


def test_a_claim_that_is_repeated_is_one() -> None:
    assert len(inferred_claims("All tests pass.\n\nSummary: all tests pass.")) == 1


def test_a_long_odd_text_is_answered_at_once() -> None:
    assert inferred_claims("all " * 20_000 + "tests") == []
    assert inferred_claims("and the " * 20_000) == []
    assert inferred_claims("`" * 20_000 + "'" * 20_000) == []


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("All tests must pass", ["tests_pass"]),
        ("The linter should be clean.", ["lint_clean"]),
        ("`pytest tests/test_a.py` has to pass", ["tests_pass"]),
        ("The file `out/report.md` must exist", ["file_written"]),
        ("The build needs to succeed and all tests must pass.", ["build_ok", "tests_pass"]),
        ("The tests must not take longer than a minute", []),
        ("It must feel quick", []),
        ("All tests must pass on Windows", []),
    ],
)
def test_a_criterion_says_what_is_to_be(text: str, types: list[str]) -> None:
    assert sorted(claim.type for claim in criterion_claims(text)) == sorted(types)
