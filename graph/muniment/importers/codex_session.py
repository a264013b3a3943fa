"""What a Codex rollout says of the session itself: its start, forks, models, branches, boundaries and token usage."""

from __future__ import annotations

from typing import TypedDict

from muniment.digest import digest_of
from muniment.importers.codex_messages import kept_prompts
from muniment.importers.codex_state import CodexState, Line, integer, is_windows, rows, table, text_of
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import (
    BranchChanged,
    ContextBoundary,
    ModelChanged,
    Record,
    SessionForked,
    SessionOpened,
    SessionResumed,
    TokensUsed,
)


def origin(meta: JSON_OBJECT) -> tuple[str, str] | None:
    """Return the (session, stream) that a `session_meta` declares, or None where it names no thread.

    A sub-agent's thread that names its parent is a stream of the parent's session; `session_id`, where it differs from
    the thread's own id, is the session of the whole tree. Without a parent the thread is a session of its own.
    """
    thread = text_of(meta.get("id")) or text_of(meta.get("session_id"))
    if thread is None:
        return None
    if _is_child(meta):
        tree = text_of(meta.get("session_id"))
        parent = tree if tree and tree != thread else _parent(meta)
        if parent and parent != thread:
            return parent, thread
    return thread, ""


class _Common(TypedDict):
    """What all records of a line share."""

    by: str
    session: str
    agent: str
    clock: str | None


class _Place(TypedDict):
    """The folder that a session works in."""

    root: str | None
    fs_style: str
    case_sensitive: bool


def opening(state: CodexState, line: Line, meta: JSON_OBJECT) -> list[Record]:
    """Return what a `session_meta` opens: a session, a fork, or a resumption; the copy of a parent's opens nothing."""
    thread = text_of(meta.get("id")) or text_of(meta.get("session_id")) or ""
    common = _Common(by="harness", session=line.entry.session, agent=line.entry.stream, clock=line.clock)
    if state.opened:
        if thread != state.opened:
            return []
        again: list[Record] = [SessionResumed(id=line.ident("resumed"), **common)]
        return again + _branch(state, line, meta)
    state.opened, state.child = thread or "unknown", _is_child(meta)
    state.announces = meta.get("history_mode") == "paginated"
    state.cwd = text_of(meta.get("cwd")) or state.cwd
    forked = text_of(meta.get("forked_from_id"))
    if line.entry.stream:
        state.prefix = f"{line.entry.stream}:" if forked else ""  # a forked child repeats its parent's call ids
        return []
    windows = is_windows(state.cwd)
    place = _Place(root=state.cwd, fs_style="windows" if windows else "posix", case_sensitive=not windows)
    version = text_of(meta.get("cli_version"))
    first: Record
    if forked:
        extra: JSON_OBJECT | None = {"version": version} if version else None
        first = SessionForked(id=line.ident("forked"), parent=forked, extra=extra, **place, **common)
    else:
        first = SessionOpened(
            id=line.ident("opened"), version=version, model=text_of(meta.get("model")), **place, **common
        )
        state.model = first.model
    return [first, *_branch(state, line, meta)]


def model_change(state: CodexState, line: Line, context: JSON_OBJECT) -> list[Record]:
    """Return the change of model that a `turn_context` tells, if there is one; the first tells the session's model."""
    model = text_of(context.get("model"))
    if model is None or model == state.model:
        return []
    before, state.model = state.model, model
    return [
        ModelChanged(
            id=line.ident("model"),
            by="harness",
            session=line.entry.session,
            agent=line.entry.stream,
            clock=line.clock,
            to=model,
            source=before,
        )
    ]


def boundary(state: CodexState, line: Line, compacted: JSON_OBJECT) -> list[Record]:
    """Return the boundary of a `compacted` line. It is automatic where the running turn had begun to do something.

    Of the history that took the context's place, the user's messages stayed; an encrypted item is told by its digest.
    """
    items = rows(compacted.get("replacement_history"))
    return [
        ContextBoundary(
            id=line.ident("boundary"),
            by="compactor",
            session=line.entry.session,
            agent=line.entry.stream,
            clock=line.clock,
            trigger="auto" if state.busy else "unknown",
            text=text_of(compacted.get("message")) or None,
            tokens_before=state.context,
            preserved=kept_prompts(state, items),
            opaque=tuple(digest_of(sealed.encode("utf-8", "surrogatepass")) for sealed in _sealed(items)),
            model=state.model or "",
        )
    ]


def _sealed(items: list[JSON_OBJECT]) -> list[str]:
    return [sealed for item in items if (sealed := text_of(item.get("encrypted_content")))]


def tokens_of_record(state: CodexState, line: Line, payload: JSON_OBJECT) -> list[Record]:
    """Return the usage of a `token_usage_record`; from the first of them on, `token_count` events tell nothing new."""
    state.usage_records = True
    return _tokens(state, line, table(payload.get("usage")))


def tokens_of_count(state: CodexState, line: Line, info: JSON_OBJECT) -> list[Record]:
    """Return the usage of a `token_count` event whose total has moved; the same total is told again and again."""
    total = integer(table(info.get("total_token_usage")).get("total_tokens"))
    if state.usage_records or total is None or total == state.total:
        return []
    state.total = total
    return _tokens(state, line, table(info.get("last_token_usage")))


def _tokens(state: CodexState, line: Line, usage: JSON_OBJECT) -> list[Record]:
    given, output = integer(usage.get("input_tokens")) or 0, integer(usage.get("output_tokens")) or 0
    read, written = integer(usage.get("cached_input_tokens")) or 0, integer(usage.get("cache_write_input_tokens")) or 0
    if not given and not output:
        return []
    state.context = given + output
    return [
        TokensUsed(
            id=line.ident("tokens"),
            by="harness",
            session=line.entry.session,
            agent=line.entry.stream,
            clock=line.clock,
            turn=line.turn,
            model=state.model,
            input=max(given - read - written, 0),
            output=output,
            cache_read=read,
            cache_write=written,
        )
    ]


def _branch(state: CodexState, line: Line, meta: JSON_OBJECT) -> list[Record]:
    branch = text_of(table(meta.get("git")).get("branch"))
    if branch is None or branch == state.branch:
        return []
    before, state.branch = state.branch, branch
    return [
        BranchChanged(
            id=line.ident("branch"),
            by="harness",
            session=line.entry.session,
            agent=line.entry.stream,
            clock=line.clock,
            to=branch,
            source=before,
        )
    ]


def _is_child(meta: JSON_OBJECT) -> bool:
    return bool(_source(meta)) or bool(text_of(meta.get("parent_thread_id")))


def _source(meta: JSON_OBJECT) -> object:
    source = table(meta.get("source"))
    return source.get("subagent", source.get("sub_agent", source.get("subAgent")))


def _parent(meta: JSON_OBJECT) -> str | None:
    spawned = table(table(_source(meta)).get("thread_spawn"))
    return text_of(meta.get("parent_thread_id")) or text_of(spawned.get("parent_thread_id"))
