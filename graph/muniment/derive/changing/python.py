"""What a Python text changes, by its tree; nothing of it is run, and what may never be reached counts as run.

* Importing runs what stands at the top of a module of the project, where its text is known; functions that it only
  defines are not run. One that is not known may do anything if its name says that it changes something.
* Reading, printing and importing anything else is no effect. A file opened to be written, and what the library moves,
  makes and removes, is written: by its name where that is a literal. A command that it runs has its own effect.
* Functions of the text itself are its own statements. Those of known libraries are taken at their names: one that says
  that it writes may do anything. So may calls into any other module.
* What is called by a name that is made at run time may do anything, and so may a text that is no Python.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable
from typing import Final

from muniment.derive.changing import python_tables as tables
from muniment.derive.changing.effect import ANYTHING, NOTHING, OUTSIDE_ALONE, SOMETHING, Command, Effect, together
from muniment.derive.changing.python_imports import imported_modules, run_at_import
from muniment.derive.changing.python_names import IMPORTERS, Names, flat, text_of
from muniment.derive.python_tree import PythonTree, python_tree

Asking = Callable[[str, Command], Effect]
"""The effect of a shell line in the place of a command."""

_MODE: Final = re.compile(r"[rwaxbtU+]{1,4}(?::\w*)?\Z")

_WRITE_MODE: Final = re.compile(r"(?:[wax][bt]?\+?|[rwax]\+[bt]?|r[bt]\+)\Z")

_LONGEST = 200_000
_MOST_MODULES: Final = 20
"""Modules that import one another, beyond which nobody looks."""

_NAMED: Final = frozenset({ast.Name, ast.Attribute})


def python_effect(text: str, command: Command, asking: Asking) -> Effect:
    """Return the effect of running a Python text in the place of a command."""
    tree = python_tree(text) if len(text) <= _LONGEST else None
    if tree is None:
        return ANYTHING
    return together([_Reader(tree, command, asking).effect(), *_imported(tree, command, asking, frozenset())])


def _imported(tree: PythonTree, command: Command, asking: Asking, met: frozenset[str]) -> list[Effect]:
    """Return the effects of the modules of the project that a text imports, and of those that they import."""
    effects: list[Effect] = []
    for module in dict.fromkeys(imported_modules(tree.nodes)):
        if module in met or len(met) >= _MOST_MODULES or module.split(".", 1)[0] in tables.KNOWN:
            continue
        met |= {module}
        path = module.replace(".", "/")
        text = command.text_of(f"{path}.py") or command.text_of(f"{path}/__init__.py")
        if text is None:
            effects += [ANYTHING] if tables.may_change(module) and "." not in module else []
            continue
        whole = python_tree(text) if len(text) <= _LONGEST else None
        top = python_tree(run_at_import(whole.body)) if whole is not None else None
        if top is None:
            return [ANYTHING]
        effects += [_Reader(top, command, asking).effect(), *_imported(top, command, asking, met)]
    return effects


class _Reader:
    """Reads one text: first what its names stand for, then each of its calls."""

    def __init__(self, tree: PythonTree, command: Command, asking: Asking) -> None:
        self._nodes = tree.nodes
        self._naming = [node for node in self._nodes if type(node) in _NAMED]
        self._calls = [node for node in self._nodes if isinstance(node, ast.Call)]
        self._command = command
        self._asking = asking
        self._names = Names(self._nodes)
        self._bases = {id(node.value) for node in self._naming if isinstance(node, ast.Attribute)}
        self._bases |= {id(node.value) for node in self._nodes if isinstance(node, ast.Assign)}

    def effect(self) -> Effect:
        """Return the effect of all that the text does."""
        called = {id(node.func) for node in self._calls}
        effects = [self._call(node) for node in self._calls]
        effects += [
            ANYTHING
            for node in self._naming
            if isinstance(node, ast.Name | ast.Attribute) and id(node) not in called and self._is_dangerous(node)
        ]
        return together(effects)

    def _is_dangerous(self, node: ast.Name | ast.Attribute) -> bool:
        """Tell whether something that changes things is named without being called: somebody else may call it."""
        name = self._names.dotted(node)
        if isinstance(node, ast.Name) and node.id == "__builtins__":
            return True
        if name is None or isinstance(node.ctx, ast.Store):
            return False
        if name in tables.MODULES:
            return id(node) not in self._bases
        if name in ("sys.modules", *tables.OPENERS):
            return True
        return name in tables.RUNS or name in tables.PATH_CALLS or (name in tables.ANYTHING and "." in name)

    def _call(self, node: ast.Call) -> Effect:
        name = self._names.dotted(node.func)
        if name is not None:
            return self._named(name, node)
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func)
        if isinstance(node.func, ast.Name):
            return self._own_call(node.func)
        return NOTHING if isinstance(node.func, ast.Lambda) else ANYTHING

    def _own_call(self, func: ast.Name) -> Effect:
        """A function or variable of the text: what the text defines is read where it is defined."""
        values = self._names.values.get(func.id, [])
        if any(isinstance(value, ast.Call | ast.Subscript) and not self._makes_harmless(value) for value in values):
            return ANYTHING
        return ANYTHING if self._names.starred and func.id not in self._names.own and not values else NOTHING

    def _makes_harmless(self, value: ast.expr) -> bool:
        name = self._names.dotted(value.func) if isinstance(value, ast.Call) else None
        return name is not None and name not in ("getattr", "importlib.import_module", "__import__")

    def _named(self, name: str, node: ast.Call) -> Effect:
        name = _plain_name(name)
        if name in tables.ANYTHING or (name in ("importlib.import_module", "__import__") and not text_of(node, 0)):
            return ANYTHING
        if name in tables.OPENERS:
            return self._opened(node)
        if name in tables.RUNS:
            return self._ran(node)
        if name in tables.PATH_CALLS:
            return self._paths(name, node)
        if name in tables.SOMEWHERE:
            return SOMETHING
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
        if _opens_to_write(node):
            return SOMETHING
        if not tables.may_change(last) or last[:1].isupper() or self._writes_to_memory(node):
            return NOTHING
        return NOTHING if last == "dump" and len(node.args) == 1 and not _is_given(node, "stream") else ANYTHING

    def _writes_to_memory(self, node: ast.Call) -> bool:
        """Tell whether an argument of a call is an open file, standard output or a buffer: that is what it writes."""
        return any(self._is_handle(argument) for argument in node.args) or any(
            self._is_handle(keyword.value) for keyword in node.keywords
        )

    def _is_handle(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            name = self._names.dotted(node.func) or ""
            method = isinstance(node.func, ast.Attribute) and node.func.attr == "open"
            return method or name in tables.OPENERS | tables.MEMORY or tables.TEMPORARY.match(name) is not None
        if isinstance(node, ast.Attribute):
            return self._names.dotted(node) in tables.MEMORY
        values = self._names.values.get(node.id, []) if isinstance(node, ast.Name) else []
        return bool(values) and all(not isinstance(value, ast.Name) and self._is_handle(value) for value in values)

    def _method(self, node: ast.Call, func: ast.Attribute) -> Effect:
        """A method of some value."""
        name = func.attr
        if isinstance(func.value, ast.Call) and self._names.dotted(func.value.func) in IMPORTERS:
            return ANYTHING
        if name in self._names.own and self._is_own_value(func.value):
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
        if _opens_to_write(node):
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
        dotted = self._names.dotted(func.value)
        if dotted is not None and dotted.startswith(("sys.stdout", "sys.stderr")):
            return NOTHING
        known = isinstance(func.value, ast.Name) and func.value.id not in self._names.values
        return NOTHING if known else SOMETHING  # a parameter: who calls has opened it, and was counted there

    def _is_text_method(self, node: ast.Call) -> bool:
        return bool(node.args) and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, int)

    def _is_own_value(self, node: ast.expr) -> bool:
        """Tell whether a method's value is of a class of the text."""
        if isinstance(node, ast.Name) and node.id in ("self", "cls"):
            return True
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and node.func.id in self._names.own
        values = self._names.values.get(node.id, []) if isinstance(node, ast.Name) else []
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
        if name == "sqlite3.connect" and text_of(node, 0) == ":memory:":
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
        texts = self._names.literals(target, 0) if target is not None else None
        if texts is None:
            return SOMETHING
        return self._command.made(*texts) if makes else self._command.wrote(*texts)

    def _ran(self, node: ast.Call) -> Effect:
        argument = node.args[0] if node.args else None
        if isinstance(argument, ast.Name) and len(self._names.values.get(argument.id, [])) == 1:
            argument = self._names.values[argument.id][0]
        if _is_given(node, "cwd") or argument is None:
            return ANYTHING
        if isinstance(argument, ast.List | ast.Tuple):
            words = [flat([self._names.literals(part, 0)]) for part in argument.elts]
            texts = [found[0] for found in words if found is not None and len(found) == 1]
            return self._asking(shlex.join(texts), self._command) if len(texts) == len(words) else ANYTHING
        texts_of = self._names.literals(argument, 0)
        return together(self._asking(text, self._command) for text in texts_of) if texts_of is not None else ANYTHING


def _plain_name(name: str) -> str:
    """`builtins.open` is `open`, `posix.remove` and `os.path.os.remove` are `os.remove`."""
    root, _, rest = name.partition(".")
    if root == "builtins":
        return rest
    last = name.rsplit(".", 1)[-1]
    inner = f"os.{last}"
    return inner if root in ("os", "posix", "nt") and (inner in tables.PATH_CALLS or inner in tables.RUNS) else name


def _opens_to_write(node: ast.Call) -> bool:
    """Tell whether a call of any name is given a mode to write in: `h5py.File("a", "w")`."""
    modes = [*node.args[1:], *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
    return any(isinstance(m, ast.Constant) and isinstance(m.value, str) and _WRITE_MODE.match(m.value) for m in modes)


def _is_given(node: ast.Call, argument: str) -> bool:
    return any(keyword.arg == argument for keyword in node.keywords)
