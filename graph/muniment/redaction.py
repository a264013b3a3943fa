"""Redaction: secrets in a body give way to markers before anything is stored.

* A marker is `[redacted:<kind>:<tag>]`. The tag is keyed with the store's key: equal secrets have equal markers,
  different ones differ, and nobody without the key can guess from it.
* All strings of a body are looked at, keys of objects too; not looked at are signatures and encrypted content, by
  their key.
* A text keeps its number of lines, and the numbers in front of them, since reads carry line intervals. A key block
  that is spread over a list of lines (as in patches) is found too.
* Redacting twice is redacting once. A body without secrets comes back as the very same object.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from muniment.digest import keyed_tag
from muniment.errors import FieldError, SecretRefusedError
from muniment.model.entries import JSON_OBJECT
from muniment.payload_markers import text_bytes
from muniment.secret_detection import Secret, find_secrets, is_secret_value, might_hold_secrets

Policy = Literal["redact", "keep", "refuse"]

TAG_HEX = 8
"""Hexadecimal characters of a tag: two secrets have the same one with a chance of 1 in 4 billion."""

_OPAQUE = frozenset({"signature", "encrypted_content", "thoughtSignature", "thought_signature", "encryptedContent"})
_SECRET_NAME = re.compile(
    r"(?:^|[_-]|(?<=[a-z]))(?:password|passwd|passphrase|secret|client_?secret|api_?key|access_?token|refresh_?token"
    r"|auth_?token|private_?key)\Z",
    re.IGNORECASE,
)
_LONG_NAME = 16
_LONGEST_NAME = 64
_BIG = 65_536
_SHORTEST = 8
_PASSES = 4
_KEPT_OF_LINES = re.compile(r"(?:\r?\n|\\r\\n|\\n)(?:[ \t]*[0-9]+[→\t])?")
_ESCAPED_LINE_END = re.compile(r"(?:\\r)?\\n")
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{16,}")


class Redactor:
    """Redacts bodies for one store."""

    def __init__(self, key: bytes, policy: Policy = "redact") -> None:
        """Take the store's 32-byte key, and what is to be done about secrets."""
        self._key = key
        self._policy = policy

    def redact(self, body: JSON_OBJECT) -> tuple[JSON_OBJECT, tuple[str, ...]]:
        """Return the body as it may be stored, and the kind of each secret that was found.

        Raises:
            SecretRefusedError: the policy is `refuse`, and there is a secret.
            FieldError: the body is nested too deeply, or a text cannot be scanned.
        """
        if self._policy == "keep":
            return body, ()
        try:
            if not _might_hold_secrets(body):
                return body, ()
            work = _Redacting(self._key)
            redacted = work.value(body)
        except RecursionError:
            raise FieldError("", "nested too deeply") from None
        if not work.kinds:
            return body, ()
        if self._policy == "refuse":
            raise SecretRefusedError(tuple(sorted(set(work.kinds))))
        return (redacted if isinstance(redacted, dict) else body), tuple(work.kinds)

    def redact_text(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Return a text as it may be stored, and the kind of each secret in it; as `redact` for a body."""
        body, kinds = self.redact({"": text})
        return str(body[""]), kinds


def _might_hold_secrets(body: JSON_OBJECT) -> bool:
    """Look at all small strings at once, which is much cheaper than one after the other."""
    small: dict[str, None] = {}  # a set in order: runtimes write the same output down twice
    stack: list[object] = [body]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            if _opens(part, stack, small):
                return True
        elif isinstance(part, list | tuple):
            # The last one in comes out first: so that lines stay in their order.
            stack.extend(reversed(part))
        elif isinstance(part, str) and len(part) >= _SHORTEST:
            if len(part) < _BIG:
                small[part] = None
            elif might_hold_secrets(part):
                return True
    return might_hold_secrets("\n".join(small))


def _opens(value: dict[str, object], stack: list[object], small: dict[str, None]) -> bool:
    """Put the members of an object on the stack; tell whether a name in it gives a secret away."""
    for name, inner in value.items():
        if name not in _OPAQUE:
            stack.append(inner)
        if len(name) >= _LONG_NAME:
            small[name] = None
        if isinstance(inner, str) and _is_named_secret(name, inner):
            return True
    return False


def _is_named_secret(name: str, value: str) -> bool:
    return _names_secret(name) and is_secret_value(value)


@lru_cache(maxsize=4096)
def _names_secret(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and _SECRET_NAME.search(name) is not None


class _Redacting:
    """One pass over a body that may hold secrets; remembers what was found."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.kinds: list[str] = []

    def value(self, value: object) -> object:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {self._text(name): self._member(name, part) for name, part in value.items()}
        if isinstance(value, list | tuple):  # what was made of a record holds tuples
            return self._list(value)
        return value

    def _member(self, name: str, value: object) -> object:
        if name in _OPAQUE and isinstance(value, str):
            return value
        new = self.value(value)
        if isinstance(new, str) and new == value and _is_named_secret(name, new):
            return self._marker("secret", new)
        return new

    def _list(self, items: Sequence[object]) -> list[object]:
        lines = [item for item in items if isinstance(item, str) and "\n" not in item]
        if len(lines) == len(items) and any("PRIVATE KEY" in line for line in lines):
            return [*self._text("\n".join(lines)).split("\n")]
        return [self.value(item) for item in items]

    def _text(self, text: str) -> str:
        # What stands beside a marker may come out only once the marker is there: hence more than one look.
        for _ in range(_PASSES):
            found = find_secrets(text) if len(text) >= _SHORTEST else []
            if not found:
                return text
            text = self._replaced(text, found)
        return text

    def _replaced(self, text: str, found: list[Secret]) -> str:
        parts: list[str] = []
        end = 0
        for secret in found:
            parts += (text[end : secret.start], self._marker(secret.kind, text[secret.start : secret.end]))
            end = secret.end
        return "".join([*parts, text[end:]])

    def _marker(self, kind: str, secret: str) -> str:
        self.kinds.append(kind)
        # The same key is the same secret with and without line numbers, and inside a JSON string.
        told = "".join(_KEY_MATERIAL.findall(_ESCAPED_LINE_END.sub("\n", secret))) if kind == "private-key" else secret
        marker = f"[redacted:{kind}:{keyed_tag(self._key, text_bytes(told), TAG_HEX)}]"
        return marker + "".join(_KEPT_OF_LINES.findall(secret))
