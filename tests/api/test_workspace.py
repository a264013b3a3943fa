"""The digest of a workspace: equal for equal content, bounded, and no trace of it is left."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from muniment_api import workspace
from muniment_api.workspace import workspace_digest


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit."""
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / ".gitignore").write_text("*.log\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def told(folder: Path) -> dict[str, object]:
    found = workspace_digest(str(folder))
    assert found is not None
    return found


def test_every_kind_of_change_gives_another_digest_and_none_gives_the_same(project: Path) -> None:
    clean = told(project)
    assert clean == told(project)
    assert (clean["dirty"], clean["untracked"], clean["complete"]) == ({}, {}, True)
    digests = {clean["digest"]}
    (project / "a.py").write_text("x = 2\n")
    changed = told(project)
    assert list(changed["dirty"]) == ["a.py"]  # type: ignore[call-overload]
    digests.add(changed["digest"])
    git(project, "add", "a.py")
    digests.add(told(project)["digest"])
    (project / "b c é.py").write_text("new\n")
    assert list(told(project)["untracked"]) == ["b c é.py"]  # type: ignore[call-overload]
    digests.add(told(project)["digest"])
    (project / "a.py").unlink()
    assert told(project)["dirty"] == {"a.py": ""}
    digests.add(told(project)["digest"])
    assert len(digests) == 5


def test_what_is_ignored_and_the_store_do_not_count(project: Path) -> None:
    clean = told(project)
    (project / "x.log").write_text("noise")
    (project / ".muniment").mkdir()
    (project / ".muniment/journal.sqlite").write_text("x")
    assert told(project) == clean


def test_limits_are_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        (project / f"{number}.txt").write_text(str(number))
    assert told(project)["complete"] is True
    monkeypatch.setattr(workspace, "MOST_FILES", 3)
    limited = told(project)
    assert (limited["complete"], len(limited["untracked"])) == (False, 3)  # type: ignore[arg-type]
    monkeypatch.setattr(workspace, "MOST_FILES", 500)
    monkeypatch.setattr(workspace, "MOST_BYTES", 2)
    assert told(project)["complete"] is False


def test_without_a_repository_or_without_time_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert workspace_digest(str(tmp_path)) is None
    assert workspace_digest(str(tmp_path / "missing")) is None
    monkeypatch.setattr(workspace, "SECONDS", 0.0)
    git(tmp_path, "init", "-q")
    assert workspace_digest(str(tmp_path)) is None


def test_a_repository_without_a_commit_has_one(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("x")
    assert told(tmp_path)["head"] == ""
    assert list(told(tmp_path)["untracked"]) == ["a.py"]  # type: ignore[call-overload]
