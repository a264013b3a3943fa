"""The collapse plan against a simulator that knows what each output showed: no line is hidden that is not shown still.

Files change by edits, by others and unseen; several agents read parts and wholes, by their tool and by the shell, also
together with other outputs; contexts are compacted. Whatever the plan takes away must stand, at the same numbers and
character for character, in one output that stays in the context of the same agent.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.derive.collapsing import collapse_plan
from muniment.model import records as r
from muniment.model.nodes import Excerpt
from tests.support.doings import Doings
from tests.support.graphs import SESSION
from tests.support.histories import text_of

AGENTS = ("", "child")
PATHS = ("/repo/a.py", "/repo/b.py")
WORDS = ("a", "b", "}", "")
STEPS = ("read", "read", "read", "cat", "cat", "sed", "more", "pair", "write", "outside", "unseen", "compacted", "both")
Line = tuple[str, int, str]


@dataclass
class Shown:
    """What an output showed, and where it stands in the context of its agent."""

    agent: str
    place: int
    context: int
    lines: set[Line]
    rest: str = ""
    """What else it printed."""


@dataclass
class World:
    """The files as they are, and the story that is told of them."""

    draw: st.DataObject
    story: Doings = field(default_factory=Doings)
    files: dict[str, list[str]] = field(default_factory=dict)
    shown: dict[str, Shown] = field(default_factory=dict)
    contexts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(AGENTS, 0))

    def lines(self) -> list[str]:
        return self.draw.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))

    def path(self) -> str:
        return self.draw.draw(st.sampled_from(PATHS))

    def agent(self) -> str:
        return self.draw.draw(st.sampled_from(AGENTS))

    def note(self, record: str, agent: str, lines: set[Line], rest: str = "") -> None:
        self.shown[record] = Shown(agent, len(self.story.records), self.contexts[agent], lines, rest)

    def read(self) -> None:
        agent, path = self.agent(), self.path()
        lines = self.files[path]
        first = self.draw.draw(st.integers(1, len(lines)))
        last = self.draw.draw(st.integers(first, len(lines)))
        cut = tuple(n for n in range(first, last + 1) if self.draw.draw(st.integers(0, 7)) == 0)
        content = text_of(lines[first - 1 : last])
        record = self.story.tool(
            "read", path=path, agent=agent, content=content, lines=(first, last), total_lines=len(lines), cut_lines=cut
        )
        self.note(record, agent, {(path, n, lines[n - 1]) for n in range(first, last + 1) if n not in cut})

    def cat(self) -> None:
        agent, path = self.agent(), self.path()
        lines = self.files[path]
        record = self.story.ran(f"cat {path}", text_of(lines), agent=agent)
        self.note(record, agent, {(path, n, line) for n, line in enumerate(lines, 1)})

    def sed(self) -> None:
        agent, path = self.agent(), self.path()
        lines = self.files[path]
        first = self.draw.draw(st.integers(1, len(lines)))
        last = self.draw.draw(st.integers(first, len(lines)))
        record = self.story.ran(f"sed -n '{first},{last}p' {path}", text_of(lines[first - 1 : last]), agent=agent)
        self.note(record, agent, {(path, n, lines[n - 1]) for n in range(first, last + 1)})

    def more(self) -> None:
        """A read with something else in one output."""
        agent, path = self.agent(), self.path()
        lines = self.files[path]
        record = self.story.ran(f"cat {path} && echo done-here", text_of([*lines, "done-here"]), agent=agent)
        self.note(record, agent, {(path, n, line) for n, line in enumerate(lines, 1)}, rest="done-here")

    def pair(self) -> None:
        """The first lines of two files, in one output."""
        agent = self.agent()
        command = "sed -n '1,2p' /repo/a.py && sed -n '1,2p' /repo/b.py"
        record = self.story.ran(command, text_of([x for path in PATHS for x in self.files[path][:2]]), agent=agent)
        self.note(record, agent, {(path, n, x) for path in PATHS for n, x in enumerate(self.files[path][:2], 1)})

    def both(self) -> None:
        agent = self.agent()
        record = self.story.ran(
            "cat /repo/a.py /repo/b.py", text_of([line for path in PATHS for line in self.files[path]]), agent=agent
        )
        self.note(record, agent, {(path, n, line) for path in PATHS for n, line in enumerate(self.files[path], 1)})

    def write(self) -> None:
        path = self.path()
        self.files[path] = self.lines()
        self.story.wrote(path, text_of(self.files[path]), agent=self.agent())

    def outside(self) -> None:
        path = self.path()
        self.files[path] = self.lines()
        self.story.outside(path, text_of(self.files[path]) if self.draw.draw(st.booleans()) else None)

    def unseen(self) -> None:
        """Nobody tells."""
        self.files[self.path()] = self.lines()

    def compacted(self) -> None:
        agent = self.agent()
        self.contexts[agent] += 1
        self.story.add(r.ContextBoundary(id=f"k{len(self.story.records)}", session=SESSION, agent=agent))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_collapse_never_hides_what_is_not_shown_still(data: st.DataObject) -> None:
    world = World(draw=data)
    world.files = {path: world.lines() for path in PATHS}
    for step in data.draw(st.lists(st.sampled_from(STEPS), min_size=2, max_size=14)):
        getattr(world, step)()
    plan = collapse_plan(world.story.snapshot())
    gone = {each.record for each in plan}
    assert len(gone) == len(plan)
    for each in plan:
        old, new = world.shown[each.record], world.shown[each.into_record]
        assert each.into_record not in gone
        assert old.agent == new.agent
        assert old.lines <= new.lines
        assert not old.rest
        assert new.context >= old.context


def test_equal_reads_collapse_into_the_newest_and_a_narrow_one_into_the_wider() -> None:
    story = Doings()
    first, second = story.ran("cat /repo/a.py", "x\ny\n"), story.shown("/repo/a.py", 1, 2, 2, text="x\ny\n")
    narrow = story.shown("/repo/a.py", 2, 2, 2, text="y\n")
    plan = collapse_plan(story.snapshot())
    assert {(each.record, each.into_record) for each in plan} == {(first, second), (narrow, second)}
    story.add(r.ContextBoundary(id="k", session=SESSION))
    later = story.shown("/repo/a.py", 1, 1, 2, text="x\n")
    assert later not in {each.record for each in collapse_plan(story.snapshot())}


def test_an_output_of_two_files_goes_only_into_one_that_shows_both() -> None:
    story = Doings()
    command, output = "sed -n '1,2p' /repo/a.py && sed -n '1,2p' /repo/b.py", "a1\na2\nb1\nb2\n"
    story.shown("/repo/a.py", 1, 4, 4, text="a1\na2\na3\na4\n")
    story.shown("/repo/b.py", 1, 4, 4, text="b1\nb2\nb3\nb4\n")
    both = story.ran(command, output)
    shown = [node for node in story.snapshot().named(both) if isinstance(node, Excerpt)]
    assert [(node.first, node.last) for node in shown] == [(1, 2), (1, 2)]
    assert both not in {each.record for each in collapse_plan(story.snapshot())}
    again = story.ran(command, output)
    assert (both, again) in {(each.record, each.into_record) for each in collapse_plan(story.snapshot())}


def test_nothing_gives_way_to_an_output_that_was_withdrawn_and_the_control_does() -> None:
    story = Doings()
    first = story.shown("/repo/a.py", 1, 2, 2, text="x\ny\n")
    second = story.shown("/repo/a.py", 1, 2, 2, text="x\ny\n")
    assert [(each.record, each.into_record) for each in collapse_plan(story.snapshot())] == [(first, second)]
    story.add(r.Withdrawal(id="w", by="user", session=SESSION, target=second))
    assert collapse_plan(story.snapshot()) == []
