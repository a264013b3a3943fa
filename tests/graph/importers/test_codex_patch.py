"""Patches and plans of Codex."""

from __future__ import annotations

from muniment.importers.codex_patch import changes_of_event, changes_of_patch, hunks_of_diff, patch_in_shell
from muniment.model.records import FileChange, Hunk, TaskMoved, TaskStated
from tests.support.codex_rollout import call, meta, only, records_of

PATCH = """*** Begin Patch
*** Add File: new.txt
+one
+
+-three
*** Delete File: old.txt
*** Update File: src/a.py
*** Move to: src/b.py
@@ class A:
 def f():
-    return 1
+    return 2

@@
-x
*** End of File
*** End Patch"""


def test_a_patchs_text_gives_each_file_with_its_hunks_at_unknown_places() -> None:
    assert changes_of_patch(PATCH, "/repo") == (
        FileChange(path="/repo/new.txt", change="created", content="one\n\n-three\n"),
        FileChange(path="/repo/old.txt", change="deleted"),
        FileChange(
            path="/repo/src/a.py",
            change="renamed",
            to="/repo/src/b.py",
            hunks=(Hunk(0, 0, (" def f():", "-    return 1", "+    return 2", " ")), Hunk(0, 0, ("-x",))),
        ),
    )


def test_what_is_no_patch_changes_nothing() -> None:
    assert changes_of_patch("*** Begin Patch\nhello", "/repo") == ()
    assert changes_of_patch("", None) == ()


def test_a_reported_diff_has_its_line_numbers() -> None:
    first = "--- a\n+++ b\n@@ -3,2 +3,3 @@ def f():\n a\n+b\n c\n"
    diff = first + "@@ -9 +10 @@\n--- gone\n+++ here\n\\ No newline at end of file\n"
    assert hunks_of_diff(diff) == (Hunk(3, 3, (" a", "+b", " c")), Hunk(9, 10, ("--- gone", "+++ here")))


def test_an_insertion_stands_before_the_line_that_follows_it() -> None:
    assert hunks_of_diff("@@ -5,0 +6,1 @@\n+new\n") == (Hunk(6, 6, ("+new",)),)
    assert hunks_of_diff("@@ -0,0 +1,1 @@\n+new\n") == (Hunk(1, 1, ("+new",)),)


def test_the_runtimes_own_report_tells_what_was_before_and_where_a_file_went() -> None:
    told: dict[str, dict[str, object]] = {
        "/w/a": {"type": "delete", "content": "gone\n"},
        "/w/b": {"type": "add", "content": "new\n"},
        "/w/c": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "move_path": "/w/d"},
    }
    assert changes_of_event(told, "/w") == (
        FileChange(path="/w/a", change="deleted", before="gone\n"),
        FileChange(path="/w/b", change="created", content="new\n"),
        FileChange(path="/w/c", change="renamed", to="/w/d", hunks=(Hunk(1, 1, ("-x", "+y")),)),
    )


def test_windows_paths_stay_windows_paths() -> None:
    (change,) = changes_of_patch("*** Begin Patch\n*** Delete File: src/a.py\n*** End Patch\n", "C:\\app")
    assert change.path == "C:\\app\\src\\a.py"


def test_a_shell_command_that_only_names_the_tool_applies_nothing() -> None:
    assert patch_in_shell("echo apply_patch") is None
    assert patch_in_shell("ls") is None
    assert patch_in_shell(f"apply_patch <<EOF\n{PATCH}\nEOF\n") == (PATCH, None, True)


def test_a_plan_is_tasks_that_move_and_a_step_taken_up_again_is_a_new_task() -> None:
    def plan(ident: str, **steps: str) -> dict[str, object]:
        return call(ident, "update_plan", plan=[{"step": step, "status": status} for step, status in steps.items()])

    lines = [
        meta(),
        plan("p1", edit="in_progress", test="pending", dig="pending"),
        plan("p2", edit="completed", test="in_progress"),
        plan("p3", edit="completed", test="in_progress"),
        plan("p4", edit="pending", test="completed"),
    ]
    for save in (False, True):
        records = records_of(lines, save=save)
        stated = only(TaskStated, records)
        name = {task.id: f"{task.text}{'+' if task.id.endswith(':2') else ''}" for task in stated}
        assert list(name.values()) == ["edit", "test", "dig", "edit+"]
        assert [(name[moved.task], moved.to) for moved in only(TaskMoved, records)] == [
            ("edit", "active"),
            ("edit", "settled"),
            ("test", "active"),
            ("dig", "cancelled"),
            ("test", "settled"),
        ]
        assert all(moved.by == "agent" for moved in only(TaskMoved, records))


def test_the_same_step_twice_in_a_plan_is_two_tasks() -> None:
    steps = [{"step": "test", "status": "completed"}, {"step": "test", "status": "pending"}]
    records = records_of([meta(), call("p1", "update_plan", plan=steps)])
    assert len({task.id for task in only(TaskStated, records)}) == 2
    assert [moved.to for moved in only(TaskMoved, records)] == ["settled"]
