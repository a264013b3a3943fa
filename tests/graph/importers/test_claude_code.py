"""The session, the agent's words and calls, children, tasks and boundaries of a Claude Code transcript."""

from __future__ import annotations

import pytest

from muniment.importers.claude_code import CLAUDE_CODE
from muniment.model.records import (
    BranchChanged,
    ContextBoundary,
    DecisionMade,
    DelegationEnded,
    DelegationStarted,
    Message,
    ModelChanged,
    SessionOpened,
    SessionResumed,
    TaskMoved,
    TaskStated,
    TokensUsed,
    ToolCalled,
    ToolReturned,
)
from tests.graph.importers.claude_lines import (
    Line,
    assistant,
    entries,
    line,
    of,
    only,
    queue,
    records_of,
    result,
    text,
    use,
    user,
)

# ---- format and session ----


def test_a_transcript_is_sniffed_and_others_are_not() -> None:
    assert CLAUDE_CODE.sniff([{"type": "file-history-snapshot"}, user("hi")])
    assert CLAUDE_CODE.sniff([queue("enqueue", "x")])
    assert not CLAUDE_CODE.sniff([{"type": "session_meta", "payload": {}}, {"kind": "message", "id": "1"}])


def test_a_session_opens_once_and_tells_branch_and_version_changes() -> None:
    records = records_of(
        queue("enqueue", "later"),
        user("a"),
        user("b", gitBranch="topic"),
        user("c", gitBranch="topic", version="2.1.50"),
        user("d", gitBranch="", version="2.1.50"),
    )
    opened = only(SessionOpened, records)
    assert (opened.id, opened.root, opened.version, opened.fs_style) == ("s1:opened", "/repo", "2.1.49", "posix")
    branch = only(BranchChanged, records)
    assert (branch.to, branch.source) == ("topic", "main")
    assert only(SessionResumed, records).by == "harness"


def test_a_windows_folder_makes_a_windows_file_system() -> None:
    opened = only(SessionOpened, records_of(user("a", cwd="C:\\work")))
    assert (opened.fs_style, opened.case_sensitive) == ("windows", False)


def test_a_boundary_tells_tokens_trigger_and_what_was_kept() -> None:
    told = {
        "trigger": "auto",
        "preTokens": 9,
        "postTokens": 2,
        "preservedMessages": {"uuids": ["a"], "allUuids": ["a", "b"]},
    }
    boundary = only(ContextBoundary, records_of(line("system", subtype="compact_boundary", compactMetadata=told)))
    assert (boundary.trigger, boundary.tokens_before, boundary.tokens_after) == ("auto", 9, 2)
    assert boundary.preserved == ("a", "b")


# ---- the agent ----


def test_lines_of_one_response_are_one_turn_and_their_tokens_count_once() -> None:
    records = records_of(
        assistant({"type": "thinking", "thinking": "hm"}, turn="m1"),
        assistant(text("I will look."), turn="m1"),
        assistant(use("t1", "Read", file_path="/repo/a.py"), turn="m1"),
        result("t1", "x"),
        assistant(use("t2", "Read", file_path="/repo/b.py"), turn="m1"),
        assistant(text("Done."), turn="m2", stop_reason="end_turn"),
    )
    assert [(record.role, record.turn, record.final) for record in of(Message, records)] == [
        ("thinking", "m1", False),
        ("answer", "m1", False),
        ("answer", "m2", True),
    ]
    assert [(record.id, record.input, record.output, record.cache_read) for record in of(TokensUsed, records)] == [
        ("m1:usage", 3, 5, 7),
        ("m2:usage", 3, 5, 7),
    ]
    assert [record.turn for record in of(ToolCalled, records)] == ["m1", "m1"]


def test_tokens_that_a_later_line_of_a_response_adds_are_counted_too() -> None:
    grown = {"input_tokens": 3, "output_tokens": 40, "cache_read_input_tokens": 7}
    records = records_of(
        assistant(text("a"), turn="m1", uuid="one"),
        assistant(text("b"), turn="m1", uuid="two"),
        assistant(use("t1", "Read", file_path="/repo/a.py"), turn="m1", uuid="three", usage=grown),
        assistant(use("t2", "Read", file_path="/repo/b.py"), turn="m1", uuid="four", usage=grown),
    )
    assert [(one.id, one.turn, one.input, one.output, one.cache_read) for one in of(TokensUsed, records)] == [
        ("m1:usage", "m1", 3, 5, 7),
        ("m1:usage:three", "m1", 0, 35, 0),
    ]


def test_the_model_is_told_when_it_changes_and_made_up_lines_do_not_count() -> None:
    records = records_of(
        assistant(text("a"), model="one"),
        assistant(text("No response requested."), model="<synthetic>", turn="x"),
        assistant(text("API Error"), model="one", isApiErrorMessage=True, turn="y"),
        assistant(text("b"), model="two", turn="m2"),
    )
    assert [(record.source, record.to) for record in of(ModelChanged, records)] == [(None, "one"), ("one", "two")]
    assert [record.by for record in of(Message, records)] == ["agent", "harness", "harness", "agent"]
    assert len(of(TokensUsed, records)) == 2


FAMILIES = {"Read": "read", "Grep": "search", "Glob": "search", "Edit": "write", "Write": "write", "Bash": "command"}


@pytest.mark.parametrize("name", [*FAMILIES, "WebFetch", "mcp__x__y"])
def test_a_call_has_its_family_and_the_runtimes_name(name: str) -> None:
    call = only(ToolCalled, records_of(assistant(use("t1", name, file_path="/repo/a.py", limit=3))))
    assert (call.id, call.tool, call.name, call.path) == ("t1", FAMILIES.get(name, "other"), name, "/repo/a.py")
    assert call.arguments == {"file_path": "/repo/a.py", "limit": 3}


def test_file_contents_stay_out_of_a_calls_arguments() -> None:
    given = {"file_path": "/repo/a.py", "old_string": "a", "new_string": "b", "replace_all": True}
    call = only(ToolCalled, records_of(assistant(use("t1", "Edit", **given))))
    assert call.arguments == {"file_path": "/repo/a.py", "replace_all": True}
    bash = only(ToolCalled, records_of(assistant(use("t1", "Bash", command="ls", description="list"))))
    assert (bash.command, bash.description, bash.arguments, bash.cwd) == ("ls", "list", None, "/repo")


# ---- children ----


def test_a_delegation_starts_with_the_call_and_ends_with_the_childs_answer() -> None:
    told = {"status": "completed", "agentId": "a1", "content": [text("It is in b.py.")]}
    records = records_of(assistant(use("t1", "Task", prompt="find it")), result("t1", [text("It is in b.py.")], told))
    started, ended = only(DelegationStarted, records), only(DelegationEnded, records)
    assert (started.id, started.call, started.text, started.child) == ("t1:delegation", "t1", "find it", "t1")
    assert (ended.delegation, ended.outcome, ended.text, ended.child) == (
        "t1:delegation",
        "done",
        "It is in b.py.",
        "a1",
    )


def test_a_failed_and_an_interrupted_delegation_did_not_succeed() -> None:
    call = assistant(use("t1", "Task", prompt="find it"))
    assert only(DelegationEnded, records_of(call, result("t1", "boom", error=True))).outcome == "failed"
    broken = result("t1", "[Request interrupted by user for tool use]", error=True)
    assert only(DelegationEnded, records_of(call, broken)).outcome == "lost"


def test_a_poll_ends_a_child_in_the_background_once() -> None:
    launch = {"status": "async_launched", "agentId": "a1"}
    task = {"task_id": "a1", "task_type": "local_agent", "status": "completed", "result": "found"}
    poll = assistant(use("t2", "TaskOutput", task_id="a1"), turn="m2")
    records = records_of(
        assistant(use("t1", "Agent", prompt="find it")),
        result("t1", "launched", launch),
        poll,
        result("t2", "…", {"retrieval_status": "success", "task": task}),
        assistant(use("t3", "TaskOutput", task_id="a1"), turn="m3"),
        result("t3", "…", {"retrieval_status": "success", "task": task}),
    )
    assert (only(DelegationEnded, records).id, only(DelegationEnded, records).text) == ("t1:ended", "found")


def progress(message: Line) -> Line:
    return line("progress", data={"type": "agent_progress", "agentId": "a1", "message": message}, parentToolUseID="t1")


def test_progress_of_a_child_gives_the_childs_records() -> None:
    body = progress({**assistant(use("t9", "Bash", command="ls"), turn="m9"), "cwd": None})
    records = records_of(
        user("go"),
        progress(user([text("find it")], uuid="inner")),
        body,
        progress(result("t9", "a.py")),
    )
    prompt = of(Message, records)[1]
    assert (prompt.id, prompt.by, prompt.agent) == ("inner", "agent", "a1")
    assert (only(ToolCalled, records).agent, only(ToolCalled, records).cwd) == ("a1", "/repo")
    back = only(ToolReturned, records)
    assert (back.agent, back.command, back.exit_code) == ("a1", "ls", 0)
    assert not CLAUDE_CODE.reader("s1.jsonl").describe(body).ignored


def test_a_childs_lines_belong_to_its_stream_and_open_no_session() -> None:
    records = records_of(user("go", isSidechain=True, agentId="a1"), file_name="agent-a1.jsonl")
    assert {record.agent for record in records} == {"a1"}
    assert not of(SessionOpened, records)
    assert CLAUDE_CODE.reader("x/agent-a1.jsonl").describe(line("file-history-snapshot")).stream == "a1"
    assert of(Message, records_of(user("old", isSidechain=True)))[0].agent == "sidechain"


# ---- tasks ----


def todos(ident: str, *items: tuple[str, str], turn: str = "m1") -> tuple[Line, Line]:
    listed = [{"content": words, "status": status, "activeForm": words} for words, status in items]
    return assistant(use(ident, "TodoWrite", todos=listed), turn=turn), result(ident, "ok", {"newTodos": listed})


def test_a_todo_list_states_moves_and_cancels_tasks() -> None:
    records = records_of(
        *todos("t1", ("test", "in_progress"), ("docs", "pending")),
        *todos("t2", ("test", "completed"), ("docs", "pending")),
        *todos("t3", ("test", "completed")),
    )
    stated = {record.text: record.id for record in of(TaskStated, records)}
    moves = [(record.task, record.to) for record in of(TaskMoved, records)]
    assert moves == [(stated["test"], "active"), (stated["test"], "settled"), (stated["docs"], "cancelled")]


def test_an_equal_todo_given_anew_after_it_was_settled_is_a_new_task() -> None:
    records = records_of(
        *todos("t1", ("test", "pending")), *todos("t2", ("test", "completed")), *todos("t3", ("test", "pending"))
    )
    first, second = of(TaskStated, records)
    assert second.id == f"{first.id}:2"
    again = records_of(*todos("t1", ("test", "pending")), *todos("t2", ("test", "pending")))
    assert len(of(TaskStated, again)) == 1


def test_a_refused_todo_list_changes_nothing() -> None:
    call, _ = todos("t1", ("test", "pending"))
    assert not of(TaskStated, records_of(call, result("t1", "no", error=True)))


def test_created_tasks_move_with_updates_also_where_somebody_else_was_first() -> None:
    records = records_of(
        assistant(use("t1", "TaskCreate", subject="Fix it", description="With a test.")),
        result("t1", "Task #3 created successfully: Fix it", {"task": {"id": "3", "subject": "Fix it"}}),
        assistant(use("t2", "TaskUpdate", taskId="3", status="in_progress")),
        result("t2", "Updated task #3 status", {"success": True, "taskId": "3", "updatedFields": ["status"]}),
        assistant(use("t3", "TaskUpdate", taskId="3", status="completed")),
        result("t3", "Updated task #3 ", {"success": True, "taskId": "3", "updatedFields": []}),
        assistant(use("t4", "TaskUpdate", taskId="3", status="deleted")),
        result("t4", "Task not found", {"success": False, "taskId": "3"}),
    )
    assert (only(TaskStated, records).id, only(TaskStated, records).text) == ("task:3", "Fix it\nWith a test.")
    assert [(record.task, record.to) for record in of(TaskMoved, records)] == [
        ("task:3", "active"),
        ("task:3", "settled"),
    ]


# ---- what the user says in results ----

QUESTION = {"question": "Which store?", "options": [{"label": "SQLite"}, {"label": "Files"}]}


def test_an_answer_to_a_question_is_the_users_message_and_decision() -> None:
    told = {"questions": [QUESTION], "answers": {"Which store?": "SQLite"}}
    records = records_of(assistant(use("t1", "AskUserQuestion", questions=[QUESTION])), result("t1", "answered", told))
    message, decision = only(Message, records), only(DecisionMade, records)
    assert (message.by, message.role, message.text) == ("user", "prompt", "SQLite\n(asked: Which store?)")
    assert (decision.by, decision.choice, decision.rejected) == ("user", "SQLite", ("Files",))


def test_an_answer_is_found_in_the_text_where_the_structured_one_is_missing() -> None:
    words = 'User has answered your questions: "Which store?"="Neither, use Redis". You can now continue'
    records = records_of(assistant(use("t1", "AskUserQuestion", questions=[QUESTION])), result("t1", words))
    assert only(DecisionMade, records).choice == "Neither, use Redis"
    assert only(DecisionMade, records).rejected == ("SQLite", "Files")


def test_an_approved_plan_is_what_the_user_decided() -> None:
    call = assistant(use("t1", "ExitPlanMode", plan="# Plan\nDo it."))
    words = "User has approved your plan. You can now start coding."
    records = records_of(call, result("t1", words, {"plan": "# Plan\nDo it.", "isAgent": False}))
    assert (only(DecisionMade, records).by, only(DecisionMade, records).choice) == ("user", "# Plan\nDo it.")
    assert only(Message, records).by == "user"
    by_parent = records_of(call, result("t1", words, {"plan": "# Plan", "isAgent": True}))
    assert not of(DecisionMade, by_parent)


REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). "
)


def test_the_reason_of_a_refusal_is_the_users_words() -> None:
    call = assistant(use("t1", "Bash", command="make"))
    said = result("t1", f"{REJECTED}To tell you how to proceed, the user said:\ntest first", "Error: …", error=True)
    records = records_of(call, said)
    assert (only(Message, records).by, only(Message, records).text) == ("user", "test first")
    assert (only(ToolReturned, records).status, only(ToolReturned, records).effect) == ("refused", "none")
    silent = records_of(call, result("t1", f"{REJECTED}STOP what you are doing", "User rejected tool use", error=True))
    assert not of(Message, silent)
    assert only(ToolReturned, silent).status == "refused"


# ---- odd input ----


ODD: list[Line] = [
    {},
    {"type": 3},
    {"type": "user"},
    {"type": "user", "message": "text"},
    {"type": "user", "message": {"content": [None, 1, "x", {"type": "tool_result"}, {"type": "text", "text": 4}]}},
    {"type": "assistant", "message": {"content": [{"type": "tool_use"}, {"type": "tool_use", "id": 7, "input": []}]}},
    {"type": "assistant", "message": {"content": "plain", "usage": {"input_tokens": "many"}}},
    {"type": "progress", "data": {"type": "agent_progress"}},
    {"type": "progress", "data": {"type": "agent_progress", "agentId": 4, "message": {"type": "user", "message": 1}}},
    {"type": "system", "subtype": "compact_boundary", "compactMetadata": [1]},
    {"type": "attachment", "attachment": {"type": "file", "content": {"type": "text", "file": {"content": "x"}}}},
    {"type": "attachment", "attachment": {"type": "queued_command", "prompt": 5}},
    {"type": "queue-operation", "operation": "remove"},
    {"type": "user", "isSidechain": True, "message": {"content": "\ud800"}},
]


def test_odd_lines_are_described_and_never_raise() -> None:
    assert len(entries(ODD)) == len(ODD)
    records = records_of(*ODD, user("fine"))
    assert of(Message, records)[-1].text == "fine"


def test_a_result_without_a_call_and_a_call_id_used_twice_are_kept_apart_from_errors() -> None:
    told = {
        "type": "text",
        "file": {"filePath": "/repo/a", "content": "x\n", "numLines": 2, "startLine": 1, "totalLines": 2},
    }
    read = only(ToolReturned, records_of(result("lost", "1→x", told)))
    assert (read.tool, read.path, read.content, read.call) == ("read", "/repo/a", "x\n", "lost")
    twice = records_of(
        assistant(use("t1", "Bash", command="a")),
        assistant(use("t1", "Bash", command="b")),
        result("t1", "out"),
        result("t1", "out"),
    )
    assert [record.command for record in of(ToolReturned, twice)] == ["b", None]


def test_several_results_in_one_line_do_not_share_a_structured_result() -> None:
    blocks = [{"type": "tool_result", "tool_use_id": ident, "content": "out"} for ident in ("t1", "t2")]
    records = records_of(
        assistant(use("t1", "Bash", command="a"), use("t2", "Bash", command="b")),
        user(blocks, toolUseResult={"stdout": "other", "stderr": "", "interrupted": False}),
    )
    assert [(record.command, record.output) for record in of(ToolReturned, records)] == [("a", "out"), ("b", "out")]
