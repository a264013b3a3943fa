"""Redaction: what is found, what is left alone, and what a marker tells."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from muniment.errors import FieldError, SecretRefusedError
from muniment.model.entries import JSON_OBJECT
from muniment.redaction import Redactor
from muniment.secret_detection import find_secrets
from tests.support.made_up_secrets import HARMLESS, private_key, secrets

KEY = bytes(range(32))
REDACTOR = Redactor(KEY)
MARKER = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]")


@pytest.mark.parametrize("name", sorted(secrets(0)))
@pytest.mark.parametrize("seed", range(5))
def test_a_secret_gives_way_to_a_marker_and_its_surroundings_stay(name: str, seed: int) -> None:
    text, secret = secrets(seed)[name]
    redacted, kinds = REDACTOR.redact_text(text)
    before, after = text.split(secret)
    assert len(kinds) == 1
    assert MARKER.fullmatch(redacted.removeprefix(before).removesuffix(after))


def _in_json(text: str) -> str:
    return json.dumps({"output": f"first\n{text}\tlast"})


WRAPPED: dict[str, Callable[[str], str]] = {
    "behind a line feed in JSON": _in_json,
    "in JSON in JSON": lambda text: _in_json(_in_json(text)),
    "in colour": lambda text: f"\x1b[1;31m{text}\x1b[0m and more",
    "in colour in JSON": lambda text: json.dumps({"output": f"\x1b[31m{text}\x1b[0m"}),
    "in written colour": lambda text: rf"\x1b[31m{text}\033[0m, \e[32m{text}\e[0m",
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED.keys())
@pytest.mark.parametrize("name", sorted(secrets(0)))
def test_a_secret_is_found_between_escapes_and_colours(name: str, wrap: Callable[[str], str]) -> None:
    text, secret = secrets(0)[name]
    body: JSON_OBJECT = {"text": wrap(text)}
    redacted, kinds = REDACTOR.redact(body)
    assert kinds
    assert secret not in str(redacted["text"])
    assert REDACTOR.redact(redacted) == (redacted, ())


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED.keys())
@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays_between_escapes_and_colours(text: str, wrap: Callable[[str], str]) -> None:
    assert REDACTOR.redact_text(wrap(text)) == (wrap(text), ())


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert REDACTOR.redact_text(text) == (text, ())


def test_equal_secrets_have_equal_markers_and_different_ones_differ() -> None:
    one, other = secrets(1)["aws"][1], secrets(2)["aws"][1]
    markers = {text: REDACTOR.redact_text(text)[0] for text in (one, other)}
    assert (
        REDACTOR.redact_text(f"A={one}\nB={one} C={other}")[0]
        == f"A={markers[one]}\nB={markers[one]} C={markers[other]}"
    )
    assert markers[one] != markers[other]
    assert markers[one].startswith("[redacted:aws-key:")
    assert Redactor(bytes(32)).redact_text(one)[0] != markers[one]


def test_redacting_again_changes_nothing() -> None:
    body: JSON_OBJECT = {name: text for name, (text, _) in secrets(3).items()}
    once, kinds = REDACTOR.redact(body)
    assert len(kinds) == len(body)
    again, none = REDACTOR.redact(once)
    assert (again is once, none) == (True, ())


@pytest.mark.parametrize(
    "shown",
    [
        lambda key: key,
        lambda key: "\n".join(f"{number:6}→{line}" for number, line in enumerate(key.split("\n"), start=1)),
        lambda key: "\n".join(f"+{line}" for line in key.split("\n")),
        lambda key: key.rsplit("\n", 4)[0],
        lambda key: key.replace("\n", "\r\n"),
    ],
    ids=["plain", "numbered", "patch", "cut off", "crlf"],
)
@pytest.mark.parametrize("what", ["RSA ", "", "OPENSSH ", "EC ", "ENCRYPTED "])
def test_a_private_key_goes_and_its_lines_stay(shown: Callable[[str], str], what: str) -> None:
    text = f"head\n{shown(private_key(1, what))}\ntail"
    redacted, kinds = REDACTOR.redact_text(text)
    assert kinds == ("private-key",)
    assert redacted.count("\n") == text.count("\n")
    assert redacted.startswith("head\n")
    assert redacted.endswith("\ntail")
    assert re.search(r"[A-Za-z0-9+/]{30}", redacted) is None
    assert re.findall(r"\d+→", redacted) == re.findall(r"\d+→", text)


def test_the_same_private_key_has_the_same_marker_however_it_is_shown() -> None:
    key = private_key(2)
    numbered = "\n".join(f"{number:6}→{line}" for number, line in enumerate(key.split("\n"), start=1))
    shown = [key, numbered, json.dumps(key), "x " + key]
    assert len({MARKER.findall(REDACTOR.redact_text(text)[0])[0] for text in shown}) == 1


def test_a_private_key_spread_over_a_list_of_lines_is_found() -> None:
    lines = [" before", *(f"+{line}" for line in private_key(3).split("\n")), " after"]
    redacted, kinds = REDACTOR.redact({"lines": lines})
    assert kinds == ("private-key",)
    found = redacted["lines"]
    assert isinstance(found, list)
    assert len(found) == len(lines)
    assert not any(re.search(r"[A-Za-z0-9+/]{30}", line) for line in found)


def test_every_string_is_looked_at_but_opaque_ones() -> None:
    secret = secrets(4)["aws"][1]
    body: JSON_OBJECT = {
        "a": [{"b": f"x {secret}"}],
        secret: 1,
        "signature": secret,
        "deep": {"encrypted_content": secret},
        "n": 7,
    }
    redacted, kinds = REDACTOR.redact(body)
    assert kinds == ("aws-key", "aws-key")
    assert (redacted["signature"], redacted["deep"]) == (secret, {"encrypted_content": secret})
    assert secret not in json.dumps({**redacted, "signature": "", "deep": {}})


def test_a_name_gives_its_value_away() -> None:
    body: JSON_OBJECT = {"env": {"DB_PASSWORD": "x9Kq2mPw7vTz", "clientSecret": "x9Kq2mPw7vTz", "user": "x9Kq2mPw7vTz"}}
    redacted, kinds = REDACTOR.redact(body)
    assert kinds == ("secret", "secret")
    assert json.dumps(redacted).count("x9Kq2mPw7vTz") == 1
    for name, value in (("password", "change-me-1"), ("max_tokens", "x9Kq2mPw7vTz"), ("secret", "two words, 1 number")):
        assert REDACTOR.redact({name: value}) == ({name: value}, ())


def test_a_body_without_secrets_is_the_very_same_object() -> None:
    body: JSON_OBJECT = {"text": HARMLESS[0], "inner": [{"b": "c" * 100_000}]}
    assert REDACTOR.redact(body)[0] is body


def test_a_broken_text_does_not_hide_a_secret() -> None:
    secret = secrets(5)["github"][1]
    redacted, kinds = REDACTOR.redact_text(f"\ud83d {secret} \ude00")
    assert kinds == ("github-token",)
    assert redacted.startswith("\ud83d [redacted:github-token:")
    assert redacted.endswith("] \ude00")


def test_an_image_stays_whole_and_what_stands_beside_it_is_found() -> None:
    image = base64.b64encode(random.Random(1).randbytes(300_000)).decode()
    secret = secrets(8)["aws"][1]
    url = f"data:image/png;base64,{image}"
    for text in (image, url, f'{{"data": "{image}"}}', f"![x]({url}) and more"):
        assert REDACTOR.redact_text(text) == (text, ())
    redacted, kinds = REDACTOR.redact_text(f'{secret} "{image}" {secret}')
    assert kinds == ("aws-key", "aws-key")
    assert image in redacted
    assert secret not in redacted


def test_keep_keeps_and_refuse_refuses() -> None:
    body: JSON_OBJECT = {"t": secrets(6)["aws"][0]}
    assert Redactor(KEY, "keep").redact(body) == (body, ())
    with pytest.raises(SecretRefusedError) as caught:
        Redactor(KEY, "refuse").redact(body)
    assert caught.value.kinds == ("aws-key",)
    assert secrets(6)["aws"][1] not in str(caught.value)
    assert Redactor(KEY, "refuse").redact({"t": HARMLESS[0]}) == ({"t": HARMLESS[0]}, ())


def test_what_is_nested_too_deeply_is_refused_only_where_it_must_be_walked() -> None:
    body: dict[str, object] = {"t": secrets(7)["aws"][0]}
    for _ in range(5000):
        body = {"d": body}
    with pytest.raises(FieldError, match="nested too deeply"):
        REDACTOR.redact(body)


@pytest.mark.sessions
def test_nothing_in_the_recorded_sessions_is_redacted(sessions: Path) -> None:
    found: dict[str, int] = {}
    for path in sorted(sessions.glob("c[lo]*/**/*.jsonl")):
        for line in path.read_bytes().splitlines():
            try:
                body = msgspec.json.decode(line)
            except msgspec.DecodeError:
                continue
            for kind in REDACTOR.redact(body)[1] if isinstance(body, dict) else ():
                found[f"{path.name} {kind}"] = found.get(f"{path.name} {kind}", 0) + 1
    assert found == {}


def test_the_head_of_a_journal_is_no_token_of_a_bot() -> None:
    digest = "1d51111728dd38b02a204997fec15fd1a05ecea2518415effb0e96e40c5176ca"
    assert find_secrets(f"journal head 63637:{digest}") == []
    token = f"{'123456789'}:{'AAH'}{'kdjf83hsgd72hs9dkqpzmvbxtrw4yuo5'}"
    assert [secret.kind for secret in find_secrets(f"bot {token}")] == ["telegram-bot-token"]
