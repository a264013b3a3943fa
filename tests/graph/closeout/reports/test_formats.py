"""All formats: each is what its own library or schema takes it for, whatever the texts are, and the same each time."""

from __future__ import annotations

import pytest

from muniment.closeout.reports.document import schema_text
from muniment.closeout.reports.render import FORMATS, check_format, rendered
from muniment.errors import UsageError
from tests.structure.source_tree import ROOT
from tests.support.claims import Case
from tests.support.made_up_secrets import secrets
from tests.support.report_checks import check, schema, strict
from tests.support.reporting import mixed, proven, report, saying, silent

SCHEMA = ROOT / "graph/muniment/closeout/reports/closeout.schema.json"
TELLING = [each for each in FORMATS if each != "intoto"]
"""Formats that say what was claimed; a statement has names and digests alone."""
HOSTILE = {
    "workflow command": "done\n::error file=a,line=1::pwned\n::set-output name=x::y",
    "command of the log": "##[add-mask]a ##vso[task.setvariable]b",
    "percent": "100 %0A::error::x %25 %",
    "terminal": "\x1b[2J\x1b]0;title\x07\x9b31mred",
    "markup": "]]></failure><testcase/><![CDATA[ &amp; <!-- \" '",
    "forbidden in XML": "a\x00b\x0b\x0c\ufffe\uffff",
    "half characters": "a\ud800b\udfff",
    "direction": "safe\u202egnp.exe\u2066\u200f",
    "line ends": "a\r\nb\rc\u2028d\u2029e\x85f",
    "path": "../../etc/pass wd:1,2?#%00\\x",
    "json": '{"a": NaN}, "b": "\\ud800"',
}


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("told", [proven, mixed, silent])
def test_each_format_is_what_it_says(told: type[Case], format_: str) -> None:
    check(format_, report(told(), format_))


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_whatever_a_session_says_reports_stay_valid_and_harmless(text: str, format_: str) -> None:
    check(format_, report(saying(text), format_))


@pytest.mark.parametrize("format_", FORMATS)
def test_a_report_is_the_same_each_time(format_: str) -> None:
    assert report(mixed(), format_) == report(mixed(), format_)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("kind", ["aws", "github", "jwt"])
def test_no_secret_leaves_even_where_the_store_keeps_them(format_: str, kind: str) -> None:
    text, secret = secrets(1)[kind]
    made = report(saying(f"the key is {text} now"), format_)
    assert secret not in made
    assert ("the key is" in made) == (format_ in TELLING)


@pytest.mark.parametrize("format_", TELLING)
def test_an_honest_text_is_told_as_it_is(format_: str) -> None:
    made = report(saying("Größe: 5 µm → ok 👍"), format_)
    assert "Größe: 5 µm → ok 👍" in made.replace("%3A", ":")


def test_an_unknown_format_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="sarif"):
        check_format("yaml")
    with pytest.raises(UsageError):
        rendered(proven().snapshot(), proven().closeout(), "yaml")
    assert check_format("json") == "json"


def test_the_published_schema_is_that_of_the_types() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(), (
        "write it again: muniment schema closeout > graph/muniment/closeout/reports/closeout.schema.json"
    )


def test_the_published_schema_refuses_what_is_no_report() -> None:
    document = strict(report(mixed(), "json"))
    assert schema().is_valid(document)
    assert not schema().is_valid({**document, "verdict": "perhaps"})
    assert not schema().is_valid({**document, "format": "muniment-closeout/2"})
    assert not schema().is_valid({**document, "surprise": 1})
    assert not schema().is_valid({name: part for name, part in document.items() if name != "passed"})
