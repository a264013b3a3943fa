"""Odd calls of the program: wrong use before a command's name, folders without names of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from muniment_api.cli import cli


@pytest.mark.parametrize(
    "args",
    [
        ["--store", "FILE", "missions", "--json"],
        ["--json", "--store", "FILE", "missions"],
        ["--nosuch", "missions", "--json"],
        ["--json", "--nosuch"],
        ["--store", "--json"],
        ["--json"],
    ],
    ids=" ".join,
)
def test_wrong_use_before_the_name_of_a_command_is_one_document(tmp_path: Path, args: list[str]) -> None:
    file = tmp_path / "file"
    file.touch()
    done = CliRunner().invoke(cli, [str(file) if arg == "FILE" else arg for arg in args])
    assert done.exit_code == 2
    assert json.loads(done.stdout)["error"]["code"] in ("usage", "unknown_id")


def test_wrong_use_is_told_to_people_with_the_usage() -> None:
    done = CliRunner().invoke(cli, ["--nosuch", "missions"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Usage:" in done.stderr


@pytest.mark.parametrize("folder", [".", "..", "./", "sub/.."])
def test_a_folder_is_imported_by_whatever_path(
    tmp_path: Path, example: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    here = tmp_path / "here"
    (here / "sub").mkdir(parents=True)
    (here / "session.jsonl").write_bytes(example.read_bytes())
    monkeypatch.chdir(here / "sub" if folder == ".." else here)
    done = CliRunner().invoke(cli, ["--store", str(tmp_path / "store"), "import", folder, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["imports"][0]["files"] == 1


def test_a_folder_brings_the_session_beside_it_also_from_inside(
    tmp_path: Path, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "session"
    inside.mkdir()
    (tmp_path / "session.jsonl").write_bytes(example.read_bytes())
    monkeypatch.chdir(inside)
    done = CliRunner().invoke(cli, ["--store", str(tmp_path / "store"), "import", ".", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["imports"][0]["files"] == 1
