"""The published schema: it is the one that the types give, takes a packet, and refuses what is none."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest

from muniment.handoff.build import build
from muniment.handoff.request import PacketRequest
from muniment.handoff.schema import packet_schema, schema_text
from muniment.tokens import o200k
from tests.support.graphs import Story

VALIDATOR = jsonschema.Draft202012Validator(packet_schema())


def told() -> dict[str, Any]:
    """Return a packet with something in it, as the JSON object that it is."""
    story = Story()
    story.say("Fix the rate.")
    story.task("Look at the rate", to="active")
    story.write("src/rate.py", "RATE = 1\n")
    story.run("make", "error: no such target", exit_code=2)
    found = build(story.snapshot(), PacketRequest(focus="rate"), o200k())
    packet: dict[str, Any] = json.loads(msgspec.json.encode(found))
    return packet


def test_the_file_holds_the_schema_that_the_types_give() -> None:
    path = resources.files("muniment.handoff").joinpath("packet.schema.json")
    assert path.read_text(encoding="utf-8") == schema_text(), (
        "write it anew: PYTHONPATH=graph python -c 'from muniment.handoff.schema import schema_text; "
        'print(schema_text(), end="")\' > graph/muniment/handoff/packet.schema.json'
    )


def test_the_schema_is_one_of_its_dialect() -> None:
    jsonschema.Draft202012Validator.check_schema(packet_schema())


def test_a_packet_passes() -> None:
    packet = told()
    assert {"binding", "tasks", "files", "failed", "next_actions"} <= set(packet)
    VALIDATOR.validate(packet)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 2),
        ("mission", None),
        ("ordinal", -1),
        ("binding", {}),
        ("binding", [{"id": "fact:1"}]),
        ("tasks", [{"id": "t", "handle": "T1", "kind": "task", "record": "r", "surprise": 1}]),
        ("next_actions", [{"task": "t", "handle": "T1", "action": "invent"}]),
        ("left_out", {"turns": 0}),
        ("surprise", True),
    ],
)
def test_what_is_no_packet_is_refused(field: str, value: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate({**told(), field: value})


@pytest.mark.parametrize("field", ["version", "mission", "covers_to", "ordinal"])
def test_what_a_packet_must_say_is_asked_for(field: str) -> None:
    packet = told()
    del packet[field]
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(packet)
