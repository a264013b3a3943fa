"""What the results of some Codex tools say beside themselves: the user's answers, and the lives of sub-agents.

* An answer to `request_user_input` is the user's own word: a message and a decision, both by the user.
* `spawn_agent` starts a delegation once its result names the child (newer versions name a path, which an activity item
  resolves to the child's thread); the states that `wait` returns or a `<subagent_notification>` brings end it, once.
"""

from __future__ import annotations

from muniment.importers.codex_state import CodexState, Line, OpenCall, Outcome, parsed, rows, table, text_of
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import DecisionMade, DelegationEnded, DelegationStarted, Message, Record

_NOTE = "user_note: "
_NOTIFICATION = ("<subagent_notification>", "</subagent_notification>")
_OUTCOMES = {"completed": "done", "errored": "failed", "shutdown": "lost", "interrupted": "lost", "not_found": "lost"}


def answers(state: CodexState, line: Line, ident: str, call: OpenCall, outcome: Outcome) -> list[Record]:
    """Return the user's answers to the questions of a call, each as message and decision."""
    given = table(parsed(outcome.output).get("answers"))
    questions = {text_of(question.get("id")) or "": question for question in call.questions or []}
    found: list[Record] = []
    for name in [*(name for name in questions if name in given), *(name for name in given if name not in questions)]:
        chosen, question = _chosen(given[name]), questions.get(name, {})
        if not chosen:
            continue
        labels = [label for option in rows(question.get("options")) if (label := text_of(option.get("label")))]
        asked = text_of(question.get("question"))
        about, suffix = f"{state.prefix}{ident}", f":{len(found) // 2}" if found else ""
        said = "\n".join(chosen)
        found.append(
            Message(
                id=f"{about}:said{suffix}",
                by="user",
                session=line.entry.session,
                agent=line.entry.stream,
                clock=outcome.clock,
                text=f"{said}\n(asked: {asked})" if asked else said,
                role="prompt",
            )
        )
        found.append(
            DecisionMade(
                id=f"{about}:decision{suffix}",
                by="user",
                session=line.entry.session,
                agent=line.entry.stream,
                clock=outcome.clock,
                choice=said,
                reason=f"asked: {asked}" if asked else None,
                rejected=tuple(label for label in labels if label not in chosen),
            )
        )
    return found


def delegation_starts(state: CodexState, line: Line, ident: str, call: OpenCall, outcome: Outcome) -> list[Record]:
    """Return the start of a delegation, where a call that spawned an agent names it."""
    if call.name != "spawn_agent":
        return []
    body = parsed(outcome.output)
    child = next((name for key in ("agent_id", "agent_path", "task_name") if (name := text_of(body.get(key)))), None)
    if child is None:
        return []
    child = state.agents.get(child, child)
    about = state.prefix + ident
    state.delegations[child] = f"{about}:delegation"
    return [
        DelegationStarted(
            id=f"{about}:delegation",
            by="agent",
            session=line.entry.session,
            agent=line.entry.stream,
            clock=outcome.clock or line.clock,
            child=child,
            text=call.text,
            call=about,
        )
    ]


def delegation_ends(state: CodexState, line: Line, about: str, states: JSON_OBJECT) -> list[Record]:
    """Return the ends of the delegations whose children are over, by the states that a line gives: child → state."""
    found: list[Record] = []
    for name, told in states.items():
        child = state.agents.get(name, name)
        word, text = _state(told)
        outcome = _OUTCOMES.get(word)
        if outcome is None or child not in state.delegations:
            continue
        found.append(
            DelegationEnded(
                id=f"{about}:ended:{child}",
                by="harness",
                session=line.entry.session,
                agent=line.entry.stream,
                clock=line.clock,
                delegation=state.delegations.pop(child),
                outcome=outcome,
                text=text,
                child=child,
            )
        )
    return found


def notified_states(text: str) -> JSON_OBJECT:
    """Return the child's state that a `<subagent_notification>` brings, as child → state."""
    start, end = _NOTIFICATION
    bare = text.strip()
    if not bare.startswith(start) or not bare.endswith(end):
        return {}
    body = parsed(bare[len(start) : -len(end)].strip())
    name = text_of(body.get("agent_id")) or text_of(body.get("agent_path"))
    return {name: body.get("status")} if name else {}


def _chosen(given: object) -> list[str]:
    values = table(given).get("answers", given)
    listed = values if isinstance(values, list) else [values]
    return [
        text.removeprefix(_NOTE) for value in listed if (text := text_of(value)) and text.removeprefix(_NOTE).strip()
    ]


def _state(told: object) -> tuple[str, str | None]:
    """Return a state's word and what the child said: `"running"` or `{"completed": "text"}`."""
    if isinstance(told, dict) and len(told) == 1:
        word, text = next(iter(told.items()))
        return word, text_of(text)
    return text_of(told) or "", None
