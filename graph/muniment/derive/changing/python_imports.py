"""What a Python text imports, and what of a module's text runs when it is imported.

* At import all statements at the top run, but for the bodies of functions and what stands under `__name__`.
* Where they call a function that the module defines, all of its functions count as run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence


def imported_modules(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Return the modules that the nodes of a text import by their names, as written."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            yield node.module


def run_at_import(body: Sequence[ast.stmt]) -> str:
    """Return the text that an import of a module with these statements runs."""
    run = [part for statement in body for part in _run(statement)]
    own = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    called = {node.id for part in run for node in ast.walk(part) if isinstance(node, ast.Name)}
    kept: Sequence[ast.AST] = body if own & called else run
    return "\n".join(ast.unparse(part) for part in kept)


def _run(statement: ast.stmt) -> list[ast.AST]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return [*statement.decorator_list]
    if isinstance(statement, ast.ClassDef):
        return [*statement.decorator_list, *(part for inner in statement.body for part in _run(inner))]
    if isinstance(statement, ast.If) and "__name__" in {
        n.id for n in ast.walk(statement.test) if isinstance(n, ast.Name)
    }:
        return [*statement.orelse]
    return [statement]
