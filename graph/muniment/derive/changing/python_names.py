"""What the names of a Python text stand for: imports, definitions, and the values that they are given."""

from __future__ import annotations

import ast
import builtins
import posixpath
from collections.abc import Sequence
from typing import Final

from muniment.derive.changing import python_tables as tables
from muniment.shell.words import MADE_OUTSIDE

IMPORTERS: Final = ("__import__", "importlib.import_module")
_BUILTINS: Final = frozenset(dir(builtins))
_SOMETHING: Final = ast.Constant(value=None)
"""A value that nobody knows."""
_GIVING: Final = frozenset(
    {
        *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.arg, ast.Assign),
        *(ast.For, ast.comprehension, ast.withitem, ast.AnnAssign, ast.NamedExpr, ast.AugAssign),
        *(ast.MatchAs, ast.MatchStar),
    }
)
"""Kinds of nodes that give a name something to stand for."""
_ANYTHING_AT_ALL: Final = "exec"
"""What a name stands for that is one thing here and another there."""


class Names:
    """The names of one text, wherever in it they are given."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self.own: set[str] = set()
        self.values: dict[str, list[ast.expr]] = {}
        self._names: dict[str, str] = {}
        for node in nodes:
            if type(node) in _GIVING:
                self._note(node)
        for name, values in self.values.items():
            self._note_module(name, values)
            aliases = {self.dotted(value) for value in values if isinstance(value, ast.Name | ast.Attribute)} - {None}
            if aliases and name not in self._names:
                self._names[name] = str(min(map(str, aliases))) if len(values) == 1 else _ANYTHING_AT_ALL

    @property
    def starred(self) -> bool:
        """Whether some module gave all its names."""
        return any(name.endswith(".*") for name in self._names.values())

    def _note_module(self, name: str, values: list[ast.expr]) -> None:
        """`m = importlib.import_module("os")` is another name of that module."""
        for value in values:
            if isinstance(value, ast.Call) and self.dotted(value.func) in IMPORTERS:
                text = text_of(value, 0)
                self._names[name] = text if text is not None and len(values) == 1 else _ANYTHING_AT_ALL

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                self._imported(node, alias)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self.own.add(node.name)
        elif isinstance(node, ast.arg):
            self.values.setdefault(node.arg, []).append(_SOMETHING)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            values = node.iter.elts if isinstance(node.iter, ast.List | ast.Tuple) else [_SOMETHING]
            for value in values:
                self._bind(node.target, value)
        else:
            self._note_one(node)

    def _imported(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> None:
        if isinstance(node, ast.ImportFrom):
            self._names[alias.asname or alias.name] = f"{node.module or '.'}.{alias.name}"
        else:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            self._names[alias.asname or name] = name

    def _note_one(self, node: ast.AST) -> None:
        if isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._bind(node.optional_vars, node.context_expr)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            self._bind(node.target, node.value)
        elif isinstance(node, ast.AugAssign):
            self._bind(node.target, _SOMETHING)
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
            self.values.setdefault(node.name, []).append(_SOMETHING)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.values.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, _SOMETHING)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            for place, part in enumerate(target.elts):
                self._bind(part, parts[place] if parts is not None else _SOMETHING)

    def dotted(self, node: ast.expr) -> str | None:
        """Return the full name of what an expression names by imports, None for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or (node.id in self.own and not parts):
            return None
        known = self._names.get(node.id)
        if known is None and (parts or node.id in self.values or node.id not in _BUILTINS):
            return None
        return ".".join([known or node.id, *reversed(parts)])

    def literals(self, node: ast.expr, depth: int) -> list[str] | None:
        """Return the texts that an expression may be, None where nobody can tell."""
        if depth > 6:
            return None
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            found = [self.literals(value, depth + 1) for value in self.values.get(node.id, [])]
            return flat(found) if found else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Add):
            left, right = self.literals(node.left, depth + 1), self.literals(node.right, depth + 1)
            joins = isinstance(node.op, ast.Div)
            return _paired(left, right, joins=joins)
        if isinstance(node, ast.JoinedStr):
            return self._formatted(node, depth)
        if isinstance(node, ast.Call):
            return self._made_path(node, depth)
        return self.literals(node.value, depth + 1) if isinstance(node, ast.Attribute) and node.attr == "name" else None

    def _formatted(self, node: ast.JoinedStr, depth: int) -> list[str] | None:
        found: list[str] | None = [""]
        for part in node.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            found = _paired(found, self.literals(inner, depth + 1), joins=False)
        return found

    def _made_path(self, node: ast.Call, depth: int) -> list[str] | None:
        name = self.dotted(node.func)
        if name is not None and tables.TEMPORARY.match(name) and not any(k.arg == "dir" for k in node.keywords):
            return [MADE_OUTSIDE]
        if name in ("pathlib.Path", "os.path.join", "str", "os.path.abspath", "os.fspath", "pathlib.PurePath"):
            found: list[str] | None = [""]
            for argument in node.args:
                found = _paired(found, self.literals(argument, depth + 1), joins=True)
            return found
        return ["."] if name in ("os.getcwd", "pathlib.Path.cwd") else None


def text_of(node: ast.Call, place: int) -> str | None:
    """Return an argument that is a literal text, None for any other."""
    argument = node.args[place] if len(node.args) > place else None
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None


def flat(found: list[list[str] | None]) -> list[str] | None:
    """Return all texts of some lists, None where one of them is not known."""
    known: list[str] = []
    for texts in found:
        if texts is None:
            return None
        known += texts
    return known


def _paired(left: list[str] | None, right: list[str] | None, *, joins: bool) -> list[str] | None:
    if left is None or right is None or len(left) * len(right) > 50:
        return None
    return [posixpath.join(a, b) if joins else a + b for a in left for b in right]
