"""A packet and a view as messages of a provider's API, and back.

* Forms: `plain` (one text), `anthropic`, `openai-chat` and `openai-responses` (lists of messages, as JSON objects).
* There is one message, of the user's role: what is carried over is evidence, and has no more authority than that.
* A provider's own items (compaction items, sealed reasoning) go along only to that provider, as they came, in front; a
  packet names them by digest, and nothing of them is ever read. Whoever hands over another item is refused.
* Read back is the one whole text that is a hand-over; other messages around it are passed over. Two are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from muniment import canonical
from muniment.digest import digest_of
from muniment.errors import FormatError, UsageError
from muniment.handoff.packet import Attachment
from muniment.handoff.portable import Carried, is_written, read, written

PLAIN: Final = "plain"
ANTHROPIC: Final = "anthropic"
OPENAI_CHAT: Final = "openai-chat"
OPENAI_RESPONSES: Final = "openai-responses"
FORMS: Final = (PLAIN, ANTHROPIC, OPENAI_CHAT, OPENAI_RESPONSES)
_PROVIDERS: Final = {ANTHROPIC: "anthropic", OPENAI_RESPONSES: "openai"}
"""Form → the provider whose own items it can hold."""
_TEXTS: Final = frozenset({"text", "input_text"})
Message = dict[str, object]


def attachment(provider: str, item: Mapping[str, object]) -> Attachment:
    """Return how a packet names an item of a provider's own: by the digest of its canonical JSON."""
    data = canonical.encode(dict(item))
    return Attachment(provider=provider, kind=str(item.get("type", "")), digest=digest_of(data), bytes=len(data))


def messages(carried: Carried, form: str, native: Sequence[Mapping[str, object]] = ()) -> list[Message]:
    """Return what is carried as messages of a form; `native`: items of that provider's own which the packet names.

    Raises:
        UsageError: no such form of messages, or an item that the packet does not name or that has no place there.
    """
    text = written(carried)
    _check_native(carried, form, native)
    if form == ANTHROPIC:
        own: list[Message] = [{"role": "assistant", "content": list(map(dict, native))}] if native else []
        return [*own, {"role": "user", "content": [{"type": "text", "text": text}]}]
    if form == OPENAI_CHAT:
        return [{"role": "user", "content": text}]
    if form == OPENAI_RESPONSES:
        item: Message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        return [*map(dict, native), item]
    raise UsageError(f"no form {form!r} of messages; there are {', '.join(FORMS[1:])}")


def carried_by(given: str | Sequence[object]) -> Carried:
    """Return what messages, or a plain text, carry over.

    Raises:
        FormatError: they carry nothing, more than one hand-over, or one that is not whole.
    """
    texts = [given] if isinstance(given, str) else [text for text in _user_texts(given) if is_written(text)]
    if len(texts) != 1:
        raise FormatError(f"one hand-over is expected in these messages, and there are {len(texts)}")
    return read(texts[0])


def _check_native(carried: Carried, form: str, native: Sequence[Mapping[str, object]]) -> None:
    if not native:
        return
    provider = _PROVIDERS.get(form)
    if provider is None:
        raise UsageError(f"the form {form!r} has no place for items of a provider's own")
    named = carried.packet.attachments if carried.packet is not None else ()
    known = {each.digest for each in named if each.provider == provider}
    for item in native:
        if attachment(provider, item).digest not in known:
            raise UsageError(f"the packet names no such item of {provider}: {item.get('type')!r}")


def _user_texts(given: Sequence[object]) -> Iterator[str]:
    for message in given:
        if not isinstance(message, Mapping) or message.get("role") != "user":
            continue
        content = message.get("content")
        if isinstance(content, str):
            yield content
        elif isinstance(content, list | tuple):
            yield from (_text(part) for part in content if isinstance(part, Mapping) and part.get("type") in _TEXTS)


def _text(part: Mapping[str, object]) -> str:
    text = part.get("text")
    return text if isinstance(text, str) else ""
