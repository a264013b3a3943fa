"""OpenHands: conversations, event lists, and logs of completions."""

from __future__ import annotations

from pathlib import Path

from muniment.importers.openhands_tools import call_of, outcome_of
from muniment.model.records import (
    ContextBoundary,
    Hunk,
    Message,
    SessionOpened,
    TokensUsed,
    ToolCalled,
    ToolReturned,
)
from tests.support.session_documents import (
    chat_messages,
    openhands_folder,
    openhands_legacy,
)
from tests.support.session_records import of, records_of


def test_reads_edits_and_commands_of_a_conversation(tmp_path: Path) -> None:
    records = records_of(openhands_folder(tmp_path / "c"))
    viewed, edited, ran, refused, finished = of(records, ToolReturned)
    assert (viewed.lines, viewed.total_lines) == ((1, 2), 2)
    assert edited.changes[0].hunks == (Hunk(2, 2, ("-    return a - b", "+    return a + b")),)
    assert (ran.exit_code, ran.status, ran.output) == (0, "ok", "1 passed")
    assert (refused.status, refused.effect, refused.call) == ("refused", "none", "call9")
    assert finished.effect == "none"
    assert (of(records, SessionOpened)[0].root, of(records, SessionOpened)[0].model) == ("/repo", "m-1")


def test_a_condensation_is_a_boundary_that_names_what_was_forgotten(tmp_path: Path) -> None:
    boundary = of(records_of(openhands_folder(tmp_path / "c")), ContextBoundary)[0]
    assert boundary.text == "Fixed."
    assert boundary.forgotten == ("call2", "call2:result")
    assert boundary.extra == {"summary_offset": 2}


def test_what_the_user_said_is_the_users_and_no_more(tmp_path: Path) -> None:
    messages = of(records_of(openhands_folder(tmp_path / "c")), Message)
    assert [message.text for message in messages if message.by == "user"] == ["Fix add.", "Never."]
    assert [message.text for message in messages if message.final] == ["All tests pass."]


def test_an_event_list_joins_actions_and_observations_by_cause() -> None:
    records = records_of(openhands_legacy())
    assert [call.id for call in of(records, ToolCalled)] == ["t3", "event:5:call"]
    ran, made = of(records, ToolReturned)
    assert (ran.call, ran.exit_code) == ("t3", 0)
    assert (made.changes[0].change, made.changes[0].content) == ("created", "x = 1\n")
    assert [message.text for message in of(records, Message) if message.by == "user"] == ["Make a.py."]
    assert len(of(records, TokensUsed)) == 1


def test_a_log_of_a_completion_ends_with_its_response() -> None:
    records = records_of(chat_messages())
    assert [message.text for message in of(records, Message) if message.final] == ["It subtracts."]
    assert [message.by for message in of(records, Message)] == ["harness", "user", "agent", "agent"]
    result = of(records, ToolReturned)[0]
    assert (result.exit_code, result.output) == (0, "def add(a, b):\n    return a - b")


def test_a_response_that_a_later_log_has_as_a_message_is_told_once() -> None:
    first, later = chat_messages(), chat_messages()
    messages = later["messages"]
    assert isinstance(messages, list)
    later["messages"] = [*messages, {"role": "assistant", "content": "It subtracts."}]
    del later["response"]
    together = {**first, "messages": [*messages]}
    assert len(of(records_of(together), Message)) == len(of(records_of(later), Message))


def test_the_echo_and_prompt_of_an_old_shell_are_no_output() -> None:
    call = call_of("c", "execute_bash", {"command": "make"}, None)
    text = "make\r\nno rule[Python Interpreter: /bin/python]\nroot@x:/ # \n[Command finished with exit code 2]"
    outcome = outcome_of(call, text)
    assert (outcome.output, outcome.exit_code) == ("no rule", 2)


def test_lines_that_were_cut_where_the_middle_was_left_out_are_one_line() -> None:
    call = call_of("c", "execute_bash", {"command": "cat a"}, None)
    outcome = outcome_of(call, "x\nhal\n[... Observation truncated due to length ...]\nf\ny")
    assert outcome.truncated
    assert outcome.output == "x\nhal[... Observation truncated due to length ...]f\ny"


def test_a_command_that_still_runs_has_no_status() -> None:
    call = call_of("c", "execute_bash", {"command": "serve"}, None)
    outcome = outcome_of(call, "up\n[The command completed with exit code -1.]")
    assert (outcome.status, outcome.exit_code) == ("unknown", None)
