"""Hooks: a payload comes in, is recorded, and is answered in the runtime's dialect. Knows no server and no console.

* Every payload is recorded as it came, before anything else. Three events are answered, all others with nothing.
* `SessionStart` (at a start, a resumption and after a compaction) gives the view, as statements of fact, within what
  the runtime lets through: `LIMITS`. After a compaction the packet comes first that `PreCompact` put in force.
* `Stop` gives the closeout. It blocks where something was claimed since the user's last prompt and is unproven or
  contradicted; never twice in a row (`stop_hook_active`). That nothing was claimed blocks in strict mode only.
* `TaskCompleted` gives the closeout of that task, and blocks as `Stop` does; what a teammate settles is only recorded,
  since nothing on record would tell that it was held back before.
* Codex tells hooks no exit codes: at `Stop` its rollout is read first.
* At `Stop` and after each run of tests a digest of the workspace is taken and kept with the payload.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from muniment.capture.importing import Import
from muniment.capture.lines import Broken, objects_in
from muniment.derive.runs import run_of
from muniment.errors import BudgetInfeasibleError, EvidenceError, FieldError
from muniment.importers.hook_streams import BESIDE, beside
from muniment.importers.lenient import mapping, string
from muniment.model.entries import JSON_OBJECT
from muniment.model.ids import MissionId, mission_id
from muniment.model.nodes import Task
from muniment.store import EvidenceStore
from muniment_api.hook_packets import Limit, after_compaction, before_compaction, units
from muniment_api.hook_verdict import blocking_reason, task_reason
from muniment_api.spool import import_lines
from muniment_api.workspace import workspace_digest

LIMITS: Final = {"claude-code": Limit(2400, 9800), "codex": Limit(2300, 100_000)}
"""Claude Code takes 10,000 characters, Codex 2,500 tokens; what is over that is spilled to a file."""
TRIES: Final = 4
MOST_ROLLOUTS: Final = 16
_HEAD: Final = "Muniment, the evidence store of this session, has on record:"
_EMPTY: Final = "Muniment, the evidence store of this session, is recording. Nothing that bears on it is on record yet."
_TEST_EVENTS: Final = frozenset({"PostToolUse", "PostToolUseFailure"})
Answer = dict[str, object]


class Rollouts:
    """Rollouts that were read before: a longer one is read on from where it ended, for as long as the process lives."""

    def __init__(self) -> None:
        self._known: OrderedDict[Path, tuple[Import, int]] = OrderedDict()

    def read(self, store: EvidenceStore, mission: MissionId, path: Path) -> None:
        """Read what is new in a rollout; where it cannot be read, what it would say stays unknown."""
        with suppress(EvidenceError, OSError, ValueError):
            if not path.is_file():  # a pipe would never end
                return
            size = path.stat().st_size
            importing, before = self._known.pop(path, (None, 0))
            if importing is None or size < before:
                importing = store.importing(format="codex", mission=mission)
            importing.path(path, final=False)
            self._known[path] = (importing, size)
            while len(self._known) > MOST_ROLLOUTS:
                self._known.popitem(last=False)


def payload_of(data: bytes) -> Answer:
    """Return the payload that was sent.

    Raises:
        FieldError: it is no JSON object, or one that is nested too deeply to be kept.
    """
    found = objects_in(data.strip(), first=True)
    if isinstance(found, Broken):
        raise FieldError("", f"the payload is refused: {found.reason}")
    if len(found) != 1:
        raise FieldError("", f"expected one JSON object as payload, found {len(found)}")
    return found[0]


def mission_of(runtime: str, payload: Mapping[str, object]) -> MissionId:
    """Return the mission that a payload belongs to.

    Raises:
        FieldError: it names no session.
    """
    session = payload.get("session_id")
    if not isinstance(session, str) or not session:
        raise FieldError("session_id", "the payload names no session")
    return mission_id(runtime, session)


def answer(
    store: EvidenceStore, runtime: str, event: str, payload: Mapping[str, object], rollouts: Rollouts | None = None
) -> Answer:
    """Record a payload and return the answer; an empty one says nothing. `rollouts`: what this process has read before.

    Raises:
        EvidenceError: it cannot be recorded or answered.
    """
    mission = mission_of(runtime, payload)
    kept = {"hook_event_name": event, **payload}
    event = string(kept, "hook_event_name")
    kept = _with_workspace(kept, event)
    import_lines(store, runtime, string(kept, "session_id"), json.dumps(kept).encode("ascii"))
    if event == "SessionStart":
        return _started(store, runtime, mission, kept)
    if event == "PreCompact":
        before_compaction(store, mission, kept, LIMITS[runtime])
    if event == "TaskCompleted":
        return _settled(store, mission, kept)
    if event != "Stop":
        return {}
    if runtime == "codex" and (path := string(kept, "transcript_path")):
        (rollouts or Rollouts()).read(store, mission, Path(path))
    return _stopped(store, mission, kept)


def _with_workspace(payload: JSON_OBJECT, event: str) -> JSON_OBJECT:
    """Add a digest of the workspace where one is due."""
    command = string(mapping(payload, "tool_input"), "command")
    run = run_of(command) if event in _TEST_EVENTS and command else None
    root = string(payload, "cwd")
    if not root or not (event == "Stop" or (run is not None and run.family == "test")):
        return payload
    digest = workspace_digest(root)
    return payload if digest is None else {**payload, BESIDE: {**beside(payload), "workspace": digest}}


def _started(store: EvidenceStore, runtime: str, mission: MissionId, payload: JSON_OBJECT) -> Answer:
    limit = LIMITS[runtime]
    inside = Limit(limit.tokens, limit.characters - units(_HEAD) - 2)
    carried = after_compaction(store, mission, payload, inside)
    text = f"{_HEAD}\n\n{carried}" if carried else view_text(store, runtime, mission)
    return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}


def view_text(store: EvidenceStore, runtime: str, mission: MissionId) -> str:
    """Return the view of a mission as the runtime takes it in: tokens and characters within its limits."""
    limit = LIMITS[runtime]
    budget = limit.tokens
    for _ in range(TRIES):
        try:
            text = store.view(mission, budget=budget).text
        except BudgetInfeasibleError as error:
            return f"{_HEAD} more that binds than fits here ({error}). `muniment view --store ...` prints it."
        size = units(_HEAD) + units(text) + 2
        if size <= limit.characters:
            store.view(mission, budget=budget, emit=True)
            return f"{_HEAD}\n\n{text}" if text.strip() else _EMPTY
        budget = int(budget * limit.characters / size * 0.95)
    return f"{_HEAD} more than fits here. `muniment view` prints it."


def _stopped(store: EvidenceStore, mission: MissionId, payload: JSON_OBJECT) -> Answer:
    if payload.get("stop_hook_active") is True:
        return {}
    strict = beside(payload).get("strict") is True
    return _blocking(blocking_reason(store.closeout(mission), store.snapshot(mission), strict=strict))


def _settled(store: EvidenceStore, mission: MissionId, payload: JSON_OBJECT) -> Answer:
    record = f"task:{string(payload, 'task_id')}"
    snapshot = store.snapshot(mission)
    tasks = [task for task in snapshot.of_kind(Task) if task.record == record or task.record.startswith(f"{record}:")]
    if not tasks or string(payload, "teammate_name"):
        return {}
    return _blocking(task_reason(store.closeout(mission, task=tasks[-1].id), snapshot))


def _blocking(reason: str | None) -> Answer:
    return {} if reason is None else {"decision": "block", "reason": reason}
