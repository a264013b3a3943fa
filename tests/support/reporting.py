"""Missions whose closeouts are reported, one for each verdict."""

from __future__ import annotations

from muniment.closeout.reports.dossier import Dossier, gathered
from muniment.closeout.reports.render import rendered
from muniment.model import records as r
from tests.support.claims import Case
from tests.support.graphs import SESSION


def report(case: Case, format_: str) -> str:
    """Return the closeout of a mission as a report."""
    return rendered(case.snapshot(), case.closeout(), format_).text


def dossier_of(case: Case) -> Dossier:
    """Return the dossier of a mission's closeout."""
    return gathered(case.snapshot(), case.closeout())


def proven() -> Case:
    """A mission that wrote a file, ran the tests on it, and says so."""
    case = Case()
    case.say("please fix it")
    write(case, "call1", "src/a.py", "one\ntwo\n")
    case.tests(9)
    case.claim("tests_pass", scope="suite", text="All 9 tests pass.")
    case.claim("file_written", path="/repo/src/a.py")
    return case


def mixed() -> Case:
    """One claim is proven, one unproven since a file changed after the run, one contradicted; a task is open."""
    case = proven()
    write(case, "call2", "src/b.py", "three\n")
    case.ran("ruff check", "E501", exit_code=1, status="failed")
    case.claim("lint_clean", text="Lint is clean.")
    case.task("write the changelog")
    return case


def silent() -> Case:
    """A mission that claims nothing."""
    case = Case()
    case.say("hello")
    case.answer("Hello.")
    return case


def saying(text: str) -> Case:
    """A mission whose claims, paths, commands and tasks all hold a text."""
    case = Case()
    case.say(text)
    write(case, "call1", f"src/{text}.py", text)
    case.tests(3, command=f"pytest {text}")
    case.claim("tests_pass", scope="suite", text=text)
    case.claim("present_in_file", path=f"src/{text}.py", what=text, text=text)
    case.claim("file_written", path=f"/repo/gone/{text}.py", text=text)
    case.ran(f"make {text}", text, exit_code=2, status="failed")
    case.claim("build_ok", text=f"The build passes. {text}")
    case.task(text)
    return case


def write(case: Case, call: str, path: str, content: str) -> None:
    """The agent writes a file by a call that is on record."""
    case.add(
        r.ToolCalled(
            id=call, by="agent", session=SESSION, turn=call, tool="write", name="Write", path=path, arguments=None
        )
    )
    case.add(
        r.ToolReturned(
            id=f"{call}:result", by="tool", session=SESSION, call=call, tool="write", name="Write", path=path,
            content=content, status="ok", effect="writes",
        )
    )  # fmt: skip
