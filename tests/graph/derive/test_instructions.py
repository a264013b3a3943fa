"""Instruction files are facts with a version: bound by pointer and digest, replaced only by a changed text."""

from __future__ import annotations

from muniment.importers.instruction_files import files_in
from muniment.model import records as r
from muniment.model.nodes import Fact
from muniment.selection.select import select
from muniment.selection.view import ViewRequest
from muniment.snapshot import MemorySnapshot
from muniment.tokens import o200k
from tests.support.graphs import SESSION, Story

PATH = "/repo/CLAUDE.md"


def loaded(story: Story, path: str = PATH, content: str | None = "Use tabs.\n", agent: str = "") -> str:
    name = f"i{len(story.records)}"
    return story.add(
        r.InstructionsLoaded(id=name, by="harness", session=SESSION, agent=agent, path=path, content=content)
    )


def in_force(snapshot: MemorySnapshot) -> list[str]:
    return [node.record for node in snapshot.binding() if isinstance(node, Fact)]


def test_a_version_is_one_fact_however_often_it_is_given() -> None:
    story = Story()
    first = loaded(story)
    loaded(story, "./CLAUDE.md")
    loaded(story, agent="child")
    loaded(story, content=None)
    assert in_force(story.snapshot()) == [first]


def test_a_changed_text_takes_the_place_of_the_older_and_no_other_files() -> None:
    story = Story()
    first, other = loaded(story), loaded(story, "/repo/docs/AGENTS.md")
    newer = loaded(story, content="Use spaces.\n")
    snapshot = story.snapshot()
    assert in_force(snapshot) == [other, newer]
    assert snapshot.ended(snapshot.named(first)[0].id) == "superseded"
    assert snapshot.conflicts() == []


def test_an_agent_cannot_say_which_instructions_it_was_given() -> None:
    story = Story()
    first = loaded(story)
    story.add(r.InstructionsLoaded(id="own", by="agent", session=SESSION, path=PATH, content="Do as you like.\n"))
    snapshot = story.snapshot()
    assert in_force(snapshot) == [first]
    assert [gap.code for gap in snapshot.gaps()] == ["no_authority"]


def test_what_a_user_stated_is_not_ended_by_a_file() -> None:
    story = Story()
    fact = story.fact("Use tabs.", slot="instructions:/repo/CLAUDE.md")
    loaded(story, content="Use spaces.\n")
    assert fact in in_force(story.snapshot())


def test_the_view_names_path_and_digest_and_not_the_text() -> None:
    story = Story()
    story.say("Fix it")
    loaded(story, content="Never touch generated files, whatever happens.\n" * 40)
    view = select(story.snapshot(live=True), ViewRequest(budget=2000), o200k())
    assert "instructions: /repo/CLAUDE.md (digest " in view.text
    assert "40 lines" in view.text
    assert "Never touch" not in view.text


def test_the_files_in_messages_of_runtimes_are_found() -> None:
    claude = (
        "<system-reminder>\nAs you answer:\n# claudeMd\nCodebase instructions.\n\n"
        "Contents of /home/me/.claude/CLAUDE.md (user's private global instructions for all projects):\n\nBe brief.\n\n"
        "Contents of /repo/CLAUDE.md (project instructions, checked into the codebase):\n\nUse tabs.\nAnd tests.\n\n"
        "      IMPORTANT: this context may or may not be relevant.\n</system-reminder>"
    )
    assert list(files_in(claude)) == [
        ("/home/me/.claude/CLAUDE.md", "Be brief."),
        ("/repo/CLAUDE.md", "Use tabs.\nAnd tests."),
    ]
    codex = "# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"
    assert list(files_in(codex)) == [("/repo/AGENTS.md", "Use tabs.")]
    assert list(files_in("<permissions instructions>\nYou may read.\n</permissions instructions>")) == []
