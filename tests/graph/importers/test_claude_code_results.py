"""Tool results of Claude Code: reads, edits, commands, searches."""

from __future__ import annotations

import pytest

from muniment.model.records import CommitMade, FileChangedOutside, Hunk, ToolReturned
from tests.graph.importers.claude_lines import (
    Line,
    assistant,
    attachment,
    line,
    of,
    only,
    records_of,
    result,
    returned,
    use,
)

# ---- reads ----


def shown(content: str, start: int, count: int, total: int, **more: object) -> Line:
    file = {"filePath": "/repo/a.py", "content": content, "startLine": start, "numLines": count, "totalLines": total}
    return {"type": "text", "file": {**file, **more}}


READ = use("t1", "Read", file_path="/repo/a.py")
PART = use("t1", "Read", file_path="/repo/a.py", offset=2, limit=2)


def test_a_whole_file_has_no_lines_and_its_last_empty_line_is_none() -> None:
    read = returned(READ, result("t1", "…", shown("a\nb\n", 1, 3, 3)))
    assert (read.content, read.lines, read.total_lines, read.status, read.effect) == ("a\nb\n", None, 2, "ok", "none")
    bare = returned(READ, result("t1", "…", shown("a\nb", 1, 2, 2)))
    assert (bare.content, bare.lines, bare.total_lines) == ("a\nb", None, 2)
    empty = returned(READ, result("t1", "…", shown("", 1, 1, 1)))
    assert (empty.content, empty.lines, empty.total_lines) == ("", None, 0)


def test_a_part_of_a_file_has_its_lines_and_ends_each_that_the_file_goes_on_after() -> None:
    middle = returned(PART, result("t1", "…", shown("b\n", 2, 2, 9)))
    assert (middle.content, middle.lines) == ("b\n\n", (2, 3))
    end = returned(PART, result("t1", "…", shown("b\nc\n", 2, 3, 4)))
    assert (end.content, end.lines, end.total_lines) == ("b\nc\n", (2, 3), 3)
    unended = returned(PART, result("t1", "…", shown("b\nc", 2, 2, 3)))
    assert (unended.content, unended.lines, unended.total_lines) == ("b\nc", (2, 3), 3)


def test_content_that_does_not_fit_its_numbers_is_not_taken() -> None:
    cut = returned(READ, result("t1", "1→[redacted]", shown("[redacted]", 1, 5, 5)))
    assert (cut.content, cut.lines, cut.output) == (None, None, "1→[redacted]")
    beyond = returned(PART, result("t1", "Warning: shorter than the offset", shown("", 99, 0, 5)))
    assert (beyond.content, beyond.lines) == (None, None)


@pytest.mark.parametrize("gutter", ["→", "\t"])
def test_without_a_structured_result_the_gutters_tell_the_lines(gutter: str) -> None:
    seen = f"    1{gutter}a\n    2{gutter}  b\n    3{gutter}\n\n<system-reminder>\nBe careful.\n</system-reminder>\n"
    whole = returned(READ, result("t1", seen))
    assert (whole.content, whole.lines, whole.total_lines) == ("a\n  b\n", None, 2)
    part = returned(PART, result("t1", f"    2{gutter}  b\n    3{gutter}c"))
    assert (part.content, part.lines, part.total_lines) == ("  b\nc\n", (2, 3), None)


def test_gutters_that_may_not_be_the_whole_file_give_lines() -> None:
    assert returned(READ, result("t1", "1→a\n2→b")).lines == (1, 2)
    noted = returned(READ, result("t1", "1→a\n2→\n[truncated: the file is longer]"))
    assert (noted.content, noted.lines) == ("a\n", (1, 1))
    assert returned(READ, result("t1", "1→a\n5→b\n")).lines == (1, 1)
    assert returned(READ, result("t1", "no numbers")).content is None
    assert returned(READ, result("t1", f"1→{'x' * 2000}")).content is None


def test_an_empty_last_line_is_the_end_of_the_file_only_where_more_was_asked_for() -> None:
    more = use("t1", "Read", file_path="/repo/a.py", offset=2, limit=9)
    end = returned(more, result("t1", "2→b\n3→c\n4→"))
    assert (end.content, end.lines, end.total_lines) == ("b\nc\n", (2, 3), 3)
    unclear = returned(PART, result("t1", "2→b\n3→"))
    assert (unclear.content, unclear.lines, unclear.total_lines) == ("b\n", (2, 2), None)


def test_unchanged_files_images_and_failures_show_no_content() -> None:
    stub = returned(
        READ, result("t1", "File unchanged", {"type": "file_unchanged", "file": {"filePath": "/repo/a.py"}})
    )
    assert (stub.content, stub.output, stub.path, stub.status) == (None, "File unchanged", "/repo/a.py", "ok")
    image = returned(READ, result("t1", [{"type": "image"}], {"type": "image", "file": {"base64": "…"}}))
    assert (image.content, image.status) == (None, "ok")
    gone = returned(READ, result("t1", "File does not exist.", "Error: File does not exist.", error=True))
    assert (gone.status, gone.path, gone.content, gone.effect) == ("failed", "/repo/a.py", None, "none")


def test_an_attached_file_is_a_read_by_the_harness() -> None:
    told = {"filename": "/repo/a.py", "content": shown("a\n", 1, 2, 2)}
    read = only(ToolReturned, records_of(attachment(type="file", **told)))
    assert (read.by, read.tool, read.path, read.content, read.lines) == ("harness", "read", "/repo/a.py", "a\n", None)
    changed = only(
        FileChangedOutside, records_of(attachment(type="edited_text_file", filename="/repo/a.py", snippet="x"))
    )
    assert (changed.path, changed.content) == ("/repo/a.py", None)


# ---- edits ----

BEFORE = "def f():\n\treturn 1\n\n\nx = 1\n"


def edit(old: str, new: str, **more: object) -> tuple[Line, Line]:
    given = {"file_path": "/repo/a.py", "old_string": old, "new_string": new}
    told = {"filePath": "/repo/a.py", "oldString": old, "newString": new, "replaceAll": False, "userModified": False}
    return use("t1", "Edit", **given), {**told, "originalFile": BEFORE, **more}


def patch(old: int, new: int, *lines: str) -> Line:
    kept = sum(one[0] == " " for one in lines)
    removed, added = sum(one[0] == "-" for one in lines), sum(one[0] == "+" for one in lines)
    return {
        "oldStart": old,
        "oldLines": kept + removed,
        "newStart": new,
        "newLines": kept + added,
        "lines": list(lines),
    }


def test_an_edit_knows_the_file_before_and_after_and_its_hunks() -> None:
    call, told = edit("x = 1", "x = 2", structuredPatch=[patch(4, 4, " ", "-x = 1", "+x = 2", "\\ No newline")])
    back = returned(call, result("t1", "updated", told))
    (change,) = back.changes
    assert (back.status, back.effect, back.writes, back.path) == ("ok", "writes", ("/repo/a.py",), "/repo/a.py")
    assert (change.before, change.content) == (BEFORE, BEFORE.replace("x = 1", "x = 2"))
    assert change.hunks == (Hunk(4, 4, (" ", "-x = 1", "+x = 2")),)


def test_tabs_that_a_patch_shows_as_spaces_are_taken_from_the_file() -> None:
    shown_lines = (" def f():", "-  return 1", "+  return 2")
    call, told = edit("\treturn 1", "\treturn 2", structuredPatch=[patch(1, 1, *shown_lines)])
    (change,) = returned(call, result("t1", "updated", told)).changes
    assert change.hunks == (Hunk(1, 1, (" def f():", "-\treturn 1", "+\treturn 2")),)
    call, told = edit("\treturn 1", "\treturn 2", structuredPatch=[patch(1, 1, *shown_lines)], originalFile=None)
    (change,) = returned(call, result("t1", "updated", told)).changes
    assert (change.hunks, change.content) == ((Hunk(0, 0, ("-\treturn 1", "+\treturn 2")),), None)


def test_a_patch_that_agrees_with_the_replaced_text_is_used_without_the_file() -> None:
    call, told = edit("x = 1", "x = 2", structuredPatch=[patch(5, 5, "-x = 1", "+x = 2")], originalFile=None)
    (change,) = returned(call, result("t1", "updated", told)).changes
    assert change.hunks == (Hunk(5, 5, ("-x = 1", "+x = 2")),)


def test_the_file_after_is_unknown_where_the_old_text_is_not_found_exactly() -> None:
    for old in ("y = 1", "1"):
        call, told = edit(old, "2")
        assert returned(call, result("t1", "updated", told)).changes[0].content is None
    call, told = edit("1", "2", replaceAll=True)
    assert returned(call, result("t1", "updated", told)).changes[0].content == BEFORE.replace("1", "2")
    call, told = edit("x = 1", "x = 2", userModified=True)
    assert returned(call, result("t1", "updated", told)).changes[0].content is None


def test_a_deletion_takes_the_line_end_where_the_patch_says_so() -> None:
    call, told = edit("x = 1", "", structuredPatch=[patch(4, 4, " ", "-x = 1")])
    assert returned(call, result("t1", "updated", told)).changes[0].content == "def f():\n\treturn 1\n\n\n"


def test_an_edit_without_a_structured_result_tells_what_it_replaced() -> None:
    call, _ = edit("x = 1\ny", "x = 2")
    (change,) = returned(call, result("t1", "The file /repo/a.py has been updated.")).changes
    assert (change.path, change.hunks) == ("/repo/a.py", (Hunk(0, 0, ("-x = 1", "-y", "+x = 2")),))


def test_several_edits_of_one_call_apply_in_order() -> None:
    edits = [{"old_string": "1", "new_string": "3", "replace_all": True}, {"old_string": "x = 3", "new_string": "z"}]
    told = {"filePath": "/repo/a.py", "edits": edits, "originalFileContents": BEFORE, "structuredPatch": []}
    back = returned(use("t1", "MultiEdit", file_path="/repo/a.py", edits=edits), result("t1", "updated", told))
    assert back.changes[0].content == "def f():\n\treturn 3\n\n\nz\n"


def test_a_write_holds_the_whole_file() -> None:
    call = use("t1", "Write", file_path="/repo/n.py", content="a\n")
    told: Line = {
        "type": "create",
        "filePath": "/repo/n.py",
        "content": "a\n",
        "structuredPatch": [],
        "originalFile": None,
    }
    (made,) = returned(call, result("t1", "File created", told)).changes
    assert (made.change, made.content, made.before) == ("created", "a\n", None)
    over = {**told, "type": "update", "originalFile": "b\n", "structuredPatch": [patch(1, 1, "-b", "+a")]}
    (written,) = returned(call, result("t1", "updated", over)).changes
    assert (written.change, written.content, written.before) == ("written", "a\n", "b\n")
    assert written.hunks == (Hunk(1, 1, ("-b", "+a")),)
    (plain,) = returned(call, result("t1", "File created successfully at: /repo/n.py")).changes
    assert (plain.change, plain.content) == ("created", "a\n")


def test_a_failed_or_refused_edit_changes_nothing() -> None:
    call, _ = edit("x = 1", "x = 2")
    failed = returned(call, result("t1", "<tool_use_error>String to replace not found in file.", error=True))
    assert (failed.status, failed.changes, failed.writes, failed.effect) == ("failed", (), (), "none")
    given_up = returned(call, result("t1", "<tool_use_error>Sibling tool call errored</tool_use_error>", error=True))
    assert (given_up.status, given_up.effect) == ("failed", "none")


# ---- commands ----


def ran(command: str = "pytest", **told: object) -> ToolReturned:
    full = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False, **told}
    return returned(use("t1", "Bash", command=command), result("t1", "seen", full))


def broke(words: str, command: str = "pytest") -> ToolReturned:
    return returned(use("t1", "Bash", command=command), result("t1", words, f"Error: {words}", error=True))


def test_a_command_that_succeeded_has_exit_code_0_and_its_two_outputs() -> None:
    back = ran(stdout="3 passed", stderr="warning")
    assert (back.command, back.output, back.status, back.exit_code) == ("pytest", "3 passed\nwarning", "ok", 0)
    assert back.own_status
    assert not ran("pytest | tail").own_status


def test_a_command_that_failed_has_its_exit_code() -> None:
    back = broke("Exit code 2\n1 failed")
    assert (back.status, back.exit_code, back.output) == ("failed", 2, "1 failed")
    plain = returned(use("t1", "Bash", command="x"), result("t1", "Exit code 127", error=True))
    assert (plain.status, plain.exit_code) == ("failed", 127)
    assert (broke("InputValidationError: command").status, broke("InputValidationError").exit_code) == ("failed", None)


@pytest.mark.parametrize(
    "back",
    [
        ran(interrupted=True),
        ran(backgroundTaskId="b1"),
        ran(timedOutAfterMs=1000),
        broke("Command timed out after 2m 0.0s"),
        broke("Exit code 143\nCommand timed out after 2m 0.0s"),
        broke("[Request interrupted by user for tool use]"),
        broke("<tool_use_error>Sibling tool call errored</tool_use_error>"),
    ],
)
def test_a_command_that_did_not_end_has_no_status(back: ToolReturned) -> None:
    assert (back.status, back.exit_code) == ("unknown", None)


def test_a_status_that_the_runtime_calls_no_error_is_still_not_0() -> None:
    back = ran("grep x f", returnCodeInterpretation="No matches found")
    assert (back.status, back.exit_code) == ("ok", 1)


def test_a_forbidden_command_was_refused() -> None:
    for words in (
        "Permission to use Bash with command rm has been denied.",
        "Claude requested permissions to use Bash, but you haven't granted it yet.",
        "PreToolUse:Bash hook error: [guard]: no",
    ):
        assert broke(words).status == "refused"
    denied = returned(
        use("t1", "Bash", command="rm x"), result("t1", "no", error=True, permissionDecision={"decision": "deny"})
    )
    assert denied.status == "refused"


def test_a_poll_of_a_background_command_is_a_result_of_that_command() -> None:
    start = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b1"}
    running = {"task_id": "b1", "task_type": "local_bash", "status": "running", "output": "…", "exitCode": None}
    records = records_of(
        assistant(use("t1", "Bash", command="make test", run_in_background=True)),
        result("t1", "Command running in background with ID: b1.", start),
        assistant(use("t2", "TaskOutput", task_id="b1")),
        result("t2", "…", {"retrieval_status": "timeout", "task": running}),
        assistant(use("t3", "TaskOutput", task_id="b1")),
        result("t3", "…", {"retrieval_status": "success", "task": {**running, "status": "completed", "exitCode": 1}}),
    )
    assert [(record.id, record.command, record.status, record.exit_code) for record in of(ToolReturned, records)] == [
        ("t1:result", "make test", "unknown", None),
        ("t2:result", "make test", "unknown", None),
        ("t3:result", "make test", "failed", 1),
    ]


def test_a_commit_that_the_runtime_saw_is_told() -> None:
    told = {"stdout": "", "stderr": "", "interrupted": False, "gitOperation": {"commit": {"sha": "abc123"}}}
    records = records_of(assistant(use("t1", "Bash", command="git commit")), result("t1", "", told))
    assert only(CommitMade, records).commit == "abc123"


# ---- searches and the rest ----


def test_a_search_tells_where_it_looked_and_what_it_found() -> None:
    grep = use("t1", "Grep", pattern="foo", path="/repo/src", output_mode="content")
    back = returned(
        grep, result("t1", "a.py:1:foo", {"mode": "content", "numFiles": 0, "numLines": 1, "filenames": []})
    )
    assert (back.tool, back.pattern, back.searched, back.matches, back.within) == (
        "search",
        "foo",
        ("/repo/src",),
        1,
        "text",
    )
    assert back.output == "a.py:1:foo"
    glob = use("t1", "Glob", pattern="**/*.py")
    names = returned(
        glob, result("t1", "a.py", {"numFiles": 1, "filenames": ["a.py"], "truncated": True, "durationMs": 4})
    )
    assert (names.within, names.searched, names.matches, names.truncated) == ("names", ("/repo",), 1, True)


def test_a_search_of_some_files_only_says_so() -> None:
    narrowed = use("t1", "Grep", pattern="foo", path="/repo", glob="*.go")
    back = returned(narrowed, result("t1", "No files found", {"mode": "files_with_matches", "numFiles": 0}))
    assert (back.searched, back.matches) == (("/repo/**/*.go",), 0)


def test_lines_around_the_matches_are_not_counted_as_matches() -> None:
    around = use("t1", "Grep", pattern="foo", path="/repo", **{"-C": 3})
    assert returned(around, result("t1", "…", {"mode": "content", "numLines": 7})).matches is None


def test_another_tools_result_keeps_its_text() -> None:
    back = returned(use("t1", "mcp__x__y", q=1), result("t1", [{"type": "text", "text": "found"}], [{"type": "text"}]))
    assert (back.tool, back.name, back.output, back.status, back.effect) == ("other", "mcp__x__y", "found", "ok", None)


def test_a_result_stands_at_its_clock_in_its_session() -> None:
    back = only(
        ToolReturned, records_of(line("user", message={"content": [{"type": "tool_result", "tool_use_id": "t"}]}))
    )
    assert (back.session, back.agent, back.clock) == ("s1", "", "2026-01-02T03:04:05Z")
