"""A run whose subject is closed survives what commands write elsewhere, and nothing that nobody can name."""

from __future__ import annotations

import pytest

from tests.support.claims import Case

RATE = {"src/rate.py": "return n * 0.25\n"}


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("sed -i s/a/b/ src/other.py", ""),
        ("cd src && echo x > notes.txt", ""),
        ("rm -rf build && mkdir build", ""),
        ("git checkout -- docs", ""),
        ("python -c \"open('out.txt', 'w').write('x')\"", ""),
        ("sed -i s/a/b/ src/rate.py", "subject_changed"),
        ("sed -i s/a/b/ src/*.py", "subject_changed"),
        ("rm -rf src", "subject_changed"),
        ("cd src && echo x > rate.py", "subject_changed"),
        ('sed -i s/a/b/ "$FILE"', "effect_unknown"),
        ("git stash", "effect_unknown"),
        ("./gen", "effect_unknown"),
        ("pip install left", "effect_unknown"),
    ],
)
def test_a_run_of_a_closed_subject_survives_what_is_written_elsewhere(command: str, reason: str) -> None:
    case = Case()
    case.write("src/rate.py", RATE["src/rate.py"])
    run = case.tests(subject=RATE, subject_closed=True)
    case.ran(command)
    case.claim("tests_pass", run)
    assert case.verdict().reason == reason


def test_what_follows_a_run_in_its_own_line_counts_where_it_touches_the_subject() -> None:
    for command, reason in (
        ("pytest && echo x > done.txt", ""),
        ("pytest && echo x > src/rate.py", "subject_changed"),
        ("pytest && ./gen", "effect_unknown"),
    ):
        case = Case()
        case.write("src/rate.py", RATE["src/rate.py"])
        run = case.tests(command=command, subject=RATE, subject_closed=True)
        case.claim("tests_pass", run)
        assert case.verdict().reason == reason, command
