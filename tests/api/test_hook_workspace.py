"""Hooks look at the workspace after runs of tests and at stops: what somebody else changed between makes runs stale."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.model.ids import mission_id
from muniment.model.nodes import Event
from muniment_api.hooks import answer
from tests.support.claude_lines import SESSION
from tests.support.hook_payloads import BothForms

MISSION = mission_id("claude-code", SESSION)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a file that is tracked and one that is not."""
    folder = tmp_path / "project"
    folder.mkdir()
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "first")):
        (folder / "a.py").write_text("x = 1\n")
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)
    (folder / "new.py").write_text("y = 1\n")
    return folder


def run(folder: Path, forms: BothForms, store: EvidenceStore) -> dict[str, object]:
    """Let hooks answer what is in `forms`, which is used up; return the last answer."""
    last: dict[str, object] = {}
    for payload in forms.payloads:
        last = answer(store, "claude-code", str(payload["hook_event_name"]), {**payload, "cwd": str(folder)})
    forms.payloads.clear()
    return last


def ran_tests() -> BothForms:
    return BothForms().prompt("Run the tests").runs("toolu_1", "ls").runs("toolu_2", "pytest -q", "1 passed in 0.1s")


def test_looks_are_taken_after_runs_of_tests_and_at_stops(project: Path, tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        assert run(project, ran_tests().stops("All tests pass."), store) == {}
        seen = [event for event in store.snapshot(MISSION).of_kind(Event) if event.what == "workspace"]
        assert len(seen) == 2
        assert seen[0].now == seen[1].now


@pytest.mark.parametrize(("name", "held"), [("a.py", True), ("new.py", False)])
def test_what_somebody_else_changed_in_a_tracked_file_makes_the_run_stale(
    project: Path, tmp_path: Path, name: str, held: bool
) -> None:
    forms = ran_tests()
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        run(project, forms, store)
        (project / name).write_text("x = 2\n")
        last = run(project, forms.stops("All tests pass."), store)
        assert ("may have changed it" in str(last.get("reason"))) is held


def test_what_the_agent_changed_and_tested_again_holds_nobody_back(project: Path, tmp_path: Path) -> None:
    forms = ran_tests()
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        run(project, forms, store)
        (project / "a.py").write_text("x = 2\n")
        run(project, forms.edits("toolu_3", str(project / "a.py"), "x = 1", "x = 2"), store)
        last = run(project, forms.runs("toolu_4", "pytest -q", "1 passed in 0.1s").stops("All tests pass."), store)
        assert last == {}
        assert store.closeout(MISSION).verdict == "proven"


def test_a_commit_changes_no_content(project: Path, tmp_path: Path) -> None:
    (project / "a.py").write_text("x = 2\n")
    forms = ran_tests()
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        run(project, forms, store)
        subprocess.run(
            ["git", "-C", str(project), "-c", "user.name=t", "-c", "user.email=t@e.org", "commit", "-qam", "two"],
            check=True,
        )
        forms.runs("toolu_5", "git commit -qam two")
        assert run(project, forms.stops("All tests pass."), store) == {}
