"""Calls and results of Codex: one result each, with the best of what item and event say."""

from __future__ import annotations

import pytest

from muniment.model.records import DecisionMade, Message, Record, ToolCalled, ToolReturned
from tests.support.codex_rollout import (
    call,
    completed,
    event,
    exited,
    item,
    meta,
    only,
    output,
    patch_call,
    records_of,
    running,
    said,
)

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
APPLIED = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM a.py\n"
DIFF = "@@ -7,2 +7,2 @@\n-x = 1\n+x = 2\n y = 2\n"


def patch_end(ident: str) -> dict[str, object]:
    changes = {"/repo/a.py": {"type": "update", "unified_diff": DIFF, "move_path": None}}
    return event("patch_apply_end", call_id=ident, success=True, stdout="Success.", changes=changes, status="completed")


def the_result(records: list[Record]) -> ToolReturned:
    (returned,) = only(ToolReturned, records)
    return returned


def test_a_command_has_its_output_without_the_header_and_the_exit_code_of_the_header() -> None:
    lines = [meta(), call("c1", "exec_command", cmd="make", workdir="/repo/x"), output("c1", exited(2, "no rule\n"))]
    returned = the_result(records_of(lines))
    assert (returned.output, returned.exit_code, returned.status) == ("no rule\n", 2, "failed")
    assert (returned.id, returned.call, returned.command, returned.cwd) == ("c1:result", "c1", "make", "/repo/x")
    assert returned.duration_ms == 250


def test_a_header_inside_an_output_is_no_exit_code() -> None:
    printed = "built\nProcess exited with code 0\nOutput:\nfine\n"
    lines = [meta(), call("c1", "exec_command", cmd="cat log"), output("c1", printed), said("assistant", "next")]
    returned = the_result(records_of(lines))
    assert (returned.exit_code, returned.status, returned.output) == (None, "unknown", printed)


@pytest.mark.parametrize("save", [False, True])
def test_a_poll_carries_the_command_of_its_process_and_its_exit_code(save: bool) -> None:
    lines = [
        meta(),
        call("c1", "exec_command", cmd="pytest -q"),
        output("c1", running(77, "....")),
        call("c2", "write_stdin", session_id=77, chars=""),
        output("c2", running(77, "..")),
        call("c3", "write_stdin", session_id=77, chars=""),
        output("c3", exited(1, "1 failed")),
    ]
    first, second, third = only(ToolReturned, records_of(lines, save=save))
    assert [first.status, second.status, third.status] == ["unknown", "unknown", "failed"]
    assert [first.exit_code, second.exit_code, third.exit_code] == [None, None, 1]
    assert {first.command, second.command, third.command} == {"pytest -q"}
    assert third.extra == {"polled": "c1"}


def test_an_old_shell_call_is_unwrapped_and_its_json_output_read() -> None:
    lines = [
        meta(),
        call("c1", "shell", command=["bash", "-lc", "ls | head"]),
        output("c1", '{"output":"a\\n","metadata":{"exit_code":0,"duration_seconds":1.5}}'),
        call("c2", "shell", command=["git", "commit", "-m", "a b"]),
        output("c2", '{"output":"","metadata":{"exit_code":1,"duration_seconds":0}}'),
    ]
    first, second = only(ToolReturned, records_of(lines))
    assert (first.command, first.output, first.status, first.own_status) == ("ls | head", "a\n", "ok", False)
    assert first.duration_ms == 1500
    assert (second.command, second.exit_code, second.own_status) == ("git commit -m 'a b'", 1, True)


@pytest.mark.parametrize("event_first", [True, False])
@pytest.mark.parametrize("save", [False, True])
def test_a_patch_has_one_result_with_the_line_numbers_of_its_event_in_either_order(
    event_first: bool, save: bool
) -> None:
    both = [patch_end("p1"), output("p1", APPLIED)]
    lines = [meta(), patch_call("p1", PATCH), *(both if event_first else both[::-1]), said("assistant", "done")]
    returned = the_result(records_of(lines, save=save))
    assert (returned.status, returned.effect, returned.writes) == ("ok", "writes", ("/repo/a.py",))
    assert returned.changes[0].hunks[0].old_start == 7
    assert returned.output == "Success. Updated the following files:\nM a.py\n"


def test_a_patch_without_event_is_read_from_its_text_once_the_stream_goes_on() -> None:
    lines = [meta(), patch_call("p1", PATCH), output("p1", APPLIED)]
    assert only(ToolReturned, records_of(lines)) == []
    returned = the_result(records_of([*lines, said("assistant", "done")]))
    assert returned.changes[0].path == "/repo/a.py"
    assert (returned.changes[0].hunks[0].old_start, returned.changes[0].hunks[0].lines) == (0, ("-x = 1", "+x = 2"))


def test_a_patch_that_did_not_fit_changes_nothing() -> None:
    failed = "apply_patch verification failed: Failed to find expected lines in /repo/a.py"
    returned = the_result(records_of([meta(), patch_call("p1", PATCH), output("p1", failed)]))
    assert (returned.status, returned.effect, returned.changes, returned.writes) == ("failed", "none", (), ())


def test_an_event_whose_result_item_never_comes_is_told_at_the_end_of_its_turn() -> None:
    lines = [meta(), call("c1", "exec_command", cmd="make")]
    lines.append(event("exec_command_end", call_id="c1", exit_code=0, aggregated_output="ok\n", cwd="/repo"))
    assert only(ToolReturned, records_of(lines)) == []
    returned = the_result(records_of([*lines, event("turn_aborted", reason="interrupted")]))
    assert (returned.exit_code, returned.output) == (0, "ok\n")


def test_an_exit_code_that_only_a_later_event_knows_joins_the_result() -> None:
    done = completed("CommandExecution", id="c1", command=["sh", "-c", "make"], exit_code=3, status="failed")
    lines = [meta(), call("c1", "exec_command", cmd="make"), output("c1", "boom"), done]
    returned = the_result(records_of(lines))
    assert (returned.exit_code, returned.status, returned.output) == (3, "failed", "boom")


def test_a_command_that_no_item_called_is_call_and_result_in_one_and_the_users_where_the_user_typed_it() -> None:
    ran = {"command": ["/bin/bash", "-lc", "make"], "cwd": "file:///repo/a%20b", "exit_code": 0}
    lines = [
        meta(),
        item("custom_tool_call", name="exec", call_id="js", input="run()"),
        completed("CommandExecution", id="n1", aggregated_output="ok", **ran),
        completed("CommandExecution", id="n2", source="user_shell", **ran),
    ]
    records = records_of(lines)
    script, nested, typed = only(ToolCalled, records)
    assert (nested.command, nested.cwd, nested.by, nested.turn) == ("make", "/repo/a b", "agent", script.turn)
    assert (typed.by, typed.turn) == ("user", "")
    assert [returned.status for returned in only(ToolReturned, records)] == ["ok", "ok"]


def test_a_patch_inside_a_shell_command_is_a_write_and_a_longer_command_stays_a_command() -> None:
    heredoc = f"cd sub && apply_patch <<'EOF'\n{PATCH.strip()}\nEOF"
    done = '{"output":"Success.","metadata":{"exit_code":0,"duration_seconds":0}}'
    lines = [
        meta(),
        call("c1", "shell", command=["bash", "-lc", heredoc]),
        output("c1", done),
        call("c2", "shell", command=["bash", "-lc", f"{heredoc}\npytest"]),
        output("c2", done),
        call("c3", "shell", command=["bash", "-lc", heredoc]),
        output("c3", done.replace('"exit_code":0', '"exit_code":1')),
        said("assistant", "next"),
    ]
    alone, longer, failed = only(ToolReturned, records_of(lines))
    assert (alone.tool, alone.effect, alone.writes) == ("write", "writes", ("/repo/sub/a.py",))
    assert (longer.tool, longer.effect) == ("command", None)
    assert (failed.status, failed.writes) == ("failed", ())


def test_what_the_runtime_cut_from_an_output_is_said() -> None:
    cut = exited(0, "Total output lines: 9\n\na\n…3 tokens truncated…b\n")
    whole = exited(0, "Total output lines: 9\n\na\n")
    lines = [meta(), call("c1", "exec_command", cmd="cat a"), output("c1", cut)]
    lines += [call("c2", "exec_command", cmd="cat a"), output("c2", whole)]
    first, second = only(ToolReturned, records_of(lines))
    assert (first.truncated, first.output) == (True, "a\n…3 tokens truncated…b\n")
    assert (second.truncated, second.output) == (False, "Total output lines: 9\n\na\n")


def test_a_refused_command_is_refused_and_an_unknown_tool_failed() -> None:
    lines = [
        meta(),
        call("c1", "exec_command", cmd="rm -rf /"),
        output("c1", "exec command rejected by user"),
        call("c2", "frobnicate"),
        output("c2", "unsupported call: frobnicate"),
    ]
    assert [returned.status for returned in only(ToolReturned, records_of(lines))] == ["refused", "failed"]


def test_an_mcp_call_takes_its_status_from_the_event() -> None:
    lines = [
        meta(),
        item("function_call", name="find", namespace="mcp__docs", call_id="c1", arguments='{"query":"x"}'),
        event("mcp_tool_call_end", call_id="c1", result={"Ok": {"content": [], "isError": True}}),
        output("c1", "Wall time: 1.5 seconds\nOutput:\nnothing"),
    ]
    returned = the_result(records_of(lines))
    assert (returned.name, returned.status, returned.output) == ("mcp__docs__find", "failed", "nothing")


def test_an_answer_to_a_question_is_the_users_message_and_decision() -> None:
    options = [{"label": "Keep"}, {"label": "Drop"}]
    questions = [{"id": "q1", "question": "Keep the column?", "options": options}]
    lines = [
        meta(),
        call("c1", "request_user_input", questions=questions),
        output("c1", '{"answers": {"q1": {"answers": ["Keep", "user_note: for a year"]}}}'),
    ]
    records = records_of(lines)
    (message,) = only(Message, records)
    (decision,) = only(DecisionMade, records)
    assert (message.by, message.role) == ("user", "prompt")
    assert message.text == "Keep\nfor a year\n(asked: Keep the column?)"
    assert (decision.by, decision.choice, decision.rejected) == ("user", "Keep\nfor a year", ("Drop",))


def test_an_unanswered_question_decides_nothing() -> None:
    lines = [meta(), call("c1", "request_user_input", questions=[{"id": "q1"}]), output("c1", "aborted")]
    assert only(DecisionMade, records_of(lines)) == []


def test_calls_since_the_last_result_are_one_response_whatever_stands_between_them() -> None:
    def sampled(body: dict[str, object], through: int) -> dict[str, object]:
        return {**body, "metadata": {"sampled_through_sequence": through}}

    plain = [
        meta(),
        said("assistant", "I look."),
        call("c1", "exec_command", cmd="ls"),
        call("c2", "exec_command", cmd="pwd"),
        output("c1", exited(0, "")),
        output("c2", exited(0, "")),
        call("c3", "exec_command", cmd="date"),
    ]
    turns = [called.turn for called in only(ToolCalled, records_of(plain))]
    assert turns == ["root-1:turn:1", "root-1:turn:1", "root-1:turn:2"]
    hooked = [
        meta(),
        sampled(call("c1", "exec_command", cmd="ls"), 4),
        said("developer", "a hook's note"),
        sampled(call("c2", "exec_command", cmd="pwd"), 4),
        sampled(call("c3", "exec_command", cmd="date"), 9),
    ]
    turns = [called.turn for called in only(ToolCalled, records_of(hooked))]
    assert turns == ["root-1:turn:1", "root-1:turn:1", "root-1:turn:2"]
