"""Who said what in a Codex rollout: the table of authors, and the messages of one line.

* `developer` and `system` messages are the harness's.
* A `user` message is the user's unless the line itself says otherwise (`content_item_kinds` of newer versions) or its
  text has the form that the harness gives to what it puts in: `_FORMS`, of which the last is one whole `<tag>…</tag>`.
  An event `user_message` (newer: an item `UserMessage`) that shows such a text as typed by the user makes it the user's
  all the same.
* An editor's preamble before `## My request for Codex:` is the harness's, what follows is the user's.
* In the thread of a sub-agent the prompts are its parent agent's: no user authority.
* A message without phase that no event announces, in a rollout that announces them, is the summary of a compaction.
"""

from __future__ import annotations

import re

from muniment.digest import digest_of
from muniment.importers.codex_state import KEPT, CodexState, Line, remember, rows, table, text_of
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import Message, Record

PROMPT, NOTICE, INSTRUCTIONS = "prompt", "notice", "instructions"

_FORMS = (
    (
        re.compile(r"# AGENTS\.md instructions|<INSTRUCTIONS>|<skill>|<[a-z_ ]*instructions>|<collaboration_mode>"),
        INSTRUCTIONS,
    ),
    (
        re.compile(r"<(?:environment_context|turn_aborted|subagent_notification|user_shell_command|hook_prompt)\b"),
        NOTICE,
    ),
    (re.compile(r"Another language model started to solve this problem"), NOTICE),
    (re.compile(r"Warning: "), NOTICE),
    (re.compile(r"<([a-z][a-z0-9_]*)(?:\s[^<>]*)?>.*</\1>\s*\Z", re.DOTALL), NOTICE),
)
_IMAGE_FRAME = re.compile(r"\s*</?image\b[^<>]*>\s*\Z")
_EDITOR = re.compile(r"# (?:Context from my IDE setup|Files mentioned by the user|In app browser)")
_REQUEST = re.compile(r"^#+ My request(?: for Codex)?:[ \t]*\n?", re.MULTILINE)
_SPACE = re.compile(r"\s+")


def fingerprint(text: str) -> str:
    """Return a digest of `text` that white space doesn't change: events and items differ in it."""
    return digest_of(_SPACE.sub("", text).encode("utf-8", "surrogatepass"))[:16]


def authored(payload: JSON_OBJECT) -> list[tuple[str, str]]:
    """Return the parts of a user's or developer's message as (role, text). All but `prompt` are the harness's."""
    passthrough = table(payload.get("internal_chat_message_metadata_passthrough"))
    kinds = passthrough.get("content_item_kinds")
    content = payload.get("content")
    if isinstance(content, str):
        content = [{"type": "input_text", "text": content}]
    parts: list[tuple[str, str]] = []
    images = False
    for place, item in enumerate(rows(content)):
        text = text_of(item.get("text"))
        if text is None:
            images = images or item.get("type") in ("input_image", "image", "local_image")
        elif text.strip() and not _IMAGE_FRAME.match(text):
            kind = kinds[place] if isinstance(kinds, list) and place < len(kinds) else None
            parts += _split(_role(payload.get("role"), kind, text), text)
    if images and payload.get("role") == "user" and not any(role == PROMPT for role, _ in parts):
        parts.append((PROMPT, "[image]"))
    return _joined(parts)


def user_item(state: CodexState, line: Line, payload: JSON_OBJECT) -> list[Record]:
    """Return the messages of a user's, developer's or system item, less what an event has told already."""
    found: list[Record] = []
    for role, text in authored(payload):
        if role == PROMPT:
            mark = fingerprint(text)
            remember(state.prompts, mark)
            state.busy = True
            if mark in state.told:
                state.told.remove(mark)
                continue
        found.append(_message(state, line, len(found), role=role, text=text))
    return found


def user_event(state: CodexState, line: Line, text: str) -> list[Record]:
    """Return the user's prompt that an event shows, unless its item has been told as the user's already."""
    text = _split(PROMPT, text)[-1][1]
    mark = fingerprint(text)
    if not text.strip() or mark in state.prompts:
        return []
    remember(state.prompts, mark)
    remember(state.told, mark)
    state.busy = True
    return [_message(state, line, 0, role=PROMPT, text=text)]


def is_summary(state: CodexState, payload: JSON_OBJECT) -> bool:
    """Tell whether an assistant's item is what a compaction wrote: nothing announced it as said."""
    return payload.get("phase") is None and state.announces and fingerprint(_said(payload)) not in state.announced


def summary_item(line: Line, payload: JSON_OBJECT) -> list[Record]:
    """Return the summary that an assistant's item is."""
    text = _said(payload)
    return [_record(line, line.ident("message"), by="compactor", role="summary", text=text)] if text.strip() else []


def agent_item(state: CodexState, line: Line, payload: JSON_OBJECT) -> list[Record]:
    """Return what an assistant's item says; remembers it, for a task's end may name it as the last answer."""
    text, final = _said(payload), payload.get("phase") == "final_answer"
    if not text.strip():
        return []
    ident, mark = line.ident("message"), fingerprint(text)
    state.final = mark if final else state.final
    state.answer = (ident, mark, line.turn)
    return [_record(line, ident, by="agent", role="answer", text=text, final=final)]


def final_answer(state: CodexState, line: Line, text: str | None) -> list[Record]:
    """Return the last answer that a task's end names, where no final message gave it; its parent is what it repeats."""
    known, state.final, answer, state.answer = state.final, "", state.answer, None
    if text is None or not text.strip() or fingerprint(text) == known:
        return []
    said, parent = line, None
    if answer is not None and answer[1] == fingerprint(text):
        said, parent = Line(line.entry, line.clock, answer[2]), answer[0]
    return [_record(said, line.ident("final"), by="agent", role="answer", text=text, parent=parent, final=True)]


def thinking(line: Line, payload: JSON_OBJECT) -> list[Record]:
    """Return what can be read of an item of reasoning: its text, else its summary; encrypted content is passed over."""
    for field in ("content", "summary"):
        text = "\n\n".join(part for item in rows(payload.get(field)) if (part := text_of(item.get("text"))))
        if text.strip():
            return [_record(line, line.ident("thinking"), by="agent", role="thinking", text=text)]
    return []


def _said(payload: JSON_OBJECT) -> str:
    return "\n".join(part for item in rows(payload.get("content")) if (part := text_of(item.get("text"))))


def _role(speaker: object, kind: object, text: str) -> str:
    if isinstance(kind, str) and "." in kind:
        if kind.startswith("user.") and speaker == "user":
            return PROMPT
        return INSTRUCTIONS if "instructions" in kind or "agents_md" in kind else NOTICE
    start = text.lstrip()
    for form, role in _FORMS:
        if form.match(start):
            return role
    return PROMPT if speaker == "user" else NOTICE


def _split(role: str, text: str) -> list[tuple[str, str]]:
    """Cut an editor's preamble off a prompt."""
    if role == PROMPT and _EDITOR.match(text.lstrip()):
        requests = list(_REQUEST.finditer(text))
        if requests and text[requests[-1].end() :].strip():
            return [(NOTICE, text[: requests[-1].start()].strip()), (PROMPT, text[requests[-1].end() :].strip())]
    return [(role, text)]


def _joined(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join neighbours of one role: one message, not one for each item of its content."""
    joined: list[tuple[str, str]] = []
    for role, text in parts:
        if joined and joined[-1][0] == role:
            joined[-1] = (role, f"{joined[-1][1]}\n{text}")
        else:
            joined.append((role, text))
    return joined


def _message(state: CodexState, line: Line, place: int, *, role: str, text: str) -> Message:
    by = ("agent" if state.child else "user") if role == PROMPT else "harness"
    said, ident = Line(line.entry, line.clock), line.ident("message" + (f":{place}" if place else ""))
    if role == PROMPT:
        state.typed[fingerprint(text)] = ident
        while len(state.typed) > KEPT:
            del state.typed[next(iter(state.typed))]
    return _record(said, ident, by=by, role=role, text=text)


def kept_prompts(state: CodexState, items: list[JSON_OBJECT]) -> tuple[str, ...]:
    """Return which of the user's messages are among the items of a history that took the place of the context."""
    told = (part for item in items if item.get("type") == "message" for part in authored(item) if part[0] == PROMPT)
    found = (state.typed.get(fingerprint(text)) for _, text in told)
    return tuple(dict.fromkeys(record for record in found if record is not None))


def _record(
    line: Line, ident: str, *, by: str, role: str, text: str, parent: str | None = None, final: bool = False
) -> Message:
    return Message(
        id=ident,
        by=by,
        session=line.entry.session,
        agent=line.entry.stream,
        clock=line.clock,
        turn=line.turn if by == "agent" else "",
        text=text,
        parent=parent,
        role=role,
        final=final,
    )
