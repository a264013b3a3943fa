"""`same`: whether things are equal: two records, one thing over a rebuild, one thing in two cases or at several sizes.

A value is plain data, so that it can be compared with one of another process.
"""

from __future__ import annotations

from collections.abc import Callable

from muniment.model.nodes import text_of
from muniment.payload_markers import text_bytes
from tests.cases.check_view import shown_records
from tests.cases.files import versions_read
from tests.cases.form import Case, Check
from tests.cases.outcome import CannotAskError, Result, WrongCaseError
from tests.cases.scene import Scene
from tests.cases.surfaces import answer_of

Value = object


def same(scene: Scene, check: Check) -> Result:
    """Equal, or not, as `value` says. Over sizes or with another case, the answer is only collected here."""
    result = Result(check=f"{check.check} {check.what}", value=value_of(scene, check))
    if check.over == "rebuild":
        before = scene.world.before.get(key_of(check))
        _compare(check, [before, result.value], result)
    elif check.over is None and check.with_case is None:
        found = result.value
        if not isinstance(found, list) or len(found) < 2:
            raise WrongCaseError("same compares at least two ids")
        _compare(check, found, result)
    return result


def compare(check: Check, values: list[Value]) -> list[str]:
    """Return what is wrong with values from several worlds."""
    result = Result(check=check.check)
    _compare(check, values, result)
    return result.wrong


def value_of(scene: Scene, check: Check) -> Value:
    """Return the value that is compared: one for each id where ids are compared."""
    reader = VALUES.get(check.what)
    if reader is None:
        raise WrongCaseError(f"same knows no {check.what!r}")
    return reader(scene, check.ids or ())


def note_before(scene: Scene, case: Case) -> None:
    """Note what will be compared after a rebuild, as it is before it."""
    for check in case.checks():
        if check.check == "same" and check.over == "rebuild" and key_of(check) not in scene.world.before:
            scene.world.before[key_of(check)] = value_of(scene, check)


def key_of(check: Check) -> str:
    """Return what names a comparison."""
    return f"{check.what} {','.join(check.ids or ())}"


def _compare(check: Check, values: list[Value], result: Result) -> None:
    equal = all(value == values[0] for value in values[1:])
    if equal != check.value:
        shown = " / ".join(repr(value)[:60] for value in dict.fromkeys(map(repr, values)))
        result.wrong.append(f"equal is {equal}, expected {check.value}: {shown}")


def _nodes(scene: Scene, ids: tuple[str, ...]) -> Value:
    return [sorted(node.id for node in scene.nodes(record)) or [f"none of {record}"] for record in ids]


def _contents(scene: Scene, ids: tuple[str, ...]) -> Value:
    return [_content(scene, record) for record in ids]


def _content(scene: Scene, record: str) -> Value:
    """Return the stored bytes of a record, and the digests of what it read or wrote."""
    node = scene.main(record)
    text = None if node is None else text_of(node)
    if node is None:
        raise CannotAskError("content of what makes no node")
    stored = b"" if text is None else text_bytes(scene.state(scene.mission_of(record)).text(text))
    return [stored, versions_read(scene, record)]


def _projects(scene: Scene, ids: tuple[str, ...]) -> Value:
    projects = {info.mission: info.project for info in scene.store.missions()}
    return [projects.get(scene.mission_of(record)) for record in ids]


def _answers(scene: Scene, ids: tuple[str, ...]) -> Value:
    return [answer_of(scene, record) for record in ids]


def _graph(scene: Scene, ids: tuple[str, ...]) -> Value:
    return [scene.store.graph_digest(mission) for mission in scene.missions()]


def _view(scene: Scene, ids: tuple[str, ...]) -> Value:
    view = scene.answers.view
    if view is None:
        ask = scene.ask("view")
        if ask is None:
            raise WrongCaseError("same view needs a view")
        view = scene.store.view(scene.world.current_mission(), task=ask.task, budget=ask.budget_tokens)
    return shown_records(scene, view, ids) if ids else view.text


VALUES: dict[str, Callable[[Scene, tuple[str, ...]], Value]] = {
    "node": _nodes,
    "ids": _nodes,
    "content": _contents,
    "project": _projects,
    "answer": _answers,
    "graph": _graph,
    "view": _view,
}
"""What is compared → how its value is read."""
