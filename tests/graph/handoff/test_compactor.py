"""What a compactor answers becomes a packet with words, or one that it proposes, or a failure of one word."""

from __future__ import annotations

import pytest

from muniment.errors import UsageError
from muniment.handoff.compactor import MOST_CHARACTERS, MOST_PIECES, CompactorError, answered
from muniment.handoff.packet import Packet, PacketItem, Prose
from muniment.profiles import built_in_policy
from muniment.selection import policy
from muniment.tokens import o200k

FACT = PacketItem(id="fact:" + "0" * 24, handle="K1", kind="fact", record="f1", text="Keep the old names.", by="user")
TASK = PacketItem(id="task:" + "1" * 24, handle="T2", kind="task", record="t1", text="Rename.", state="open")
PACKET = Packet(mission="mission:1", covers_to="f1", ordinal=3, binding=(FACT,), tasks=(TASK,))


def prose_of(answer: object) -> tuple[Prose, ...]:
    made = answered(PACKET, answer, o200k())
    assert isinstance(made, Packet)
    return made.prose


def test_words_cite_what_they_name_and_nothing_that_the_packet_does_not_carry() -> None:
    assert prose_of(f"T2 is open, {FACT.id} binds; K99 is unknown.")[0].cites == (TASK.id, FACT.id)


def test_a_handle_that_is_cited_becomes_the_id_and_an_unknown_one_stays_for_the_check() -> None:
    assert prose_of({"prose": [{"text": "It binds.", "cites": ["K1", "K99"]}]})[0].cites == (FACT.id, "K99")


def test_words_change_nothing_else_of_a_packet() -> None:
    made = answered(PACKET, "K1 holds.", o200k())
    assert isinstance(made, Packet)
    assert (made.binding, made.tasks, made.covers_to) == (PACKET.binding, PACKET.tasks, PACKET.covers_to)
    assert made.tokens > 0


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "garbage"),
        ("", "garbage"),
        ({}, "garbage"),
        ({"prose": "a", "packet": {}}, "garbage"),
        ({"packet": "a"}, "garbage"),
        (["a"] * (MOST_PIECES + 1), "garbage"),
        ({"prose": ["a"] * (MOST_PIECES + 1)}, "too_large"),
        ("x" * (MOST_CHARACTERS + 1), "too_large"),
    ],
)
def test_what_is_no_answer_is_a_failure(answer: object, reason: str) -> None:
    with pytest.raises(CompactorError) as caught:
        answered(PACKET, answer, o200k())
    assert caught.value.reason == reason


def test_nobody_is_approved_of_unless_the_stores_policy_names_him() -> None:
    own = policy.parsed('[[compactor]]\nname = "words"\nprovider = "local"\nurl = "http://127.0.0.1:9/"', "own")
    assert own.before(built_in_policy()).approved("words").provider == "local"
    with pytest.raises(UsageError, match="approves of none"):
        built_in_policy().approved("words")


def test_an_endpoint_that_is_none_of_http_is_refused() -> None:
    with pytest.raises(UsageError, match="words"):
        policy.parsed('[[compactor]]\nname = "words"\nprovider = "local"\nurl = "file:///etc/passwd"', "own")
