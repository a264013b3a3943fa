"""Files that the task in progress has worked on come before others that were touched later."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from muniment import EvidenceStore
from muniment.model.nodes import File, Task

LINES = "".join(f"line {number} of a file with some words in it\n" for number in range(60))


def recorded(folder: Path, engine: str | None = None) -> EvidenceStore:
    """Two files: one written for a task that is in progress, then another for none."""
    store = EvidenceStore.open(folder, create=True, engine=engine)
    base: dict[str, object] = {"session": "s", "by": "agent"}
    write = {**base, "kind": "tool_returned", "tool": "write", "effect": "writes"}
    store.record(
        [
            {"kind": "session_opened", "id": "o", "session": "s", "by": "harness", "root": "/w"},
            {**base, "kind": "task_stated", "id": "t", "by": "user", "text": "Make a.py faster"},
            {**base, "kind": "task_stated", "id": "other", "by": "user", "text": "Make b.py faster"},
            {**write, "id": "w1", "path": "a.py", "content": f"a\n{LINES}", "task": "t"},
            {**write, "id": "w2", "path": "b.py", "content": f"b\n{LINES}"},
        ]
    )
    return store


def most_shown(store: EvidenceStore, task: str) -> str:
    """Return the file of which a small view shows most lines."""
    view = store.view(store.missions()[0].mission, budget=700, task=task)
    shown: Counter[str] = Counter()
    for item in view.items:
        if item.lines is not None and item.path is not None:
            shown[item.path.rpartition("/")[2]] += item.lines[1] - item.lines[0] + 1
    return shown.most_common(1)[0][0]


def test_a_file_of_the_task_at_hand_comes_before_one_that_was_touched_later(tmp_path: Path) -> None:
    with recorded(tmp_path / "s") as store:
        assert most_shown(store, "t") == "a.py"
        assert most_shown(store, "other") == "b.py"


def test_what_a_task_has_worked_on_is_the_same_live_whole_and_in_the_engine(engine: str, tmp_path: Path) -> None:
    with recorded(tmp_path / "s") as store:
        mission = store.missions()[0].mission
        store.rebuild()
        tasks = {task.record: task.id for task in store.snapshot(mission).of_kind(Task)}
        files = {file.path.rpartition("/")[2]: file.id for file in store.snapshot(mission).of_kind(File)}
        views = [store.view(mission, budget=700, task=task) for task in ("t", "other")]
    for chosen in (None, engine):
        with EvidenceStore.open(tmp_path / "s", engine=chosen) as store:
            for reads in (store.live(mission), store.snapshot(mission)):
                assert reads.worked_on([tasks["t"]]) == {files["a.py"]}
                assert reads.worked_on([tasks["other"]]) == reads.worked_on([]) == set()
            assert [store.view(mission, budget=700, task=task) for task in ("t", "other")] == views
