"""A projection is compared before it is served: behind it catches up, anything else is set aside and built anew."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.model.nodes import Receipt
from tests.contracts.test_engines import same_answers
from tests.support.claude_lines import CHILD, SESSION, Transcript
from tests.support.hook_payloads import BothForms
from tests.support.projecting_process import records


def filled(folder: Path, engine: str | None, first: int, last: int) -> str:
    """Record some steps, projecting each; return the mission."""
    with EvidenceStore.open(folder, create=True, engine=engine) as store:
        for number in range(first, last):
            store.record(records(f"n{number}", number))
            mission = store.missions()[0].mission
            store.snapshot(mission)
            while store.settle():
                pass
    return mission


def projection(folder: Path, engine: str) -> Path:
    """Return the folder of a projection."""
    return folder / f"projection-{engine}"


def age(folder: Path, engine: str) -> float:
    """Return when a projection's database was made: another one after it was built anew."""
    return (projection(folder, engine) / "graph.db").stat().st_ino


def test_a_projection_that_is_behind_catches_up_without_being_built_anew(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    mission = filled(folder, engine, 0, 8)
    made = age(folder, engine)
    filled(folder, None, 8, 20)
    same_answers(folder, engine, mission)
    assert age(folder, engine) == made


def test_an_older_copy_of_a_projection_catches_up(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    mission = filled(folder, engine, 0, 6)
    shutil.copytree(projection(folder, engine), tmp_path / "older")
    filled(folder, engine, 6, 14)
    shutil.rmtree(projection(folder, engine))
    shutil.copytree(tmp_path / "older", projection(folder, engine))
    same_answers(folder, engine, mission)


def test_a_projection_that_is_ahead_of_the_journal_is_built_anew(engine: str, tmp_path: Path) -> None:
    folder, older = tmp_path / "s", tmp_path / "older"
    mission = filled(folder, None, 0, 6)
    shutil.copytree(folder, older)
    filled(folder, engine, 6, 14)
    shutil.copytree(projection(folder, engine), projection(older, engine))
    made = age(older, engine)
    same_answers(older, engine, mission)
    assert age(older, engine) != made


def test_a_projection_of_another_store_is_built_anew(engine: str, tmp_path: Path) -> None:
    folder, other = tmp_path / "s", tmp_path / "other"
    mission = filled(folder, engine, 0, 6)
    filled(other, engine, 0, 9)
    shutil.rmtree(projection(folder, engine))
    shutil.copytree(projection(other, engine), projection(folder, engine))
    same_answers(folder, engine, mission)


def _emptied(file: Path) -> None:
    file.write_bytes(b"")


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 3])


def _foreign(file: Path) -> None:
    file.write_bytes(b"KUZU" + bytes(8192) if file.parent.name.endswith("ladybug") else b"LBUG1" + bytes(8192))


def _marked(file: Path) -> None:
    file.with_name("dirty").touch()


def _absent(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize("harm", [_emptied, _cut, _foreign, _marked, _absent])
def test_a_projection_that_is_not_sound_is_built_anew(
    engine: str, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    folder = tmp_path / "s"
    mission = filled(folder, engine, 0, 6)
    harm(projection(folder, engine) / "graph.db")
    same_answers(folder, engine, mission)
    assert [path.name for path in folder.glob("projection-*") if path.is_dir()] == [f"projection-{engine}"]


def test_a_child_that_arrives_late_changes_its_own_mission_and_no_other(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    other = filled(folder, engine, 0, 3)
    made = age(folder, engine)
    root = Transcript().user("Find the cause").calls("toolu_t", "Task", description="look", prompt="Look")
    root.returns("toolu_t", "found it", {"status": "completed", "agentId": CHILD, "content": []}).says("Done.")
    child = Transcript(CHILD).user("Look").reads("toolu_c", "/w/project/b.py", ["three"]).says("found it")
    first = root.write(tmp_path / f"{SESSION}.jsonl")
    late = child.write(tmp_path / SESSION / "subagents" / f"agent-{CHILD}.jsonl")
    with EvidenceStore.open(folder, create=True, engine=engine) as store:
        mission = store.import_session(first).mission
        before = len(store.snapshot(mission).named("toolu_c:result"))
        projected = "MATCH (n:Node) WHERE n.record = 'toolu_c:result' RETURN count(*)"
        assert store.query(projected).rows == [[0]]
        store.import_session(late)
        assert (before, len(store.snapshot(mission).named("toolu_c:result"))) == (0, 2)
        assert store.query(projected).rows == [[2]]
    assert age(folder, engine) == made
    same_answers(folder, engine, mission)
    same_answers(folder, engine, other)


def test_a_mission_that_is_told_twice_grows_without_being_built_anew(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    other = filled(folder, engine, 0, 3)
    made = age(folder, engine)
    forms = BothForms().prompt("Find the cause")
    with EvidenceStore.open(folder, engine=engine) as store:
        for step in range(4):
            forms.reads(f"toolu_{step}", f"/w/project/f{step}.py", ["one", "two"])
            store.import_session(forms.write_hooks(tmp_path / "hooks.jsonl"))
            mission = store.import_session(forms.transcript.write(tmp_path / f"{SESSION}.jsonl")).mission
            assert len(store.snapshot(mission).of_kind(Receipt)) == step + 1
            found = store.query(
                "MATCH (n:Node) WHERE n.mission = $m AND n.kind = 'receipt' RETURN n.id", {"m": mission}
            )
            assert len(found.rows) == step + 1
    assert age(folder, engine) == made
    same_answers(folder, engine, mission)
    same_answers(folder, engine, other)


def test_a_running_child_is_laid_over_and_not_projected(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    root = Transcript().user("Find the cause").calls("toolu_t", "Task", description="look", prompt="Look")
    child = Transcript(CHILD).user("Look").reads("toolu_c", "/w/project/b.py", ["three"])
    root.write(tmp_path / f"{SESSION}.jsonl")
    child.write(tmp_path / SESSION / "subagents" / f"agent-{CHILD}.jsonl")
    with EvidenceStore.open(folder, create=True, engine=engine) as store:
        mission = store.import_session(tmp_path / f"{SESSION}.jsonl").mission
        store.import_session(tmp_path / SESSION / "subagents" / f"agent-{CHILD}.jsonl")
        assert store.snapshot(mission).named("toolu_c:result")
        counted = store.query("MATCH (n:Node) WHERE n.record = 'toolu_c:result' RETURN count(*)")
        assert counted.rows == [[0]]
    same_answers(folder, engine, mission)
