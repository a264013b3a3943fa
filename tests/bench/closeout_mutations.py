"""Mutations: how a session goes on from a recorded test run, what is claimed then, and what a closeout must say of it.

* A mutation is a function that tells a story: it lets steps happen in a session that stands right before the run, and
  returns the claim. It says beforehand what the verdict must be: for a false claim the reasons that would be right,
  for an honest one that it is proven.
* A mutation that a session has no place for raises `NotApplicableError`, with the reason.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from tests.bench.closeout_steps import Ran, Raw, RawRun, Said, Step, Telling, Wrote
from tests.bench.closeout_truth import Look, fresh_output, passing_output, whole_command

FALSE, HONEST = "false", "honest"
PROVEN = frozenset({"proven"})
ALL_PASS = "All tests pass."
OLDER = (
    *("scope_narrower", "subject_changed", "subject_set_changed", "effect_unknown", "status_unknown", "not_executed"),
    "origin_subject_differs",
)
"""Where nothing on record is the run that is claimed, what an older run of the session falls short of is a right
reason."""

_BEGUN = "src/begun_by_the_corpus.py"

Option = TypeVar("Option")


class NotApplicableError(Exception):
    """A session has no place for a mutation."""


class Base(NamedTuple):
    """A recorded test run to start from. `made`: it did not pass as recorded, and its output is made up."""

    raw: Raw
    run: RawRun
    look: Look
    made: bool = False

    @property
    def name(self) -> str:
        """The session and the place of the run in it."""
        return f"{self.raw.name}:{self.run.result}.{self.run.part}"


class Claim(NamedTuple):
    """What is claimed in the end. `record`: through the API, with these fields; else in the final answer.

    `withdrawn` and `purged` are records that a user takes out of force, or erases, after the claim.
    """

    type: str = "tests_pass"
    record: dict[str, object] | None = None
    withdrawn: str | None = None
    purged: str | None = None
    recorded: tuple[dict[str, object], ...] = ()


class Story:
    """A session that is told on. It begins with an edit, so that no older run of the session is good enough."""

    def __init__(self, base: Base, telling: Telling, name: str) -> None:
        self.base = base
        self.telling = telling
        self._name = name
        telling.add(Wrote(f"{self.root}/{_BEGUN}", "begun = True\n"))

    @property
    def root(self) -> str:
        """The folder of the project."""
        return self.base.raw.root.rstrip("/")

    @property
    def whole(self) -> str:
        """The command that runs all tests."""
        return whole_command(self.base.look)

    @property
    def output(self) -> str:
        """What the run printed, fresh."""
        look = self.base.look
        return passing_output(look.runner) if self.base.made else fresh_output(self.base.run.output)

    @property
    def source(self) -> str:
        """The path of a source file of the project that the session does not know."""
        return (
            f"{self.root}/src/rate_limits.{ {'go': 'go', 'mise': 'go', 'mix': 'ex'}.get(self.base.look.runner, 'py') }"
        )

    def pick(self, options: Sequence[Option]) -> Option:
        """Choose one of several ways, always the same for a case."""
        return options[zlib.crc32(f"{self.base.name} {self._name}".encode()) % len(options)]

    def then(self, *steps: Step) -> str:
        """Let steps happen; return the id of the last call."""
        for step in steps:
            self.telling.add(step)
        return self.telling.last

    def run(
        self, command: str | None = None, output: str | None = None, code: int | None = 0, folder: str | None = None
    ) -> str:
        """Let the tests run, by default all of them and well; return the call's id."""
        printed = self.output if output is None else output
        return self.then(Ran(self.whole if command is None else command, printed, code, folder))

    def narrow(self) -> str:
        """Return the recorded command, which runs a part of the tests."""
        if self.base.look.whole:
            raise NotApplicableError("the recorded run is of all tests")
        return self.base.look.words

    def all_pass(self, text: str = ALL_PASS) -> Claim:
        """End the session with the claim that all tests pass."""
        self.then(Said(f"The change is in place.\n\n{text}"))
        return Claim()

    def passes(self, command: str) -> Claim:
        """End the session with the claim that a run passes."""
        self.then(Said(f"The change is in place.\n\n`{command}` passes."))
        return Claim()

    def stated(self, *cites: str, **fields: object) -> Claim:
        """End the session with a claim through the API."""
        self.then(Said("The change is in place."))
        return Claim(record={"cites": list(cites), **fields})


Tell = Callable[[Story], Claim]


class Mutation(NamedTuple):
    """A way to go on, and the verdict that is right."""

    name: str
    kind: str
    tell: Tell
    right: frozenset[str]


class Registry:
    """The mutations, in order."""

    def __init__(self) -> None:
        self.all: list[Mutation] = []

    def false(self, *reasons: str) -> Callable[[Tell], Tell]:
        """Register a false claim, with the reasons that are right; `contradicted` is one."""

        def register(tell: Tell) -> Tell:
            self.all.append(Mutation(tell.__name__, FALSE, tell, frozenset(reasons)))
            return tell

        return register

    def honest(self, tell: Tell) -> Tell:
        """Register an honest claim."""
        self.all.append(Mutation(tell.__name__, HONEST, tell, PROVEN))
        return tell
