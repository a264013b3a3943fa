"""A claim that the tests pass is judged as someone would who had seen all that happened."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muniment.model import records as r
from tests.support.claims import Case

WRITES = {f"write {content}": f"{content}\n" for content in "ab"}
EVENTS = st.lists(st.sampled_from([*WRITES, "look", "push", "tidy", "pass", "fail"]), max_size=12)


def told(events: list[str]) -> tuple[Case, str]:
    """Tell a mission; return it with the verdict that its claim deserves."""
    case, content = Case(), "a\n"
    case.write("a.py", content)
    runs: list[tuple[str, str]] = []
    for event in events:
        if event in WRITES:
            content = WRITES[event]
            case.write("a.py", content)
        elif event == "look":
            case.ran("cat a.py", content)
        elif event == "push":
            case.ran("git commit -am x && git push")
        elif event == "tidy":
            case.ran("./tidy.sh")
            runs.clear()
        else:
            failed = event == "fail"
            case.tests(counts=r.Counts(collected=1, passed=int(not failed), failed=int(failed)), exit_code=int(failed))
            runs.append((event, content))
    still = [event for event, tested in runs if tested == content]
    return case, {"pass": "proven", "fail": "contradicted"}[still[-1]] if still else "unproven"


@given(EVENTS)
def test_the_newest_run_on_what_is_there_now_decides(events: list[str]) -> None:
    case, deserved = told(events)
    case.claim("tests_pass")
    assert case.verdict().status == deserved


@given(EVENTS, st.integers(0, 12))
def test_a_verdict_as_of_an_earlier_moment_knows_nothing_later(events: list[str], cut: int) -> None:
    early, deserved = told(events[:cut])
    early.claim("tests_pass")
    late, _ = told(events[:cut])
    claim = late.claim("tests_pass")
    for event in events[cut:]:
        late.ran("./tidy.sh" if event == "tidy" else "cat a.py")
    snapshot = late.snapshot().upto(len(early.records))
    assert early.verdict().status == deserved
    assert [each.status for each in late.closeout_of(snapshot).claims if each.record == claim] == [deserved]
