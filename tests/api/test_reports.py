"""`muniment closeout` in all its formats, to stdout and to files, and the workflow that the README shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tree_sitter
import tree_sitter_yaml
from click.testing import CliRunner

from muniment.closeout.reports.render import FORMATS
from muniment.model import records as r
from muniment.store import EvidenceStore
from muniment_api.cli import cli
from tests.api.conftest import Ask, Run
from tests.structure.source_tree import ROOT
from tests.structure.test_readme import blocks
from tests.structure.test_readme import run as run_at
from tests.support.report_checks import check, schema


@pytest.mark.parametrize("format_", FORMATS)
def test_each_format_comes_on_stdout_and_in_a_file_alike(run: Run, tmp_path: Path, format_: str) -> None:
    said = run("closeout", "--format", format_)
    assert said.exit_code == 1
    check(format_, said.stdout)
    file = tmp_path / "report"
    done = run("closeout", "--format", format_, "--output", str(file))
    assert (done.exit_code, done.stdout) == (1, "")
    assert file.read_bytes() == said.stdout_bytes


def test_several_reports_come_of_one_run(run: Run, tmp_path: Path) -> None:
    wanted = [f"--report={format_}={tmp_path / format_}" for format_ in FORMATS]
    done = run("closeout", *wanted)
    assert done.exit_code == 1
    assert done.stdout == run("closeout").stdout
    for format_ in FORMATS:
        check(format_, (tmp_path / format_).read_text(encoding="utf-8"))


def test_json_is_the_document_of_the_published_schema(run: Run, ask: Ask) -> None:
    schema().validate(ask("closeout", code=1))
    assert run("closeout", "--json").stdout == run("closeout", "--format", "json").stdout


def test_the_schema_command_prints_the_published_schema(run: Run) -> None:
    published = ROOT / "graph/muniment/closeout/reports/closeout.schema.json"
    assert run("schema", "closeout").stdout == published.read_text(encoding="utf-8")
    assert "type Query" in run("schema", "print").stdout


def test_a_proven_closeout_exits_with_0_in_every_format(tmp_path: Path) -> None:
    folder = tmp_path / "proven"
    written = r.ToolReturned(
        id="w", by="tool", session="s", tool="write", name="Write", path="a.txt", content="x\n", status="ok",
        effect="writes",
    )  # fmt: skip
    claim = r.ClaimMade(id="c", by="agent", session="s", type="file_written", path="a.txt")
    with EvidenceStore.open(folder, create=True) as store:
        store.record([r.SessionOpened(id="o", session="s", root="/repo"), written, claim], mission="m", project="p")
    for format_ in FORMATS:
        done = CliRunner().invoke(cli, ["--store", str(folder), "closeout", "--format", format_])
        assert done.exit_code == 0, done.output
        check(format_, done.stdout)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--format", "yaml"),
        ("--report", "sarif"),
        ("--report", "yaml=x"),
        ("--report", "sarif="),
        ("--json", "--format", "sarif"),
    ],
)
def test_wrong_use_is_told_and_writes_nothing(run: Run, tmp_path: Path, wrong: tuple[str, ...]) -> None:
    file = tmp_path / "report"
    done = run("closeout", *wrong, "--output", str(file))
    assert done.exit_code == 2
    assert not file.exists()


SETTINGS = """
[closeout]
ignore = ["task-open"]

[closeout.severity]
task-without-proof = "warning"

[[closeout.cypher]]
id = "no-pytest"
severity = "note"
message = "{r.handle} ran\\u0007"
query = "MATCH (r:Node {kind: 'receipt'}) WHERE r.mission = $mission AND r.tool = 'command' RETURN r.id, r.handle"
"""


def test_reports_tell_the_rules_of_the_store_as_they_are_set(run: Run, store: Path) -> None:
    usual = json.loads(run("closeout", "--format", "intoto").stdout)["predicate"]["configuration"][0]
    (store / "muniment.toml").write_text(SETTINGS, encoding="utf-8")
    done = run("closeout", "--format", "sarif")
    check("sarif", done.stdout)
    log = json.loads(done.stdout)["runs"][0]
    rules = {rule["id"]: rule for rule in log["tool"]["driver"]["rules"]}
    assert rules["task-open"]["defaultConfiguration"] == {"enabled": False}
    assert rules["task-without-proof"]["defaultConfiguration"] == {"level": "warning"}
    assert rules["stale-receipt"]["help"]["markdown"].startswith("# ")
    assert "MATCH (r:Node" in rules["no-pytest"]["help"]["markdown"]
    results = [result for result in log["results"] if result["ruleId"] == "no-pytest"]
    assert results
    assert rules["no-pytest"] == log["tool"]["driver"]["rules"][results[0]["ruleIndex"]]
    configured = json.loads(run("closeout", "--format", "intoto").stdout)["predicate"]["configuration"][0]
    assert configured["annotations"]["off"] == ["task-open"]
    assert configured["digest"] != usual["digest"]
    assert usual["annotations"]["off"] == []


def test_a_file_that_cannot_be_written_is_told(run: Run, tmp_path: Path) -> None:
    done = run("closeout", "--output", str(tmp_path / "no" / "folder" / "x"))
    assert done.exit_code == 1
    assert "No such file or directory" in done.stderr


def test_a_missing_store_exits_with_3_whatever_the_format(run: Run, tmp_path: Path) -> None:
    assert run("closeout", "--store", str(tmp_path / "none"), "--format", "sarif").exit_code == 3
    assert run("closeout", "--format", "sarif").exit_code == 1


@pytest.fixture
def home(tmp_path: Path, example: Path) -> Path:
    """A home with the bundled session where Claude Code keeps its own."""
    sessions = tmp_path / ".claude" / "projects" / "-projects-pricelist"
    sessions.mkdir(parents=True)
    (sessions / example.name).write_bytes(example.read_bytes())
    return tmp_path


def test_the_workflow_of_the_readme_is_yaml_and_its_commands_do_what_it_says(home: Path) -> None:
    (workflow,) = blocks("yaml")
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_yaml.language()))
    assert not parser.parse(workflow.encode()).root_node.has_error
    scripts = re.findall(r"^ +- run: (.+)$", workflow, re.MULTILINE)
    assert scripts[0] == "pip install muniment"
    codes = [run_at(["bash", "-ec", script], home).returncode for script in scripts[1:]]
    assert codes == [0, 1]
    (uploaded,) = re.findall(r"sarif_file: (\S+)", workflow)
    check("sarif", (home / uploaded).read_text(encoding="utf-8"))
    check("intoto", (home / "closeout.intoto.json").read_text(encoding="utf-8"))


def test_the_program_starts_without_loading_reports() -> None:
    told = "import sys, muniment_api.cli; print([m for m in sys.modules if 'reports' in m])"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
