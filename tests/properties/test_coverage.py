"""Coverage against a simulator that holds the real file and knows which agent saw which line of it.

Each line of the real file carries, for each agent, whether that agent was shown this very line (or wrote it). Edits
move lines with their marks, texts that others write anew keep the marks of lines that stay, and a change that nobody
tells takes all marks away. What coverage claims must be marked; where all changes are told, what is marked must be
claimed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.derive.carrying import intervals
from muniment.derive.coverage import ANYBODY, agent_key, moments, seen_now, standing
from muniment.model import records as r
from muniment.model.nodes import File
from muniment.snapshot import MemorySnapshot
from tests.support.graphs import SESSION, Story
from tests.support.histories import text_of
from tests.support.plain_patch import applied

AGENTS = ("", "child", "other")
WORDS = ("a", "b", "}", "", "end")


@dataclass
class Line:
    """A line as it really is: lines that read alike are still two."""

    text: str
    seen_by: set[str] = field(default_factory=set)


@dataclass
class World:
    """The real file, and the story that the product is told of it."""

    draw: st.DataObject
    distinct: bool
    story: Story = field(default_factory=Story)
    lines: list[Line] = field(default_factory=list)
    made: int = 0
    path: str = "/repo/src/a.py"
    shown: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in AGENTS})
    """What each agent was ever shown, or wrote: an upper bound of what it may be said to know."""

    def line(self) -> Line:
        self.made += 1
        word = self.draw.draw(st.sampled_from(WORDS))
        return Line(f"{word} {self.made}" if self.distinct else word)

    def some_lines(self, most: int = 4) -> list[Line]:
        return [self.line() for _ in range(self.draw.draw(st.integers(0, most)))]

    def agent(self) -> str:
        return self.draw.draw(st.sampled_from(AGENTS))

    def text(self) -> str:
        return text_of([line.text for line in self.lines])

    def told(self, **fields: object) -> None:
        given: dict[str, object] = {"id": f"w{len(self.story.records)}", "session": SESSION, "by": "tool", **fields}
        self.story.add(r.ToolReturned(**given))  # type: ignore[arg-type]

    def read(self) -> None:
        agent, count = self.agent(), len(self.lines)
        first = self.draw.draw(st.integers(1, count)) if count else 1
        last = self.draw.draw(st.integers(first, count)) if count else 0
        whole = self.draw.draw(st.booleans()) or not count
        first, last = (1, count) if whole else (first, last)
        shown = self.lines[first - 1 : last]
        text = text_of([line.text for line in shown])
        cut = tuple(n for n in range(first, last + 1) if self.draw.draw(st.integers(0, 9)) == 0)
        self.told(
            agent=agent, tool="read", path=self.path, status="ok", effect="none", content=text,
            lines=None if whole else (first, last), total_lines=count, cut_lines=cut,
        )  # fmt: skip
        for number, line in enumerate(shown, first):
            if number not in cut:
                line.seen_by.add(agent)

    def write(self) -> None:
        agent = self.agent()
        self.anew()
        self.told(agent=agent, tool="write", path=self.path, status="ok", effect="writes", content=self.text())
        for line in self.lines:
            line.seen_by.add(agent)

    def anew(self) -> None:
        """Change the file by somebody who gives all of it: lines that stay are the same lines."""
        for _ in range(self.draw.draw(st.integers(1, 3))):
            start = self.draw.draw(st.integers(0, len(self.lines)))
            stop = self.draw.draw(st.integers(start, min(len(self.lines), start + 3)))
            self.lines[start:stop] = self.some_lines()

    def edit(self) -> None:
        agent = self.agent()
        old = [line.text for line in self.lines]
        start = self.draw.draw(st.integers(0, len(old)))
        stop = self.draw.draw(st.integers(start, min(len(old), start + 3)))
        added = self.some_lines()
        if not added and start == stop:
            return
        self.lines[start:stop] = added
        around = self.draw.draw(st.integers(0, 2))
        before, after = old[max(0, start - around) : start], old[stop : stop + around]
        hunk = r.Hunk(
            start - len(before) + 1,
            start - len(before) + 1,
            (
                *(f" {x}" for x in before),
                *(f"-{x}" for x in old[start:stop]),
                *(f"+{x.text}" for x in added),
                *(f" {x}" for x in after),
            ),
        )
        assert applied(old, (hunk,)) == [line.text for line in self.lines]
        image = text_of(old) if self.draw.draw(st.booleans()) else None
        content = self.text() if self.draw.draw(st.booleans()) else None
        change = r.FileChange(path=self.path, hunks=(hunk,), before=image, content=content)
        self.told(agent=agent, tool="write", path=self.path, status="ok", effect="writes", changes=(change,))
        for line in added:
            line.seen_by.add(agent)

    def never_before(self) -> None:
        """Make the content one that never was: one that comes back is known as what it was."""
        self.lines.append(Line(f"never before {len(self.story.records)}"))

    def outside(self) -> None:
        """Somebody else changes the file; the content may be told, or nothing but that it changed."""
        self.anew()
        content = self.text() if self.draw.draw(st.booleans()) else None
        if content is None:
            self.never_before()
            for line in self.lines:
                line.seen_by.clear()
        self.story.add(
            r.FileChangedOutside(id=f"x{len(self.story.records)}", session=SESSION, path=self.path, content=content)
        )

    def unnoticed(self) -> None:
        """Somebody else changes the file and nobody tells; then an agent reads all of it, and sees that it changed."""
        self.lines = [*self.some_lines(), Line(f"new {len(self.story.records)}"), *self.some_lines()]
        agent = self.agent()
        self.told(agent=agent, tool="read", path=self.path, status="ok", effect="none", content=self.text())
        for line in self.lines:
            line.seen_by.add(agent)

    def unnoticed_part(self) -> None:
        """A file that was known whole changes and nobody tells; a read of some lines shows that it did, and no more."""
        self.told(agent="", tool="read", path=self.path, status="ok", effect="none", content=self.text() or "\n")
        self.shown[""] += [line.text for line in self.lines] or [""]
        self.lines = [Line(f"new {len(self.story.records)} {n}") for n in range(len(self.lines) or 1)]
        agent = self.agent()
        first = self.draw.draw(st.integers(1, len(self.lines)))
        last = self.draw.draw(st.integers(first, len(self.lines)))
        text = text_of([line.text for line in self.lines[first - 1 : last]])
        self.told(
            agent=agent, tool="read", path=self.path, status="ok", effect="none", content=text, lines=(first, last),
            total_lines=len(self.lines),
        )  # fmt: skip
        for line in self.lines[first - 1 : last]:
            line.seen_by.add(agent)

    def renamed(self) -> None:
        old, self.path = self.path, f"/repo/src/{len(self.story.records)}.py"
        self.story.add(
            r.FileChangedOutside(
                id=f"x{len(self.story.records)}", session=SESSION, path=old, change="renamed", to=self.path
            )
        )

    def deleted(self) -> None:
        """The file goes, and an agent writes it anew."""
        agent = self.agent()
        change = r.FileChange(path=self.path, change="deleted")
        self.told(agent=agent, tool="write", path=self.path, status="ok", effect="writes", changes=(change,))
        self.lines = self.some_lines(6)
        self.told(agent=agent, tool="write", path=self.path, status="ok", effect="writes", content=self.text())
        for line in self.lines:
            line.seen_by.add(agent)

    def doubt(self) -> None:
        agent = self.agent()
        self.anew()
        self.never_before()
        self.told(
            agent=agent,
            tool="command",
            command=f"./gen > {self.path}",
            exit_code=0,
            effect="writes",
            writes=(self.path,),
        )
        for line in self.lines:
            line.seen_by.clear()

    def claims(self, snapshot: MemorySnapshot) -> dict[str, set[int]]:
        file = next((node for node in snapshot.of_kind(File) if node.path == self.path), None)
        if file is None:
            return {}
        told = list(moments(snapshot, file.id))
        assert standing(snapshot, file.id) == (told[-1].seen.get(ANYBODY, ()) if told else ())
        seen = seen_now(snapshot, told)
        return {who: {n for a, b in intervals(segments) for n in range(a, b + 1)} for who, segments in seen.items()}

    def check(self) -> None:
        snapshot = self.story.snapshot()
        claimed = self.claims(snapshot)
        assert all(1 <= number <= len(self.lines) for number in claimed.get(ANYBODY, ()))
        for agent in AGENTS:
            mine = claimed.get(agent_key(SESSION, agent), set())
            marked = {number for number, line in enumerate(self.lines, 1) if agent in line.seen_by}
            assert all(self.lines[number - 1].text in self.shown[agent] for number in mine), (agent, mine, marked)
            if self.distinct:
                assert mine <= marked, (agent, mine, marked)

    def note(self) -> None:
        for agent in AGENTS:
            self.shown[agent] += [line.text for line in self.lines if agent in line.seen_by]


STEPS = (
    *("read", "read", "read", "read", "write", "edit", "edit", "edit", "outside", "unnoticed"),
    *("unnoticed_part", "renamed", "deleted", "doubt"),
)


def told_story(data: st.DataObject, *, distinct: bool, steps: tuple[str, ...] = STEPS) -> World:
    world = World(draw=data, distinct=distinct)
    world.lines = world.some_lines(8)
    for _ in range(data.draw(st.integers(1, 9))):
        getattr(world, data.draw(st.sampled_from(steps)))()
        world.note()
        world.check()
    return world


@settings(max_examples=250, deadline=None)
@given(st.data(), st.booleans())
def test_coverage_never_claims_a_line_that_its_agent_has_not_seen(data: st.DataObject, distinct: bool) -> None:
    told_story(data, distinct=distinct)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_coverage_forgets_no_line_where_every_change_is_told(data: st.DataObject) -> None:
    world = World(draw=data, distinct=True)
    world.lines = world.some_lines(8)
    world.write()
    for _ in range(data.draw(st.integers(1, 8))):
        getattr(world, data.draw(st.sampled_from(("read", "write", "edit"))))()
        claimed = world.claims(world.story.snapshot())
        for agent in AGENTS:
            marked = {number for number, line in enumerate(world.lines, 1) if agent in line.seen_by}
            assert claimed.get(agent_key(SESSION, agent), set()) == marked
