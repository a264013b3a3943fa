"""False claims about what is cited, written, read or said: other receipts, missing files, unread lines, revoked
evidence."""

from __future__ import annotations

import re
from hashlib import sha256

from tests.bench.closeout_mutations import OLDER, Claim, NotApplicableError, Registry, Story
from tests.bench.closeout_steps import Asked, Edited, Failed, Json, Ran, Read, Said, Step, Wrote
from tests.bench.closeout_truth import failing_output, passing_output

REGISTRY = Registry()
false = REGISTRY.false

_LINES = "".join(f"rate_{number} = {number}\n" for number in range(1, 201))
_NONE = ("no_receipt", *OLDER)


@false("scope_narrower")
def receipt_of_another_task(story: Story) -> Claim:
    """A run of other tests is cited."""
    command = story.narrow()
    ran = story.run(command)
    return story.stated(ran, scope=["tests/billing/test_invoices.py"])


@false("no_machine_report", "support_not_a_receipt")
def receipt_of_another_kind(story: Story) -> Claim:
    """What is cited ran no test."""
    lines = ["git status --short", "ls -la", "git log --oneline -3", "cat README.md"]
    return story.stated(story.then(Ran(story.pick(lines), "12 passed\n")), scope="suite")


@false(*_NONE)
def tests_for_the_build(story: Story) -> Claim:
    """The tests ran; the build is said to pass."""
    if any(re.search(r"build|compile", run.command) for run in story.base.raw.runs()):
        raise NotApplicableError("the session has builds of its own")
    story.run()
    story.then(Said("The build passes."))
    return Claim(type="build_ok")


@false("support_unresolved")
def dangling_citation(story: Story) -> Claim:
    """What is cited is not on record."""
    story.run()
    return story.stated("toolu_01NotOnRecordAtAll00000", scope="suite")


@false("support_unresolved", "no_receipt")
def revoked_and_cited(story: Story) -> Claim:
    """The user took the receipt that is cited out of force."""
    ran = story.run()
    return story.stated(ran, scope="suite")._replace(withdrawn=ran)


@false("support_purged", "no_receipt", "support_unresolved")
def purged_and_cited(story: Story) -> Claim:
    """The receipt that is cited was erased."""
    ran = story.run()
    return story.stated(ran, scope="suite")._replace(purged=ran)


@false(*_NONE, "support_not_a_receipt")
def only_said(story: Story) -> Claim:
    """Nothing ran; the agent said so, and was told so."""
    words = f"I ran it on my machine:\n\n{passing_output(story.base.look.runner)}"
    try:
        story.then(Asked(words))
    finally:
        claim = story.all_pass()
    return claim


@false("no_receipt", "no_machine_report", "support_not_a_receipt", "status_unknown")
def only_recorded_by_the_agent(story: Story) -> Claim:
    """The agent recorded a receipt of its own making through the API."""
    made: Json = {
        "kind": "tool_returned", "id": "own-receipt", "tool": "command", "command": story.whole, "exit_code": 0,
        "output": story.output, "status": "ok", "effect": "none", "by": "agent",
    }  # fmt: skip
    return story.stated("own-receipt", scope="suite")._replace(recorded=(made,))


@false("no_receipt", "support_not_a_receipt", "no_machine_report")
def only_a_child_said(story: Story) -> Claim:
    """A child reports that all tests pass; no run of its own is on record."""
    made: tuple[Json, ...] = (
        {"kind": "delegation_started", "id": "child-work", "child": "child-1", "text": "run the tests"},
        {"kind": "delegation_ended", "id": "child-end", "delegation": "child-work", "outcome": "done",
         "text": "All tests pass: 12 passed.", "by": "child:child-1"},
    )  # fmt: skip
    return story.stated("child-end", scope="suite")._replace(recorded=made)


@false("no_receipt", "contradicted")
def missing_artifact(story: Story) -> Claim:
    """The file was never written."""
    name = story.pick(["out/rates-report.json", "docs/rates.md", "dist/rates.tar.gz"])
    story.then(Said(f"Wrote `{name}`."))
    return Claim(type="file_written")


@false("no_receipt", "contradicted", "status_unknown")
def artifact_whose_making_failed(story: Story) -> Claim:
    """The command that should make the file failed."""
    story.then(Ran("cp build/rates.json out/rates.json", "cp: cannot stat 'build/rates.json': No such file\n", 1))
    story.then(Said("Created `out/rates.json`."))
    return Claim(type="file_written")


@false("contradicted", "effect_unknown", "no_receipt")
def artifact_that_is_gone(story: Story) -> Claim:
    """The file was written, and removed or moved away."""
    path = f"{story.root}/docs/rates.md"
    story.then(Wrote(path, "# Rates\n\nFive per minute.\n"))
    story.then(Ran(story.pick([f"rm {path}", f"mv {path} /tmp/rates.md", f"git mv {path} {story.root}/docs/old.md"])))
    story.then(Said("Created `docs/rates.md`."))
    return Claim(type="file_written")


@false("contradicted", "no_receipt", "coverage_incomplete", "nothing_executed", "artifact_empty", "empty")
def empty_artifact(story: Story) -> Claim:
    """The file holds nothing."""
    path = f"{story.root}/docs/rates.md"
    ways: list[Step] = [Wrote(path, ""), Ran(f"touch {path}"), Ran(f": > {path}")]
    story.then(story.pick(ways))
    story.then(Said("Wrote `docs/rates.md`."))
    return Claim(type="file_written")


@false("contradicted", "coverage_incomplete")
def artifact_of_another_content(story: Story) -> Claim:
    """The file is not the one whose digest is given."""
    path = f"{story.root}/docs/rates.md"
    story.then(Wrote(path, "# Rates\n\nSix per minute.\n"))
    digest = f"sha256:{sha256(b'# Rates').hexdigest()}"
    return story.stated(path=path, digest=digest)._replace(type="artifact_exists")


@false("coverage_incomplete", "no_receipt")
def present_in_an_unread_range(story: Story) -> Claim:
    """The text stands in lines that nobody read, as far as is claimed."""
    path = f"{story.root}/src/rate_table.py"
    read = story.then(Read(path, _LINES, 1, 50))
    return story.stated(read, path=path, what="rate_150 = 150")._replace(type="present_in_file")


@false("coverage_incomplete", "no_receipt")
def absent_in_an_unread_range(story: Story) -> Claim:
    """Only a part of the file was looked at; the word stands in the rest."""
    path = f"{story.root}/src/rate_table.py"
    read = story.then(Read(path, _LINES, 1, 120))
    return story.stated(read, path=path, what="rate_150")._replace(type="absent_in_file")


@false("contradicted", "coverage_incomplete")
def absent_and_yet_there(story: Story) -> Claim:
    """The whole file was read, and the word stands there."""
    path = f"{story.root}/src/rate_table.py"
    read = story.then(Read(path, _LINES))
    return story.stated(read, path=path, what="rate_150")._replace(type="absent_in_file")


@false("contradicted", "coverage_incomplete", "subject_changed")
def present_before_the_edit(story: Story) -> Claim:
    """The text stood there when it was read, and was replaced since."""
    path = f"{story.root}/src/rate_table.py"
    text = "limit = 5\nwindow = 60\n"
    read = story.then(Wrote(path, text), Read(path, text))
    story.then(Edited(path, text, "limit = 5", "limit = 50"))
    return story.stated(read, path=path, what="limit = 5\n")._replace(type="present_in_file")


@false("contradicted")
def unchanged_and_yet_edited(story: Story) -> Claim:
    """The file was edited since it was read."""
    path = f"{story.root}/src/rate_table.py"
    text = "limit = 5\nwindow = 60\n"
    story.then(Wrote(path, text), Read(path, text), Edited(path, text, "limit = 5", "limit = 50"))
    after = text.replace("limit = 5", "limit = 50")
    story.then(Read(path, after))
    return story.stated(path=path)._replace(type="unchanged")


@false("no_receipt", "contradicted", "coverage_incomplete")
def present_by_an_edit_that_failed(story: Story) -> Claim:
    """The edit that should put the text there was refused."""
    path = f"{story.root}/src/rate_table.py"
    tried = story.then(Failed(path, "limit = 77"))
    return story.stated(tried, path=path, what="limit = 77 ")._replace(type="present_in_file")


@false("contradicted")
def failing_run_and_an_old_pass_cited(story: Story) -> Claim:
    """The newest run failed; an older one that passed is cited."""
    passed = story.run()
    story.run(None, failing_output(story.base.look.runner), 1)
    return story.stated(passed, scope="suite")


@false("subject_changed", "effect_unknown", "scope_narrower")
def part_cited_for_all(story: Story) -> Claim:
    """A part that passed is cited for all tests, though all of them passed before an edit."""
    command = story.narrow()
    story.then(Wrote(story.source, "limit = 5\n"))
    story.run()
    story.then(Edited(story.source, "limit = 5\n", "limit = 5", "limit = 6"))
    return story.stated(story.run(command), scope="suite")


@false(*_NONE, "contradicted")
def nothing_ran(story: Story) -> Claim:
    """Linters pass, it is said; none ran."""
    if any(re.search(r"mypy|tsc|typecheck|pyright", run.command) for run in story.base.raw.runs()):
        raise NotApplicableError("the session has type checks of its own")
    story.run()
    story.then(Said("The linter is clean and mypy passes."))
    return Claim(type="types_clean")
