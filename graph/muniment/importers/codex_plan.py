"""The plan tool of Codex (`update_plan`): a list of steps, given whole each time, as tasks and their moves.

* A step is known by its text: `plan:<stream>:<digest of the text>`.
* A step that was settled or cancelled and is listed anew as open is a new task: its id has a counter (`:2`).
* A step that is no longer listed, and was not settled, is cancelled.
* The same text twice in one list is two tasks.
"""

from __future__ import annotations

from muniment.digest import digest_of
from muniment.importers.codex_state import Line, Step, rows, text_of
from muniment.model.records import Record, TaskMoved, TaskStated

_STATES = {"pending": "open", "in_progress": "active", "completed": "settled"}
_OVER = ("settled", "cancelled")


def plan_moves(plan: dict[str, Step], line: Line, steps: object, call: str) -> list[Record]:
    """Return what a new list says of the tasks, and bring the plan up to it; `call` is the call's id."""
    found: list[Record] = []
    listed: dict[str, int] = {}
    for row in rows(steps):
        text = (text_of(row.get("step")) or "").strip()
        if not text:
            continue
        to = _STATES.get(text_of(row.get("status")) or "", "open")
        key = _key(text)
        listed[key] = listed.get(key, 0) + 1
        if listed[key] > 1:
            key = _key(f"{text}\0{listed[key]}")
            listed[key] = 1
        step = plan.get(key)
        if step is None or (step.to in _OVER and to not in _OVER):
            step = _stated(plan, line, key, text)
            found.append(_task(line, step))
        if step.to != to:
            found.append(_move(line, step, to, f"{call}:move:{len(found)}"))
    for key, step in plan.items():
        if key not in listed and step.to not in _OVER:
            found.append(_move(line, step, "cancelled", f"{call}:move:{len(found)}"))
    return found


def _stated(plan: dict[str, Step], line: Line, key: str, text: str) -> Step:
    earlier = plan.get(key)
    times = earlier.times + 1 if earlier is not None else 1
    task = f"plan:{line.entry.stream}:{key}" + (f":{times}" if times > 1 else "")
    step = plan[key] = Step(task=task, to="open", text=text, times=times)
    return step


def _task(line: Line, step: Step) -> TaskStated:
    return TaskStated(
        id=step.task,
        by="agent",
        session=line.entry.session,
        agent=line.entry.stream,
        clock=line.clock,
        turn=line.turn,
        text=step.text,
    )


def _move(line: Line, step: Step, to: str, ident: str) -> TaskMoved:
    step.to = to
    return TaskMoved(
        id=ident,
        by="agent",
        session=line.entry.session,
        agent=line.entry.stream,
        clock=line.clock,
        turn=line.turn,
        task=step.task,
        to=to,
        text=step.text,
    )


def _key(text: str) -> str:
    return str(digest_of(text.encode("utf-8", "surrogatepass")))[:16]
