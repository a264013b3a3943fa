"""Notebooks: stored without outputs, and they run from top to bottom with no network and no error."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from tests.structure.source_tree import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

NO_NETWORK = """
import socket

def _refused(*_args, **_named):
    raise OSError("a notebook must not need the network")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = _refused
"""

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning", "default::ResourceWarning")


def read(path: Path) -> NotebookNode:
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


def executed(path: Path, prelude: str = "", **replaced: str) -> NotebookNode:
    """Run a notebook as it is stored, after `prelude`, with some cells' text replaced."""
    notebook = read(path)
    for cell in notebook.cells:
        for old, new in replaced.items():
            cell.source = cell.source.replace(old, new)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(prelude))
    return NotebookClient(notebook, timeout=120, kernel_name="python3").execute()


def outputs(notebook: NotebookNode) -> list[NotebookNode]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_there_are_notebooks() -> None:
    assert [path.name for path in NOTEBOOKS] == ["01_explore_a_session.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_stored_without_outputs_and_in_one_form(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert not outputs(notebook)
    assert all(cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert set(notebook.metadata.language_info) == {"name"}
    text = path.read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"
    assert "/home/" not in text
    assert "/Users/" not in text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_with_no_network_and_no_error(path: Path) -> None:
    found = outputs(executed(path, NO_NETWORK))
    assert not [output for output in found if output.output_type == "error" or output.get("name") == "stderr"]
    drawn = [output.data for output in found if "image/svg+xml" in output.get("data", {})]
    assert len(drawn) >= 6
    titles = " ".join(data["image/svg+xml"] for data in drawn)
    for told in ("The graph by kind", "Timeline", "Around F", "Where the support of", "by section", "Tokens by file"):
        assert told in titles


def test_the_cell_that_refuses_the_network_does_refuse_it() -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(NO_NETWORK + "\nsocket.create_connection(())")]
    )
    NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True).execute()
    assert [output.ename for output in outputs(notebook)] == ["OSError"]


@pytest.mark.sessions
def test_the_notebook_runs_on_a_session_of_ones_own(sessions: Path) -> None:
    own = min((sessions / "codex").glob("*.jsonl"), key=lambda path: path.stat().st_size)
    found = outputs(executed(NOTEBOOKS[0], NO_NETWORK, **{"SESSION = None": f"SESSION = {str(own)!r}"}))
    assert not [output for output in found if output.output_type == "error"]
    assert len([output for output in found if "image/svg+xml" in output.get("data", {})]) >= 4
