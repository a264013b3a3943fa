"""Task lists of Claude Code: TodoWrite gives a whole list each time, TaskCreate and TaskUpdate one task.

* A todo is known by its words: `todo:<agent>:<digest of the words>`. An item that is gone while still open was
  cancelled. An item that had ended and is listed again as open is a new task, with a counter behind its id: an
  equal order given anew is never the old one.
* A created task is `task:<number>`, in parent and children alike: they share one list.
* An update that changed nothing (`updatedFields` empty: somebody else was first) still tells the task's state.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.digest import digest_of
from muniment.importers.claude_code_state import Item, OpenCall, State
from muniment.importers.lenient import mapping, objects, storable, string, strings
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import Record, TaskMoved, TaskStated

STATES: Final = {
    "pending": "open",
    "in_progress": "active",
    "completed": "settled",
    "deleted": "cancelled",
    "cancelled": "cancelled",
}
TOOLS: Final = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate"})
_ENDED: Final = frozenset({"settled", "cancelled"})
_NUMBER: Final = re.compile(r"(?:Task|Updated task) #(\w+)")


def task_records(call_id: str, call: OpenCall, told: JSON_OBJECT, text: str, state: State, agent: str) -> list[Record]:
    """Return what a successful call of a task tool did; `told` is the structured result, empty where missing."""
    if call.name == "TodoWrite":
        todos = objects(told, "newTodos") or objects(call.input, "todos")
        return _listed(call_id, todos, state.items.setdefault(agent, {}), agent)
    if call.name == "TaskCreate":
        return _created(call, told, text, state)
    return _updated(call_id, call, told, text, state)


def _listed(call_id: str, todos: list[JSON_OBJECT], items: dict[str, Item], agent: str) -> list[Record]:
    records: list[Record] = []
    seen = set()
    for todo in todos:
        words = str(storable(string(todo, "content")))
        to = STATES.get(string(todo, "status"))
        if not words or to is None or words in seen:
            continue
        seen.add(words)
        records += _item(call_id, len(records), words, to, items, agent)
    for words, item in items.items():
        if words not in seen and item.state not in _ENDED:
            item.state = "cancelled"
            records.append(_moved(call_id, len(records), item.task, "cancelled"))
    return records


def _item(call_id: str, number: int, words: str, to: str, items: dict[str, Item], agent: str) -> list[Record]:
    item = items.get(words)
    if item is not None and (item.state == to or (item.state in _ENDED and to in _ENDED)):
        return []
    if item is not None and item.state not in _ENDED:
        item.state = to
        return [_moved(call_id, number, item.task, to)]
    count = item.count + 1 if item is not None else 1
    name = f"todo:{agent}:{digest_of(words.encode('utf-8', 'replace'))[:16]}"
    task = name if count == 1 else f"{name}:{count}"
    items[words] = Item(task, to, count)
    stated = TaskStated(id=task, by="agent", text=words)
    return [stated] if to == "open" else [stated, _moved(call_id, number + 1, task, to)]


def _created(call: OpenCall, told: JSON_OBJECT, text: str, state: State) -> list[Record]:
    task = mapping(told, "task")
    match = _NUMBER.search(text)
    number = str(task.get("id", "")) or (match[1] if match else "")
    subject = string(call.input, "subject") or string(task, "subject")
    if not number or not subject:
        return []
    known = state.tasks.get(number)
    count = known.count + 1 if known is not None else 1
    name = f"task:{number}" if count == 1 else f"task:{number}:{count}"
    state.tasks[number] = Item(name, "open", count)
    description = string(call.input, "description")
    words = f"{subject}\n{description}" if description and description != subject else subject
    return [TaskStated(id=name, by="agent", text=words, depends_on=_named(strings(call.input, "blockedBy"), state))]


def _updated(call_id: str, call: OpenCall, told: JSON_OBJECT, text: str, state: State) -> list[Record]:
    match = _NUMBER.search(text)
    number = string(call.input, "taskId") or string(told, "taskId") or (match[1] if match else "")
    if not number or told.get("success") is False:
        return []
    to = STATES.get(string(mapping(told, "statusChange"), "to") or string(call.input, "status"))
    subject = string(call.input, "subject") or None
    item = state.tasks.setdefault(number, Item(f"task:{number}", "open"))
    if to is None and subject is None:
        return []
    item.state = to or item.state
    return [TaskMoved(id=f"{call_id}:task", by="agent", task=item.task, to=item.state, text=subject)]


def _named(numbers: tuple[str, ...], state: State) -> tuple[str, ...]:
    return tuple(state.tasks[number].task if number in state.tasks else f"task:{number}" for number in numbers)


def _moved(call_id: str, number: int, task: str, to: str) -> TaskMoved:
    return TaskMoved(id=f"{call_id}:task:{number}", by="agent", task=task, to=to)
