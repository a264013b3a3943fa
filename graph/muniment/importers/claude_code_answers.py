"""What the user says inside tool results of Claude Code: answers to questions, approvals of plans, reasons of a
refusal.

* Each answer to `AskUserQuestion` is a message of the user and a decision: the choice, and the options that were
  not taken.
* An approved plan (`ExitPlanMode`) is a message of the user and a decision; what was approved is the plan itself. A
  plan that a child's parent approved is not the user's.
* A refused call may carry the user's words ("the user said: …"); they are a message of the user, the rest is the
  harness's.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from muniment.importers.claude_code_state import OpenCall
from muniment.importers.lenient import mapping, objects, string
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import DecisionMade, Message, Record

_SAID: Final = re.compile(
    r"(?:the user said:|provided the following reason for the rejection:)[ \t]*\n?", re.IGNORECASE
)
_NOTE: Final = re.compile(r"\n\nNote: The user's next message may contain a correction.*\Z", re.DOTALL)
_CLARIFY: Final = "The user wants to clarify these questions."
_PAIR: Final = re.compile(r'"(?P<question>[^"\n]*)"="(?P<answer>[^"\n]*)"')
_PARTIAL: Final = re.compile(r'^- "(?P<question>[^\n]*)"\n\s*Answer: (?P<answer>[^\n]+)', re.MULTILINE)


class _Answer(NamedTuple):
    question: str
    answer: str
    options: tuple[str, ...] = ()


def user_records(call_id: str, call: OpenCall, told: JSON_OBJECT, text: str, status: str) -> list[Record]:
    """Return what the user said and decided in the result of a call."""
    if status == "refused":
        return _reason(call_id, text)
    if status != "ok":
        return []
    if call.name == "AskUserQuestion":
        return _answered(call_id, _answers(call, told, text))
    if call.name == "ExitPlanMode" and told.get("isAgent") is not True and "approved" in text[:200]:
        return _approved(call_id, string(told, "plan") or string(call.input, "plan"))
    return []


def _reason(call_id: str, text: str) -> list[Record]:
    match = _SAID.search(text)
    if match is None:
        return []
    words = _NOTE.sub("", text[match.end() :]).strip()
    if words.startswith(_CLARIFY):
        partial = [_Answer(found["question"], found["answer"].strip()) for found in _PARTIAL.finditer(words)]
        return _answered(call_id, [answer for answer in partial if not answer.answer.startswith("(No answer")])
    return [Message(id=f"{call_id}:said", by="user", role="prompt", text=words)] if words else []


def _answers(call: OpenCall, told: JSON_OBJECT, text: str) -> list[_Answer]:
    questions = objects(told, "questions") or objects(call.input, "questions")
    options = {
        string(question, "question"): tuple(string(option, "label") for option in objects(question, "options"))
        for question in questions
    }
    given = {key: value for key, value in mapping(told, "answers").items() if isinstance(value, str)}
    if not given:
        given = {match["question"]: match["answer"] for match in _PAIR.finditer(text)}
    return [_Answer(question, answer, options.get(question, ())) for question, answer in given.items() if answer]


def _answered(call_id: str, answers: list[_Answer]) -> list[Record]:
    records: list[Record] = []
    for number, (question, answer, options) in enumerate(answers):
        suffix = f":{number}" if number else ""
        chosen = {answer, *(part.strip() for part in answer.split(", "))}
        records.append(
            Message(id=f"{call_id}:said{suffix}", by="user", role="prompt", text=f"{answer}\n(asked: {question})")
        )
        records.append(
            DecisionMade(
                id=f"{call_id}:decision{suffix}",
                by="user",
                choice=answer,
                reason=f"asked: {question}",
                rejected=tuple(option for option in options if option not in chosen),
            )
        )
    return records


def _approved(call_id: str, plan: str) -> list[Record]:
    words = f"Approved the plan:\n\n{plan}" if plan else "Approved the plan."
    return [
        Message(id=f"{call_id}:said", by="user", role="prompt", text=words),
        DecisionMade(id=f"{call_id}:decision", by="user", choice=plan or "leave plan mode", reason="plan approved"),
    ]
