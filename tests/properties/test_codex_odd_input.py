"""Whatever a line of a Codex rollout holds, the importer does not raise, and its memory can be saved."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import canonical
from muniment.model.codec import parse_record, record_object
from tests.support.codex_rollout import Line, call, meta, records_of

FIELDS = [
    "type",
    "id",
    "call_id",
    "name",
    "namespace",
    "arguments",
    "output",
    "content",
    "text",
    "role",
    "phase",
    "message",
    "plan",
    "step",
    "status",
    "changes",
    "unified_diff",
    "item",
    "command",
    "cwd",
    "exit_code",
    "info",
    "last_token_usage",
    "total_token_usage",
    "total_tokens",
    "model",
    "source",
    "metadata",
    "payload",
    "success",
]
WORDS = [
    "message",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "local_shell_call",
    "reasoning",
    "item_completed",
    "patch_apply_end",
    "exec_command_end",
    "CommandExecution",
    "FileChange",
    "task_complete",
    "user_message",
    "token_count",
    "apply_patch",
    "exec_command",
    "update_plan",
    "request_user_input",
    "spawn_agent",
    "write_stdin",
    "user",
    "assistant",
    "developer",
    "final_answer",
    "completed",
    "c1",
]
LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "token_usage_record", "world_state")

words = st.sampled_from(WORDS) | st.text(max_size=12) | st.sampled_from(["\ud83d", '{"output":"x","metadata":{}}', "{"])
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6)
)
payloads = st.dictionaries(st.sampled_from(FIELDS), values, max_size=8)
lines = st.builds(
    lambda kind, shape, payload: {"type": kind, "payload": {"type": shape, "call_id": "c1", **payload}},
    st.sampled_from(LINES),
    st.sampled_from(WORDS),
    payloads | values.filter(lambda value: isinstance(value, dict)),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(lines, max_size=6))
def test_odd_lines_never_raise_and_a_saved_memory_goes_on_alike(odd: list[Line]) -> None:
    rollout = [meta(), call("c1", "exec_command", cmd="make"), *odd, meta()]
    records = records_of(rollout)
    assert records_of(rollout, save=True) == records
    for record in records:
        canonical.encode(record_object(record))
        assert parse_record(record_object(record)) == record
