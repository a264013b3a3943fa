"""Who is the user in a Codex rollout: no prompt lost or doubled, no notice of the harness taken for one."""

from __future__ import annotations

import pytest

from muniment.importers.codex import CODEX
from muniment.model.records import (
    BranchChanged,
    ContextBoundary,
    DelegationEnded,
    DelegationStarted,
    Message,
    ModelChanged,
    Record,
    SessionForked,
    SessionOpened,
    SessionResumed,
    TokensUsed,
)
from tests.support.codex_rollout import Line, call, completed, event, exited, line, meta, only, output, records_of, said


def authors(records: list[Record]) -> list[tuple[str, str, str]]:
    return [(message.by, message.role, message.text) for message in only(Message, records)]


def prompts(records: list[Record]) -> list[str]:
    return [text for by, role, text in authors(records) if by == "user"]


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>", "instructions"),
        ("<user_instructions>\nUse tabs.\n</user_instructions>", "instructions"),
        ("<permissions instructions>\nall\n</permissions instructions>", "instructions"),
        ("<skill>\n<name>x</name>\n</skill>", "instructions"),
        ("<environment_context>\n  <cwd>/work</cwd>\n</environment_context>", "notice"),
        ("<turn_aborted>\nThe user interrupted.\n</turn_aborted>", "notice"),
        ("<user_shell_command>\n<command>ls</command>\n</user_shell_command>", "notice"),
        ('<hook_prompt hook_run_id="stop:1">Run the tests first</hook_prompt>', "notice"),
        ('<some_new_context source="x">\nwords\n</some_new_context>', "notice"),
        ("Another language model started to solve this problem and produced a summary", "notice"),
        ("Warning: apply_patch was requested via exec_command.", "notice"),
    ],
)
def test_what_the_harness_puts_into_the_users_messages_is_the_harnesss(text: str, role: str) -> None:
    assert authors(records_of([meta(), said("user", text)])) == [("harness", role, text)]


@pytest.mark.parametrize(
    "text",
    ["fix the <b>title</b>", "<html> is not closed", "why does # AGENTS.md instructions not load?", "Warn me: no"],
)
def test_what_only_looks_a_little_like_a_notice_is_the_users(text: str) -> None:
    assert authors(records_of([meta(), said("user", text)])) == [("user", "prompt", text)]


def test_a_developers_message_is_never_the_users() -> None:
    assert authors(records_of([meta(), said("developer", "do as I say")])) == [("harness", "notice", "do as I say")]


@pytest.mark.parametrize("event_first", [True, False])
@pytest.mark.parametrize("save", [False, True])
def test_a_prompt_that_item_and_event_tell_is_told_once(event_first: bool, save: bool) -> None:
    both = [said("user", "fix it"), event("user_message", message="fix it", images=[])]
    assert prompts(records_of([meta(), *(both if event_first else both[::-1])], save=save)) == ["fix it"]
    newer = [said("user", "fix it"), completed("UserMessage", content=[{"type": "text", "text": "fix it"}])]
    assert prompts(records_of([meta(), *newer], save=save)) == ["fix it"]


def test_the_same_prompt_typed_twice_is_two_prompts() -> None:
    once = [said("user", "go on"), event("user_message", message="go on")]
    assert prompts(records_of([meta(), *once, said("assistant", "ok"), *once])) == ["go on", "go on"]


def test_a_prompt_that_has_the_form_of_a_notice_is_the_users_where_an_event_shows_it_typed() -> None:
    text = "<environment_context>what is this?</environment_context>"
    records = records_of([meta(), said("user", text), event("user_message", message=text)])
    assert prompts(records) == [text]
    assert prompts(records_of([meta(), said("user", text), event("user_message", message=text, kind="plain")])) == [
        text
    ]
    shown = event("user_message", message=text, kind="environment_context")
    assert prompts(records_of([meta(), said("user", text), shown])) == []


def test_a_prompt_that_only_an_event_tells_is_not_lost() -> None:
    assert prompts(records_of([meta(), event("user_message", message="fix it")])) == ["fix it"]


def test_the_kinds_that_a_line_declares_decide_before_its_text_does() -> None:
    def declared(kind: str, text: str) -> Line:
        return said("user", text, internal_chat_message_metadata_passthrough={"content_item_kinds": [kind]})

    lines = [meta(), declared("user.text", "<tag>mine</tag>"), declared("hooks.additional_context", "plain words")]
    lines.append(declared("unknown", '<hook_prompt hook_run_id="1">x</hook_prompt>'))
    assert [by for by, _, _ in authors(records_of(lines))] == ["user", "harness", "harness"]


def test_an_editors_preamble_is_the_harnesss_and_the_request_behind_it_the_users() -> None:
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nfix it\n"
    records = records_of([meta(), said("user", text), event("user_message", message=text)])
    assert [(by, role) for by, role, _ in authors(records)] == [("harness", "notice"), ("user", "prompt")]
    assert prompts(records) == ["fix it"]


def test_an_image_alone_is_a_prompt_and_the_frames_around_images_are_no_text() -> None:
    shown = {"type": "input_image", "image_url": "data:image/png;base64,AA"}
    frame = [{"type": "input_text", "text": "<image>"}, shown, {"type": "input_text", "text": "</image>"}]
    alone = line("response_item", type="message", role="user", content=frame)
    worded = line("response_item", type="message", role="user", content=[*frame, {"type": "input_text", "text": "see"}])
    assert prompts(records_of([meta(), alone, worded])) == ["[image]", "see"]


def test_an_answer_is_final_by_its_phase_or_because_the_tasks_end_names_it() -> None:
    phased = [
        meta(),
        said("assistant", "I look.", phase="commentary"),
        said("assistant", "Done.", phase="final_answer"),
    ]
    phased.append(event("task_complete", last_agent_message="Done."))
    assert [(m.text, m.final) for m in only(Message, records_of(phased))] == [("I look.", False), ("Done.", True)]
    bare = [meta(), said("assistant", "Done."), event("task_complete", last_agent_message="Done.")]
    first, last = only(Message, records_of(bare))
    assert (first.final, last.final, last.parent, last.turn) == (False, True, first.id, first.turn)


def test_readable_reasoning_is_thinking_and_encrypted_reasoning_is_passed_over() -> None:
    summary = [{"type": "summary_text", "text": "look at the file"}]
    lines = [meta(), line("response_item", type="reasoning", summary=summary, encrypted_content="gAAA")]
    lines.append(line("response_item", type="reasoning", summary=[], encrypted_content="gAAA"))
    assert authors(records_of(lines)) == [("agent", "thinking", "look at the file")]


def test_the_history_that_a_compaction_restores_is_not_told_again() -> None:
    history = [said("user", "fix it")["payload"]]
    lines = [meta(), said("user", "fix it"), line("compacted", message="Summary.", replacement_history=history)]
    records = records_of(lines)
    (boundary,) = only(ContextBoundary, records)
    assert prompts(records) == ["fix it"]
    assert (boundary.text, boundary.trigger) == ("Summary.", "auto")
    (unread,) = only(ContextBoundary, records_of([meta(), line("compacted", message="")]))
    assert (unread.text, unread.trigger) == (None, "unknown")


def test_an_unannounced_message_where_messages_are_announced_is_a_compactions_summary() -> None:
    told = [completed("AgentMessage", content=[{"type": "Text", "text": "Done."}]), said("assistant", "Done.")]
    records = records_of([meta(history_mode="paginated"), said("assistant", "SUMMARY"), *told])
    assert authors(records) == [("compactor", "summary", "SUMMARY"), ("agent", "answer", "Done.")]


def test_a_session_opens_with_its_root_its_branch_and_its_model() -> None:
    context = line("turn_context", model="gpt-5", cwd="/repo")
    records = records_of([meta(git={"branch": "main"}), context, context, meta(git={"branch": "fix"})])
    (opened,) = only(SessionOpened, records)
    assert (opened.root, opened.version, opened.fs_style, opened.session) == ("/repo", "0.142.0", "posix", "root-1")
    assert [(change.to, change.source) for change in only(ModelChanged, records)] == [("gpt-5", None)]
    assert [(change.to, change.source) for change in only(BranchChanged, records)] == [("main", None), ("fix", "main")]
    assert len(only(SessionResumed, records)) == 1


def test_a_windows_root_has_the_windows_file_system() -> None:
    (opened,) = only(SessionOpened, records_of([line("session_meta", id="w", cwd="C:\\src\\app")]))
    assert (opened.fs_style, opened.case_sensitive) == ("windows", False)


def test_a_fork_is_a_session_of_its_own_and_the_parents_meta_in_it_opens_nothing() -> None:
    parent = line("session_meta", id="root-0", cwd="/elsewhere")
    records = records_of([meta(forked_from_id="root-0"), parent, said("user", "go")])
    (forked,) = only(SessionForked, records)
    assert (forked.parent, forked.session, forked.root) == ("root-0", "root-1", "/repo")
    assert (only(SessionOpened, records), only(SessionResumed, records)) == ([], [])


def test_a_sub_agents_thread_is_a_stream_of_its_parent_and_its_prompts_are_the_parent_agents() -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "root-1", "depth": 1}}}
    child = [line("session_meta", id="kid-1", cwd="/repo", source=spawned), said("user", "look at x")]
    where = CODEX.reader("rollout.jsonl").describe(child[0])
    assert (where.session, where.stream) == ("root-1", "kid-1")
    (message,) = only(Message, records_of(child))
    assert (message.by, message.agent, message.session) == ("agent", "kid-1", "root-1")
    review = CODEX.reader("r.jsonl").describe(
        line("session_meta", id="rev-1", cwd="/repo", source={"subagent": "review"})
    )
    assert (review.session, review.stream) == ("rev-1", "")


def test_a_delegation_starts_with_its_spawn_and_ends_once() -> None:
    over = '{"status": {"kid-1": {"completed": "found it"}}, "timed_out": false}'
    notice = (
        '<subagent_notification>\n{"agent_path":"kid-1","status":{"completed":"found it"}}\n</subagent_notification>'
    )
    lines = [
        meta(),
        call("c1", "spawn_agent", message="look at x"),
        output("c1", '{"agent_id": "kid-1", "nickname": "Bo"}'),
        call("c2", "wait_agent", targets=["kid-1"]),
        output("c2", over),
        said("user", notice),
    ]
    records = records_of(lines)
    (started,) = only(DelegationStarted, records)
    (ended,) = only(DelegationEnded, records)
    assert (started.child, started.text, started.call) == ("kid-1", "look at x", "c1")
    assert (ended.child, ended.outcome, ended.text, ended.delegation) == ("kid-1", "done", "found it", started.id)


def test_usage_is_told_once_for_each_response() -> None:
    def counted(total: int, last: int) -> Line:
        last_usage = {"input_tokens": last, "cached_input_tokens": 2, "output_tokens": 1}
        info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last_usage}
        return event("token_count", info=info)

    lines = [meta(), event("token_count", info=None), counted(10, 9), counted(10, 9), counted(30, 19)]
    assert [(t.input, t.cache_read, t.output) for t in only(TokensUsed, records_of(lines))] == [(7, 2, 1), (17, 2, 1)]
    usage = {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10}
    newer = [meta(), line("token_usage_record", response_id="r", usage=usage), counted(10, 9)]
    assert len(only(TokensUsed, records_of(newer))) == 1


def test_odd_lines_give_nothing_and_never_raise() -> None:
    odd: list[Line] = [
        {},
        {"type": 3, "payload": []},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": 7}},
        {"type": "response_item", "payload": {"type": "function_call", "name": None, "arguments": "{"}},
        {
            "type": "response_item",
            "payload": {"type": "function_call_output", "call_id": "x", "output": [1, {"text": 2}]},
        },
        {"type": "event_msg", "payload": {"type": "item_completed", "item": "x"}},
        {"type": "event_msg", "payload": {"type": "patch_apply_end", "call_id": "y", "changes": {"a": 1, "b": {}}}},
        {
            "type": "event_msg",
            "payload": {"type": "token_count", "info": {"total_token_usage": {"total_tokens": 10**40}}},
        },
        {"type": "session_meta", "payload": {"id": 1}},
        {"type": "compacted", "payload": None},
        {"type": "response_item", "payload": {"type": ["message"]}},
        {"type": {}, "payload": {"type": {}}},
        {"type": "session_meta", "payload": {"id": "\udc80", "cwd": "\udc80", "git": {"branch": "\udc80"}}},
        call("c\udc80", "request_user_input", questions=[{"id": 2**70}]),
        output("d", '{"a":' * 5000),
        call("d", "spawn_agent"),
        output("d", '{"a":' * 5000),
        call("s", "exec_command", cmd="echo \ud83d"),
        output("s", "\ud83d"),
    ]
    for body in odd:
        records_of([body], save=True)
        CODEX.sniff([body])
    records_of([meta(), *odd, said("user", "fix it"), output("s", exited(0, ""))], save=True)
