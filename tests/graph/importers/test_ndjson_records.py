"""Neutral records as a session format, and the table of formats."""

from __future__ import annotations

import pytest

from muniment.errors import FieldError, FormatError
from muniment.importers import FORMATS, format_named, sniff
from muniment.importers.ndjson_records import NDJSON_RECORDS
from muniment.importers.protocol import SourceLine
from muniment.model.codec import record_object
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import Message

SAID: JSON_OBJECT = {"kind": "message", "id": "m1", "by": "user", "session": "s1", "text": "go", "seq": 4}


def entry_of(body: JSON_OBJECT | None) -> Entry:
    return Entry(
        position=1,
        number=1,
        mission="mission:1",
        project="",
        session="s1",
        stream="",
        source_id="m1",
        actor="user",
        recorded_at="",
        format=NDJSON_RECORDS.name,
        body=body,
        hash=b"",
    )


def test_a_record_is_described_by_its_own_id_session_and_author() -> None:
    assert NDJSON_RECORDS.reader("x.ndjson").describe(SAID) == SourceLine(
        session="s1", stream="", source_id="m1", kind="message", ignored=False, actor="user"
    )


def test_a_session_that_opens_tells_its_root_and_a_child_writes_as_an_agent() -> None:
    reader = NDJSON_RECORDS.reader("x.ndjson")
    opened = reader.describe({"kind": "session_opened", "id": "o", "by": "child:k", "root": "/repo"})
    assert (opened.session, opened.root, opened.actor) == ("", "/repo", "agent")


def test_a_record_comes_out_as_it_went_in_with_unknown_fields_in_extra() -> None:
    (record,) = NDJSON_RECORDS.normaliser(None).feed(entry_of(SAID))
    assert isinstance(record, Message)
    assert record.extra == {"seq": 4}
    assert record_object(record) == SAID


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"kind": "no_such_kind", "id": "a"}, "kind"),
        ({"id": "a"}, "kind"),
        ({"kind": "message", "id": "a", "text": 3}, "text"),
        ({"kind": "message", "id": "a", "text": "x", "by": "root"}, "by"),
        ({"kind": "message", "id": "a", "text": "x", "extra": "y", "more": 1}, "extra"),
        ({"kind": "tool_returned", "id": "a", "counts": {"passed": "all"}}, "counts.passed"),
    ],
)
def test_what_is_no_record_raises_with_the_path_of_its_field(body: JSON_OBJECT, path: str) -> None:
    with pytest.raises(FieldError) as caught:
        NDJSON_RECORDS.reader("x.ndjson").describe(body)
    assert caught.value.path == path
    assert NDJSON_RECORDS.normaliser(None).feed(entry_of(body)) == []


def test_a_purged_record_gives_nothing() -> None:
    assert NDJSON_RECORDS.normaliser(None).feed(entry_of(None)) == []


def test_formats_are_known_by_either_name_and_by_their_first_lines() -> None:
    for known in FORMATS:
        assert format_named(known.short) is format_named(known.name) is known
    assert len({known.short for known in FORMATS}) == len(FORMATS)
    assert sniff([{}, SAID]) is NDJSON_RECORDS
    rollout = sniff([{"timestamp": "t", "type": "session_meta", "payload": {"id": "x"}}])
    assert rollout is format_named("codex")
    assert sniff([]) is None
    assert sniff([{"hello": 1}]) is None
    with pytest.raises(FormatError, match="codex"):
        format_named("word-perfect")
