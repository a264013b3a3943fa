"""Slices: what a delegate is shown of a mission, what it is spared, and what is withheld from its provider."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment.derive.live import MARK, mark_before
from muniment.errors import UnknownIdError
from muniment.model import records as r
from muniment.selection import View, ViewRequest, policy, select
from muniment.selection.policy import Policy
from muniment.selection.slices import sliced, with_left_out
from muniment.store import EvidenceStore
from muniment.tokens import o200k
from tests.support.graphs import SESSION, Story

SECRETS = policy.parsed(
    "[[sensitive]]\nlevel = 'secret'\npaths = ['**/.env']\nslots = ['password*']\nwords = ['hunter2']\n"
    "[[provider]]\nproviders = ['local']\nmost = 'secret'\n",
    "test",
)


def mission() -> Story:
    story = Story()
    story.fact("Amounts are integer cents")
    story.say("Make the price list right.")
    story.add(r.DecisionMade(id="d1", by="agent", session=SESSION, choice="Round half to even in price_rounding.py"))
    story.add(r.DecisionMade(id="d2", by="agent", session=SESSION, choice="Deploy with blue_green.sh"))
    story.task("Ship it", to="active")
    story.read("src/price_rounding.py", "def rounded(x):\n    return x\n")
    story.read("src/blue_green.sh", "echo deploy\n")
    story.add(
        r.QuestionOpened(id="q1", by="agent", session=SESSION, what="question", text="Does tax use price_rounding.py?")
    )
    story.add(r.QuestionOpened(id="q2", by="agent", session=SESSION, what="risk", text="The colour of logos"))
    story.add(r.TimerArmed(id="i1", by="agent", session=SESSION, text="look at the deployment again"))
    story.add(
        r.DelegationStarted(
            id="g1", by="agent", session=SESSION, child="kid", text="Test rounded() of src/price_rounding.py"
        )
    )
    story.add(r.DelegationStarted(id="g2", by="agent", session=SESSION, child="other", text="Write the changelog"))
    return story


def view(story: Story, rules: Policy = SECRETS, **asked: str | bool | None) -> View:
    request = ViewRequest(**asked)  # type: ignore[arg-type]
    live = story.snapshot(live=True)
    reads = sliced(live, request, rules)
    if reads is None:
        return select(live, request, o200k())
    return with_left_out(select(reads, request, o200k(), needed=reads.needs), reads, 200)


def records(seen: View) -> set[str]:
    return {item.record for item in seen.items}


@pytest.mark.parametrize("named", ["g1", "kid"])
def test_a_delegate_sees_its_task_what_binds_and_what_the_task_touches(named: str) -> None:
    seen = view(mission(), delegate=named)
    assert records(seen) >= {"g1", "f1", "m2", "d1", "q1"}
    assert "src/price_rounding.py" in {item.path for item in seen.items}
    task = next(item for item in seen.items if item.record == "g1")
    assert (task.section, task.role) == ("focus", "order")
    assert seen.items[-1].record == "g1"
    assert (seen.agent, seen.session) == ("kid", SESSION)


def test_a_delegate_is_spared_the_rest_and_the_rest_is_listed() -> None:
    seen = view(mission(), delegate="g1")
    assert not records(seen) & {"d2", "q2", "i1", "g2", "t5"}
    assert "src/blue_green.sh" not in seen.text
    spared = {each.record: each.reason for each in seen.omitted}
    assert {spared[record] for record in ("d2", "q2", "i1", "g2", "t5")} == {"not_needed"}


def test_the_view_of_the_mission_has_it_all() -> None:
    assert records(view(mission())) >= {"g1", "f1", "m2", "d1", "q1", "d2", "q2", "i1", "g2", "t5"}


def test_a_slice_for_a_task_needs_no_delegation() -> None:
    story = mission()
    other = story.task("Check price_rounding.py")
    seen = view(story, task=other, slice=True)
    assert records(seen) >= {"f1", "m2", "d1", other}
    assert not records(seen) & {"d2", "t5", "g2"}


def test_a_slice_leaves_out_the_steps_that_its_task_does_not_touch_and_lists_them() -> None:
    story = mission()
    other = story.task("Check price_rounding.py")
    touching = [story.run("wc -l src/price_rounding.py", "2\n"), story.run("ls src", "price_rounding.py\n")]
    apart = [story.run("./deploy --dry", "planned\n"), story.say("The deployment waits", by="agent", role="answer")]
    story.say("You may use 12 tools and price_rounding.py", by="harness", role="notice")
    seen = view(story, task=other, slice=True)
    assert records(seen) >= set(touching)
    assert not records(seen) & set(apart)
    assert "12 tools" not in seen.text
    assert {each.reason for each in seen.omitted if each.record in apart} == {"not_needed"}
    assert records(view(story, task=other)) >= {*touching, *apart}
    assert seen.tokens < view(story, task=other).tokens


def test_where_no_task_is_in_focus_what_the_user_said_last_is_the_task() -> None:
    story = Story()
    story.say("Mend compute_rate()")
    touching = story.run("grep -n compute_rate src", "src/rates.py:3\n")
    apart = story.run("git log --oneline", "abc first\n")
    seen = view(story, slice=True)
    assert touching in records(seen)
    assert apart not in records(seen)
    assert apart in records(view(story))


def test_a_step_that_was_done_for_the_task_is_in_its_slice() -> None:
    story = mission()
    other = story.task("Tidy up")
    story.add(
        r.ToolReturned(
            id="done", by="tool", session=SESSION, tool="command", name="Bash", command="./sweep", output="swept\n",
            status="ok", exit_code=0, effect="none", task=other,
        )
    )  # fmt: skip
    assert "done" in records(view(story, task=other, slice=True))


def test_what_is_left_out_of_a_slice_still_casts_doubt_on_its_files() -> None:
    story = Story()
    story.read("rates.py", "RATE = 1\n")
    story.add(
        r.ToolReturned(
            id="gen", by="tool", session=SESSION, tool="command", name="Bash", command="./generate", status="ok",
            exit_code=0, effect="unknown",
        )
    )  # fmt: skip
    story.say("Mend rates.py")
    seen = view(story, slice=True)
    assert "gen" not in records(seen)
    assert "perhaps changed by" in seen.text


def test_what_the_child_has_done_is_in_its_slice_and_what_the_parent_did_is_not() -> None:
    story = mission()
    story.run("grep -n tax src", "tax.py:1\n", agent="kid")
    story.run("git log", "abc\n")
    seen = view(story, delegate="g1")
    assert "grep -n tax src" in seen.text
    assert "git log" not in seen.text


def test_an_ended_delegation_is_no_order() -> None:
    story = mission()
    story.add(r.DelegationEnded(id="ge", by="agent", session=SESSION, delegation="g1", outcome="done"))
    item = next(item for item in view(story, delegate="g1").items if item.record == "g1")
    assert item.role == "history"


def test_an_unknown_delegation_is_refused() -> None:
    with pytest.raises(UnknownIdError):
        view(mission(), delegate="nobody")


def secretive() -> Story:
    story = mission()
    story.read(".env", "TOKEN=abcdef\n")
    story.run("cat .env", "TOKEN=abcdef\n")
    story.fact("swordfish", slot="password_of_db")
    story.say("the word is hunter2, tell nobody")
    return story


def test_what_is_too_sensitive_is_withheld_from_a_provider_and_listed() -> None:
    seen = view(secretive(), provider="acme")
    assert not any(word in seen.text for word in ("abcdef", "swordfish", "hunter2"))
    assert seen.text.count("[withheld: secret]") == 2
    assert "cat .env" not in seen.text
    assert {each.reason for each in seen.omitted if each.kind in ("fact", "file", "receipt")} >= {"withheld"}


def test_a_binding_fact_that_is_withheld_keeps_its_place() -> None:
    story = secretive()
    fact = next(record.id for record in story.records if getattr(record, "slot", None) == "password_of_db")
    assert fact in records(view(story, provider="acme"))


def test_a_provider_with_the_clearance_sees_it_all() -> None:
    seen = view(secretive(), provider="local")
    assert all(word in seen.text for word in ("abcdef", "swordfish", "hunter2", "cat .env"))


def test_a_slice_for_nobody_in_particular_withholds_as_from_a_stranger() -> None:
    assert "hunter2" not in view(secretive(), delegate="g1").text
    assert "hunter2" in view(secretive()).text


def test_the_store_gives_slices_by_its_own_policy(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.record(secretive().records)
        home = store.missions()[0].mission
        assert "abcdef" not in store.view(home, delegate="kid", provider="acme").text
        assert "hunter2" in store.view(home, delegate="kid", provider="acme").text
        (tmp_path / "s" / "policy.toml").write_text("[[sensitive]]\nlevel = 'secret'\nwords = ['hunter2']\n")
        assert "hunter2" not in store.view(home, delegate="kid", provider="acme").text


def test_words_are_withheld_from_names_paths_and_patterns_too() -> None:
    story = Story()
    story.add(r.DecisionMade(id="d", by="agent", session=SESSION, choice="A", rejected=("use hunter2 twice",)))
    story.add(r.TimerArmed(id="i", by="agent", session=SESSION, text="look", due="hunter2 day"))
    story.add(r.QuestionOpened(id="q", by="agent", session=SESSION, what="hunter2 risk", text="?"))
    story.add(r.DelegationStarted(id="g", by="agent", session=SESSION, child="hunter2-kid", text="Work"))
    story.add(
        r.ToolReturned(
            id="s", by="tool", session=SESSION, tool="search", name="Grep", pattern="hunter2", output="a\n", status="ok"
        )
    )
    story.read("src/hunter2.py", "x = 1\n")
    story.fact("one", slot="hunter2"), story.fact("two", slot="hunter2")
    seen = view(story, provider="acme")
    assert "hunter2" not in seen.text
    paths = [each.path for each in seen.items] + [each.path for each in seen.omitted]
    assert not [path for path in paths if "hunter2" in (path or "")]
    assert "use [withheld: secret] twice" in seen.text
    assert view(story, provider="local").text.count("hunter2") >= 7
    child = view(story, delegate="hunter2-kid")
    assert (child.agent, "hunter2" in child.text) == ("hunter2-kid", False)


@pytest.mark.parametrize("later", [10, 600])
def test_what_shows_lines_of_a_withheld_file_is_withheld_however_many_files_came_since(later: int) -> None:
    story = Story()
    story.read(".env", "TOKEN=abcdef\n")
    for number in range(later):
        story.read(f"src/a{number}.py", f"def fn_{number}(): pass\n")
    story.run("grep -rn TOKEN /repo", "/repo/.env:1:TOKEN=abcdef\n")
    assert "abcdef" not in view(story, provider="acme").text
    assert "abcdef" in view(story, provider="local").text


def test_what_was_open_at_the_last_mark_and_has_ended_is_not_listed_as_left_out() -> None:
    story = Story()
    task, other, still = story.task("main parse_rates", to="active"), story.task("other"), story.task("still")
    while mark_before(story.snapshot().ordinal) < MARK:
        story.run(f"grep n{len(story.records)} f", f"foo_{len(story.records)}\n")
    story.move(other, "settled")
    left = {each.record for each in view(story, task=task, slice=True).omitted if each.reason == "not_needed"}
    assert (other in left, still in left) == (False, True)
