"""`muniment packet`, `boundary` and `compaction`: what they print, in which form, and with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from muniment import EvidenceStore
from tests.api.conftest import Ask, Run


def accepted(ask: Ask) -> dict[str, object]:
    """Put a packet in force and return it."""
    ask("packet", "build", "--accept")
    return ask("packet", "show")


def only(found: object) -> dict[str, object]:
    """Return the one packet of a list."""
    assert isinstance(found, list)
    assert len(found) == 1
    packet: dict[str, object] = found[0]
    return packet


def test_a_packet_is_printed_and_nothing_is_stored(run: Run, ask: Ask) -> None:
    done = run("packet", "build")
    assert done.exit_code == 0
    assert "# What binds" in done.stdout
    assert "tokens" in done.stderr
    assert ask("packet", "list") == {"packets": []}
    assert ask("packet", "build")["tokens"] > 0  # type: ignore[operator]


def test_a_packet_is_put_in_force_once_and_a_second_fold_says_why_not(run: Run, ask: Ask) -> None:
    done = ask("packet", "build", "--accept", "--focus", "keep the alias")
    assert done["folded"] is True
    again = ask("packet", "build", "--accept", code=1)
    assert (again["folded"], again["reason"]) == (False, "nothing_to_fold")
    assert "nothing to fold" in run("packet", "build", "--accept").stdout
    info = only(ask("packet", "list")["packets"])
    assert (info["state"], info["in_force"]) == ("accepted", True)
    assert "in force" in run("packet", "list").stdout
    assert run("packet", "show").stdout.startswith("Packet of mission:")


@pytest.mark.parametrize("form", [None, "plain", "anthropic", "openai-chat", "openai-responses"])
def test_a_packet_in_any_form_is_read_back_and_checked(run: Run, ask: Ask, tmp_path: Path, form: str | None) -> None:
    options = ["--form", form] if form else ["--json"]
    file = tmp_path / "packet.json"
    file.write_text(run("packet", "build", *options).stdout, encoding="utf-8")
    assert ask("packet", "check", str(file)) | {"packet": ""} == {"packet": "", "passed": True}
    done = ask("packet", "accept", str(file), "--reason", "handover")
    assert done["accepted"] is True
    assert ask("packet", "check", "-", stdin=file.read_bytes(), code=1)["problems"]


def test_a_packet_without_something_that_binds_is_refused_and_names_it(run: Run, ask: Ask, tmp_path: Path) -> None:
    packet = ask("packet", "build")
    binding = packet["binding"]
    assert isinstance(binding, list)
    file = tmp_path / "packet.json"
    file.write_text(json.dumps({**packet, "binding": binding[1:]}), encoding="utf-8")
    found = ask("packet", "check", str(file), code=1)
    missing = [problem for problem in found["problems"] if problem["code"] == "binding_missing"]  # type: ignore[attr-defined]
    assert missing[0]["ids"] == [binding[0]["record"]]
    told = run("packet", "accept", str(file))
    assert told.exit_code == 1
    assert "binding_missing" in told.stdout
    info = only(ask("packet", "list")["packets"])
    assert (info["state"], info["codes"]) == ("refused", ["binding_missing"])


@pytest.mark.parametrize("text", ["", "{", "[1]", '"x"', "[]", "7", "muniment hand-over 1: broken\nend 0"])
def test_a_file_that_holds_no_packet_is_wrong_use(run: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "packet.json"
    file.write_text(text, encoding="utf-8")
    assert run("packet", "check", str(file)).exit_code == 2


def test_a_file_that_holds_another_object_is_refused_and_breaks_nothing(ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "packet.json"
    file.write_text('{"hello": "world"}', encoding="utf-8")
    found = ask("packet", "check", str(file), code=1)
    assert found["passed"] is False
    assert found["problems"]


def test_a_fork_prints_the_packet_and_leaves_a_session_of_that_name(run: Run, ask: Ask) -> None:
    packet = accepted(ask)
    done = run("packet", "fork", str(packet["id"]), "--session", "second")
    assert done.exit_code == 0
    assert "session second" in done.stdout
    assert len(ask("packet", "list")["packets"]) == 2  # type: ignore[arg-type]
    assert run("packet", "fork", str(packet["id"]), "--session", "second").exit_code == 2
    assert run("packet", "fork", "H999", "--session", "third").exit_code == 2
    assert len(ask("missions")["missions"]) == 1  # type: ignore[arg-type]


def test_wrong_use_and_missing_things_have_their_exit_codes(run: Run, tmp_path: Path) -> None:
    assert run("packet").exit_code == 2
    assert run("packet", "show").exit_code == 2
    assert run("packet", "check", "H999").exit_code == 2
    assert run("packet", "build", "--compactor", "x").exit_code == 2
    assert run("packet", "build", "--accept", "--as-of", "3").exit_code == 2
    assert run("packet", "build", "--accept", "--compactor", "x").exit_code == 2
    assert run("packet", "build", "--budget", "10").exit_code == 1
    assert run("packet", "list", "--store", str(tmp_path / "none")).exit_code == 3


def test_a_budget_that_cannot_hold_what_binds_says_how_much_it_takes(ask: Ask) -> None:
    error = ask("packet", "build", "--budget", "10", code=1)["error"]
    assert isinstance(error, dict)
    assert error["code"] == "budget_infeasible"
    assert ask("packet", "build", "--budget", str(error["needed"]))["tokens"] <= error["needed"]


def test_advice_says_when_a_context_is_full_and_why(run: Run, ask: Ask) -> None:
    room = ask("compaction", "advise", "--model", "claude-opus-4-5", "--tokens", "1000")
    assert (room["compact"], room["reason"]) == (False, "below_limit")
    full = ask("compaction", "advise", "--model", "claude-opus-4-5", "--tokens", "170000", code=1)
    assert (full["compact"], full["window"]) == (True, 200_000)
    told = run("compaction", "advise", "--model", "nobody-knows", "--tokens", "170000")
    assert (told.exit_code, "nobody knows" in told.stdout) == (0, True)
    assert run("compaction", "advise", "--model", "x", "--tokens", "1", "--kind", "cooking").exit_code == 2


def test_a_mission_without_boundaries_says_so(run: Run, ask: Ask) -> None:
    assert ask("boundary") == {"boundaries": []}
    assert "no context boundary" in run("boundary").stdout
    assert ask("compaction", "report")["crossed"] == []
    assert "no context boundary" in run("compaction", "report").stdout


def test_what_is_put_in_force_is_named_by_its_handle(run: Run) -> None:
    built = run("packet", "build", "--accept")
    handle = run("packet", "list").stdout.split()[0]
    assert f"in force: {handle}" in built.stderr
    assert f"({handle})" in run("packet", "build", "--accept").stdout
    assert run("packet", "accept", handle).stdout.strip() == f"in force: {handle}"
    assert "session second begins with H" in run("packet", "fork", handle, "--session", "second").stderr


def test_what_is_no_packet_says_where_packets_are_listed(run: Run) -> None:
    for call in (["check", "none.json"], ["accept", "none.json"], ["show", "H999"]):
        told = run("packet", *call).stderr
        assert "`muniment packet list` lists them" in told
        assert told.count("`muniment ") == 1
    assert "Usage:" not in run("packet", "show").stderr
    assert "`muniment log`" in run("packet", "list", "no-mission").stderr


def test_only_a_compactor_that_is_asked_loads_what_asks_by_http() -> None:
    code = "import sys, muniment_api.commands.packet; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_commands_of_a_group_are_told_in_whole_lines(run: Run) -> None:
    for name in ("packet", "compaction"):
        listed = run(name, "--help").stdout.partition("Commands:")[2].partition("Examples:")[0].split("\n")
        assert all(line.endswith(".") for line in filter(None, listed)), listed


def test_a_packet_in_a_file_or_by_its_node_id_is_of_its_own_mission_not_of_the_newest(
    store: Path, ask: Ask, tmp_path: Path
) -> None:
    file = tmp_path / "packet.json"
    own = ask("packet", "build")
    file.write_text(json.dumps(own), encoding="utf-8")
    said = {"kind": "message", "id": "m1", "session": "newer", "by": "user", "role": "prompt", "text": "Hello."}
    with EvidenceStore.open(store) as opened:
        opened.record([said])
        newer = next(info.mission for info in opened.missions() if info.session == "newer")
    assert newer != own["mission"]
    assert ask("packet", "check", str(file))["passed"] is True
    assert ask("packet", "check", str(file), "--mission", newer, code=1)["problems"]
    packet = ask("packet", "accept", str(file))["packet"]
    ask("packet", "build", newer, "--accept")
    assert ask("packet", "show", str(packet))["mission"] == own["mission"]
    assert ask("packet", "show")["mission"] == newer
    assert ask("packet", "fork", str(packet), "--session", "again")["mission"] == own["mission"]


def test_the_packet_in_force_is_shown_of_the_newest_session_or_of_the_one_that_is_named(run: Run, ask: Ask) -> None:
    first = accepted(ask)
    fork = ask("packet", "fork", str(first["id"]), "--session", "second")
    assert ask("packet", "show")["id"] == fork["packet"]
    owner = first["owner"]
    assert isinstance(owner, dict)
    assert ask("packet", "show", "--session", owner["session"])["id"] == first["id"]
    done = run("packet", "show", "--agent", "nobody")
    assert (done.exit_code, "packet build --accept" in done.output) == (2, True)
    assert run("packet", "show", str(first["id"]), "--session", "second").exit_code == 2


def test_a_form_says_what_it_costs(run: Run) -> None:
    assert "tokens with all ids" in run("packet", "build", "--form", "anthropic").stderr
