"""The codec: what is wrong with a record is told with the path to it, and what is not known is kept."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.errors import FieldError
from muniment.model.codec import parse_record, record_object

SAID = {"kind": "message", "id": "a", "text": "hello"}


def returned(**fields: object) -> dict[str, object]:
    return {"kind": "tool_returned", "id": "r", **fields}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ([], ""),
        ({"id": "a"}, "kind"),
        ({"kind": "message", "id": "a"}, "text"),
        ({"kind": "message", "text": "hello"}, "id"),
        ({**SAID, "id": ""}, "id"),
        ({**SAID, "text": 3}, "text"),
        ({**SAID, "by": "martian"}, "by"),
        ({**SAID, "extra": 5, "mood": "calm"}, "extra"),
        (returned(counts={"passed": "many"}), "counts.passed"),
        (returned(changes=[{"change": "written"}]), "changes[0].path"),
        (returned(changes=[{"path": "p", "hunks": [[1, 1, [2]]]}]), "changes[0].hunks[0][2][0]"),
    ],
)
def test_an_error_carries_the_path_of_the_bad_field(given: Any, path: str) -> None:
    with pytest.raises(FieldError) as error:
        parse_record(given)
    assert error.value.path == path


@pytest.mark.parametrize(
    "given", [SAID, {**SAID, "by": "child:c1"}, returned(counts={"passed": 3}, changes=[{"path": "p"}])]
)
def test_what_is_right_is_a_record(given: dict[str, object]) -> None:
    assert parse_record(given).id == given["id"]


def test_unknown_fields_come_back_where_they_were() -> None:
    given = {**SAID, "mood": {"calm": [1, None]}, "x-y": 5}
    written = record_object(parse_record(given))
    assert {name: written[name] for name in given} == given
