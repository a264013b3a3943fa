"""What a Python text changes, by its tree; nothing of it is run, and what may never be reached counts as run.

* Reading, printing and importing is no effect. A file opened to be written, and what the library moves, makes and
  removes, is written: by its name where that is a literal. A command that it runs has its own effect.
* Functions of the text itself are its own statements. Those of known libraries are taken at their names: one that says
  that it writes may do anything. So may calls into any other module.
* What is called by a name that is made at run time may do anything, and so may a text that is no Python.
"""

from __future__ import annotations

import ast
import builtins
import posixpath
import re
import shlex
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from muniment.derive.changing import python_tables as tables
from muniment.derive.changing.effect import ANYTHING, NOTHING, OUTSIDE_ALONE, SOMETHING, Command, Effect, together
from muniment.shell.words import MADE_OUTSIDE

Asking = Callable[[str, Command], Effect]
"""The effect of a shell line in the place of a command."""

_MODE: Final = re.compile(r"[rwaxbtU+]{1,4}(?::\w*)?\Z")
_BUILTINS: Final = frozenset(dir(builtins))
_LONGEST = 200_000
_SOMETHING: Final = ast.Constant(value=None)
"""A value that nobody knows."""
_ANYTHING_AT_ALL: Final = "exec"
"""What a name stands for that is one thing here and another there."""


def python_effect(text: str, command: Command, asking: Asking) -> Effect:
    """Return the effect of running a Python text in the place of a command."""
    tree = _parsed(text) if len(text) <= _LONGEST else None
    return ANYTHING if tree is None else _Reader(tree, command, asking).effect()


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Reader:
    """Reads one text: first what its names stand for, then each of its calls."""

    def __init__(self, tree: ast.Module, command: Command, asking: Asking) -> None:
        self._nodes = list(ast.walk(tree))
        self._command = command
        self._asking = asking
        self._names: dict[str, str] = {}
        self._own: set[str] = set()
        self._values: dict[str, list[ast.expr]] = {}
        for node in self._nodes:
            self._note(node)
        for name, values in self._values.items():
            aliases = {self._dotted(value) for value in values if isinstance(value, ast.Name | ast.Attribute)} - {None}
            if aliases and name not in self._names:
                self._names[name] = str(min(map(str, aliases))) if len(values) == 1 else _ANYTHING_AT_ALL
        self._bases = {id(node.value) for node in self._nodes if isinstance(node, ast.Attribute)}
        self._bases |= {id(node.value) for node in self._nodes if isinstance(node, ast.Assign)}

    def effect(self) -> Effect:
        """Return the effect of all that the text does."""
        called = {id(node.func) for node in self._nodes if isinstance(node, ast.Call)}
        effects = [self._call(node) for node in self._nodes if isinstance(node, ast.Call)]
        effects += [
            ANYTHING
            for node in self._nodes
            if isinstance(node, ast.Name | ast.Attribute) and id(node) not in called and self._is_dangerous(node)
        ]
        return together(effects)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                self._imported(node, alias)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._own.add(node.name)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            values = node.iter.elts if isinstance(node.iter, ast.List | ast.Tuple) else [_SOMETHING]
            for value in values:
                self._bind(node.target, value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.withitem):
            self._note_one(node)

    def _imported(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> None:
        if isinstance(node, ast.ImportFrom):
            self._names[alias.asname or alias.name] = f"{node.module or '.'}.{alias.name}"
        else:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            self._names[alias.asname or name] = name

    def _note_one(self, node: ast.AnnAssign | ast.NamedExpr | ast.withitem) -> None:
        if isinstance(node, ast.withitem):
            if node.optional_vars is not None:
                self._bind(node.optional_vars, node.context_expr)
        elif node.value is not None:
            self._bind(node.target, node.value)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._values.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            for place, part in enumerate(target.elts):
                self._bind(part, parts[place] if parts is not None else _SOMETHING)

    def _dotted(self, node: ast.expr) -> str | None:
        """Return the full name of what an expression names by imports, None for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or (node.id in self._own and not parts):
            return None
        known = self._names.get(node.id)
        if known is None and (parts or node.id in self._values or node.id not in _BUILTINS):
            return None
        return ".".join([known or node.id, *reversed(parts)])

    def _is_dangerous(self, node: ast.Name | ast.Attribute) -> bool:
        """Tell whether something that changes things is named without being called: somebody else may call it."""
        name = self._dotted(node)
        if name is None or isinstance(node.ctx, ast.Store):
            return False
        if name in tables.MODULES:
            return id(node) not in self._bases
        return name in tables.RUNS or name in tables.PATH_CALLS or (name in tables.ANYTHING and "." in name)

    def _call(self, node: ast.Call) -> Effect:
        name = self._dotted(node.func)
        if name is not None:
            return self._named(name, node)
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func)
        if isinstance(node.func, ast.Name):
            return self._own_call(node.func)
        return NOTHING if isinstance(node.func, ast.Lambda) else ANYTHING

    def _own_call(self, func: ast.Name) -> Effect:
        """A function or variable of the text: what the text defines is read where it is defined."""
        values = self._values.get(func.id, [])
        if any(isinstance(value, ast.Call | ast.Subscript) and not self._makes_harmless(value) for value in values):
            return ANYTHING
        starred = any(name.endswith(".*") for name in self._names.values())
        return ANYTHING if starred and func.id not in self._own and not values else NOTHING

    def _makes_harmless(self, value: ast.expr) -> bool:
        name = self._dotted(value.func) if isinstance(value, ast.Call) else None
        return name is not None and name not in ("getattr", "importlib.import_module", "__import__")

    def _named(self, name: str, node: ast.Call) -> Effect:
        if name in tables.ANYTHING or (name in ("importlib.import_module", "__import__") and not self._text(node, 0)):
            return ANYTHING
        if name in tables.OPENERS:
            return self._opened(node)
        if name in tables.RUNS:
            return self._ran(node)
        if name in tables.PATH_CALLS:
            return self._paths(name, node)
        if tables.TEMPORARY.match(name):
            return ANYTHING if _is_given(node, "dir") else OUTSIDE_ALONE
        if tables.LOG_FILES.match(name) or (name == "logging.basicConfig" and _is_given(node, "filename")):
            return self._wrote(node.args[0] if node.args else None)
        return self._by_name(name, node)

    def _by_name(self, name: str, node: ast.Call) -> Effect:
        """A function of which only the name tells anything."""
        root, last = name.split(".", 1)[0], name.rsplit(".", 1)[-1]
        if name in tables.TEST_RUNS or "." not in name:
            return NOTHING
        if tables.REMOTE.match(name) and not tables.may_change(last):
            return OUTSIDE_ALONE
        if name.startswith("pathlib.") and last in tables.PATH_METHODS:
            return SOMETHING
        if root in tables.STANDARD:
            return NOTHING
        return self._of_library(last, node) if root in tables.LIBRARIES else ANYTHING

    def _of_library(self, last: str, node: ast.Call) -> Effect:
        if not tables.may_change(last) or last[:1].isupper():
            return NOTHING
        if self._writes_to_memory(node):
            return NOTHING
        return ANYTHING

    def _writes_to_memory(self, node: ast.Call) -> bool:
        """Tell whether an argument of a call is an open file, standard output or a buffer: that is what it writes."""
        return any(self._is_handle(argument) for argument in node.args) or any(
            self._is_handle(keyword.value) for keyword in node.keywords
        )

    def _is_handle(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            name = self._dotted(node.func) or ""
            method = isinstance(node.func, ast.Attribute) and node.func.attr == "open"
            return method or name in tables.OPENERS | tables.MEMORY or tables.TEMPORARY.match(name) is not None
        if isinstance(node, ast.Attribute):
            return self._dotted(node) in tables.MEMORY
        values = self._values.get(node.id, []) if isinstance(node, ast.Name) else []
        return bool(values) and all(not isinstance(value, ast.Name) and self._is_handle(value) for value in values)

    def _method(self, node: ast.Call, func: ast.Attribute) -> Effect:
        """A method of some value."""
        name = func.attr
        if isinstance(func.value, ast.Call) and self._dotted(func.value.func) in (
            "__import__",
            "importlib.import_module",
        ):
            return ANYTHING
        if name in self._own and self._is_own_value(func.value):
            return NOTHING
        if name in tables.HANDLE_METHODS:
            return self._handle_method(node, func)
        if name == "open":
            return self._opened(node, method=True)
        if name in tables.PATH_METHODS:
            return self._path_method(name, node, func)
        if name == "replace" and len(node.args) == 1 and not node.keywords:
            return SOMETHING  # a text's own takes two
        if name in ("extractall", "extract") and not self._is_text_method(node):
            return SOMETHING
        if not tables.may_change(name) or name[:1].isupper() or self._writes_to_memory(node):
            return NOTHING
        return NOTHING if name in tables.DATABASE_METHODS and self._in_memory() else ANYTHING

    def _handle_method(self, node: ast.Call, func: ast.Attribute) -> Effect:
        """Opened files were counted where they were opened; anything else that writes, writes somewhere."""
        if func.attr in ("flush", "close", "writerow", "writerows", "writeheader"):
            return NOTHING
        if self._is_handle(func.value) or self._writes_to_memory(node):
            return NOTHING
        dotted = self._dotted(func.value)
        if dotted is not None and dotted.startswith(("sys.stdout", "sys.stderr")):
            return NOTHING
        known = isinstance(func.value, ast.Name) and func.value.id not in self._values
        return NOTHING if known else SOMETHING  # a parameter: who calls has opened it, and was counted there

    def _is_text_method(self, node: ast.Call) -> bool:
        return bool(node.args) and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, int)

    def _is_own_value(self, node: ast.expr) -> bool:
        """Tell whether a method's value is of a class of the text."""
        if isinstance(node, ast.Name) and node.id in ("self", "cls"):
            return True
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and node.func.id in self._own
        values = self._values.get(node.id, []) if isinstance(node, ast.Name) else []
        return bool(values) and all(not isinstance(value, ast.Name) and self._is_own_value(value) for value in values)

    def _in_memory(self) -> bool:
        """Tell whether the text works on a database in memory, which is what its models save to."""
        return any(isinstance(node, ast.Constant) and node.value == ":memory:" for node in self._nodes)

    def _opened(self, node: ast.Call, *, method: bool = False) -> Effect:
        place = 0 if method else 1
        mode: ast.expr | None = node.args[place] if len(node.args) > place else None
        mode = next((keyword.value for keyword in node.keywords if keyword.arg in ("mode", "flag")), mode)
        if mode is None:
            return NOTHING
        text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else None
        if text is not None and method and not _MODE.match(text):
            return NOTHING
        if text is not None and not set(text.split(":")[0]) & set("wax+"):
            return NOTHING
        target = (
            node.func.value if method and isinstance(node.func, ast.Attribute) else node.args[0] if node.args else None
        )
        return self._wrote(target)

    def _paths(self, name: str, node: ast.Call) -> Effect:
        if name == "fileinput.input" and not _is_given(node, "inplace"):
            return NOTHING
        places = tables.PATH_CALLS[name]
        if len(node.args) <= max(places) or any(isinstance(argument, ast.Starred) for argument in node.args):
            return SOMETHING if node.args or node.keywords else NOTHING
        if name == "sqlite3.connect" and self._text(node, 0) == ":memory:":
            return NOTHING
        makes = name in ("os.mkdir", "os.makedirs")
        effects = [self._wrote(node.args[place], makes=makes) for place in places]
        return together(effects)

    def _path_method(self, name: str, node: ast.Call, func: ast.Attribute) -> Effect:
        if name == "rename" and (node.keywords or not node.args or isinstance(node.args[0], ast.Dict)):
            return NOTHING  # of a table's columns
        effects = [self._wrote(func.value, makes=name in ("mkdir", "makedirs"))]
        if name == "rename":
            effects.append(self._wrote(node.args[0]))
        return together(effects)

    def _wrote(self, target: ast.expr | None, *, makes: bool = False) -> Effect:
        texts = self._literals(target, 0) if target is not None else None
        if texts is None:
            return SOMETHING
        return self._command.made(*texts) if makes else self._command.wrote(*texts)

    def _text(self, node: ast.Call, place: int) -> str | None:
        argument = node.args[place] if len(node.args) > place else None
        return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None

    def _literals(self, node: ast.expr, depth: int) -> list[str] | None:
        """Return the texts that an expression may be, None where nobody can tell."""
        if depth > 6:
            return None
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            found = [self._literals(value, depth + 1) for value in self._values.get(node.id, [])]
            return _flat(found) if found else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Add):
            left, right = self._literals(node.left, depth + 1), self._literals(node.right, depth + 1)
            joins = isinstance(node.op, ast.Div)
            return _paired(left, right, joins=joins)
        if isinstance(node, ast.JoinedStr):
            return self._formatted(node, depth)
        if isinstance(node, ast.Call):
            return self._made_path(node, depth)
        return (
            self._literals(node.value, depth + 1) if isinstance(node, ast.Attribute) and node.attr == "name" else None
        )

    def _formatted(self, node: ast.JoinedStr, depth: int) -> list[str] | None:
        found: list[str] | None = [""]
        for part in node.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            found = _paired(found, self._literals(inner, depth + 1), joins=False)
        return found

    def _made_path(self, node: ast.Call, depth: int) -> list[str] | None:
        name = self._dotted(node.func)
        if name is not None and tables.TEMPORARY.match(name) and not _is_given(node, "dir"):
            return [MADE_OUTSIDE]
        if name in ("pathlib.Path", "os.path.join", "str", "os.path.abspath", "os.fspath", "pathlib.PurePath"):
            found: list[str] | None = [""]
            for argument in node.args:
                found = _paired(found, self._literals(argument, depth + 1), joins=True)
            return found
        return ["."] if name in ("os.getcwd", "pathlib.Path.cwd") else None

    def _ran(self, node: ast.Call) -> Effect:
        argument = node.args[0] if node.args else None
        if isinstance(argument, ast.Name) and len(self._values.get(argument.id, [])) == 1:
            argument = self._values[argument.id][0]
        if _is_given(node, "cwd") or argument is None:
            return ANYTHING
        if isinstance(argument, ast.List | ast.Tuple):
            words = [_flat([self._literals(part, 0)]) for part in argument.elts]
            texts = [found[0] for found in words if found is not None and len(found) == 1]
            return self._asking(shlex.join(texts), self._command) if len(texts) == len(words) else ANYTHING
        texts_of = self._literals(argument, 0)
        return together(self._asking(text, self._command) for text in texts_of) if texts_of is not None else ANYTHING


def _is_given(node: ast.Call, argument: str) -> bool:
    return any(keyword.arg == argument for keyword in node.keywords)


def _flat(found: list[list[str] | None]) -> list[str] | None:
    flat: list[str] = []
    for texts in found:
        if texts is None:
            return None
        flat += texts
    return flat


def _paired(left: list[str] | None, right: list[str] | None, *, joins: bool) -> list[str] | None:
    if left is None or right is None or len(left) * len(right) > 50:
        return None
    return [posixpath.join(a, b) if joins else a + b for a in left for b in right]
