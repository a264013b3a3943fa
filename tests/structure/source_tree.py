"""The source tree, read and parsed once for all structure tests."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

ROOT = Path(__file__).parents[2]
PACKAGES = ("graph/muniment", "api/muniment_api")
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Documented: TypeAlias = Function | ast.ClassDef | ast.Module


class Source(NamedTuple):
    """One Python file: its path under the root, its text, its tree."""

    path: str
    text: str
    tree: ast.Module


@cache
def sources(*folders: str) -> tuple[Source, ...]:
    """Return the Python files of folders (default: of both packages)."""
    found = [file for folder in folders or PACKAGES for file in sorted((ROOT / folder).rglob("*.py"))]
    texts = [(file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")) for file in found]
    return tuple(Source(path, text, ast.parse(text)) for path, text in texts)


def functions(source: Source) -> Iterator[Function]:
    """Yield all functions and methods of a file."""
    return (node for node in ast.walk(source.tree) if isinstance(node, Function))


def body_lines(function: Function) -> int:
    """Return how many lines the body of a function has, without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return 0 if not body else (body[-1].end_lineno or 0) - body[0].lineno + 1


@cache
def tracked_texts() -> tuple[tuple[str, str], ...]:
    """Return path and text of each text file that the repository tracks, or has and does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    texts = []
    for name in listed.splitlines():
        data = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"\0"
        if b"\0" not in data[:8192]:
            texts.append((name, data.decode("utf-8", "replace")))
    return tuple(texts)
