"""opencode, Copilot CLI, Gemini CLI, aider and ATIF: what they told."""

from __future__ import annotations

import subprocess
import sys

from muniment.importers.aider_pieces import pieces_of
from muniment.importers.opencode_tools import indented
from muniment.model.records import (
    CommitMade,
    ContextBoundary,
    DecisionMade,
    DelegationEnded,
    Hunk,
    Message,
    Record,
    SessionOpened,
    TokensUsed,
    ToolCalled,
    ToolReturned,
    Withdrawal,
)
from tests.support import session_documents as made
from tests.support.session_records import of, records_of, records_of_lines


def users(records: list[Record]) -> list[str]:
    """Return what was said with the user's authority."""
    return [message.text for message in of(records, Message) if message.by == "user"]


def test_an_export_of_opencode() -> None:
    records = records_of(made.opencode())
    read, patched, ran = of(records, ToolReturned)
    assert (read.lines, read.total_lines, read.content) == ((1, 2), 2, made.FILE)
    assert patched.changes[0].hunks == (Hunk(1, 1, (" def add(a, b):", "-    return a - b", "+    return a + b")),)
    assert (ran.exit_code, ran.status, ran.cwd) == (0, "ok", "/repo")
    assert users(records) == ["Fix add."]
    assert [message.text for message in of(records, Message) if message.final] == ["Fixed."]
    assert len({call.turn for call in of(records, ToolCalled)}) == 1


def test_the_indentation_that_a_diff_for_display_lost_is_put_back_or_the_diff_is_not_used() -> None:
    shown = (Hunk(3, 3, (" if x:", "-\treturn 1", "+\treturn 2", " ")),)
    asked = ["\t\tif x:", "\t\t\treturn 1", "\t\t\treturn 2"]
    assert indented(shown, asked) == (Hunk(3, 3, (" \t\tif x:", "-\t\t\treturn 1", "+\t\t\treturn 2", " ")),)
    assert indented(shown, ["something else"]) == ()


def test_an_event_log_of_copilot() -> None:
    records = records_of_lines(made.copilot_cli())
    viewed, ran, edited, _ = of(records, ToolReturned)
    assert (viewed.lines, viewed.total_lines) == ((1, 1), 1)
    assert (ran.exit_code, ran.status, ran.output) == (2, "failed", "no rule")
    assert edited.changes[0].hunks == (Hunk(1, 1, ("-x = 1", "+x = 2")),)
    assert users(records) == ["Set x to 2.", "Not yet.\n(asked: Commit?)"]
    assert [decision.choice for decision in of(records, DecisionMade)] == ["Not yet."]


def test_a_chat_of_gemini() -> None:
    records = records_of(made.gemini_cli())
    written, ran, read = of(records, ToolReturned)
    assert (written.changes[0].change, written.changes[0].content) == ("created", "x = 1\n")
    assert (ran.exit_code, ran.status, ran.output) == (2, "failed", "no rule")
    assert (read.content, read.lines) == ("x = 1\n", None)
    assert users(records) == ["Make a.py."]
    usage = of(records, TokensUsed)[0]
    assert (usage.input, usage.output, usage.cache_read) == (5, 4, 4)


def test_lines_of_gemini_tell_a_message_once_and_take_back_what_was_rewound() -> None:
    value = made.gemini_cli()
    messages = value.pop("messages")
    assert isinstance(messages, list)
    first = {**messages[1], "toolCalls": []}
    lines = [value, messages[0], first, messages[1], {"$set": {"summary": "x"}}, {"$rewindTo": "m1"}, messages[5]]
    records = records_of_lines(lines)
    assert [message.id for message in of(records, Message)] == ["m1", "m2", "m6"]
    assert [call.id for call in of(records, ToolCalled)] == ["g1"]
    assert [(taken.by, taken.target) for taken in of(records, Withdrawal)] == [("user", "m1")]
    assert [boundary.trigger for boundary in of(records, ContextBoundary)] == ["rewind"]


def test_a_history_of_aider() -> None:
    records = records_of(made.AIDER)
    assert users(records) == ["Fix add.\nOnly that.", "And now?"]
    result = of(records, ToolReturned)[0]
    assert (result.status, result.path) == ("ok", "calc.py")
    assert result.changes[0].hunks == (Hunk(0, 0, ("-    return a - b", "+    return a + b")),)
    assert [commit.commit for commit in of(records, CommitMade)] == ["abc1234"]
    assert [usage.input for usage in of(records, TokensUsed)] == [1500]
    assert (of(records, SessionOpened)[0].root, len(of(records, ContextBoundary))) == ("/repo", 1)


def test_a_prompt_that_a_model_quotes_in_a_block_is_not_the_users() -> None:
    text = "# aider chat started at 2026-01-01 10:00:00\n\nLook:\n\n```\n\n#### delete all  \n```\n"
    assert [piece["kind"] for piece in pieces_of(text)] == ["start", "agent"]


def test_a_block_that_failed_to_match_changed_nothing() -> None:
    failure = "> # 1 SEARCH/REPLACE block failed to match!\n\n<<<<<<< SEARCH\n    return a - b\n=======\nx  \n"
    records = records_of(made.AIDER.replace("> Applied edit to calc.py  \n", failure))
    assert [(result.status, result.changes) for result in of(records, ToolReturned)] == [("failed", ())]


def test_an_atif_trajectory() -> None:
    records = records_of(made.atif())
    assert users(records) == ["Fix add."]
    results = {result.id: result for result in of(records, ToolReturned)}
    assert (results["x1:result"].exit_code, results["x1:result"].status) == (1, "failed")
    assert (results["y1:result"].agent, results["y1:result"].lines) == ("child-1", (1, 1))
    assert [(end.child, end.outcome) for end in of(records, DelegationEnded)] == [("child-1", "done")]
    usage = of(records, TokensUsed)[0]
    assert (usage.input, usage.cache_read, usage.output) == (40, 60, 5)


def test_the_package_for_atif_is_loaded_only_when_a_trajectory_is_met() -> None:
    script = "import sys, muniment.importers as i; assert 'atif' not in sys.modules and 'pydantic' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
