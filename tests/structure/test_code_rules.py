"""Rules of the code that no linter here knows: sizes, names, imports, excepts, docstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.structure.source_tree import Documented, Function, Source, body_lines, functions, sources

FUNCTION_LINES = 60
FILE_LINES = 400
VALUE_FILE_LINES = 600
VALUE_FILES = {"graph/muniment/model/records.py", "graph/muniment/model/nodes.py"}
"""Flat lists of value classes."""
LATE_IMPORTS = {"graph/muniment/store.py"}
"""Files that may import inside functions: the store loads networkx only when a graph is asked for (140 ms)."""


def test_no_function_is_longer_than_60_lines() -> None:
    long = [
        f"{source.path}:{function.lineno} {function.name} has {body_lines(function)}"
        for source in sources("graph", "api", "tests")
        for function in functions(source)
        if body_lines(function) > FUNCTION_LINES
    ]
    assert not long


def test_no_file_is_longer_than_400_lines() -> None:
    long = [
        f"{source.path} has {source.text.count(chr(10))}"
        for source in sources("graph", "api", "tests")
        if source.text.count("\n") > (VALUE_FILE_LINES if source.path in VALUE_FILES else FILE_LINES)
    ]
    assert not long


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    names = {"utils", "util", "helpers", "helper", "misc", "common"}
    assert not [s.path for s in sources() if names & set(s.path.removesuffix(".py").split("/"))]


def test_imports_stand_at_the_top_of_files() -> None:
    late = [
        f"{source.path}:{node.lineno}"
        for source in sources()
        if source.path not in LATE_IMPORTS
        for function in functions(source)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not late


OTHERS_CODE = {"graph/muniment/crossings.py", "graph/muniment/rulebooks.py"}
"""Files that call what other people wrote, which may raise anything."""


def test_only_what_is_raised_again_is_caught_broadly() -> None:
    broad = [
        f"{source.path}:{handler.lineno}"
        for source in sources()
        if str(source.path) not in OTHERS_CODE
        for handler in ast.walk(source.tree)
        if isinstance(handler, ast.ExceptHandler) and _is_broad(handler) and not _raises_again(handler)
    ]
    assert not broad


def test_every_module_and_public_name_has_a_docstring() -> None:
    missing = [
        f"{source.path}:{getattr(node, 'lineno', 1)} {getattr(node, 'name', '')}".rstrip()
        for source in sources()
        for node in _public(source)
        if not ast.get_docstring(node)
    ]
    assert not missing


def test_the_environment_is_read_in_one_place() -> None:
    readers = [s.path for s in sources() if "os.environ" in s.text or "getenv" in s.text]
    assert readers == ["api/muniment_api/config.py", "api/muniment_api/hook_client.py"]  # the latter loads nothing


def _is_broad(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(names & {"Exception", "BaseException"})


def _raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _public(source: Source) -> Iterator[Documented]:
    yield source.tree
    for node in source.tree.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield node
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from (each for each in node.body if isinstance(each, Function) and not each.name.startswith("_"))
