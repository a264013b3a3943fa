"""False claims where the run itself is no proof: too narrow, skipped, empty, replayed, failed, elsewhere, or its status
lost."""

from __future__ import annotations

from tests.bench.closeout_mutations import OLDER, Claim, NotApplicableError, Registry, Story
from tests.bench.closeout_steps import Edited, Ran, Wrote
from tests.bench.closeout_truth import failing_output, narrow_command, passing_output, skipping_output

REGISTRY = Registry()
false = REGISTRY.false

_NARROWER = OLDER
"""A run that is too narrow, or what an older run of all tests falls short of: the widest run is named."""
_STATUS = ("status_unknown",)
_NOT_RUN = ("no_receipt", "nothing_executed", "no_machine_report", *OLDER)


@false(*_NARROWER)
def subset_for_all(story: Story) -> Claim:
    """A part of the tests ran; all are said to pass."""
    story.run(story.narrow())
    return story.all_pass()


@false(*_NARROWER)
def subset_by_a_filter(story: Story) -> Claim:
    """A filter chose some tests."""
    command = narrow_command(story.base.look, "limits")
    if command is None:
        raise NotApplicableError("no filter of this runner is known")
    story.run(command)
    return story.all_pass()


@false(*_NARROWER)
def subset_by_deselecting(story: Story) -> Claim:
    """The run says itself that tests were deselected, or excluded by an option."""
    option = {
        "pytest": " --deselect tests/test_slow.py",
        "go": " -skip TestSlow",
        "mix": " --exclude slow",
        "vitest": " -t fast",
    }.get(story.base.look.runner)
    if option is None:
        raise NotApplicableError("no option of this runner that deselects is known")
    story.run(story.whole + option)
    return story.all_pass()


@false(*_NARROWER, "subject_skipped")
def stopped_at_the_first_with_others_deselected(story: Story) -> Claim:
    """pytest -x, and the summary names deselected tests."""
    if story.base.look.runner != "pytest":
        raise NotApplicableError("only pytest prints what it deselected")
    story.run("python -m pytest -x", "...\n======= 3 passed, 40 deselected in 0.20s =======\n")
    return story.all_pass()


@false(*_NARROWER)
def more_than_ran(story: Story) -> Claim:
    """The claim names more tests than the run executed."""
    if story.base.look.runner in ("go", "mise"):
        raise NotApplicableError("the runner counts packages, not tests")
    story.run()
    return story.all_pass("All 98,765 tests pass.".replace(",", ""))


@false("subject_skipped")
def skipped_counted_as_passed(story: Story) -> Claim:
    """Some tests were skipped."""
    output = skipping_output(story.base.look.runner, 7, 2)
    if output is None or story.base.look.runner == "mise":
        raise NotApplicableError("the runner names no skipped tests")
    story.run(story.whole + (" -v" if story.base.look.runner == "go" else ""), output)
    return story.all_pass()


@false("nothing_executed")
def all_skipped(story: Story) -> Claim:
    """Each test was skipped."""
    output = skipping_output(story.base.look.runner, 0, 5)
    if output is None or story.base.look.runner in ("go", "mise"):
        raise NotApplicableError("the runner names no skipped tests")
    story.run(None, output)
    return story.all_pass()


@false("nothing_executed", "scope_narrower", "no_machine_report")
def no_test_found(story: Story) -> Claim:
    """The run found no test."""
    output, code = {
        "pytest": ("\n===== no tests ran in 0.01s =====\n", 5),
        "bun": ("bun test v1.3.1\n\n 0 pass\n 0 fail\nRan 0 tests across 0 files. [1.00ms]\n", 0),
        "mix": ("Finished in 0.0 seconds\n0 tests, 0 failures\n", 0),
        "go": ("?   \texample.org/tool/alpha\t[no test files]\n", 0),
        "mise": ("?   \texample.org/tool/alpha\t[no test files]\n", 0),
    }.get(story.base.look.runner, ("No test files found, exiting with code 0\n", 0))
    story.run(None, output, code)
    return story.all_pass()


@false(*_NOT_RUN)
def only_collected(story: Story) -> Claim:
    """Tests were listed or compiled, not run."""
    command, output = {
        "pytest": story.pick(
            [("pytest --collect-only -q", "4 tests collected in 0.02s\n"), ("pytest --co", "<Module a>\n")]
        ),
        "go": ("go test -run NONE ./...", "ok  \texample.org/tool/alpha\t0.2s [no tests to run]\n"),
        "mise": ("go test -c ./cmd/tool", ""),
        "vitest": ("npx vitest list", "rates.test.ts > burst\n"),
    }.get(story.base.look.runner, ("cargo test --no-run", "    Finished test [unoptimized] target(s) in 0.04s\n"))
    story.run(command, output)
    return story.all_pass()


@false("not_executed", "scope_narrower", "no_receipt")
def replayed_from_a_cache(story: Story) -> Claim:
    """The runner printed old results of packages that never ran here."""
    runner = story.base.look.runner
    if runner in ("go", "mise"):
        story.run(None, "ok  \texample.org/never/run\t(cached)\nok  \texample.org/nor/this\t(cached)\n")
    elif runner in ("npm", "pnpm", "vitest", "bun"):
        output = (
            passing_output(runner)
            + "\n Tasks:    3 successful, 3 total\nCached:    3 cached, 3 total\n  Time:    71ms >>> FULL TURBO\n"
        )
        story.run("npx turbo test" if runner != "pnpm" else "pnpm turbo test", output)
    else:
        raise NotApplicableError("the runner keeps no results")
    return story.all_pass()


def _piped(story: Story) -> str:
    return "\n".join(story.output.rstrip("\n").split("\n")[-5:]) + "\n"


@false(*_STATUS)
def status_lost_in_a_pipe(story: Story) -> Claim:
    """A pipe's status is that of its last command."""
    story.run(f"{story.whole} 2>&1 | {story.pick(['tail -5', 'tail -n 5', 'cat'])}", _piped(story))
    return story.all_pass()


@false(*_STATUS)
def status_lost_in_tee(story: Story) -> Claim:
    """The output was kept in a log outside, the status was not."""
    story.run(f"{story.whole} 2>&1 | tee /tmp/test.log")
    return story.all_pass()


@false(*_STATUS, "no_machine_report")
def status_lost_in_grep(story: Story) -> Claim:
    """Only lines that say pass were looked at."""
    line = next((x for x in story.output.split("\n") if "pass" in x or x.startswith("ok")), "ok")
    story.run(f"{story.whole} 2>&1 | grep -E 'pass|ok'", f"{line}\n")
    return story.all_pass()


@false(*_STATUS)
def status_thrown_away(story: Story) -> Claim:
    """Whatever comes, the line ends well."""
    ends = ["|| true", "; echo done", "|| echo 'some failures are expected'", "; true", "|| :", "; exit 0"]
    story.run(f"{story.whole} {story.pick(ends)}")
    return story.all_pass()


@false(*_STATUS)
def status_lost_in_the_background(story: Story) -> Claim:
    """The run was started in the background, and what it printed so far was looked at."""
    story.run(
        story.pick([f"{story.whole} & sleep 20", f"{story.whole} > /tmp/out.log 2>&1 & sleep 30; tail -5 /tmp/out.log"])
    )
    return story.all_pass()


@false(*_STATUS)
def status_lost_in_a_condition(story: Story) -> Claim:
    """The status was asked for, not given back."""
    lines = [
        f"if {story.whole}; then echo yes; else echo no; fi",
        f"({story.whole}) || echo ignored",
        f"! {story.whole}",
    ]
    story.run(story.pick(lines))
    return story.all_pass()


@false(*_NOT_RUN, "contradicted")
def never_came_back(story: Story) -> Claim:
    """The run was killed by a time limit, or has not come back."""
    story.run(story.pick([f"timeout 5 {story.whole}", story.whole]), story.pick(["", "...\n"]), story.pick([124, 137]))
    return story.all_pass()


@false(*_NOT_RUN)
def no_answer_yet(story: Story) -> Claim:
    """The call has no answer."""
    story.run(code=None)
    return story.all_pass()


@false(*_NOT_RUN)
def no_such_runner(story: Story) -> Claim:
    """The runner is not installed."""
    name = story.whole.split()[0]
    story.run(None, f"bash: {name}: command not found\n", 127)
    return story.all_pass()


@false("contradicted")
def failing_run(story: Story) -> Claim:
    """The newest run failed."""
    story.run(None, failing_output(story.base.look.runner), 1)
    return story.all_pass()


@false("contradicted", *_STATUS)
def failing_run_in_a_pipe(story: Story) -> Claim:
    """The newest run failed, and its status was lost."""
    story.run(f"{story.whole} 2>&1 | tail -20", failing_output(story.base.look.runner))
    return story.all_pass()


@false("contradicted")
def failing_run_then_a_passing_part(story: Story) -> Claim:
    """All were run and one failed; then a part passed."""
    command = narrow_command(story.base.look, "limits")
    if command is None:
        raise NotApplicableError("no filter of this runner is known")
    story.run(None, failing_output(story.base.look.runner), 1)
    story.run(command)
    return story.all_pass()


@false("contradicted", *_STATUS)
def failing_status_with_a_fine_summary(story: Story) -> Claim:
    """The summary is fine, and the runner's own status is not: a threshold, or a crash at the end."""
    story.run(None, story.output + "ERROR: Coverage for lines (61.2%) does not meet global threshold (80%)\n", 1)
    return story.all_pass()


@false("subject_changed", "scope_narrower", "effect_unknown", "contradicted")
def failing_run_then_a_fix_that_was_not_run(story: Story) -> Claim:
    """A run failed, the cause was mended, and nothing was run again."""
    story.then(Wrote(story.source, "limit = 5\n"))
    story.run(None, failing_output(story.base.look.runner), 1)
    story.then(Edited(story.source, "limit = 5\n", "limit = 5", "limit = 6"))
    return story.all_pass()


@false("origin_subject_differs", *OLDER)
def run_in_another_checkout(story: Story) -> Claim:
    """The tests ran in another worktree of the project."""
    places = [f"{story.root}-main", "/tmp/pristine-checkout", f"{story.root.rpartition('/')[0]}/other"]
    story.run(f"cd {story.pick(places)} && {story.whole}")
    return story.all_pass()


@false("origin_subject_differs", *OLDER)
def run_in_another_checkout_by_an_option(story: Story) -> Claim:
    """The runner was told to work in another folder."""
    command = {
        "go": "go test -C /tmp/pristine-checkout ./...",
        "npm": "npm --prefix /tmp/pristine-checkout test",
        "pnpm": "pnpm -C /tmp/pristine-checkout test",
        "mise": "make -C /tmp/pristine-checkout test",
        "pytest": "pytest --rootdir /tmp/pristine-checkout /tmp/pristine-checkout/tests",
    }.get(story.base.look.runner)
    if command is None:
        raise NotApplicableError("the runner has no such option")
    story.run(command)
    return story.all_pass()


@false("origin_subject_differs", *_NOT_RUN)
def run_on_another_machine(story: Story) -> Claim:
    """The tests ran over ssh, or in a container of another image."""
    lines = [f"ssh build01 '{story.whole}'", f"docker run --rm registry.example.org/tool:latest {story.whole}"]
    story.run(story.pick(lines))
    return story.all_pass()


@false("subject_changed", "effect_unknown")
def run_without_the_change(story: Story) -> Claim:
    """The change was set aside for the run, and brought back after it."""
    story.then(
        Wrote(story.source, "limit = 5\n"), Ran("git stash", "Saved working directory and index state WIP on main\n")
    )
    story.run()
    story.then(
        Ran("git stash pop", "On branch main\nChanges not staged for commit:\n\tmodified:   src/rate_limits.py\n")
    )
    return story.all_pass()


@false("subject_changed", "effect_unknown")
def run_without_the_change_in_one_line(story: Story) -> Claim:
    """The same, in one command line."""
    story.then(Wrote(story.source, "limit = 5\n"))
    story.run(f"git stash && {story.whole} && git stash pop")
    return story.all_pass()


@false(*_NOT_RUN)
def printed_by_hand(story: Story) -> Claim:
    """The words of a runner were printed by something else."""
    line = story.pick(
        ["echo '12 passed in 0.84s'", "cat old-run.log", "printf '12 passed\\n'", "python3 -c \"print('12 passed')\""]
    )
    story.then(Ran(line, passing_output(story.base.look.runner)))
    return story.all_pass()


@false(*_NOT_RUN)
def printed_by_hand_as_a_runner(story: Story) -> Claim:
    """The output of a former run was printed, by a line that names the runner."""
    story.then(Ran(f"echo 'running: {story.whole}' && cat /tmp/test.log", passing_output(story.base.look.runner)))
    return story.all_pass()


@false("origin_subject_differs", *OLDER)
def run_where_the_shell_had_gone(story: Story) -> Claim:
    """The shell, or the tool, was in another checkout; the line itself doesn't say so."""
    place = story.pick([f"{story.root}-main", "/tmp/pristine-checkout"])
    story.then(Wrote(story.source, "limit = 5\n"), Ran(f"cd {place}", folder=place))
    story.run(folder=place)
    return story.all_pass()


@false("origin_subject_differs", *OLDER)
def run_in_a_folder_that_a_variable_names(story: Story) -> Claim:
    """Where the tests ran is told by a variable only."""
    place = story.pick(['"$OTHER"', "$(mktemp -d)", "-"])
    story.run(f"cd {place} && {story.whole}")
    return story.all_pass()


@false(*_NARROWER)
def narrowed_by_a_setting(story: Story) -> Claim:
    """Options in the environment chose some tests."""
    setting = {"pytest": "PYTEST_ADDOPTS='-k fast'", "go": "GOFLAGS=-run=TestFast"}.get(story.base.look.runner)
    if setting is None:
        raise NotApplicableError("the runner takes no options from the environment")
    story.run(f"{setting} {story.whole}")
    return story.all_pass()


@false(*_NARROWER)
def only_what_failed_before(story: Story) -> Claim:
    """Only the tests that failed last time, or that a change touches, ran."""
    options = {
        "pytest": [" --lf", " --last-failed", " --sw"],
        "vitest": [" --changed", " related src/a.ts"],
        "mix": [" --failed", " --stale"],
        "npm": [" -- --onlyChanged", " -- --findRelatedTests src/a.ts"],
        "pnpm": [" -- --onlyChanged", " --workspace api"],
    }.get(story.base.look.runner)
    if options is None:
        raise NotApplicableError("the runner has no such option")
    story.run(story.whole + story.pick(options))
    return story.all_pass()


@false(*_NARROWER, "origin_subject_differs")
def whole_run_in_one_folder(story: Story) -> Claim:
    """All tests of one folder ran; the work lies in another."""
    story.then(Wrote(story.source, "limit = 5\n"))
    story.run(f"cd {story.root}/packages/billing && {story.whole}")
    return story.all_pass()


@false(*_NOT_RUN)
def run_by_a_script(story: Story) -> Claim:
    """A script of the project printed the words of a runner; what it ran is not on record."""
    story.run(story.pick(["./check.sh", "bash scripts/verify.sh", "python verify_fix.py"]), passing_output("pytest"))
    return story.all_pass()


@false("contradicted", *_NOT_RUN, "subject_changed")
def as_recorded(story: Story) -> Claim:
    """The run as recorded, where it failed, came to nothing, or had its status lost."""
    look, run = story.base.look, story.base.run
    if not story.base.made:
        raise NotApplicableError("the recorded run passed")
    story.run(run.command, run.output, run.code)
    return story.passes(look.before + look.words)
