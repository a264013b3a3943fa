"""Commands that runtimes leave running: that they go on, which polls are theirs, and that their end is told once."""

from __future__ import annotations

import pytest

from muniment.importers.openhands_tools import call_of, outcome_of, terminal_moved
from muniment.importers.plain_records import Spot
from muniment.model.entries import Entry
from muniment.model.records import ProcessEnded, Record, ToolReturned
from tests.graph.importers.claude_lines import Line, assistant, attachment, of, records_of, result, use, user
from tests.support import codex_rollout as codex

START = [
    assistant(use("t1", "Bash", command="./watch.sh", run_in_background=True)),
    result(
        "t1",
        "Command running in background with ID: b1. Output is being written to: /tmp/b1.output",
        {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b1"},
    ),
]
NOTICE = (
    "<task-notification>\n<task-id>b1</task-id>\n<status>{}</status>\n<summary>done</summary>\n</task-notification>"
)
REMINDER = "<system-reminder>\nBackground Bash b1 (command: ./watch.sh) (status: {}) (exit code 0)\n</system-reminder>"


def poll(status: str, code: int | None) -> list[Line]:
    task = {"task_id": "b1", "task_type": "local_bash", "status": status, "output": "…", "exitCode": code}
    return [
        assistant(use("t2", "TaskOutput", task_id="b1"), turn="m2"),
        result("t2", "…", {"retrieval_status": "success", "task": task}),
    ]


def stop(name: str, **given: object) -> list[Line]:
    return [assistant(use("t3", name, **given), turn="m3"), result("t3", "Successfully killed shell: b1")]


ENDS: list[tuple[str, list[Line]]] = [
    ("a poll", poll("completed", 0)),
    ("a poll that finds it killed", poll("killed", None)),
    ("a poll in words", [
        assistant(use("t2", "BashOutput", bash_id="b1"), turn="m2"),
        result("t2", "<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\nx\n</stdout>"),
    ]),
    ("KillShell", stop("KillShell", shell_id="b1")),
    ("TaskStop", stop("TaskStop", task_id="b1")),
    ("a notice", [user(NOTICE.format("completed"))]),
    ("a status", [attachment(type="task_status", taskId="b1", status="completed", description="x")]),
]  # fmt: skip


def endings(records: list[Record]) -> list[str]:
    return [record.call for record in of(ProcessEnded, records)]


@pytest.mark.parametrize("lines", [row[1] for row in ENDS], ids=[row[0] for row in ENDS])
def test_claude_code_tells_the_end_of_a_background_command_once(lines: list[Line]) -> None:
    records = records_of(*START, *lines)
    assert of(ToolReturned, records)[0].running
    assert endings(records) == ["t1"]
    assert endings(records_of(*START, *lines, user(NOTICE.format("completed")))) == ["t1"]


@pytest.mark.parametrize(
    "lines",
    [
        poll("running", None),
        [user(NOTICE.format("running"))],
        [user(NOTICE.format("completed").replace("b1", "b2"))],
        stop("KillShell", shell_id="b2"),
        [user("I saw <task-notification> in the logs, Background Bash b1 is fine")],
    ],
)
def test_as_long_as_nobody_says_so_it_goes_on(lines: list[Line]) -> None:
    assert endings(records_of(*START, *lines)) == []


def test_what_a_user_says_ends_no_command() -> None:
    assert endings(records_of(*START, user(REMINDER.format("completed").replace("system-reminder", "b")))) == []


def test_a_command_that_the_runtime_waited_for_does_not_go_on() -> None:
    told = {"stdout": "x", "stderr": "", "interrupted": False}
    records = records_of(assistant(use("t1", "Bash", command="./watch.sh")), result("t1", "x", told))
    assert [record.running for record in of(ToolReturned, records)] == [False]


def test_a_poll_names_the_command_that_it_asks_about() -> None:
    back = of(ToolReturned, records_of(*START, *poll("completed", 0)))
    assert [record.extra for record in back] == [None, {"polled": "t1"}]


def test_codex_tells_the_end_of_a_session_when_a_poll_finds_it_over() -> None:
    lines = [
        codex.meta(),
        codex.call("c1", "exec_command", cmd="./watch.sh"),
        codex.output("c1", codex.running(77, "...")),
        codex.call("c2", "write_stdin", session_id=77, chars=""),
        codex.output("c2", codex.running(77, "..")),
        codex.call("c3", "write_stdin", session_id=77, chars="\x03"),
        codex.output("c3", codex.exited(130, "^C")),
    ]
    records = codex.records_of(lines)
    assert [back.running for back in codex.only(ToolReturned, records)] == [True, False, False]
    assert [(end.call, end.exit_code) for end in codex.only(ProcessEnded, records)] == [("c1", 130)]
    assert codex.only(ProcessEnded, codex.records_of(lines[:5])) == []


def test_codex_tells_the_end_of_a_session_by_an_event_after_its_answer() -> None:
    lines = [
        codex.meta(),
        codex.call("c1", "exec_command", cmd="./watch.sh"),
        codex.output("c1", codex.running(77, "...")),
        codex.said("assistant", "meanwhile"),
        codex.event("exec_command_end", call_id="c1", exit_code=0, command=["./watch.sh"]),
    ]
    assert [end.call for end in codex.only(ProcessEnded, codex.records_of(lines))] == ["c1"]


def test_a_session_that_codex_does_not_know_any_more_is_over() -> None:
    lines = [
        codex.meta(),
        codex.call("c1", "exec_command", cmd="./watch.sh"),
        codex.output("c1", codex.running(77, "...")),
        codex.call("c2", "write_stdin", session_id=77, chars=""),
        codex.output("c2", "write_stdin failed: Unknown process id 77"),
    ]
    assert [end.call for end in codex.only(ProcessEnded, codex.records_of(lines))] == ["c1"]


def here() -> Spot:
    return Spot(
        Entry(
            position=1, number=1, mission="m", project="", session="s", stream="", source_id="e1", actor="tool",
            recorded_at="", format="openhands/1", body={}, hash=b"",
        )
    )  # fmt: skip


def test_what_runs_in_the_terminal_of_openhands_goes_on_until_it_answers_with_a_status() -> None:
    going: list[str] = []
    first = call_of("a1", "terminal", {"command": "./watch.sh"}, "/w")
    still = outcome_of(first, "…\n[The command completed with exit code -1.]")
    assert still.running
    assert terminal_moved(here(), first, still, going) == []
    more = call_of("a2", "terminal", {"command": "", "is_input": "true"}, "/w")
    assert terminal_moved(here(), more, outcome_of(more, "…\n[The command completed with exit code -1.]"), going) == []
    stop = call_of("a3", "terminal", {"command": "C-c", "is_input": "true"}, "/w")
    over = outcome_of(stop, "^C\n[The command completed with exit code 130. CTRL+C was sent.]")
    assert [end.call for end in terminal_moved(here(), stop, over, going)] == ["a1"]
    assert going == []


@pytest.mark.parametrize("text", ["x\n[The command completed with exit code 0.]", "x"])
def test_an_answer_without_that_status_leaves_nothing_running(text: str) -> None:
    assert not outcome_of(call_of("a1", "terminal", {"command": "./watch.sh"}, "/w"), text).running
