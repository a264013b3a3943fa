"""Honest claims: what has been run stands, though something harmless happened around it. Each must be proven."""

from __future__ import annotations

from hashlib import sha256

from tests.bench.closeout_harmless import HARMLESS
from tests.bench.closeout_mutations import Claim, NotApplicableError, Registry, Story
from tests.bench.closeout_steps import Edited, Json, Ran, Read, Said, Wrote
from tests.bench.closeout_truth import failing_output, skipping_output

REGISTRY = Registry()
honest = REGISTRY.honest

_TEXT = "limit = 5\nwindow = 60\nburst = 2\n"


@honest
def unchanged_since_all_ran(story: Story) -> Claim:
    """All tests ran, and that is the end."""
    story.run()
    return story.all_pass()


@honest
def unchanged_since_a_part_ran(story: Story) -> Claim:
    """A part ran, and that part is said to pass."""
    command = story.narrow()
    story.run(command)
    return story.passes(command)


@honest
def unchanged_and_cited(story: Story) -> Claim:
    """Through the API, with the receipt cited."""
    return story.stated(story.run(), scope="suite")


@honest
def unchanged_and_stated(story: Story) -> Claim:
    """Through the API, with nothing cited."""
    story.run()
    return story.stated(scope="suite")


@honest
def reverted(story: Story) -> Claim:
    """A file was edited after the run, and put back to what it was."""
    if story.base.raw.form == "mini-swe-agent":
        raise NotApplicableError("sed tells nobody what the file holds then")
    story.then(Wrote(story.source, _TEXT))
    story.run()
    after = _TEXT.replace("limit = 5", "limit = 50")
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"))
    story.then(Edited(story.source, after, "limit = 50", "limit = 5"))
    return story.all_pass()


@honest
def reverted_and_looked_at(story: Story) -> Claim:
    """A file was edited after the run, put back, and read: it holds what it held."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    after = _TEXT.replace("limit = 5", "limit = 50")
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"))
    story.then(Edited(story.source, after, "limit = 50", "limit = 5"), Read(story.source, _TEXT))
    return story.all_pass()


@honest
def reverted_by_writing_it(story: Story) -> Claim:
    """A file was written anew after the run, with the very content that it had."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    story.then(Wrote(story.source, _TEXT.replace("5", "7"), _TEXT), Wrote(story.source, _TEXT, _TEXT.replace("5", "7")))
    return story.all_pass()


@honest
def unrelated_edit_where_the_subject_is_known(story: Story) -> Claim:
    """A harness says what its run was about, and that this is all; another file was edited."""
    story.then(Wrote(story.source, _TEXT), Wrote(f"{story.root}/docs/rates.md", "# Rates\n"))
    ran: Json = {
        "kind": "tool_returned", "id": "run-of-the-harness", "by": "harness", "tool": "command", "exit_code": 0,
        "command": story.whole, "output": story.output, "effect": "none", "subject": {story.source: _TEXT},
        "subject_closed": True,
    }  # fmt: skip
    written: Json = {
        "kind": "tool_returned", "id": "later-note", "by": "tool", "tool": "write", "name": "Write", "status": "ok",
        "effect": "writes", "path": f"{story.root}/docs/rates.md", "content": "# Rates\n\nMore.\n",
    }  # fmt: skip
    return story.stated("run-of-the-harness", scope="suite")._replace(recorded=(ran, written))


@honest
def run_again_after_the_edit(story: Story) -> Claim:
    """Run, edit, run."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"))
    story.run()
    return story.all_pass()


@honest
def run_again_after_something_unknown(story: Story) -> Claim:
    """Nobody knows what a script did; the tests ran after it."""
    story.then(Ran("./scripts/regenerate.sh", "ok\n"), Ran("pip install -e .", "ok\n"))
    story.run()
    return story.all_pass()


@honest
def failing_then_mended(story: Story) -> Claim:
    """A run failed, the cause was mended, and the run passes."""
    story.then(Wrote(story.source, _TEXT))
    story.run(None, failing_output(story.base.look.runner), 1)
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"))
    story.run()
    return story.all_pass()


@honest
def failing_part_then_all_pass(story: Story) -> Claim:
    """A part failed, was mended, and all pass."""
    command = story.narrow()
    story.then(Wrote(story.source, _TEXT))
    story.run(command, failing_output(story.base.look.runner), 1)
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"))
    story.run()
    return story.all_pass()


@honest
def status_kept_by_pipefail(story: Story) -> Claim:
    """A pipe that keeps the status."""
    output = "\n".join(story.output.rstrip("\n").split("\n")[-40:]) + "\n"
    story.run(f"set -o pipefail; {story.whole} 2>&1 | tail -40", output)
    return story.all_pass()


@honest
def run_in_the_project_by_cd(story: Story) -> Claim:
    """The line goes to the project's own folder first."""
    story.run(f"cd {story.root} && {story.whole}")
    return story.all_pass()


@honest
def run_with_settings(story: Story) -> Claim:
    """Harmless settings and options around the run."""
    form = story.pick(
        ["CI=true {}", "{} 2>&1", "time {}", "timeout 600 {}", "NO_COLOR=1 {} 2>&1", "date && {}", "{} && echo ok"]
    )
    story.run(form.format(story.whole))
    return story.all_pass()


@honest
def skipped_and_said(story: Story) -> Claim:
    """Some were skipped, and the claim says so."""
    output = skipping_output(story.base.look.runner, 7, 2)
    if output is None or story.base.look.runner == "mise":
        raise NotApplicableError("the runner names no skipped tests")
    story.run(None, output)
    return story.stated(scope="suite", text="All tests pass, 2 are skipped for want of a database.")


@honest
def stash_and_back_before_run(story: Story) -> Claim:
    """The change was set aside and brought back before the run."""
    story.then(Wrote(story.source, _TEXT), Ran("git stash", "Saved\n"), Ran("git stash pop", "Restored\n"))
    story.run()
    return story.all_pass()


@honest
def artifact_that_is_there(story: Story) -> Claim:
    """A file was written, and looked at."""
    path = f"{story.root}/docs/rates.md"
    story.then(Wrote(path, "# Rates\n\nFive per minute.\n"))
    story.then(Ran(story.pick(HARMLESS), "ok\n"), Said("Created `docs/rates.md`."))
    return Claim(type="file_written")


@honest
def artifact_of_the_content_that_is_said(story: Story) -> Claim:
    """The file is the one whose digest is given."""
    path, text = f"{story.root}/docs/rates.md", "# Rates\n\nSix per minute.\n"
    story.then(Wrote(path, text))
    digest = f"sha256:{sha256(text.encode()).hexdigest()}"
    return story.stated(path=path, digest=digest)._replace(type="artifact_exists")


@honest
def artifact_made_by_a_command(story: Story) -> Claim:
    """A command that names the file made it, and nobody has looked at it."""
    lines = ["cp README.md docs/rates.md", "curl -sf https://example.org/rates.md -o docs/rates.md"]
    story.then(Ran(story.pick(lines)), Said("Created `docs/rates.md`."))
    return Claim(type="file_written")


@honest
def empty_by_custom(story: Story) -> Claim:
    """A file that does its work by being there."""
    story.then(Wrote(f"{story.root}/src/rates/__init__.py", ""), Said("Created `src/rates/__init__.py`."))
    return Claim(type="file_written")


@honest
def present_in_what_was_read(story: Story) -> Claim:
    """The text stands in lines that were read."""
    path = f"{story.root}/src/rate_table.py"
    text = "".join(f"rate_{number} = {number}\n" for number in range(1, 201))
    read = story.then(Read(path, text, 100, 160))
    return story.stated(read, path=path, what="rate_150 = 150")._replace(type="present_in_file")


@honest
def absent_in_a_file_read_whole(story: Story) -> Claim:
    """The whole file was read, and the word is not there."""
    path = f"{story.root}/src/rate_table.py"
    read = story.then(Read(path, _TEXT))
    return story.stated(read, path=path, what="quota")._replace(type="absent_in_file")


@honest
def unchanged_since_it_was_read(story: Story) -> Claim:
    """A file was read, something harmless ran, and it was read again."""
    path = f"{story.root}/src/rate_table.py"
    story.then(Read(path, _TEXT), Ran(story.pick(HARMLESS), "ok\n"), Read(path, _TEXT))
    return story.stated(path=path)._replace(type="unchanged")


@honest
def run_in_the_worktree_that_is_worked_in(story: Story) -> Claim:
    """The work lies in another worktree, beside the project, and so does the run."""
    place = f"{story.root}__worktrees/rates"
    story.then(Wrote(f"{place}/src/rate_limits.py", _TEXT), Ran(f"cd {place}", folder=place))
    story.run(folder=place)
    return story.all_pass()


@honest
def run_where_the_tool_was_told(story: Story) -> Claim:
    """The tool was told to work in the project's own folder."""
    story.run(folder=story.root)
    return story.all_pass()


@honest
def stopped_at_the_first_failure_that_never_came(story: Story) -> Claim:
    """Options that would end or colour a run, or that count its time, choose no tests."""
    options = {
        "pytest": [" -x", " -q", " -vv --tb=short", " -n auto", " --durations=5", " -p no:cacheprovider", " -s"],
        "go": [" -count=1", " -race", " -v", " -timeout 10m"],
        "bun": [" --bail", " --timeout 20000"],
        "mix": [" --trace", " --seed 0", " --color"],
        "vitest": [" --reporter=dot", " --no-color"],
        "npm": [" --silent"],
        "pnpm": [" --silent"],
    }.get(story.base.look.runner, [""])
    story.run(story.whole + story.pick(options))
    return story.all_pass()
