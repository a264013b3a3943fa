"""For any history: what stands is found, what was taken back is not, and no byte of what was purged is left."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import EvidenceStore
from muniment.search.storage import FILE_NAME
from tests.support.damaged_files import holds

KINDS = ("fact", "message", "receipt", "decision")
STEPS = st.lists(
    st.tuples(st.sampled_from(["say", "say", "say", "withdraw", "purge", "search", "reopen"]), st.integers(0, 30)),
    min_size=4,
    max_size=16,
)


def word(number: int) -> str:
    """Return a word that no other number has inside its own."""
    return f"zq{number:03d}x"


def record(number: int) -> dict[str, object]:
    """Return a record that says the word: short or long, of one kind or another."""
    text = f"common {word(number)} " * (1 if number % 3 else 90)
    kind = KINDS[number % len(KINDS)]
    common = {"id": f"r{number}", "by": "user"}
    if kind == "fact":
        return {**common, "kind": "fact_stated", "class": "constraint", "text": text}
    if kind == "message":
        return {**common, "kind": "message", "text": text}
    if kind == "decision":
        return {**common, "kind": "decision_made", "choice": "x", "reason": text}
    returned = {"kind": "tool_returned", "by": "tool", "tool": "command", "name": "Bash", "command": "cat"}
    return {**common, **returned, "output": text, "exit_code": 0, "effect": "none"}


class World:
    """A store, and what should be found in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = EvidenceStore.open(folder, create=True)
        self.said: list[int] = []
        self.standing: set[int] = set()
        self.withdrawn: set[int] = set()
        self.purged: set[int] = set()

    def step(self, verb: str, place: int) -> None:
        """Do one thing."""
        target = self.said[place % len(self.said)] if self.said else None
        if verb == "say" or target is None:
            number = len(self.said)
            self.store.record([record(number)])
            self.said.append(number)
            self.standing.add(number)
        elif verb == "search":
            self.store.search("common")
        elif verb == "reopen":
            self.store.close()
            self.store = EvidenceStore.open(self.folder)
        elif target not in self.purged:
            self._take_back(verb, target)

    def check(self) -> None:
        """Ask for each word, and look into each file."""
        for number in self.said:
            found = [hit.record for hit in self.store.search(word(number))]
            assert found == ([f"r{number}"] if number in self.standing else [])
            history = self.store.search(word(number), history=True)
            assert len(history) == (0 if number in self.purged else 1)
        left = {number for number in self.purged if holds(self.folder, word(number).encode())}
        assert not left
        assert {hit.record for hit in self.store.search("common", limit=200)} == {f"r{n}" for n in self.standing}

    def _take_back(self, verb: str, target: int) -> None:
        if verb == "withdraw":
            self.store.withdraw(f"r{target}", "no longer")
            self.withdrawn.add(target)
        else:
            self.store.purge(f"r{target}", "asked to")
            self.purged.add(target)
        self.standing.discard(target)


@given(STEPS)
@settings(max_examples=12)
def test_only_what_stands_is_found_and_purged_words_are_in_no_file(steps: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        world = World(Path(folder) / "s")
        for verb, place in steps:
            world.step(verb, place)
        world.check()
        told = world.store.search("common", limit=200, history=True)
        (world.folder / FILE_NAME).unlink(missing_ok=True)
        assert world.store.search("common", limit=200, history=True) == told
        world.store.close()
