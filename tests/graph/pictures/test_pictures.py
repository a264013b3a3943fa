"""Pictures of missions: they say what happened, bounded and well formed, whatever the texts are."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.closeout.judge import judge
from muniment.errors import UnknownIdError, UsageError
from muniment.model import records as r
from muniment.model.edges import EdgeKind
from muniment.pictures import budget_by_file, neighbourhood, overview, support, timeline
from muniment.selection import ViewRequest, select
from muniment.tokens import o200k
from tests.support.claims import Case
from tests.support.graphs import SESSION, Story

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
MOST_BYTES = 1_500_000


def told(picture: object) -> str:
    """Return all text of a picture; it must be well formed, without scripts or anything from elsewhere."""
    markup = str(picture)
    root = ElementTree.fromstring(markup)
    for element in root.iter():
        assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "image", "a", "use")
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]
    assert len(markup) < MOST_BYTES
    return "".join(root.itertext())


@pytest.fixture
def case() -> Case:
    """A mission in which the tests passed, and a file was changed after."""
    case = Case()
    case.say("please fix it")
    case.read("src/a.py", "one\n")
    case.tests(9)
    case.write("src/a.py", "two\n")
    case.add(r.ContextBoundary(id="compacted", by="harness", session=SESSION, outcome="done"))
    case.ran("make", "no", exit_code=2, status="failed")
    case.answer("All tests pass.")
    return case


def test_the_timeline_tells_what_was_said_run_read_and_edited(case: Case) -> None:
    shown = told(timeline(case.snapshot()))
    for words in (
        "please fix it",
        "pytest → exit 0",
        "make → exit 2",
        "read src/a.py",
        "edit src/a.py",
        "context done",
    ):
        assert words in shown
    for legend in ("user", "ran, exit 0", "failed", "end unknown", "read", "edit"):
        assert legend in shown


def test_the_overview_has_a_lane_for_each_kind_that_is_there(case: Case) -> None:
    shown = told(overview(case.snapshot()))
    assert all(kind in shown for kind in ("message", "receipt", "file version", "excerpt", "boundary"))
    assert "decision" not in shown


def test_the_neighbourhood_of_a_file_shows_what_read_and_wrote_it(case: Case) -> None:
    snapshot = case.snapshot()
    (file,) = snapshot.files()
    picture = neighbourhood(snapshot, file.id)
    assert told(picture).count("receipt") >= 2
    assert "reads" in told(picture)
    assert told(neighbourhood(snapshot, file.handle, hops=1)) != told(picture)
    assert "part of" not in told(picture)
    assert "part of" in told(neighbourhood(snapshot, file.id, kinds={EdgeKind.PART_OF}))


def test_what_is_not_there_or_too_far_is_refused(case: Case) -> None:
    snapshot = case.snapshot()
    with pytest.raises(UnknownIdError):
        neighbourhood(snapshot, "F999")
    for hops in (0, 5):
        with pytest.raises(UsageError, match="hops"):
            neighbourhood(snapshot, snapshot.files()[0].id, hops=hops)
    assert neighbourhood(snapshot, snapshot.files()[0].id, hops=4).svg


def test_the_support_of_a_claim_leads_to_its_run_and_to_what_undid_it(case: Case) -> None:
    snapshot = case.snapshot()
    (claim,) = judge(snapshot).claims
    shown = told(support(snapshot, claim))
    assert "? unproven" in shown
    assert "rests on" in shown
    assert "undone by" in shown
    assert "pytest" in shown
    assert claim.next_step in shown


def test_the_support_of_a_proven_claim_says_so_without_colour() -> None:
    case = Case()
    case.claim("tests_pass", case.tests(9))
    snapshot = case.snapshot()
    (claim,) = judge(snapshot).claims
    assert claim.status == "proven"
    shown = told(support(snapshot, claim))
    assert "✓ proven" in shown
    assert "proven by" in shown
    assert "cites" not in shown, "the lead says it"


def test_what_a_claim_cites_beside_is_shown_too() -> None:
    case = Case()
    case.claim("tests_pass", case.ran("make docs"), case.tests(9))
    snapshot = case.snapshot()
    (claim,) = judge(snapshot).claims
    shown = told(support(snapshot, claim))
    assert "make docs" in shown


def test_the_budget_by_file_adds_up(case: Case) -> None:
    view = select(case.snapshot(), ViewRequest(budget=4000), o200k())
    picture = budget_by_file(view)
    assert "src/a.py" in told(picture)
    assert "all that is not a file" in told(picture)


def test_a_closeout_and_a_view_draw_themselves(case: Case) -> None:
    snapshot = case.snapshot()
    closeout, view = judge(snapshot, head="7:abc"), select(snapshot, ViewRequest(budget=4000), o200k())
    page = told(closeout._repr_html_())
    assert all(words in page for words in ("? unproven", "All tests pass.", "7:abc", closeout.claims[0].next_step))
    assert "Verdict: unproven" in told(closeout._repr_svg_())
    page = told(view._repr_html_())
    assert all(item.handle in page and item.why in page for item in view.items)
    assert f"{view.tokens} of 4000 tokens" in page
    assert f"free{4000 - view.tokens} tokens" in told(view._repr_svg_())


def test_a_closeout_without_claims_draws_itself() -> None:
    closeout = judge(Story().snapshot())
    assert "nothing claimed" in told(closeout._repr_html_())
    told(closeout._repr_svg_())


TEXTS = st.sampled_from([EVIL, "a & b", "\x00\x1b[31m", "\ud83d", "x" * 3000, "", "日本\n語"])


@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_no_text_breaks_out_of_a_picture(texts: list[str]) -> None:
    case = Case()
    for text in texts:
        case.say(text)
        case.read(f"src/{text[:40]}.py", f"{text}\n")
        case.ran(text, text)
        case.task(text, to="active")
    case.claim("other", text=texts[0])
    case.answer(f"All tests pass. {texts[0]}")
    snapshot = case.snapshot()
    closeout = judge(snapshot, head=texts[0])
    view = select(snapshot, ViewRequest(budget=60_000), o200k())
    pictures = [timeline(snapshot), overview(snapshot), budget_by_file(view)]
    pictures += [support(snapshot, claim) for claim in closeout.claims]
    pictures += [neighbourhood(snapshot, file.id) for file in snapshot.files()]
    documents = [
        *map(str, pictures),
        closeout._repr_html_(),
        closeout._repr_svg_(),
        view._repr_html_(),
        view._repr_svg_(),
    ]
    for document in documents:
        told(document)


def test_pictures_of_a_long_mission_are_bounded_and_the_same_again() -> None:
    story = Story()
    for number in range(1500):
        story.read(f"src/{number % 40}.py", f"line {number}\n")
        story.run(f"make part{number}", exit_code=number % 3)
    snapshot = story.snapshot()
    busiest = snapshot.files()[0].id
    for draw in (timeline, overview):
        assert draw(snapshot) == draw(snapshot)
        told(draw(snapshot))
    assert "28 more files" in told(timeline(snapshot))
    assert "the newest of" in told(overview(snapshot))
    shown = told(neighbourhood(snapshot, busiest, hops=4, most=500))
    assert "the newest are shown" in shown
