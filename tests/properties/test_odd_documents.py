"""Whatever a part of a session holds, no importer raises, and its memory can be saved at any place and gone on with."""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.capture.lines import Broken
from muniment.capture.session_file import described_by
from muniment.importers import format_named
from muniment.importers.protocol import SessionFormat
from muniment.model.codec import record_object
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import Record
from tests.support import session_documents as made
from tests.support.session_records import bodies_of

ODD: list[object] = [None, True, -1, 2**70, 1.5, "", "\ud800", "x" * 300, [], {}, [[]], [None, 3], {"": None}]
SESSIONS: dict[str, object] = {
    "mini-swe-agent": made.mini_swe_agent(),
    "swe-agent": made.swe_agent(),
    "openhands-legacy": made.openhands_legacy(),
    "chat-messages": made.chat_messages(),
    "opencode": made.opencode(),
    "gemini-cli": made.gemini_cli(),
    "atif": made.atif(),
    "aider": made.AIDER,
}
BODIES: dict[str, list[JSON_OBJECT]] = {
    **{name: bodies_of(source) for name, source in SESSIONS.items()},
    "copilot-cli": [dict(line) for line in made.copilot_cli()],
    "openhands": [dict(event) for event in made.openhands_events()],
}


def entries_of(form: SessionFormat, bodies: list[JSON_OBJECT]) -> list[Entry]:
    """Return the entries of bodies, as a reader describes them."""
    reader = form.reader("made-up")
    found = []
    for number, body in enumerate(bodies, start=1):
        line = described_by(reader, body)
        assert not isinstance(line, Broken)
        found.append(
            Entry(
                position=number,
                number=number,
                mission="mission:1",
                project="",
                session=line.session or "made-up",
                stream="",
                source_id=line.source_id or f"part:text.{number}:0",
                actor=line.actor,
                recorded_at="",
                format=form.name,
                body=body,
                hash=b"",
            )
        )
    return found


def places_in(value: object, place: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Return the way to each value inside a value."""
    members: list[tuple[object, object]] = []
    if isinstance(value, dict):
        members = list(value.items())
    elif isinstance(value, list):
        members = list(enumerate(value))
    return [way for name, inner in members for way in ((*place, name), *places_in(inner, (*place, name)))]


def changed(bodies: list[JSON_OBJECT], place: tuple[object, ...], odd: object) -> list[JSON_OBJECT]:
    """Return the bodies with another value at one place."""
    copied = copy.deepcopy(bodies)
    holder: object = copied
    for name in place[:-1]:
        holder = holder[name]  # type: ignore[index]
    holder[place[-1]] = odd  # type: ignore[index]
    return list(filter(_is_object, copied))


def _is_object(body: object) -> bool:
    return isinstance(body, dict)


@pytest.mark.parametrize("name", BODIES)
@given(data=st.data())
def test_odd_values_anywhere_never_raise(name: str, data: st.DataObject) -> None:
    form, bodies = format_named(name), BODIES[name]
    for _ in range(data.draw(st.integers(1, 3))):
        bodies = changed(bodies, data.draw(st.sampled_from(places_in(bodies))), data.draw(st.sampled_from(ODD)))
    normaliser = form.normaliser(None)
    for entry in entries_of(form, bodies):
        for record in normaliser.feed(entry):
            assert isinstance(record_object(record), dict)
        msgspec.msgpack.encode(normaliser.state)


@pytest.mark.parametrize("name", BODIES)
def test_a_memory_that_was_saved_goes_on_as_if_it_had_not(name: str) -> None:
    form = format_named(name)
    entries = entries_of(form, BODIES[name])
    whole, saved = form.normaliser(None), form.normaliser(None)
    expected: list[Record] = [record for entry in entries for record in whole.feed(entry)]
    found: list[Record] = []
    for entry in entries:
        found += saved.feed(entry)
        saved = form.normaliser(msgspec.msgpack.encode(saved.state))
    assert found == expected


@pytest.mark.parametrize("name", BODIES)
def test_the_records_of_a_session_have_ids_of_their_own(name: str) -> None:
    form = format_named(name)
    normaliser = form.normaliser(None)
    idents = [record.id for entry in entries_of(form, BODIES[name]) for record in normaliser.feed(entry)]
    assert len(idents) == len(set(idents))


@given(st.binary(max_size=200), st.integers(0, 2000))
def test_a_damaged_folder_of_events_never_raises(put: bytes, place: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        conversation = made.openhands_folder(Path(folder) / "c")
        file = sorted((conversation / "events").iterdir())[place % 13]
        file.write_bytes(file.read_bytes()[: place % 97] + put)
        bodies_of(conversation)
