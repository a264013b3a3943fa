"""The Codex rollout format (`rollout-*.jsonl`), 0.58 to 0.171.

* A rollout tells most things twice. Messages, calls and results are taken from `response_item` lines, the model's own
  view; exit codes and diffs from `event_msg` lines, joined by call id (`codex_results`); what only an event tells is
  taken too.
* Agent items since the last item that is not the agent's are one response; where a line says up to which item of the
  history the model had read (`sampled_through_sequence`), that decides instead. Turn ids: `<session>:turn:<k>`.
* A sub-agent's thread is a stream of its parent's session, where it names the parent; a fork is a session of its own.
* `compacted` is a boundary; the history that it restores is not told again.
* Token usage: one record for each response; `input` are the tokens that did not come from the cache.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.importers.codex_answers import delegation_ends, notified_states
from muniment.importers.codex_calls import call_of
from muniment.importers.codex_messages import (
    PROMPT,
    agent_item,
    authored,
    final_answer,
    fingerprint,
    is_summary,
    summary_item,
    thinking,
    user_event,
    user_item,
)
from muniment.importers.codex_plan import plan_moves
from muniment.importers.codex_reader import CALLS, END_ITEMS, ENDS, OUTPUTS, CodexReader
from muniment.importers.codex_results import called, release_all, release_results, result_event, result_item, returned
from muniment.importers.codex_session import boundary, model_change, opening, tokens_of_count, tokens_of_record
from muniment.importers.codex_state import CodexState, Line, Outcome, encodable, integer, remember, rows, table, text_of
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import Record

_LINE_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_TURN_ENDS = frozenset({"task_started", "task_complete", "turn_aborted"})


class CodexNormaliser:
    """Turns the lines of one thread into records. One method for each type of line."""

    def __init__(self, state: CodexState) -> None:
        self.state = state
        self._rules: dict[str, Callable[[Line, JSON_OBJECT], list[Record]]] = {
            "session_meta": self._session_meta,
            "turn_context": self._turn_context,
            "compacted": self._compacted,
            "token_usage_record": self._usage,
            "response_item": self._item,
            "event_msg": self._event,
        }

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one line; what it cannot read it leaves out."""
        body = encodable(entry.body or {})
        rule = self._rules.get(text_of(body.get("type")) or "")
        if rule is None:
            return []
        return rule(Line(entry, text_of(body.get("timestamp"))), table(body.get("payload")))

    def _session_meta(self, line: Line, payload: JSON_OBJECT) -> list[Record]:
        return [*release_all(self.state, line), *opening(self.state, line, payload)]

    def _turn_context(self, line: Line, payload: JSON_OBJECT) -> list[Record]:
        self.state.cwd = text_of(payload.get("cwd")) or self.state.cwd
        return [*release_results(self.state, line), *model_change(self.state, line, payload)]

    def _compacted(self, line: Line, payload: JSON_OBJECT) -> list[Record]:
        self.state.responding = False
        return [*release_all(self.state, line), *boundary(self.state, line, payload)]

    def _usage(self, line: Line, payload: JSON_OBJECT) -> list[Record]:
        return tokens_of_record(self.state, self._within(line) if self.state.responding else line, payload)

    def _item(self, line: Line, payload: JSON_OBJECT) -> list[Record]:
        kind = text_of(payload.get("type"))
        if kind in OUTPUTS:
            self.state.responding = False
            return result_item(self.state, line, _with_output(payload))
        held = release_results(self.state, line)
        if kind == "reasoning":
            return held + thinking(self._respond(line), payload)
        if kind in CALLS:
            return held + self._call(self._respond(line), payload)
        if kind != "message":
            return held
        if payload.get("role") != "assistant":
            self.state.responding = False
            return held + user_item(self.state, line, payload) + self._notified(line, payload)
        if is_summary(self.state, payload):
            return held + summary_item(line, payload)
        return held + agent_item(self.state, self._respond(line), payload)

    def _notified(self, line: Line, payload: JSON_OBJECT) -> list[Record]:
        """Return the ends of delegations that a notice to the agent tells of."""
        about = line.entry.source_id
        notices = [text for role, text in authored(payload) if role != PROMPT]
        return [end for text in notices for end in delegation_ends(self.state, line, about, notified_states(text))]

    def _call(self, line: Line, payload: JSON_OBJECT) -> list[Record]:
        call, arguments = call_of(payload, self.state.cwd)
        ident = text_of(payload.get("call_id")) or text_of(payload.get("id")) or line.ident("call")
        found: list[Record] = [called(self.state, line, ident, call, arguments)]
        self.state.calls[ident] = call
        if call.tool == "tasks":
            found += plan_moves(self.state.plan, line, arguments.get("plan"), self.state.prefix + ident)
        if payload.get("type") in ("web_search_call", "image_generation_call"):  # the provider runs these itself
            status = {"completed": "ok", "failed": "failed"}.get(text_of(payload.get("status")) or "", "unknown")
            found += returned(self.state, line, ident, Outcome(status=status, clock=line.clock), None)
        return found

    def _event(self, line: Line, payload: JSON_OBJECT) -> list[Record]:
        kind = text_of(payload.get("type")) or ""
        if kind in ENDS:
            return result_event(self.state, self._within(line), text_of(payload.get("call_id")), payload)
        if kind == "item_completed":
            return self._completed(line, table(payload.get("item")))
        if kind in _TURN_ENDS:
            found = release_all(self.state, line)
            self.state.busy = False
            last = text_of(payload.get("last_agent_message")) if kind == "task_complete" else None
            return found + final_answer(self.state, line, last)
        if kind == "user_message" and payload.get("kind") in (None, "plain"):
            return self._prompted(line, text_of(payload.get("message")) or "")
        if kind == "agent_message":
            self._announced(text_of(payload.get("message")))
        return tokens_of_count(self.state, line, table(payload.get("info"))) if kind == "token_count" else []

    def _completed(self, line: Line, item: JSON_OBJECT) -> list[Record]:
        kind = text_of(item.get("type"))
        if kind in END_ITEMS:
            return result_event(self.state, self._within(line), text_of(item.get("id")), item)
        text = "\n".join(part for row in rows(item.get("content")) if (part := text_of(row.get("text"))))
        if kind == "UserMessage":
            return self._prompted(line, text)
        if kind == "AgentMessage":
            self._announced(text)
        path, thread = text_of(item.get("agent_path")), text_of(item.get("agent_thread_id"))
        if kind == "SubAgentActivity" and path and thread:
            self.state.agents[path] = thread
        return []

    def _prompted(self, line: Line, text: str) -> list[Record]:
        return release_results(self.state, line) + user_event(self.state, line, text)

    def _announced(self, text: str | None) -> None:
        self.state.announces = True
        if text is not None:
            remember(self.state.announced, fingerprint(text))

    def _respond(self, line: Line) -> Line:
        """Return the line of an agent's item with its turn; it opens a response where none is open."""
        sampled = integer(table((line.entry.body or {}).get("metadata")).get("sampled_through_sequence"))
        if sampled is None:
            opens = not self.state.responding
        else:
            opens = sampled != self.state.sampled or self.state.response == 0
        if opens:
            self.state.response += 1
        self.state.responding, self.state.sampled, self.state.busy = True, sampled, True
        return self._within(line)

    def _within(self, line: Line) -> Line:
        """Return the line as part of the latest response."""
        turn = f"{line.entry.stream or line.entry.session}:turn:{self.state.response}"
        return Line(line.entry, line.clock, turn)


class CodexFormat:
    """Codex rollouts."""

    name = "codex/1"
    title = "Codex rollout"
    short = "codex"
    runtime = "codex"

    def sniff(self, first: list[JSON_OBJECT]) -> bool:
        """Tell whether any of the first objects is a rollout line."""
        return any(
            isinstance(line.get("payload"), dict) and text_of(line.get("type")) in _LINE_TYPES and "timestamp" in line
            for line in first
        )

    def reader(self, file_name: str) -> CodexReader:
        """Return a reader for a file of that name."""
        return CodexReader(file_name)

    def normaliser(self, state: bytes | None) -> CodexNormaliser:
        """Return a normaliser for one thread, new or from the bytes of an earlier state."""
        return CodexNormaliser(CodexState() if state is None else msgspec.msgpack.decode(state, type=CodexState))


CODEX = CodexFormat()


def _with_output(payload: JSON_OBJECT) -> JSON_OBJECT:
    """Give the result of a search for tools the form of other results: the names of what was found."""
    if payload.get("type") != "tool_search_output":
        return payload
    names = [name for tool in rows(payload.get("tools")) if (name := text_of(tool.get("name")))]
    return {"call_id": payload.get("call_id"), "output": "\n".join(names)}
