"""Python inside a shell line: which files it opens, and which lines of them it prints as they are.

* The program is parsed and never run. A program that does nothing but print one file, whole or a slice of its lines,
  shows these lines; one that prints each line behind its number shows them numbered.
* Any other program that opens files by literal names is a read of these paths, of lines that nobody knows.
"""

from __future__ import annotations

import ast
import re
from typing import Final, NamedTuple

from muniment.derive.python_tree import PythonTree, python_tree
from muniment.derive.reads.options import is_known, names, placed
from muniment.derive.reads.script import UNKNOWN
from muniment.derive.reads.spans import Op, Span
from muniment.derive.reads.streams import Lines, Noise, Stream

_WRITES: Final = re.compile(r"[wax+]")
_DISTURBS: Final = names("write writelines exit system run check_output seek readline next")
_NUMBERED: Final = r" *0*(\d+) *?{}(.*)\Z"


class _Shown(NamedTuple):
    """Lines of a file. `ended`: they have their line ends (of a text: its last line may have one); `extra`: the list
    may hold an empty text behind the last line.
    """

    path: str
    ops: tuple[Op, ...]
    ended: bool
    extra: bool = False


def python(words: tuple[str, ...], _: Stream | None, folder: str | None) -> Stream:
    """Return what a call of python shows: of `-c`, or of the program that it is fed as its last word here."""
    source = _source(words)
    if source is None:
        return (Noise(),)
    tree = python_tree(source)
    if tree is None:
        return (Noise(),)
    values = _values(tree)
    shown = _printed(tree, values)
    if shown is not None and is_known(placed(folder, shown.path)):
        return (Lines(path=placed(folder, shown.path), ops=shown.ops, of="python", ending=shown.ended),)
    paths = tuple(dict.fromkeys(placed(folder, path) for path in _opened(tree, values)))
    return (Noise(paths=paths),)


def _source(words: tuple[str, ...]) -> str | None:
    for place, word in enumerate(words[1:], start=1):
        if word == "-c" and place + 1 < len(words):
            return None if UNKNOWN in words[place + 1] else words[place + 1]
        if not word.startswith("-") and "\n" not in word:
            return None
    last = words[-1]
    return last if len(words) > 1 and "\n" in last and UNKNOWN not in last else None


def _values(tree: PythonTree) -> dict[str, ast.expr]:
    """Return what names stand for that are given a value once, at the top."""
    found: dict[str, ast.expr] = {}
    for node in tree.nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            found[name] = ast.Constant(value=None) if name in found else node.value
        elif isinstance(node, ast.With):
            found.update(
                (item.optional_vars.id, item.context_expr)
                for item in node.items
                if isinstance(item.optional_vars, ast.Name)
            )
    return found


def _behind(node: ast.expr, values: dict[str, ast.expr]) -> ast.expr:
    for _ in range(len(values) + 1):
        if not isinstance(node, ast.Name) or node.id not in values:
            break
        node = values[node.id]
    return node


def _path(node: ast.expr, values: dict[str, ast.expr]) -> str | None:
    """Return the path that `open(p)`, `Path(p)` or `Path(p).open()` opens for reading."""
    node = _behind(node, values)
    if not isinstance(node, ast.Call):
        return None
    name = _name(node.func)
    if name == "open" and isinstance(node.func, ast.Attribute) and not node.args:
        return _path(node.func.value, values)
    if name not in ("open", "Path", "PosixPath") or not node.args:
        return None
    mode = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "mode"), None)
    if isinstance(mode, ast.Constant) and isinstance(mode.value, str) and _WRITES.search(mode.value):
        return None
    first = _behind(node.args[0], values)
    if isinstance(first, ast.Call):
        return _path(first, values)
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def _opened(tree: PythonTree, values: dict[str, ast.expr]) -> list[str]:
    found: list[str] = []
    for node in tree.nodes:
        if not isinstance(node, ast.Call):
            continue
        name = _name(node.func)
        if name == "open" and (path := _path(node, values)):
            found.append(path)
        elif name in ("read_text", "read_bytes") and isinstance(node.func, ast.Attribute):
            found += [path] if (path := _path(node.func.value, values)) else []
        elif name in ("getline", "getlines") and node.args:
            first = _behind(node.args[0], values)
            found += [first.value] if isinstance(first, ast.Constant) and isinstance(first.value, str) else []
    return found


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _printed(tree: PythonTree, values: dict[str, ast.expr]) -> _Shown | None:
    """Return the file and the selection that the one print of a program shows."""
    prints = [node for node in tree.nodes if isinstance(node, ast.Call) and _name(node.func) == "print"]
    others = any(isinstance(n, ast.Call) and _name(n.func) in _DISTURBS for n in tree.nodes)
    if len(prints) != 1 or others or not all(_plain(statement) for statement in tree.body):
        return None
    call = prints[0]
    end = next((k.value for k in call.keywords if k.arg == "end"), None)
    bare = isinstance(end, ast.Constant) and end.value == ""
    if any(k.arg != "end" for k in call.keywords) or (end is not None and not bare):
        return None
    loop = next((n for n in tree.nodes if isinstance(n, ast.For)), None)
    if loop is not None:
        return _looped(loop, call, values, bare=bare) if _only(loop, call) else None
    shown = _text(call.args[0], values) if len(call.args) == 1 else None
    if shown is None or (bare and not shown.ended):
        return None
    return shown._replace(ended=shown.ended and not bare)


def _plain(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.With):
        return all(_plain(inner) for inner in statement.body)
    return isinstance(statement, ast.Import | ast.ImportFrom | ast.Assign | ast.Expr | ast.For)


def _text(node: ast.expr, values: dict[str, ast.expr]) -> _Shown | None:
    """What one printed expression is: a whole text, or joined lines. `ended`: its last line may have its end."""
    node = _behind(node, values)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr in ("read", "read_text"):
        path = _path(node.func.value, values)
        return _Shown(path, (), True) if path is not None else None
    joined = node.func.value
    if node.func.attr != "join" or len(node.args) != 1 or not isinstance(joined, ast.Constant):
        return None
    lines = _lines(node.args[0], values)
    if lines is None or joined.value != ("" if lines.ended else "\n"):
        return None
    return lines if lines.ended else lines._replace(ended=lines.extra)


def _lines(node: ast.expr, values: dict[str, ast.expr]) -> _Shown | None:
    """A list of lines: `readlines()`, `read().splitlines()`, `split("\\n")`, an open file, or a slice of one."""
    node = _behind(node, values)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        whole, span = _lines(node.value, values), _slice(node.slice)
        return whole._replace(ops=(*whole.ops, Op("keep", (span,)))) if whole is not None and span is not None else None
    if not isinstance(node, ast.Call):
        return None
    name = _name(node.func)
    if isinstance(node.func, ast.Attribute) and name in ("splitlines", "split"):
        by = node.args[0] if node.args else None
        if name == "split" and not (isinstance(by, ast.Constant) and by.value == "\n"):
            return None
        text = _text(node.func.value, values)
        return text._replace(ended=False, extra=name == "split") if text is not None and not text.ops else None
    if isinstance(node.func, ast.Attribute) and name == "readlines" and not node.args:
        path = _path(node.func.value, values)
    else:
        path = _path(node, values) if name == "open" else None
    return _Shown(path, (), True) if path is not None else None


def _slice(node: ast.Slice) -> Span | None:
    first, last = _number(node.lower, 0), _number(node.upper, None)
    if isinstance(first, str) or isinstance(last, str) or node.step is not None:
        return None
    begin = first + 1 if first is not None and first >= 0 else first or 1
    if last is None:
        return Span(begin, None)
    return Span(begin, last if last > 0 else last - 1) if last else None


def _number(node: ast.expr | None, default: int | None) -> int | str | None:
    """Return a literal number, the default for none, "?" for anything else."""
    if node is None:
        return default
    sign, inner = (-1, node.operand) if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else (1, node)
    if isinstance(inner, ast.Constant) and type(inner.value) is int:
        return sign * inner.value
    return "?"


def _only(loop: ast.For, call: ast.Call) -> bool:
    """Tell whether a loop does nothing but print, perhaps under one condition."""
    body = loop.body
    if len(body) == 1 and isinstance(body[0], ast.If) and not body[0].orelse:
        body = body[0].body
    return len(body) == 1 and isinstance(body[0], ast.Expr) and body[0].value is call


def _looped(loop: ast.For, call: ast.Call, values: dict[str, ast.expr], *, bare: bool) -> _Shown | None:
    """`for i, line in enumerate(lines, 1): print(i, line)`, or `for line in lines: print(line, end="")`."""
    over = _behind(loop.iter, values)
    under_condition = isinstance(loop.body[0], ast.If)
    if isinstance(over, ast.Call) and _name(over.func) == "enumerate" and over.args:
        shown = _enumerated(loop, over, call, values)
        some = (Op("some"),) if under_condition else ()
        return None if shown is None else shown._replace(ops=(*shown.ops, *some), ended=False)
    lines = _lines(over, values)
    if lines is None or under_condition or not isinstance(loop.target, ast.Name) or len(call.args) != 1:
        return None
    stripped = isinstance(call.args[0], ast.Call)
    fits = bare != stripped if lines.ended else not bare
    return lines._replace(ended=lines.extra) if fits and _is_line(call.args[0], loop.target.id) else None


def _enumerated(loop: ast.For, over: ast.Call, call: ast.Call, values: dict[str, ast.expr]) -> _Shown | None:
    lines = _lines(over.args[0], values)
    target = loop.target
    if lines is None or lines.ops or not isinstance(target, ast.Tuple) or len(target.elts) != len(("number", "line")):
        return None
    number, line = target.elts
    begins = over.args[1] if len(over.args) > 1 else next((k.value for k in over.keywords), None)
    first = _number(begins, 0)
    if not isinstance(number, ast.Name) or not isinstance(line, ast.Name) or not isinstance(first, int):
        return None
    separator = _separator(call, number.id, line.id, first)
    if separator is None:
        return None
    return lines._replace(ops=(Op("number", (), _NUMBERED.format(re.escape(separator))),))


def _separator(call: ast.Call, number: str, line: str, first: int) -> str | None:
    """Return what stands between number and line: `print(i, line)`, `print(f"{i}: {line}")`."""
    if len(call.args) == 2 and first == 1 and not any(k.arg == "sep" for k in call.keywords):
        return " " if _is_name(call.args[0], number) and _is_line(call.args[1], line) else None
    if len(call.args) != 1 or not isinstance(call.args[0], ast.JoinedStr):
        return None
    parts = call.args[0].values
    if len(parts) != len(("number", "between", "line")):
        return None
    head, between, tail = parts
    if not (isinstance(head, ast.FormattedValue) and isinstance(tail, ast.FormattedValue)):
        return None
    counts = _is_name(head.value, number) if first == 1 else first == 0 and _is_next(head.value, number)
    if counts and _is_line(tail.value, line) and isinstance(between, ast.Constant) and isinstance(between.value, str):
        return between.value if between.value and not between.value[0].isdigit() else None
    return None


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_next(node: ast.expr, name: str) -> bool:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return False
    return _is_name(node.left, name) and isinstance(node.right, ast.Constant) and node.right.value == 1


def _is_line(node: ast.expr, name: str) -> bool:
    """The line itself, or without its end; `strip` takes its indentation too."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rstrip":
        ends = len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and node.args[0].value in ("\n", "\r\n")
        return ends and _is_name(node.func.value, name)
    return _is_name(node, name)
