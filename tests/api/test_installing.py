"""`muniment install`: only what it wrote is ever touched; all else keeps every character."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from muniment_api import installing
from muniment_api.cli import cli
from muniment_api.installing import Wanted, installed_text, undone_text
from tests.support.hooking import BIN

OTHERS = """{
    "model": "opus",   "permissions": {"allow": ["Bash(ls:*)",
                                                 "Read"]},
    "hooks": {
        "Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} ],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}]
    },
    "env": {"A": "é"}
}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def install(*words: str) -> Result:
    return CliRunner().invoke(cli, ["install", *words])


@pytest.mark.parametrize("runtime", ["claude-code", "codex"])
def test_what_is_installed_is_found_works_and_goes_without_a_trace(project: Path, runtime: str) -> None:
    file = project / installing.FILES[runtime]
    assert install(runtime, "--check").exit_code == 1
    assert install(runtime).exit_code == 0
    assert install(runtime, "--check").exit_code == 0
    first = file.read_text()
    assert install(runtime).exit_code == 0
    assert file.read_text() == first
    hooks = json.loads(first)["hooks"]
    assert set(hooks) == set(installing.EVENTS[runtime])
    command = hooks["UserPromptSubmit"][0]["hooks"][0]["command"]
    payload = b'{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "x"}'
    done = subprocess.run(["sh", "-c", command], input=payload, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert len(list((project / ".muniment/spool").iterdir())) == 1
    assert install(runtime, "--undo").exit_code == 0
    assert not file.exists()
    assert install(runtime, "--undo").exit_code == 0


@pytest.fixture
def on_the_path(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the hook client on the path, as an installer of programs does: a link, outside the virtual environment."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "muniment-hook").symlink_to(BIN / "muniment-hook")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.mark.parametrize("runtime", ["claude-code", "codex"])
@pytest.mark.usefixtures("on_the_path")
def test_a_projects_settings_name_no_folder_of_this_machine_and_work_in_any_clone(
    project: Path, tmp_path_factory: pytest.TempPathFactory, runtime: str
) -> None:
    assert install(runtime).exit_code == 0
    text = (project / installing.FILES[runtime]).read_text()
    assert str(project) not in text
    assert str(BIN) not in text
    assert install(runtime, "--check").exit_code == 0
    clone = tmp_path_factory.mktemp("clone")
    (clone / ".git").mkdir()
    (clone / "src/deep").mkdir(parents=True)
    command = json.loads(text)["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
    payload = b'{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "x"}'
    there = {**os.environ, "CLAUDE_PROJECT_DIR": str(clone)}
    subprocess.run(["sh", "-c", command], input=payload, cwd=clone / "src/deep", env=there, check=True)
    assert len(list((clone / ".muniment/spool").iterdir())) == 1
    assert install(runtime, "--undo").exit_code == 0
    assert not (project / installing.FILES[runtime]).exists()


@pytest.mark.usefixtures("on_the_path")
def test_settings_of_a_user_or_with_a_store_of_ones_own_name_the_program_as_it_is_here(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project / "home"))
    assert install("claude-code", "--user").exit_code == 0
    assert f"{BIN}/muniment-hook claude-code Stop" in (project / "home/.claude/settings.json").read_text()
    assert install("claude-code", "--store", str(project / "other")).exit_code == 0
    assert (
        f"{BIN}/muniment-hook claude-code Stop --store {project}/other"
        in (project / ".claude/settings.json").read_text()
    )


def test_what_a_virtual_environment_puts_on_the_path_is_named_in_full(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    assert install("claude-code").exit_code == 0
    text = (project / ".claude/settings.json").read_text()
    assert f"{BIN}/muniment-hook claude-code Stop --store" in text
    (project / ".claude/settings.json").write_text(text.replace(f"{BIN}/muniment-hook", "muniment-hook"))
    assert install("claude-code", "--check").exit_code == 0


def test_the_store_is_none_of_the_projects_files(project: Path) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    install("claude-code")
    status = subprocess.run(["git", "status", "--porcelain", "-uall"], capture_output=True, text=True, check=True)
    assert status.stdout == "?? .claude/settings.json\n"


def test_showing_changes_nothing(project: Path) -> None:
    shown = install("claude-code", "--show")
    assert json.loads(shown.stdout)["hooks"]["Stop"]
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("text", [OTHERS, OTHERS.replace("\n", "\r\n"), "{}", "{ }\n", '{"a":1}', "", '{"hooks": {}}'])
def test_settings_of_others_keep_every_character(project: Path, text: str) -> None:
    file = project / ".claude/settings.json"
    file.parent.mkdir()
    file.write_bytes(text.encode())
    assert install("claude-code").exit_code == 0
    changed = file.read_bytes().decode()
    assert file.with_name("settings.json.muniment-backup").read_bytes() == text.encode()
    if text.startswith(OTHERS[:20]):
        for piece in (
            '"model": "opus",   "permissions"',
            '{"hooks": [{"type": "command", "command": "say done"}]}',
            "é",
        ):
            assert piece in changed
    before = json.loads(text or "{}")
    after = json.loads(changed)
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    assert install("claude-code", "--undo").exit_code == 0
    assert file.read_bytes().decode() == text
    assert [path.name for path in file.parent.iterdir()] == ["settings.json"]


def test_what_was_changed_since_stays_when_it_is_undone(project: Path) -> None:
    file = project / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(OTHERS)
    install("claude-code")
    file.write_text(file.read_text().replace("opus", "sonnet"))
    install("claude-code", "--undo")
    assert file.read_text() == OTHERS.replace("opus", "sonnet")


@pytest.mark.parametrize("text", ['{"hooks": {}}', '{"hooks": {"Stop": []}, "a": 1}', "{}", '{"a": {"hooks": []}}'])
def test_undoing_what_was_never_installed_changes_nothing(project: Path, text: str) -> None:
    file = project / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(text)
    assert install("claude-code", "--undo").exit_code == 0
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("old", "new"),
    [('"a": 1', '"a": true'), ('"a": 1', '"a": 1.0'), ('"a": 1', '"a":   1'), ('"a": 1, "b": 2', '"b": 2, "a": 1')],
)
def test_the_smallest_change_stays_when_it_is_undone(project: Path, old: str, new: str) -> None:
    file = project / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text('{"a": 1, "b": 2}\n')
    install("claude-code")
    file.write_text(file.read_text().replace(old, new))
    install("claude-code", "--undo")
    assert file.read_text() == '{"a": 1, "b": 2}\n'.replace(old, new)


def test_what_somebody_put_beside_a_hook_stays_and_the_hook_goes(project: Path) -> None:
    file = project / ".claude/settings.json"
    install("claude-code")
    settings = json.loads(file.read_text())
    own = {"type": "command", "command": "say done"}
    settings["hooks"]["Stop"][0]["hooks"].append(own)
    settings["hooks"]["PreToolUse"][0]["hooks"].insert(0, own)
    file.write_text(json.dumps(settings, indent=1))
    assert install("claude-code", "--check").exit_code == 1
    assert install("claude-code").exit_code == 0
    hooks = json.loads(file.read_text())["hooks"]
    assert [len(hooks[event]) for event in ("Stop", "PreToolUse", "SessionEnd")] == [2, 2, 1]
    assert file.read_text().count("muniment-hook") == len(installing.EVENTS["claude-code"])
    install("claude-code", "--undo")
    kept = [{"hooks": [own]}]
    assert json.loads(file.read_text()) == {"hooks": {"Stop": kept, "PreToolUse": kept}}


def test_of_two_members_of_one_name_the_one_counts_that_the_runtime_reads(project: Path) -> None:
    file = project / ".claude/settings.json"
    file.parent.mkdir()
    text = '{"hooks": {"Stop": []}, "hooks": {"SessionEnd": [], "SessionEnd": []}}'
    file.write_text(text)
    assert install("claude-code").exit_code == 0
    assert set(json.loads(file.read_text())["hooks"]) == set(installing.EVENTS["claude-code"])
    install("claude-code", "--undo")
    assert file.read_text() == text


def test_a_project_with_blanks_and_quotes_in_its_name_has_hooks_that_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / 'it\'s a "project" $HOME; `x`'
    odd.mkdir()
    monkeypatch.chdir(odd)
    assert install("claude-code", "--store", "own store").exit_code == 0
    assert install("claude-code", "--check", "--store", "own store").exit_code == 0
    command = json.loads((odd / ".claude/settings.json").read_text())["hooks"]["UserPromptSubmit"][0]["hooks"][0]
    payload = b'{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "x"}'
    subprocess.run(["sh", "-c", command["command"]], input=payload, cwd=tmp_path, check=True)
    assert len(list((odd / "own store/spool").iterdir())) == 1
    assert install("claude-code", "--undo").exit_code == 0
    assert not (odd / ".claude/settings.json").exists()


def test_another_store_brings_the_commands_up_to_date(project: Path) -> None:
    install("claude-code")
    other = project / "other"
    assert install("claude-code", "--store", str(other), "--check").exit_code == 1
    assert install("claude-code", "--store", str(other), "--strict").exit_code == 0
    text = (project / ".claude/settings.json").read_text()
    assert len(re.findall(rf"--store {other} --strict", text)) == len(installing.EVENTS["claude-code"])
    assert install("claude-code", "--undo").exit_code == 0
    assert list((project / ".claude").iterdir()) == []
    assert install("claude-code", "--store", str(other), "--strict").exit_code == 0
    assert ".muniment" not in text


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        "// comment\n{}",
        '{"a": 1} x',
        '{"a": 1,}',
        '{"hooks": {"Stop": [1,]}}',
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"a": 1 /* or 2 */}',
        "\ufeff{}",
    ],
)
def test_settings_that_cannot_be_read_are_left_alone(project: Path, text: str) -> None:
    file = project / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(text)
    assert install("claude-code").exit_code == 2
    assert file.read_text() == text
    assert list(file.parent.iterdir()) == [file]


def test_a_link_to_the_settings_stays_a_link(project: Path) -> None:
    (project / "dotfiles").mkdir()
    (project / ".claude").mkdir()
    real = project / "dotfiles/settings.json"
    real.write_text(OTHERS)
    real.chmod(0o600)
    (project / ".claude/settings.json").symlink_to(real)
    install("claude-code")
    assert (project / ".claude/settings.json").is_symlink()
    assert "muniment" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o600


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
GROUPS = st.lists(st.fixed_dictionaries({"hooks": st.lists(st.fixed_dictionaries({"command": st.text()}))}), max_size=2)
HOOKS = st.dictionaries(st.sampled_from(["Stop", "SessionStart", "Other"]), GROUPS, min_size=1, max_size=3)


@given(
    rest=st.dictionaries(st.text(), JSON, max_size=3),
    hooks=st.none() | HOOKS,
    indent=st.sampled_from([None, 2, 3, "\t"]),
)
def test_undoing_gives_the_text_back(rest: dict[str, object], hooks: object, indent: int | str | None) -> None:
    rest.pop("hooks", None)
    before = {**rest, "hooks": hooks} if hooks is not None else rest
    text = json.dumps(before, indent=indent)
    wanted = Wanted(runtime="claude-code", file=Path("f"), store=Path("/s p/ü"))
    changed = installed_text(text, wanted)
    assert installed_text(changed, wanted) == changed
    after = json.loads(changed)
    assert {key: value for key, value in after.items() if key != "hooks"} == rest
    undone = json.loads(undone_text(changed))
    assert without_empty(undone) == without_empty(before)
    if without_empty(before) == before and indent is None:
        assert undone_text(changed) == text


def without_empty(settings: dict[str, object]) -> dict[str, object]:
    """Leave out lists of hooks that hold nothing: nobody can tell who wrote them."""
    hooks = settings.get("hooks")
    kept = {event: groups for event, groups in hooks.items() if groups} if isinstance(hooks, dict) else {}
    rest = {key: value for key, value in settings.items() if key != "hooks"}
    return {**rest, "hooks": kept} if kept else rest
