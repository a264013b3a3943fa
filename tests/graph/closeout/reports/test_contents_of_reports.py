"""What each format says of a closeout: the same verdicts, each in its own words."""

from __future__ import annotations

import hashlib
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from junitparser import Failure, JUnitXml
from prov.model import ProvDocument

from muniment.closeout.reports.document import CloseoutDocument
from muniment.closeout.reports.intoto import intoto
from muniment.closeout.reports.sarif import uri_of
from muniment.closeout.reports.text import text
from muniment.closeout.rules.registry import BY_ID
from muniment.closeout.verdict import Closeout
from muniment.derive.versions import whole_digest
from muniment.model import records as r
from tests.support.claims import Case
from tests.support.graphs import SESSION
from tests.support.report_checks import strict
from tests.support.reporting import dossier_of, mixed, proven, report, silent, write

Object = dict[str, object]


def objects(value: object) -> list[Object]:
    """Return a list of JSON objects."""
    assert isinstance(value, list)
    assert all(isinstance(one, dict) for one in value)
    return value


def an_object(value: object) -> Object:
    """Return a JSON object."""
    assert isinstance(value, dict)
    return value


def run_of(case: Case) -> Object:
    """Return the one run of a mission's SARIF log."""
    return objects(strict(report(case, "sarif"))["runs"])[0]


def statement_of(case: Case) -> Object:
    """Return a mission's in-toto statement, as the library reads it."""
    read = json_format.Parse(report(case, "intoto"), statement_pb2.Statement())
    return an_object(json_format.MessageToDict(read))


def test_the_text_puts_what_is_wrong_first_and_says_what_would_prove_it() -> None:
    told = report(mixed(), "text")
    assert told.index("✗ contradicted") < told.index("? unproven") < told.index("✓ proven")
    assert "next: run again: pytest" in told
    assert "because of: R9  Write src/b.py" in told


def test_the_text_is_coloured_by_whoever_prints_it_and_says_the_same_without() -> None:
    dossier = dossier_of(mixed())
    painted = text(dossier, lambda word, meaning: f"<{meaning}>{word}</{meaning}>")
    assert "<contradicted>✗ contradicted" in painted
    for meaning in ("contradicted", "unproven", "proven", "warning"):
        painted = painted.replace(f"<{meaning}>", "").replace(f"</{meaning}>", "")
    assert painted == text(dossier)


def test_the_document_is_the_closeout_with_what_its_ids_stand_for() -> None:
    case = mixed()
    document = msgspec.json.decode(report(case, "json").encode(), type=CloseoutDocument)
    plain = msgspec.to_builtins(case.closeout())
    assert msgspec.convert(plain, Closeout) == msgspec.convert(msgspec.to_builtins(document), Closeout, strict=False)
    named = {each for claim in document.claims for each in (claim.id, *claim.by, *claim.because)}
    assert named <= set(document.things)
    assert document.things[document.claims[0].because[0]].text == "Write src/b.py"


def test_junit_fails_exactly_where_the_closeout_does() -> None:
    parsed = JUnitXml.fromstring(report(mixed(), "junit").encode())
    failed = {
        case.name.split(":")[0]
        for suite in parsed
        for case in suite
        if any(isinstance(f, Failure) for f in case.result)
    }
    assert failed == {"tests_pass", "lint_clean"}
    for case, failures in ((proven(), 0), (silent(), 1)):
        assert ElementTree.fromstring(report(case, "junit")).get("failures") == str(failures)
        assert case.closeout().passed == (failures == 0)


def test_a_warning_is_no_failure_in_junit_and_is_told() -> None:
    root = ElementTree.fromstring(report(mixed(), "junit"))
    case = next(each for each in root.iter("testcase") if each.get("classname") == "closeout.rules")
    assert case.find("failure") is None
    assert "warning: T12 is not settled" in (case.findtext("system-out") or "")


def test_annotations_have_the_severity_and_the_file_that_changed() -> None:
    lines = report(mixed(), "github").splitlines()
    assert [line.split(" ")[0] for line in lines[1:]] == ["::error", "::error", "::warning"]
    stale = next(line for line in lines if "stale-receipt" in line)
    assert "file=src/b.py,line=1,endLine=1::" in stale
    assert "%0Anext: run again: pytest" in stale
    assert report(proven(), "github").count("\n") == 1


def test_annotations_unescape_to_what_was_said() -> None:
    case = Case()
    case.claim("tests_pass", text="100% :: a,b\nsecond")
    line = report(case, "github").splitlines()[1]
    properties, _, data = line.removeprefix("::error ").partition("::")
    assert "\n" not in data
    assert "100% :: a,b second" in data.replace("%0A", "\n").replace("%25", "%")
    assert properties.count(",") == 0


def test_sarif_has_a_result_for_each_finding_by_its_rule() -> None:
    run = run_of(mixed())
    results = objects(run["results"])
    assert [(result["ruleId"], result["level"]) for result in results] == [
        ("contradicted-later", "error"),
        ("stale-receipt", "error"),
        ("task-open", "warning"),
    ]
    rules = objects(an_object(an_object(run["tool"])["driver"])["rules"])
    assert [rules[int(str(result["ruleIndex"]))]["id"] for result in results] == [r["ruleId"] for r in results]
    told = {str(rule["id"]): rule for rule in rules}
    assert set(BY_ID) <= set(told)
    assert an_object(told["stale-receipt"]["fullDescription"])["text"] == BY_ID["stale-receipt"].why
    assert an_object(told["stale-receipt"]["help"])["text"] == BY_ID["stale-receipt"].fix


def test_what_is_proven_is_no_result_in_sarif_but_is_told() -> None:
    run = run_of(proven())
    assert run["results"] == []
    told = an_object(run["properties"])
    assert (told["verdict"], told["passed"], len(objects(told["proven"]))) == ("proven", True, 2)
    assert objects(run["invocations"])[0]["exitCode"] == 0


def test_a_fingerprint_stays_while_the_mission_goes_on() -> None:
    case = mixed()
    before = [result["partialFingerprints"] for result in objects(run_of(case)["results"])]
    case.say("and now?")
    case.read("src/c.py", "x\n")
    assert [result["partialFingerprints"] for result in objects(run_of(case)["results"])] == before
    assert len({str(each) for each in before}) == len(before)


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("src/a.py", "src/a.py"),
        ("a b/ü#?.py", "a%20b/%C3%BC%23%3F.py"),
        ("c:1", "c%3A1"),
        ("/etc/x", "file:///etc/x"),
        (None, "."),
        ("", "."),
    ],
)
def test_a_path_becomes_a_reference(path: str | None, uri: str) -> None:
    assert uri_of(path) == uri


def test_the_statement_has_digests_that_a_checkout_can_be_compared_with(tmp_path: Path) -> None:
    statement = statement_of(proven())
    mission, file = objects(statement["subject"])
    assert str(mission["name"]).startswith("mission:")
    assert file["name"] == "src/a.py"
    (tmp_path / "a.py").write_bytes(b"one\ntwo\n")
    digests = an_object(file["digest"])
    assert digests["sha256"] == hashlib.sha256((tmp_path / "a.py").read_bytes()).hexdigest()
    assert digests["muniment-lines-v1"] == whole_digest("one\ntwo\n")
    assert an_object(statement["predicate"])["result"] == "PASSED"


def test_the_statement_says_failed_and_names_only_what_was_proven() -> None:
    statement = statement_of(mixed())
    predicate = an_object(statement["predicate"])
    assert predicate["result"] == "FAILED"
    assert predicate["passedTests"] == ["L7 file_written"]
    assert predicate["failedTests"] == ["L11 lint_clean", "L6 tests_pass"]
    assert [subject["name"] for subject in objects(statement["subject"])[1:]] == ["src/a.py"]


def test_a_pass_with_warnings_is_warned() -> None:
    case = proven()
    case.task("later")
    assert case.closeout().passed
    assert an_object(statement_of(case)["predicate"])["result"] == "WARNED"


def test_a_file_of_which_only_some_lines_are_known_has_no_digest_of_the_whole() -> None:
    case = Case()
    case.read("src/big.py", "three\nfour\n", first=3, total=90)
    case.claim("present_in_file", path="src/big.py", what="four")
    assert case.closeout().passed
    digests = an_object(objects(statement_of(case)["subject"])[1]["digest"])
    assert list(digests) == ["muniment-partial-v1"]


def test_a_redacted_file_has_no_digest_of_what_is_on_the_disk() -> None:
    case = Case()
    write(case, "call1", "src/a.py", "key = [redacted:aws-key:7f3a9c01]\n")
    case.claim("file_written", path="src/a.py")
    assert list(an_object(objects(statement_of(case)["subject"])[1]["digest"])) == ["muniment-lines-v1"]


def test_a_deleted_file_is_no_subject() -> None:
    case = Case()
    case.write("notes.md", "x\n")
    case.add(r.FileChangedOutside(id="gone", by="unknown", session=SESSION, path="notes.md", change="deleted"))
    case.searched("notes.md", within="names")
    case.claim("file_absent", what="notes.md")
    assert case.closeout().passed
    assert len(objects(statement_of(case)["subject"])) == 1


def test_the_head_of_the_journal_is_a_digest_of_the_mission() -> None:
    case = proven()
    closed = msgspec.structs.replace(case.closeout(), head="12:" + "ab" * 32)
    dossier = msgspec.structs.replace(dossier_of(case), closeout=closed)
    from_head = objects(strict(intoto(dossier))["subject"])[0]
    assert an_object(from_head["digest"])["muniment-journal-v1"] == "ab" * 32
    assert an_object(from_head["annotations"])["journalPosition"] == "12"


def test_prov_leads_from_a_verdict_to_the_receipt_the_call_and_the_content() -> None:
    document = ProvDocument.deserialize(content=report(proven(), "prov"), format="json")
    notation = document.get_provn()
    for relation in (
        "wasDerivedFrom(verdict:",
        "wasGeneratedBy(receipt:",
        "wasGeneratedBy(file_version:",
        "specializationOf(file_version:",
        "wasAttributedTo(receipt:",
        "wasAssociatedWith(closeout:",
    ):
        assert relation in notation
    assert 'muniment:role="proven by"' in notation


def test_prov_generates_a_content_once_however_often_it_was_written() -> None:
    case = proven()
    write(case, "call2", "src/a.py", "other\n")
    write(case, "call3", "src/a.py", "one\ntwo\n")
    case.claim("present_in_file", path="src/a.py", what="two")
    graph = strict(report(case, "prov"))
    made = [an_object(each)["prov:entity"] for each in an_object(graph["wasGeneratedBy"]).values()]
    assert len(made) == len(set(map(str, made)))


def test_the_picture_has_claims_receipts_and_files_with_their_ids_and_colours() -> None:
    case = mixed()
    picture = report(case, "svg")
    assert all(color in picture for color in ("#1a7f37", "#9a6700", "#cf222e"))
    told = "".join(ElementTree.fromstring(picture).itertext())
    for claim in case.closeout().claims:
        assert claim.id in told
        assert claim.handle in told
    assert "src/b.py" in told
    assert "undone by" in told


def test_a_big_closeout_is_drawn_in_part_and_says_so() -> None:
    case = Case()
    for number in range(60):
        write(case, f"call{number}", f"src/f{number}.py", f"{number}\n")
        case.claim("file_written", path=f"src/f{number}.py")
    picture = report(case, "svg")
    assert "left out: 36 claims" in picture
    assert len(picture) < 200_000
    assert "left out" not in report(proven(), "svg")


def waived() -> Case:
    """A mission in which a user accepts a claim that nothing shows."""
    case = proven()
    unproven = case.claim("lint_clean", text="Lint is clean.")
    case.add(r.Waiver(id="waiver", by="user", session=SESSION, target=unproven, text="there is no linter here"))
    return case


def test_what_a_user_waived_is_told_by_every_format_and_never_as_proven() -> None:
    case = waived()
    assert case.closeout().passed
    assert "waived by: K9  there is no linter here" in report(case, "text")
    assert "2 proven; 1 waived by a user" in report(case, "text")
    root = ElementTree.fromstring(report(case, "junit"))
    assert (root.get("failures"), root.get("skipped")) == ("0", "1")
    run = run_of(case)
    assert run["results"] == []
    assert [each["handle"] for each in objects(an_object(run["properties"])["waived"])] == ["L8"]
    predicate = an_object(statement_of(case)["predicate"])
    assert (predicate["result"], predicate["warnedTests"]) == ("WARNED", ["L8 lint_clean"])
    assert (
        'muniment:role="waived by"' in ProvDocument.deserialize(content=report(case, "prov"), format="json").get_provn()
    )
    assert "unproven · L8 · waived" in report(case, "svg")
    assert report(case, "github").count("\n") == 1
