"""Reports of missions that say anything at all: always valid, never acting."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.closeout.reports.cleaning import clean
from muniment.closeout.reports.dossier import gathered
from muniment.closeout.reports.render import FORMATS, written
from tests.support.report_checks import ACTING, check
from tests.support.reporting import saying

PIECES = st.sampled_from(
    ["::error::", "\n::", "%0A", "##[", "\x1b[31m", "]]>", "<a>", "&#0;", "\r\n", "\u202e", "\ud800", '"', "'", "\\"]
)
TEXTS = st.lists(st.one_of(st.text(max_size=8), PIECES), max_size=8).map("".join)


@given(TEXTS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_is_said_every_format_is_valid(text: str) -> None:
    case = saying(text)
    dossier = gathered(case.snapshot(), case.closeout())
    for format_ in FORMATS:
        check(format_, written(dossier, format_).text)


@given(st.text(alphabet=st.characters(), max_size=40))
def test_cleaning_leaves_nothing_that_acts_and_cleaning_again_nothing_to_do(text: str) -> None:
    once = clean(text)
    assert ACTING.search(once) is None
    assert clean(once) == once


@given(st.text(alphabet=st.characters(blacklist_categories=("Cc", "Cs", "Cf", "Zl", "Zp", "Cn")), max_size=40))
def test_a_plain_text_is_left_as_it_is(text: str) -> None:
    assert clean(text, secrets=False) == text
