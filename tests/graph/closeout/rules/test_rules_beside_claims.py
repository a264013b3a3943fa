"""Rules about support, work, results and outputs: each refusal with its control."""

from __future__ import annotations

from muniment.model import records as r
from tests.support.claims import Case
from tests.support.graphs import SESSION


def found(case: Case, rule: str) -> list[tuple[str, str]]:
    return [(f.code, f.severity) for f in case.closeout().findings if f.rule == rule]


def decided(case: Case, choice: str, supersedes: tuple[str, ...] = ()) -> str:
    ident = f"d{len(case.records)}"
    return case.add(r.DecisionMade(id=ident, by="user", session=SESSION, choice=choice, supersedes=supersedes))


def produced(case: Case, path: str, content: str | None = None) -> str:
    ident = f"a{len(case.records)}"
    return case.add(r.ArtifactProduced(id=ident, by="agent", session=SESSION, path=path, content=content))


def test_claims_that_cite_one_another_are_their_own_support() -> None:
    case = Case()
    case.claim("tests_pass", "second", id="first")
    case.claim("build_ok", "third", id="second")
    case.claim("lint_clean", "first", id="third")
    rings = [f for f in case.closeout().findings if f.rule == "circular-support"]
    assert len(rings) == 3
    assert all(len(ring.ids) == 3 and ring.severity == "error" for ring in rings)


def test_a_citation_that_leads_nowhere_fails_its_claim_unless_a_user_waives_it() -> None:
    case = Case()
    claim = case.claim("tests_pass", "nowhere")
    assert ("support_unresolved", "error") in found(case, "dangling-citation")
    assert not case.closeout().passed
    case.add(r.Waiver(id="w", by="user", session=SESSION, target=claim, text="seen by eye"))
    assert found(case, "dangling-citation") == [("dangling_citation", "warning")]
    assert case.closeout().passed


def test_claims_that_cite_a_third_in_a_line_are_no_ring() -> None:
    case = Case()
    last = case.claim("build_ok", case.ran("make"))
    middle = case.claim("tests_pass", last)
    case.claim("lint_clean", middle, last)
    assert found(case, "circular-support") == []


def test_a_claim_that_cites_itself_is_a_ring() -> None:
    case = Case()
    case.claim("tests_pass", "self", id="self")
    assert found(case, "circular-support") == [("circular_support", "error")]


def test_a_ring_beside_proof_is_a_warning() -> None:
    case = Case()
    case.tests()
    case.claim("tests_pass", id="one")
    assert found(case, "circular-support") == []


def test_a_decision_is_not_to_be_acted_upon_after_it_was_replaced() -> None:
    case = Case()
    old = decided(case, "Use a file")
    early = case.claim("stated", old)
    assert found(case, "superseded-decision") == []
    decided(case, "Use a table", (old,))
    assert found(case, "superseded-decision") == [("superseded_decision", "warning")]
    case.add(r.Withdrawal(id="w", by="user", session=SESSION, target=early, text="wrong"))
    assert found(case, "superseded-decision") == []
    case.claim("stated", old)
    assert found(case, "superseded-decision") == [("superseded_decision", "error")]


def test_a_task_cannot_be_done_before_what_it_depends_on() -> None:
    case = Case()
    first = case.task("First", to="active")
    second = case.add(r.TaskStated(id="second", by="agent", session=SESSION, text="Second", depends_on=(first,)))
    assert found(case, "open-dependency") == []
    case.move(second, "settled")
    assert found(case, "open-dependency") == [("open_dependency", "error")]
    case.move(first, "settled")
    assert found(case, "open-dependency") == []


def test_a_cancelled_dependency_holds_nothing_up() -> None:
    case = Case()
    first = case.task("First", to="cancelled")
    second = case.add(r.TaskStated(id="second", by="agent", session=SESSION, text="Second", depends_on=(first,)))
    case.move(second, "settled")
    assert found(case, "open-dependency") == []


def test_an_artifact_that_is_gone_is_missing() -> None:
    case = Case()
    case.write("/repo/report.md", "# Report\n")
    produced(case, "/repo/report.md")
    assert found(case, "missing-artifact") == []
    case.ran("rm report.md")
    assert found(case, "missing-artifact") == [("missing_artifact", "error")]


def test_an_empty_artifact_was_not_delivered() -> None:
    case = Case()
    produced(case, "/repo/out.patch", "")
    assert found(case, "missing-artifact") == [("empty_artifact", "error")]
    produced(case, "/repo/out.patch", "+x\n")
    assert found(case, "missing-artifact") == []


def test_an_artifact_that_was_changed_afterwards_is_another() -> None:
    case = Case()
    case.write("/repo/report.md", "# Report\n")
    produced(case, "/repo/report.md", "# Report\n")
    case.write("/repo/report.md", "# Report\n")
    assert found(case, "missing-artifact") == []
    case.write("/repo/report.md", "# Other\n")
    assert found(case, "missing-artifact") == [("changed_artifact", "error")]


SECRET = "AGE-SECRET-KEY-1" + "QQPQZ7Y6X5W4V3U2T9S8R7P6N5M4L3K2J9H8G7F6E5D4C3A2A9Q8P7Z6Y5"[:58]


def test_a_secret_in_an_artifact_is_found_whether_redacted_or_not() -> None:
    for text in (f"key = {SECRET}\n", "key = [redacted:age-key:7f3a]\n"):
        case = Case()
        case.write("/repo/config.md", "# Config\n" + text)
        assert found(case, "secret-in-artifact") == []
        produced(case, "/repo/config.md")
        assert found(case, "secret-in-artifact") == [("secret_in_artifact", "error")]


def test_a_secret_in_a_file_that_a_claim_names_is_found_and_one_in_an_env_file_is_meant() -> None:
    case = Case()
    case.write("/repo/.env", f"KEY={SECRET}\n")
    case.claim("file_written", path="/repo/.env")
    case.write("/repo/plain.md", "nothing here\n")
    case.claim("file_written", path="/repo/plain.md")
    assert found(case, "secret-in-artifact") == []
    case.write("/repo/.env.example", f"KEY={SECRET}\n")
    case.claim("file_written", path="/repo/.env.example")
    assert found(case, "secret-in-artifact") == [("secret_in_artifact", "error")]


def test_a_large_output_is_noted_until_an_agent_says_what_matters() -> None:
    case = Case()
    output = "".join(f"step {number} took {number * 7} ms and wrote {number * 13} rows\n" for number in range(900))
    run = case.ran("./load", output + "ERROR: row 17 was refused\n")
    assert found(case, "large-output") == [("distillation_pending", "note")]
    spans = (r.SpanGiven(lines=(901, 901)),)
    case.add(r.DistillationMade(id="dm", by="agent", session=SESSION, of=run, spans=spans, states="a row was refused"))
    assert found(case, "large-output") == []
