"""Rules of a store: its settings, installed rules, and queries asked of a real engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from muniment.closeout.rules.registry import RULES
from muniment.errors import StoreError, UsageError
from muniment.rulebooks import rulebook_for
from muniment.store import EvidenceStore
from tests.support.installed_rules import environment, install

RECORDS: list[dict[str, object]] = [
    {"kind": "session_opened", "id": "s", "session": "S", "root": "/w", "by": "user"},
    {"kind": "message", "id": "m", "session": "S", "by": "user", "text": "Go.", "role": "prompt"},
    {
        "kind": "tool_returned", "id": "r", "session": "S", "by": "tool", "tool": "command", "command": "pytest",
        "status": "ok", "exit_code": 0, "scope": "suite", "counts": {"collected": 2, "passed": 2, "failed": 0},
    },
    {"kind": "claim_made", "id": "c", "session": "S", "by": "agent", "type": "tests_pass", "cites": ["r"]},
]  # fmt: skip

CYPHER = """
[[closeout.cypher]]
id = "no-pytest"
severity = "{severity}"
message = "{{r.handle}} ran"
query = "{query}"
"""
QUERY = "MATCH (r:Node {kind: 'receipt'}) WHERE r.mission = $mission RETURN r.id, r.handle"


def stored(folder: Path, settings: str = "", engine: str | None = None) -> tuple[EvidenceStore, str]:
    store = EvidenceStore.open(folder / "store", create=True, engine=engine)
    store.record(RECORDS)
    (folder / "store" / "muniment.toml").write_text(settings, encoding="utf-8")
    return store, store.missions()[0].mission


def test_without_settings_all_rules_look(tmp_path: Path) -> None:
    assert rulebook_for(tmp_path / "store").rules.rules == RULES


def test_settings_are_in_the_stores_folder_or_else_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    (tmp_path / "muniment.toml").write_text('[closeout]\nignore = ["task-open"]\n', encoding="utf-8")
    assert rulebook_for(folder).source == str(tmp_path / "muniment.toml")
    (folder / "muniment.toml").write_text("", encoding="utf-8")
    assert rulebook_for(folder).source == str(folder / "muniment.toml")
    other = tmp_path / "other.toml"
    with pytest.raises(UsageError, match="no such file"):
        rulebook_for(folder, other)
    other.write_bytes(b"\xff")
    with pytest.raises(StoreError, match="cannot be read"):
        rulebook_for(folder, other)


def test_the_stores_settings_decide_its_closeouts(tmp_path: Path) -> None:
    store, mission = stored(tmp_path)
    with store:
        assert store.closeout(mission).passed
        (tmp_path / "store" / "muniment.toml").write_text("[closeout]\nselect = []\n", encoding="utf-8")
        assert not store.closeout(mission).passed
        (tmp_path / "store" / "muniment.toml").write_text("[closeout]\nnope = []\n", encoding="utf-8")
        with pytest.raises(UsageError, match="line 2: no key 'nope'"):
            store.closeout(mission)


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_each_row_of_a_query_is_a_finding(tmp_path: Path, severity: str) -> None:
    store, mission = stored(tmp_path, CYPHER.format(severity=severity, query=QUERY), "kuzu")
    with store:
        judged = store.closeout(mission)
        [found] = judged.findings
        assert (found.rule, found.code, found.severity, found.message) == ("no-pytest", "no_pytest", severity, "R3 ran")
        assert [store.snapshot(mission).node(each) is not None for each in found.ids] == [True]
        assert judged.passed is (severity == "warning")
        assert store.scoped(mission=mission).closeout(mission).findings == judged.findings


def test_a_query_that_finds_nothing_is_no_finding(tmp_path: Path) -> None:
    store, mission = stored(tmp_path, CYPHER.format(severity="error", query=QUERY.replace("receipt", "gap")), "kuzu")
    with store:
        assert store.closeout(mission).passed


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (QUERY + " SET r.x = 1", "refused: SET does not only read"),
        ("MATCH (n:Node {mission: $mission}) RETURN n.nothing_like_it", "Cannot find property"),
    ],
)
def test_a_query_that_cannot_be_answered_is_an_error(tmp_path: Path, query: str, told: str) -> None:
    store, mission = stored(tmp_path, CYPHER.format(severity="note", query=query), "kuzu")
    with store:
        [found] = store.closeout(mission).findings
    assert (found.rule, found.code, found.severity) == ("no-pytest", "rule_failed", "error")
    assert told in found.message


def test_a_store_without_an_engine_opens_one_for_its_queries(tmp_path: Path) -> None:
    store, mission = stored(tmp_path, CYPHER.format(severity="warning", query=QUERY))
    with store:
        judged = store.closeout(mission)
        store.record([{"kind": "session_closed", "id": "end", "session": "S", "by": "user"}])
        assert store.closeout(mission).findings == judged.findings
    [found] = judged.findings
    assert (found.rule, found.message) == ("no-pytest", "R3 ran")
    assert judged.passed


def test_a_query_that_no_engine_answers_is_an_error(tmp_path: Path) -> None:
    """Another process has the engine's files."""
    store, mission = stored(tmp_path, CYPHER.format(severity="note", query=QUERY))
    hold = "import sys, time; from muniment import EvidenceStore; s = EvidenceStore.open(sys.argv[1], engine='kuzu'); "
    hold += "print('held', flush=True); sys.stdin.read()"
    with (
        store,
        subprocess.Popen(
            [sys.executable, "-c", hold, str(tmp_path / "store")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as other,
    ):
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        judged = store.closeout(mission)
        other.communicate(b"")
        assert store.closeout(mission).passed
    [found] = judged.findings
    assert (found.code, found.severity, judged.passed) == ("rule_failed", "error", False)
    assert "no-pytest could not be asked" in found.message


def test_a_query_gives_no_more_than_a_hundred_findings(tmp_path: Path) -> None:
    many = "MATCH (r:Node {kind: 'receipt', mission: $mission}) UNWIND range(1, 500) AS n RETURN n"
    store, mission = stored(tmp_path, CYPHER.format(severity="note", query=many), "kuzu")
    with store:
        found = store.closeout(mission).findings
    assert len(found) == 101
    assert sum("more than 100" in each.message for each in found) == 1


JUDGE = """
import json, sys
from muniment.store import EvidenceStore
with EvidenceStore.open(sys.argv[1]) as store:
    judged = store.closeout(store.missions()[0].mission)
print(json.dumps([judged.passed, [[f.rule, f.code, f.severity, f.message] for f in judged.findings]]))
"""


def judged_with(site: Path, store: Path) -> tuple[bool, dict[str, tuple[str, str, str]]]:
    done = subprocess.run(
        [sys.executable, "-c", JUDGE, str(store)], env=environment(site), capture_output=True, text=True, check=True
    )
    passed, findings = json.loads(done.stdout)
    return passed, {rule: (code, severity, message) for rule, code, severity, message in findings}


def test_installed_rules_look_and_what_goes_wrong_in_them_is_an_error(tmp_path: Path) -> None:
    store, _ = stored(tmp_path)
    store.close()
    site = install(tmp_path, 'lost = "house_rules:NOT_THERE"\ntaken = "house_rules:TAKEN"')
    passed, found = judged_with(site, tmp_path / "store")
    assert not passed
    assert found["short-prompt"] == ("short_prompt", "warning", "U2 is short")
    for rule, why in (
        ("broken-rule", "LookupError: nobody is home"),
        ("odd-rule", "it yielded str, and not Noticed"),
        ("quitting-rule", "SystemExit: 0"),
    ):
        code, severity, message = found[rule]
        assert (code, severity) == ("rule_failed", "error")
        assert rule in message
        assert why in message
    assert "has no attribute" in found["lost"][2]
    assert found["taken"][:2] == ("rule_failed", "error")


def test_installed_rules_can_be_set_and_ignored_like_others(tmp_path: Path) -> None:
    settings = """
[closeout]
ignore = ["broken-rule", "odd-rule", "quitting-rule"]
[closeout.severity]
short-prompt = "note"
"""
    store, _ = stored(tmp_path, settings)
    store.close()
    passed, found = judged_with(install(tmp_path), tmp_path / "store")
    assert passed
    assert found == {"short-prompt": ("short_prompt", "note", "U2 is short")}


def test_a_rule_that_fails_cannot_be_made_a_note(tmp_path: Path) -> None:
    settings = """
[closeout]
ignore = ["short-prompt", "odd-rule", "quitting-rule"]
[closeout.severity]
broken-rule = "note"
"""
    store, _ = stored(tmp_path, settings)
    store.close()
    passed, found = judged_with(install(tmp_path), tmp_path / "store")
    assert not passed
    assert found["broken-rule"][1] == "error"
