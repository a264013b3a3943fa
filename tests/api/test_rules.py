"""`muniment rules`, the options of closeout that name rules, and rules over GraphQL and MCP."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client

from muniment.closeout.rules.pages import page
from muniment.closeout.rules.registry import BY_ID, RULES
from muniment_api.access import Policy
from tests.api.conftest import Ask, Run
from tests.api.service import asking
from tests.api.test_mcp import in_memory
from tests.support.hooking import serving
from tests.support.installed_rules import environment, install

SETTINGS = """
[closeout]
ignore = ["task-open"]
required-commands = ["make lint"]
[closeout.severity]
conflict = "error"
[[closeout.cypher]]
id = "no-edits"
severity = "error"
message = "{r.handle} is an edit"
query = '''MATCH (r:Node {kind: "receipt"}) WHERE r.mission = $mission AND r.data CONTAINS '"name":"Edit"'
RETURN r.id, r.handle'''
"""


def rows(answer: dict[str, object]) -> dict[str, str]:
    return {row["id"]: row["severity"] for row in answer["rules"]}  # type: ignore[attr-defined]


def findings(answer: dict[str, object]) -> list[tuple[str, str]]:
    return [(found["rule"], found["severity"]) for found in answer["findings"]]  # type: ignore[attr-defined]


def errors(answer: dict[str, object]) -> list[str]:
    return [rule for rule, severity in findings(answer) if severity == "error"]


def test_all_rules_are_listed_in_their_order(ask: Ask, run: Run) -> None:
    assert list(rows(ask("rules"))) == [rule.id for rule in RULES]
    done = run("rules")
    assert "stale-receipt" in done.stdout
    assert f"{len(RULES)} rules, by no settings" in done.stderr


def test_a_rule_is_shown_as_its_page_says(run: Run, ask: Ask) -> None:
    assert run("rules", "show", "task-open").stdout == page(BY_ID["task-open"])
    assert ask("rules", "show", "task-open")["why"] == BY_ID["task-open"].why


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("show", "task-opn"), "no rule 'task-opn'; did you mean task-open?"),
        (("show",), "name a rule"),
        (("list", "task-open"), "muniment rules show task-open"),
        (("--ignore", "nope"), "no rule 'nope'"),
        (("--config", "nowhere.toml"), "nowhere.toml: no such file"),
    ],
)
def test_wrong_use_is_told(run: Run, args: tuple[str, ...], told: str) -> None:
    done = run("rules", *args)
    assert done.exit_code == 2
    assert told in done.stderr


def test_the_settings_beside_the_store_are_listed(store: Path, ask: Ask) -> None:
    (store.parent / "muniment.toml").write_text(SETTINGS, encoding="utf-8")
    answer = ask("rules")
    found = rows(answer)
    assert (found["task-open"], found["conflict"], found["no-edits"]) == ("off", "error", "error")
    assert answer["settings"] == str(store.parent / "muniment.toml")
    assert rows(ask("rules", "--ignore", "no-edits"))["no-edits"] == "off"
    assert "MATCH" in str(ask("rules", "show", "no-edits")["page"])


def test_a_closeout_goes_by_the_settings_and_asks_an_engine(store: Path, ask: Ask) -> None:
    assert errors(ask("closeout", code=1)) == ["stale-receipt"]
    (store / "muniment.toml").write_text(SETTINGS, encoding="utf-8")
    found = errors(ask("closeout", code=1))
    assert "required-command" in found
    assert "no-edits" in found
    assert errors(ask("closeout", "--ignore", "no-edits", "--ignore", "required-command", code=1)) == ["stale-receipt"]
    assert ("no-edits", "error") in findings(ask("closeout", "--select", "no-edits", code=1))


def test_what_is_about_proof_cannot_be_ignored(run: Run) -> None:
    done = run("closeout", "--ignore", "stale-receipt")
    assert done.exit_code == 2
    assert "cannot be ignored" in done.stderr


def test_settings_that_are_not_understood_fail_a_closeout(store: Path, run: Run) -> None:
    (store / "muniment.toml").write_text("[closeout]\nselct = []\n", encoding="utf-8")
    done = run("closeout")
    assert done.exit_code == 2
    assert "muniment.toml, line 2: no key 'selct'" in done.stderr


def test_another_file_of_settings_can_be_named(store: Path, tmp_path: Path, ask: Ask) -> None:
    (store / "muniment.toml").write_text(SETTINGS, encoding="utf-8")
    other = tmp_path / "other.toml"
    other.write_text("[closeout]\nselect = []\n", encoding="utf-8")
    found = ask("closeout", "--config", str(other), code=1)
    assert findings(found) == [("no-rules", "error")]


def test_a_server_goes_by_the_same_settings(store: Path, ask: Ask) -> None:
    (store / "muniment.toml").write_text(SETTINGS, encoding="utf-8")
    alone = ask("closeout", code=1)
    with serving(store):
        assert ask("closeout", code=1)["findings"] == alone["findings"]
        narrowed = findings(ask("closeout", "--select", "no-edits", code=1))
    assert ("no-edits", "error") in narrowed


def test_installed_rules_are_listed_and_what_cannot_be_had_is_told(store: Path, tmp_path: Path) -> None:
    site = install(tmp_path, 'lost = "house_rules:NOT_THERE"')
    command = [sys.executable, "-m", "muniment_api", "--store", str(store), "rules", "--json"]
    done = subprocess.run(command, env=environment(site), capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert {row["id"] for row in answer["rules"] if row["origin"] == "installed"} == {
        *("short-prompt", "broken-rule", "odd-rule", "quitting-rule"),
    }
    assert len(answer["faults"]) == 1


def test_graphql_lists_the_rules_and_names_them_in_findings(store: Path) -> None:
    (store / "muniment.toml").write_text('[closeout]\nignore = ["conflict"]\n', encoding="utf-8")
    with asking(store, Policy(project="/projects/pricelist")) as served:
        found = served.data("{ rules { id severity origin sound tags codes why fix page } }")["rules"]
    assert isinstance(found, list)
    listed = {row["id"]: row for row in found}
    assert list(listed) == [rule.id for rule in RULES]
    assert listed["conflict"]["severity"] == "off"
    assert listed["stale-receipt"]["sound"] is True


def test_a_model_can_read_why_a_rule_is_there(store: Path) -> None:
    async def read(client: Client) -> str:
        result = await client.read_resource("muniment://rule/stale-receipt")
        return str(getattr(result.contents[0], "text", ""))

    async def judged(client: Client) -> str:
        result = await client.call_tool("closeout", {})
        return str(result.structured_content)

    assert in_memory(store, read) == page(BY_ID["stale-receipt"])
    assert "(stale-receipt)" in in_memory(store, judged)
