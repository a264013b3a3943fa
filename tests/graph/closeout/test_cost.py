"""What a closeout looks at follows what is claimed: how often a file was written before tells nothing of it now."""

from __future__ import annotations

from muniment.derive.coverage import ANYBODY, moments, standing
from muniment.graph import Graph
from muniment.model.nodes import File, Text
from muniment.snapshot import MemorySnapshot
from tests.support.doings import Doings, numbered
from tests.support.graphs import MISSION, folded, inline

PATH = "/repo/src/a.py"


def texts_read(story: Doings) -> int:
    """Return how many texts it takes to tell what a file's lines are."""
    read: list[Text] = []

    def noted(text: Text) -> str:
        read.append(text)
        return inline(text)

    graph, state = folded(story.records)
    snapshot = MemorySnapshot(graph, MISSION, state.ordinal, noted)
    file = only_file(graph)
    told = list(moments(snapshot, file))
    read.clear()
    assert standing(snapshot, file) == told[-1].seen[ANYBODY]
    return len(read)


def only_file(graph: Graph) -> str:
    (file,) = (node.id for node in graph.nodes.values() if isinstance(node, File))
    return file


def test_earlier_versions_of_a_file_that_was_written_whole_are_not_read_again() -> None:
    often, once = Doings(), Doings()
    for number in range(20):
        often.wrote(PATH, numbered(1, 5 + number))
    once.wrote(PATH, numbered(1, 24))
    for story in (often, once):
        story.edited(PATH, 2, ["line 2"], ["two"])
    assert texts_read(often) == texts_read(once)


def test_a_file_of_which_only_parts_were_seen_is_told_from_its_beginning() -> None:
    story = Doings()
    story.shown(PATH, 1, 3)
    story.edited(PATH, 2, ["line 2"], ["two"])
    story.shown(PATH, 5, 6)
    texts_read(story)


def test_what_a_part_that_had_changed_unseen_leaves_unknown_stays_unknown() -> None:
    story = Doings()
    story.wrote(PATH, numbered(1, 8))
    story.shown(PATH, 3, 4, text="other\nlines\n")
    texts_read(story)
