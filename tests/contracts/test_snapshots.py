"""The contract of snapshots: live and whole graphs answer alike, and how a fold was cut into pieces does not matter."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given

from muniment import EvidenceStore
from muniment.model import nodes
from muniment.snapshot import LiveReads, Snapshot
from tests.support.histories import History, histories, text_of

RECENT = (nodes.Receipt, nodes.Message, nodes.Call, nodes.Excerpt, nodes.Event, nodes.Claim)


def answers(reads: LiveReads) -> list[object]:
    """Return all that a view may ask."""
    return [
        reads.ordinal,
        reads.binding(),
        reads.decisions(),
        reads.conflicts(),
        reads.open_tasks(),
        [reads.state(task.id) for task in reads.open_tasks()],
        reads.open_questions(),
        reads.running(),
        reads.armed(),
        reads.gaps(),
        [(file, reads.ledger(file.id), reads.touched(file.id)) for file in reads.files()],
        sorted(reads.worked_on([task.id for task in reads.open_tasks()])),
        reads.sessions(),
        reads.newest(RECENT),
        reads.newest(RECENT, 3),
        [reads.ended(node.id) for node in reads.newest([nodes.Receipt])],
        [reads.ended(node.id) for node in reads.newest([nodes.Message])],
        [reads.distilled(receipt.id) for receipt in reads.newest([nodes.Receipt])],
    ]


def stored(folder: Path, history: History) -> str:
    """Record a history in a new store; return its mission."""
    with EvidenceStore.open(folder, create=True) as store:
        store.record(history.records)
        return store.missions()[0].mission


@given(histories())
def test_the_live_graph_answers_what_the_whole_graph_answers(history: History) -> None:
    with TemporaryDirectory() as folder:
        mission = stored(Path(folder) / "s", history)
        with EvidenceStore.open(Path(folder) / "s") as store:
            store.rebuild()
        with EvidenceStore.open(Path(folder) / "s") as store:
            assert answers(store.live(mission)) == answers(store.snapshot(mission))


@given(histories())
def test_a_fold_in_pieces_gives_the_graph_of_a_fold_in_one_go(history: History) -> None:
    with TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        mission = stored(whole, history)
        pieces = Path(folder) / "pieces"
        for record in history.records:
            with EvidenceStore.open(pieces, create=True) as store:
                store.record([record])
                store.rebuild() if record["id"] == "session_opened-0" else store.live(mission)
                store.save_fold()
        with EvidenceStore.open(whole) as one, EvidenceStore.open(pieces) as other:
            assert other.graph_digest(mission) == one.graph_digest(mission)
            assert answers(other.live(mission)) == answers(one.snapshot(mission))


@given(histories())
def test_a_snapshot_of_the_past_is_the_graph_that_was(history: History) -> None:
    with TemporaryDirectory() as folder, EvidenceStore.open(Path(folder) / "s", create=True) as store:
        seen: list[tuple[int, list[object]]] = []
        for record in history.records:
            position = int(store.record([record]))
            mission = store.missions()[0].mission
            seen.append((position, answers(store.snapshot(mission))))
        for position, told in seen[:: max(1, len(seen) // 6)]:
            assert answers(store.snapshot(mission, as_of=position)) == told


@given(histories())
def test_what_a_ledger_claims_to_know_is_what_the_file_holds(history: History) -> None:
    with TemporaryDirectory() as folder:
        mission = stored(Path(folder) / "s", history)
        with EvidenceStore.open(Path(folder) / "s") as store:
            snapshot = store.snapshot(mission)
            for file in snapshot.of_kind(nodes.File):
                assert known(snapshot, store, file) <= set(enumerate(history.files.get(file.path, []), start=1))


def known(snapshot: Snapshot, store: EvidenceStore, file: nodes.File) -> set[tuple[int, str]]:
    """Return the (line number, text) pairs that a file's ledger claims."""
    state = snapshot.ledger(file.id)
    found: set[tuple[int, str]] = set()
    for segment in state.segments if state is not None else ():
        excerpt = snapshot.node(segment.excerpt)
        assert isinstance(excerpt, nodes.Excerpt)
        lines = snapshot.text(excerpt.text).split("\n")
        found |= {(segment.start + i, lines[segment.offset + i]) for i in range(segment.count)}
    return found


def test_the_text_of_a_history_ends_each_line() -> None:
    assert text_of(["a", ""]) == "a\n\n"
