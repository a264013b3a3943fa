"""Where a run happened, and what lies outside of the workspace: only runs on the mission's own files prove."""

from __future__ import annotations

import pytest

from muniment.model import records as r
from tests.support.claims import Case
from tests.support.graphs import SESSION

OK = "12 passed in 0.8s\n"


class Placed(Case):
    """A mission whose commands may begin in other folders than the workspace's."""

    def began(self, folder: str, command: str, output: str = OK) -> str:
        """A command is called in a folder, and comes back well."""
        call = self.add(
            r.ToolCalled(
                id=self._id("call"),
                by="agent",
                session=SESSION,
                tool="command",
                name="Bash",
                command=command,
                cwd=folder,
            )
        )
        return self.ran(command, output, call=call)


def reason(case: Case) -> str:
    case.claim("tests_pass", scope="suite")
    return case.verdict().reason


@pytest.mark.parametrize(
    ("folder", "command", "told"),
    [
        ("/repo", "pytest", ""),
        ("/repo/", "pytest", ""),
        ("/repo/src", "cd .. && pytest", ""),
        ("/other", "cd /repo && pytest", ""),
        ("/repo-main", "pytest", "origin_subject_differs"),
        ("/other", "pytest", "origin_subject_differs"),
        ("/other", "cd sub && pytest", "origin_subject_differs"),
        ("/repo/docs", "pytest", "scope_narrower"),
    ],
)
def test_a_run_counts_where_it_began(folder: str, command: str, told: str) -> None:
    case = Placed()
    case.write("/repo/src/rate.py", "limit = 5\n")
    case.began(folder, command)
    assert reason(case) == told


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("/tree/src/rate.py", ""),
        ("/tmp/try.py", ""),
        ("/tree/README.md", ""),
        ("/repo/NOTES.md", ""),
        ("/repo/a.py", "origin_subject_differs"),
    ],
)
def test_another_folder_is_the_workspace_where_the_newest_work_lies_in_it(written: str, told: str) -> None:
    case = Placed()
    case.write("/tree/src/main.py", "main = 1\n")
    case.write(written, "limit = 5\n")
    case.began("/tree", "pytest")
    assert reason(case) == told


@pytest.mark.parametrize(
    ("path", "command", "told"),
    [
        ("/tmp/notes.txt", "pytest", ""),
        ("/home/dev/.claude/plan.md", "python -m pytest -q", ""),
        ("/repo/src/rate.py", "pytest", "subject_changed"),
        ("src/rate.py", "pytest", "subject_changed"),
        ("/repo-shared/limits.py", "pytest", "subject_changed"),
        ("/tmp/fixtures.json", "pytest --junitxml /tmp/out.xml", "subject_changed"),
    ],
)
def test_a_scratch_file_outside_of_the_workspace_leaves_a_run_alone_unless_it_looked_there(
    path: str, command: str, told: str
) -> None:
    case = Placed()
    case.ran(command, OK)
    case.write(path, "new\n")
    assert reason(case) == told


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("PYTEST_ADDOPTS='-k fast' pytest", "scope_narrower"),
        ("PYTEST_ADDOPTS='-q' pytest", ""),
        ("export PYTEST_ADDOPTS='-k fast' && pytest", "scope_narrower"),
        ("CI=true pytest", ""),
        ("TEST=1 pytest", ""),
        ("TEST=tests/test_a.py make test", "scope_narrower"),
        ("npm test -- --onlyChanged", "scope_narrower"),
        ("npm test -- --coverage", ""),
        ("pytest --snapshot-update", "subject_changed"),
        ("UPDATE_SNAPSHOTS=1 pytest", "subject_changed"),
    ],
)
def test_settings_and_options_that_narrow_a_run_or_adapt_what_it_compares_with(command: str, told: str) -> None:
    case = Placed()
    case.ran(command, OK)
    assert reason(case) == told


def test_a_withdrawn_call_takes_its_answer_out_of_force() -> None:
    case = Placed()
    case.began("/repo", "pytest")
    case.add(r.Withdrawal(id="w", by="user", session=SESSION, target="call-never-made"))
    assert reason(case) == ""
    case.add(r.Withdrawal(id="w2", by="user", session=SESSION, target=case.records[1].id))
    assert case.verdict().reason == "no_receipt"


@pytest.mark.parametrize(
    ("path", "content", "told"),
    [
        ("docs/rates.md", "# Rates\n", ""),
        ("docs/rates.md", "", "artifact_empty"),
        ("src/pkg/__init__.py", "", ""),
        ("data/.gitkeep", "", ""),
    ],
)
def test_an_empty_file_is_no_result_but_where_being_there_is_its_work(path: str, content: str, told: str) -> None:
    case = Case()
    case.write(path, content)
    case.claim("file_written", path=path)
    assert case.verdict().reason == told


@pytest.mark.parametrize(
    ("command", "path", "told"),
    [
        ("cp build/rates.md docs/rates.md", "docs/rates.md", ""),
        ("curl -s https://example.org/r -o docs/rates.md", "docs/rates.md", ""),
        ("touch src/pkg/__init__.py", "src/pkg/__init__.py", ""),
        ("cat > src/pkg/__init__.py <<'EOF'\nEOF", "src/pkg/__init__.py", ""),
        ("touch docs/rates.md", "docs/rates.md", "no_receipt"),
        (": > docs/rates.md", "docs/rates.md", "no_receipt"),
        ("cat > docs/rates.md <<'EOF'\nEOF", "docs/rates.md", "no_receipt"),
        ("cp build/rates.md docs/rates.md || true", "docs/rates.md", "no_receipt"),
        ("./make-docs.sh docs/rates.md", "docs/rates.md", "no_receipt"),
    ],
)
def test_a_command_that_names_what_it_writes_makes_a_file(command: str, path: str, told: str) -> None:
    case = Case()
    case.ran(command, own_status="||" not in command)
    case.claim("file_written", path=path)
    assert case.verdict().reason == told


def test_a_file_made_by_a_command_that_failed_is_not_there() -> None:
    case = Case()
    case.ran("cp build/rates.md docs/rates.md", exit_code=1)
    case.claim("file_written", path="docs/rates.md")
    assert case.verdict().reason == "no_receipt"


def test_a_file_made_by_a_command_is_in_doubt_after_something_unknown() -> None:
    case = Case()
    case.ran("cp build/rates.md docs/rates.md")
    case.ran("./clean.sh")
    case.claim("file_written", path="docs/rates.md")
    assert case.verdict().reason == "effect_unknown"


@pytest.mark.parametrize(
    ("folder", "command", "told"),
    [
        ("/tree", "sed -i s/5/6/ src/main.py", "subject_changed"),
        ("/tree", "sed -i s/5/6/ /repo/a.py", "subject_changed"),
        ("/tree", "git status --short", ""),
        ("/repo", "git status --short", ""),
    ],
)
def test_edits_in_the_other_worktree_that_is_worked_in_are_seen(folder: str, command: str, told: str) -> None:
    case = Placed()
    case.write("/tree/src/main.py", "main = 5\n")
    case.began("/tree", "pytest")
    case.began(folder, command, "")
    assert reason(case) == told


def test_an_edit_in_the_worktree_that_was_tested_ends_its_run_even_under_tmp() -> None:
    case = Placed()
    case.write("/tmp/tree/src/main.py", "main = 5\n")
    case.began("/tmp/tree", "pytest")
    case.write("/tmp/tree/src/main.py", "main = 6\n")
    assert reason(case) == "subject_changed"


@pytest.mark.parametrize(
    ("command", "path", "status"),
    [
        ("cd /workspace/app && pytest", "/tmp/notes.txt", "proven"),
        ("cd /workspace/app && pytest", "/workspace/app/src/a.py", "unproven"),
        ("cd /tmp/app/sub && pytest", "/tmp/notes.txt", "proven"),
        ("cd /tmp/app/sub && pytest", "/tmp/app/notes.txt", "unproven"),
        ("cd /tmp/app && pytest", "/tmp/app/src/a.py", "unproven"),
        ("pytest", "/tmp/notes.txt", "unproven"),
    ],
)
def test_without_a_declared_root_only_the_folder_of_the_run_tells_what_lies_apart(
    command: str, path: str, status: str
) -> None:
    case = Case()
    case.records[0] = r.SessionOpened(id="session", session=SESSION)
    case.write(f"{command.split()[1]}/src/a.py" if command.startswith("cd") else "/w/src/a.py", "x\n")
    case.ran(command, OK)
    case.write(path, "new\n")
    case.claim("tests_pass")
    assert case.verdict().status == status
