"""Which parts of a text are secrets: redact-secret's findings without its false alarms, and rules for what it misses.

* A finding with a shape of its own (a vendor's token, a key block, a JWT) is believed as it is.
* A finding that only its surroundings make (`password = ...`) is believed if the value looks like a secret: not
  words, not code, not a placeholder. So ordinary source code stays as it is.
* Digests, uuids and ids of calls and messages are never secrets, except where a name such as `api_key` says so of a
  hexadecimal value.
* A piece of a long unbroken run of letters and digits, as an image in base64 is, is no secret.
* What is a redaction marker already is left alone.
* A token begins and ends at an escape (`\\n` in JSON inside a string) and at a terminal's colour as at white space.
* Offsets are code points. A lone surrogate counts as one, as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import redact_secret

from muniment.errors import FieldError

MARKER = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{4,16}\]")


class Secret(NamedTuple):
    """A secret in a text: what kind it is of, and where."""

    kind: str
    start: int
    end: int


class _Rule(NamedTuple):
    """A rule of ours. Without one of the `triggers` the pattern cannot match; its group `secret` is the secret."""

    kind: str
    triggers: tuple[str, ...]
    pattern: re.Pattern[str]
    believed: str = ""
    """Under which of redact-secret's types its matches are judged; "": by their own shape."""


_KINDS = {
    "aws_access_key_id": "aws-key",
    "aws_secret_access_key": "aws-secret",
    "connection_string_password": "password",
    "contextual_secret": "secret",
    "vendor_prefixed_credential": "api-key",
}
_BY_CONTEXT = frozenset(
    {"contextual_secret", "bearer_token", "authorization_credential", "vendor_prefixed_credential", "secret"}
)

_NAMED = r"(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)"
_RULES = (
    _Rule(
        "password",
        ("://",),
        re.compile(r"://[^\s:/@'\"<>]{0,64}:(?P<secret>[^\s/@'\"<>]{3,256})@[A-Za-z0-9_\[]"),
        believed="connection_string_password",
    ),
    _Rule("anthropic-token", ("sk-ant-",), re.compile(r"\b(?P<secret>sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{32,})")),
    _Rule(
        "slack-webhook",
        ("hooks.slack.com/",),
        re.compile(r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>T[A-Z0-9]{6,}/[A-Z0-9]{6,}/[A-Za-z0-9]{16,})"),
    ),
    _Rule(
        "discord-webhook",
        ("/api/webhooks/",),
        re.compile(r"discord(?:app)?\.com/api/webhooks/(?P<secret>[0-9]{15,22}/[A-Za-z0-9_-]{50,})"),
    ),
    _Rule("age-key", ("AGE-SECRET-KEY-",), re.compile(r"\b(?P<secret>AGE-SECRET-KEY-1[A-Z0-9]{58})")),
    _Rule("notion-token", ("ntn_",), re.compile(r"\b(?P<secret>ntn_[A-Za-z0-9]{40,})")),
    _Rule("azure-key", ("AccountKey=",), re.compile(r"AccountKey=(?P<secret>[A-Za-z0-9+/]{60,}={0,2})")),
    _Rule(
        "password",
        (
            "PASSWORD=",
            "PASSWD=",
            "PWD=",
            "SECRET=",
            "TOKEN=",
            "KEY=",
            "--password=",
            "--token=",
            "--secret=",
            "--api-key=",
        ),
        re.compile(rf"(?i){_NAMED}=(?P<quote>['\"]?)(?P<secret>[^\s'\"`,;&|)\]}}]{{8,256}})"),
        believed="secret",
    ),
    _Rule(
        "password",
        ("--password ", "--token ", "--secret ", "--api-key "),
        re.compile(r"--(?:password|token|secret|api-key) (?P<quote>['\"]?)(?P<secret>[^\s'\"`,;&|)\]}]{8,256})"),
        believed="secret",
    ),
)

_KEY_BEGIN = "PRIVATE KEY"
_KEY_BLOCK = re.compile(
    r"-----BEGIN (?P<what>(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?)-----(?P<inside>.{0,20000}?)"
    r"-----END (?P=what)-----",
    re.DOTALL,
)
_LINE = r"(?:\r?\n|\\r\\n|\\n)[ \t]*(?:[0-9]+[→\t])?[+ -]?"
_LINE_ENDS = r"(?=[\r\n\\]|\Z)"
_KEY_CUT_OFF = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_LINE}(?:[A-Za-z-]+: [^\n]{{0,200}})?{_LINE_ENDS})*"
    rf"(?:{_LINE}[A-Za-z0-9+/=]{{32,}}{_LINE_ENDS})+"
    rf"(?:{_LINE}(?=[A-Za-z]*[0-9+/=])[A-Za-z0-9+/=]{{1,63}}{_LINE_ENDS})?"
)
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/]{32,}")

_BLOB_LENGTH = 256
_RUN_BEFORE = re.compile(r"[A-Za-z0-9+/_-]*\Z")
_RUN_AFTER = re.compile(r"[A-Za-z0-9+/_-]*")
_BLOB = re.compile(r"(?:data:[a-z0-9/+.;=-]{0,100},)?[A-Za-z0-9+/_-]{2048,}={0,2}\s?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(
    r"\\{2,}[\"']|(?:\\+(?:[nrtbf]|u[0-9a-fA-F]{4}|x1[bB]|033|e(?=\[))|\x1b)(?:\[[0-9;?]{0,20}[A-Za-z])?"
)
"""What stands for white space or a colour, and ends in a letter that would look like a part of the token behind it."""
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+\Z")
_NUMBERED_DIGEST = re.compile(r"[0-9]+:(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})\Z")
"""A place and the digest there, as the head of a journal is; bots' tokens look much like it."""
_DIGEST_LENGTHS = frozenset({32, 40, 56, 64, 96, 128})
_ID = re.compile(
    r"(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:toolu|call|msg|req|resp|fc|rs|chatcmpl|srvtoolu)[_-][A-Za-z0-9_-]+"
    r"|sha(?:1|256|384|512)[-:=][A-Za-z0-9+/=]+)\Z",
    re.IGNORECASE,
)
_STRONG_NAME = re.compile(
    r"(?i)(?:password|passwd|passphrase|secret|api[_-]?key|private[_-]?key|secret[_-]?key|access[_-]?key)"
    r"[\"']?\s*[:=]+>?\s*[\"']?\Z"
)
_PLACEHOLDER = re.compile(
    r"(?i)example|placeholder|change.?me|your[-_ .]|redacted|dummy|fake|mock|sample|test|todo|insert|replace|do.not.use"
    r"|x{4}|\*{3}|\.{3}|…|[<>(){}\[\]$%`\\]|1234567"
)
_WORD = r"(?:(?:[A-Z]?[a-z]{2,}[0-9]{0,3})(?:[A-Z][a-z]+[0-9]{0,3})*|[A-Z]{2,}[0-9]{0,4}|[a-z]{0,2}[0-9]{0,4})"
_WORDS = re.compile(rf"{_WORD}(?:[-_./:@]{_WORD})*\Z")
_CODE_AFTER = re.compile(r"\s?[(\[.]")
_DEFAULT_PASSWORDS = frozenset(
    {"pass", "password", "passwd", "pwd", "postgres", "mysql", "root", "admin", "user", "secret", "guest", "default"}
    | {"mongo", "redis", "rabbitmq", "token", "key", "apikey", "api_key", "github_token", "access_token"}
)
_USER_BEFORE = re.compile(r"//([^\s:/@]*):\Z")
_LOOK_BEHIND = 80
_MOST_FINDINGS = 10_000_000


def find_secrets(text: str) -> list[Secret]:
    """Return the secrets in a text, in order, without overlaps.

    Raises:
        FieldError: the text cannot be scanned.
    """
    if _BLOB.fullmatch(text):
        return []
    candidates = [
        one
        for seen in _with_boundaries(text)
        for one in (*_findings(seen), *_own_findings(seen))
        if not _is_inside_blob(seen, one)
    ]
    if not candidates:
        return []
    markers = [match.span() for match in MARKER.finditer(text)]
    chosen: list[Secret] = []
    for secret in sorted(candidates, key=lambda one: (one.start, -one.end)):
        if chosen and secret.start < chosen[-1].end:
            chosen[-1] = chosen[-1]._replace(end=max(secret.end, chosen[-1].end))
        elif not any(start < secret.end and secret.start < end for start, end in markers):
            chosen.append(secret)
    return chosen


def might_hold_secrets(text: str) -> bool:
    """Tell cheaply whether `find_secrets` could find something; true does not mean that it will."""
    if _BLOB.fullmatch(text):
        return False
    return _KEY_BEGIN in text or any(
        _scan(one) or any(_triggered(rule, one) and rule.pattern.search(one) for rule in _RULES)
        for one in _with_boundaries(text)
    )


def _with_boundaries(text: str) -> Iterator[str]:
    """Yield the text and, where it holds escapes, the same text with white space of the same length in their place."""
    yield text
    if "\\" in text or "\x1b" in text:
        spaced = _ESCAPE.sub(lambda match: " " * len(match[0]), text)
        if spaced != text:
            yield spaced


def is_secret_value(value: str) -> bool:
    """Tell whether a value, under a name that announces a secret, looks like one."""
    if len(value) < 8 or len(value) > 512 or any(part.isspace() for part in value):
        return False
    return not (_PLACEHOLDER.search(value) or _WORDS.match(value) or _ID.match(value))


def _is_inside_blob(text: str, secret: Secret) -> bool:
    """Tell whether a finding is a piece of a long unbroken run, such as an image: chance makes anything there."""
    if secret.kind == "private-key":
        return False
    before = _RUN_BEFORE.search(text, max(0, secret.start - _BLOB_LENGTH), secret.start)
    after = _RUN_AFTER.match(text, secret.end, secret.end + _BLOB_LENGTH)
    return sum(len(run[0]) for run in (before, after) if run is not None) >= _BLOB_LENGTH


def _scan(text: str) -> list[redact_secret.Finding]:
    limits = redact_secret.WholeInputLimits(max_input_bytes=4 * len(text) + 16, max_findings=_MOST_FINDINGS)
    try:
        return list(redact_secret.scan(text, limits=limits))
    except redact_secret.InvalidInputError:
        return list(redact_secret.scan(_SURROGATE.sub("\ufffd", text), limits=limits))
    except redact_secret.SecretScanError as error:
        raise FieldError("", f"cannot be scanned for secrets ({type(error).__name__})") from error


def _findings(text: str) -> Iterator[Secret]:
    for finding in _scan(text):
        secret = Secret(_KINDS.get(finding.type, finding.type.replace("_", "-")), finding.start, finding.end)
        if _is_believed(finding.type, text, secret):
            yield secret


def _is_believed(kind: str, text: str, secret: Secret) -> bool:
    if kind in _BY_CONTEXT:
        return _is_secret_in_context(text, secret)
    value = text[secret.start : secret.end]
    if kind == "connection_string_password":
        user = _USER_BEFORE.search(text[max(0, secret.start - _LOOK_BEHIND) : secret.start])
        is_default = value.lower() in _DEFAULT_PASSWORDS or (user is not None and user[1] == value)
        return not is_default and not _PLACEHOLDER.search(value)
    if kind == "private_key":
        return _KEY_MATERIAL.search(value) is not None
    return _NUMBERED_DIGEST.match(value) is None


def _is_secret_in_context(text: str, secret: Secret) -> bool:
    value = text[secret.start : secret.end]
    if _HEX.match(value) and len(value.removeprefix("0x")) in _DIGEST_LENGTHS:
        return _STRONG_NAME.search(text[max(0, secret.start - _LOOK_BEHIND) : secret.start]) is not None
    quoted = secret.start > 0 and text[secret.start - 1] in "\"'"
    if not quoted and _CODE_AFTER.match(text, secret.end):
        return False
    return is_secret_value(value)


def _own_findings(text: str) -> Iterator[Secret]:
    if _KEY_BEGIN in text:
        yield from _key_blocks(text)
    for rule in _RULES:
        if _triggered(rule, text):
            for match in rule.pattern.finditer(text):
                secret = Secret(rule.kind, *match.span("secret"))
                if _is_believed(rule.believed, text, secret):
                    yield secret


def _triggered(rule: _Rule, text: str) -> bool:
    return any(trigger in text for trigger in rule.triggers)


def _key_blocks(text: str) -> Iterator[Secret]:
    end = 0
    for match in _KEY_BLOCK.finditer(text):
        if _KEY_MATERIAL.search(match["inside"]):
            yield Secret("private-key", *match.span())
        end = match.end()
    for match in _KEY_CUT_OFF.finditer(text, end):
        yield Secret("private-key", *match.span())
