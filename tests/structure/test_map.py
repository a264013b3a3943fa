"""The tables in graph/README.md and api/README.md are those of the code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from muniment import errors
from muniment.importers import FORMATS
from muniment.model.edges import FAMILIES, JOINS
from muniment.model.nodes import NODE_TYPES, kind_of
from muniment_api.exits import CODES, MEANINGS, exit_of
from tests.structure.source_tree import ROOT

MAP = ROOT / "graph" / "README.md"
API = ROOT / "api" / "README.md"


def rows(file: Path, first_header: str) -> list[list[str]]:
    """Return the rows of the table whose first column has this header, cells without back-ticks."""
    text = file.read_text(encoding="utf-8")
    match = re.search(rf"^\| {re.escape(first_header)} \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert match is not None, f"{file.name} has no table with the column {first_header}"
    return [[cell.strip().replace("`", "") for cell in line.strip("|\n").split("|")] for line in match[1].splitlines()]


def test_the_node_table_lists_all_kinds_in_their_order() -> None:
    assert [row[:3] for row in rows(MAP, "node")] == [
        [kind.__name__, kind_of(kind), kind.letter] for kind in NODE_TYPES
    ]


def test_the_edge_table_lists_all_kinds_and_what_they_join() -> None:
    table = [row[:4] for row in rows(MAP, "edge")]
    assert table == [
        [kind.value, FAMILIES[kind].value, ", ".join(sorted(JOINS[kind][0])), ", ".join(sorted(JOINS[kind][1]))]
        for kind in JOINS
    ]


def test_the_table_of_exit_codes_is_the_programs() -> None:
    assert [row[:2] for row in rows(API, "exit code")] == [
        [str(int(code)), meaning.replace("`", "")] for code, meaning in MEANINGS.items()
    ]


def test_the_table_of_errors_is_the_programs() -> None:
    table = [row[:3] for row in rows(API, "error")]
    assert table == [[cls.__name__, cls.code, str(int(code))] for cls, code in CODES.items()]


def test_every_error_has_an_exit_code_of_its_own() -> None:
    classes = [cls for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, errors.EvidenceError)]
    assert set(classes) - {errors.EvidenceError} == set(CODES)


def test_an_error_that_is_not_listed_exits_as_its_parent_does() -> None:
    class NewError(errors.BusyError):
        pass

    assert exit_of(NewError("x")) == CODES[errors.BusyError]


def test_the_table_of_layers_is_the_contract_of_the_linter() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    contract = next(found for found in contracts if found.get("containers") == ["muniment"])
    table = [{name.strip(" /") for name in row[0].split(",")} for row in rows(MAP, "layer")]
    assert table == [{name.strip() for name in line.split("|")} for line in contract["layers"]]


def test_the_table_of_formats_is_the_programs() -> None:
    table = [row[:2] for row in rows(ROOT / "README.md", "`--format`")]
    assert table == [[known.short, known.title] for known in FORMATS]


@pytest.mark.parametrize("file", [MAP, ROOT / "graph" / "DECISIONS.md", API, ROOT / "README.md"])
def test_every_file_that_a_text_names_is_there(file: Path) -> None:
    named = re.findall(r"`((?:graph|api|tests)/[\w./-]+)`", file.read_text(encoding="utf-8"))
    assert not [name for name in named if not (ROOT / name).exists()]
