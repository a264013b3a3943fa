"""mini-swe-agent: who says what, what ran and how it ended."""

from __future__ import annotations

from muniment.model.records import (
    ArtifactProduced,
    Message,
    SessionOpened,
    TokensUsed,
    ToolCalled,
    ToolReturned,
)
from tests.support.session_documents import mini_swe_agent
from tests.support.session_records import Json, of, records_of


def with_messages(*messages: Json) -> Json:
    """Return the document with these messages behind its first two."""
    value = mini_swe_agent()
    whole = value["messages"]
    assert isinstance(whole, list)
    return {**value, "messages": [*whole[:2], *messages]}


def test_the_task_is_the_users_and_the_template_around_it_the_harnesss() -> None:
    messages = of(records_of(mini_swe_agent()), Message)
    assert [(message.by, message.text) for message in messages if message.by == "user"] == [("user", "Fix add.")]
    assert [message.text for message in messages if message.role == "instructions"] == [
        "You have a shell.",
        "<task>",
        "</task>\n\n<rules>\nSubmit a patch.\n</rules>",
    ]


def test_commands_have_their_folder_status_and_output() -> None:
    records = records_of(mini_swe_agent())
    assert [(call.id, call.command, call.cwd) for call in of(records, ToolCalled)][:2] == [
        ("c1", "cat calc.py", "/repo"),
        ("c2", "pytest -q", "/repo"),
    ]
    results = of(records, ToolReturned)
    assert [(result.call, result.status, result.exit_code) for result in results] == [
        ("c1", "ok", 0),
        ("c2", "failed", 1),
        ("c3", "ok", 0),
    ]
    assert results[1].output == "1 failed\n"
    assert of(records, SessionOpened)[0].root == "/repo"
    assert len(of(records, TokensUsed)) == 3


def test_the_last_message_before_the_submission_is_final_and_the_patch_an_artifact() -> None:
    records = records_of(mini_swe_agent())
    assert [message.text for message in of(records, Message) if message.final] == ["Fixed."]
    assert [artifact.content for artifact in of(records, ArtifactProduced)] == ["diff --git a/x b/x\n"]


def test_an_output_whose_middle_was_left_out_is_what_the_model_saw() -> None:
    text = (
        "<returncode>0</returncode>\n<warning>\nToo long.\n</warning><output_head>\nfirst\n</output_head>\n"
        "<elided_chars>\n90 characters elided\n</elided_chars>\n<output_tail>\nlast\n</output_tail>"
    )
    call: Json = {"role": "assistant", "content": "", "extra": {"actions": [{"command": "cat x", "tool_call_id": "k"}]}}
    seen: Json = {
        "role": "tool",
        "tool_call_id": "k",
        "content": text,
        "extra": {"returncode": 0, "raw_output": "secret"},
    }
    result = of(records_of(with_messages(call, seen)), ToolReturned)[0]
    assert (result.truncated, result.output) == (True, "first…90 chars truncated…last")


def test_a_command_that_was_stopped_has_no_status_of_its_own() -> None:
    call: Json = {"role": "assistant", "content": "", "extra": {"actions": [{"command": "sleep 99"}]}}
    extra = {"returncode": -1, "raw_output": "", "exception_info": "timed out"}
    seen: Json = {"role": "user", "content": "<exception>timed out</exception>", "extra": extra}
    result = of(records_of(with_messages(call, seen)), ToolReturned)[0]
    assert (result.status, result.exit_code, result.output) == ("failed", None, "timed out")


def test_a_format_error_refuses_the_calls_and_is_the_harnesss() -> None:
    call: Json = {"role": "assistant", "content": "x", "tool_calls": [{"id": "k", "function": {"arguments": "{bad"}}]}
    error: Json = {"role": "user", "content": "Tool call error", "extra": {"interrupt_type": "FormatError"}}
    records = records_of(with_messages(call, error))
    assert [(result.status, result.effect) for result in of(records, ToolReturned)] == [("refused", "none")]
    assert of(records, Message)[-1].by == "harness"


def test_blocks_of_shell_text_are_the_actions_of_older_versions() -> None:
    call: Json = {"role": "assistant", "content": "Look.\n\n```bash\nls -l\n```"}
    seen: Json = {"role": "user", "content": "<returncode>2</returncode>\n<output>\nno\n</output>"}
    result = of(records_of(with_messages(call, seen)), ToolReturned)[0]
    assert (result.command, result.exit_code, result.output) == ("ls -l", 2, "no\n")
