"""Text in doubt: what a command may have changed is not shown as current without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import EvidenceStore
from tests.support.claude_lines import CHILD, SESSION, Transcript

LINES = ["first line of it", "second line of it"]


def view_after(folder: Path, command: str) -> str:
    """Return the view after a read of two files and a command."""
    lines = Transcript().user("Look").reads("toolu_a", "/w/project/src/a.py", LINES)
    lines.reads("toolu_b", "/w/project/src/b.py", ["only line of b"]).runs("toolu_c", command)
    with EvidenceStore.open(folder / "s", create=True) as store:
        return store.view(store.import_session(lines.write(folder / "s.jsonl")).mission).text


@pytest.mark.parametrize(
    "command",
    [
        "rm src/a.py",
        "sed -i 's/first/1st/' src/a.py",
        "echo new > src/a.py",
        "cd src && git checkout -- ./a.py",
        "cat > src/a.py <<'EOF'\nnew\nEOF",
        "gofmt -w src/a.py",
        "sed -i 's/x/y/' src/a*.py",
        "tee src/a.py < notes",
    ],
)
def test_a_file_that_a_writing_command_names_is_not_current_any_more(tmp_path: Path, command: str) -> None:
    text = view_after(tmp_path, command)
    assert LINES[0] not in text
    if "cd src" not in command:
        assert "only line of b" in text


@pytest.mark.parametrize("command", ["cat src/a.py", "git add src/a.py", "grep first src/a.py", "ls src", "git status"])
def test_what_only_reads_or_goes_elsewhere_leaves_the_text_as_it_is(tmp_path: Path, command: str) -> None:
    text = view_after(tmp_path, command)
    assert "\n".join(LINES) in text
    assert "perhaps changed" not in text


@pytest.mark.parametrize("command", ["./gen.sh", "make all", "python make_all.py", "npm install"])
def test_what_may_have_written_without_naming_a_file_is_said_beside_the_text(tmp_path: Path, command: str) -> None:
    text = view_after(tmp_path, command)
    assert "src/a.py:1-2 (R3; perhaps changed by R7)" in text
    assert "\n".join(LINES) in text


def verdict_after(folder: Path, child_told: bool) -> str:
    """Return the verdict on tests that passed before a child worked."""
    result = {"status": "completed", "agentId": CHILD, "content": [{"type": "text", "text": "done"}]}
    lines = Transcript().user("Fix it").runs("toolu_t", "pytest", "12 passed in 1.00s")
    lines.calls("toolu_k", "Task", description="x", prompt="Look around", subagent_type="Explore")
    lines.returns("toolu_k", "done", result).says("All tests pass.")
    path = lines.write(folder / f"{SESSION}.jsonl")
    if child_told:
        child = Transcript(CHILD).user("Look around").runs("toolu_l", "ls").says("done")
        child.write(folder / SESSION / "subagents" / f"agent-{CHILD}.jsonl")
    with EvidenceStore.open(folder / "s", create=True) as store:
        closeout = store.closeout(store.import_session(path.with_suffix("") if child_told else path).mission)
        return f"{closeout.claims[0].status} {closeout.claims[0].reason}".strip()


def test_a_child_whose_doings_are_not_recorded_may_have_changed_anything(tmp_path: Path) -> None:
    assert verdict_after(tmp_path, child_told=False) == "unproven effect_unknown"


def test_a_child_that_only_looked_takes_no_proof_away(tmp_path: Path) -> None:
    assert verdict_after(tmp_path, child_told=True) == "proven"


@pytest.mark.parametrize(("interrupted", "status"), [(True, "unproven"), (False, "proven")])
def test_a_run_that_was_interrupted_proves_nothing(tmp_path: Path, interrupted: bool, status: str) -> None:
    output = "12 passed in 1.00s"
    lines = Transcript().user("go").calls("toolu_t", "Bash", command="pytest")
    lines.returns("toolu_t", output, {"stdout": output, "stderr": "", "interrupted": interrupted}).says(
        "All tests pass."
    )
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        closeout = store.closeout(store.import_session(lines.write(tmp_path / "s.jsonl")).mission)
    assert [claim.status for claim in closeout.claims] == [status]
