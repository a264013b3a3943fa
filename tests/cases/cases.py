"""A case from its beginning to its outcome: which process does what, and how answers from several worlds come together.

A case runs once, or once for each of its sizes. Its steps fall into stages: a new process begins wherever a step needs
one. The last process answers the questions and makes the checks. A case that is compared with another runs that too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path

from muniment.errors import EvidenceError
from muniment.store import EvidenceStore
from tests.cases.asks import ask_all
from tests.cases.checks import run_check
from tests.cases.comparisons import compare, note_before, value_of
from tests.cases.form import Case, Check, Step
from tests.cases.measures import over_sizes
from tests.cases.memory import peak_mib, resident_mib
from tests.cases.outcome import CannotAskError, Outcome, Result, WrongCaseError, outcome_of
from tests.cases.processes import Limits, StageError, run
from tests.cases.scene import Scene
from tests.cases.steps import ABANDONED, ALONE, COMPARED_AFTER, INSIDE, LEFT_OPEN, WITH_PROCESSES
from tests.cases.world import World, begin, refusal_of, write_source

Ending = Callable[[Scene], list[Result]]
"""What is done at last: the checks, or the reading of one value."""

BEGIN = Step(do="begin")
"""Stands for the first delivery."""


def outcome(case: Case, others: Mapping[str, Case]) -> Outcome:
    """Run a case; `others` are the cases of its file, by name."""
    sizes: list[int | None] = [*sorted(case.sizes)] or [None]
    try:
        runs = [_run(case, size, _checked) for size in sizes]
        results = [_joined(check, [each[i] for each in runs], others) for i, check in enumerate(case.expected)]
    except CannotAskError as error:
        return Outcome(word="skipped", why=error.capability)
    except (StageError, WrongCaseError, ValueError) as error:
        return Outcome(word="failed", why=str(error))
    return outcome_of(results)


def _joined(check: Check, results: list[Result], others: Mapping[str, Case]) -> Result:
    """Return one result for a check that was made at several sizes, or that is compared with another case."""
    joined = Result(
        check=results[0].check,
        asked=all(result.asked for result in results),
        wrong=list(dict.fromkeys(text for result in results for text in result.wrong)),
        missing=list(dict.fromkeys(name for result in results for name in result.missing)),
    )
    values = [result.value for result in results]
    if not joined.asked:
        return joined
    if check.check == "measure":
        joined.wrong += over_sizes(check, values)
    elif check.over == "sizes":
        joined.wrong += compare(check, values)
    elif check.with_case is not None:
        joined.wrong += compare(check, [values[0], _value_in(check, others)])
    return joined


def _value_in(check: Check, others: Mapping[str, Case]) -> object:
    other = others.get(check.with_case or "")
    if other is None:
        raise WrongCaseError(f"no case is called {check.with_case!r}")
    return _run(other, None, lambda scene: [Result(check=check.check, value=value_of(scene, check))])[0].value


def _checked(scene: Scene) -> list[Result]:
    return [run_check(scene, check) for check in scene.case.expected]


def _run(case: Case, size: int | None, ending: Ending) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="muniment-case-") as folder:
        kept = frozenset(record for step in case.then if step.do == "again" for record in step.ids)
        world = World(Path(folder), size, kept)
        run(lambda _: write_source(world, case))
        stages = _stages(case)
        for stage, following in pairwise(stages):
            world = _after_stage(world, case, stage, following)
        return run(partial(_last, world, case, stages[-1], ending))


def _stages(case: Case) -> list[list[Step]]:
    """Return the steps by the process that makes them; the last process also answers."""
    stages = [[BEGIN]]
    if any(check.what == "rss_growth_mib" for check in case.checks()):
        stages.append([])
    for step in case.then:
        if step.do in ALONE:
            stages += [[step], []]
        elif step.do in INSIDE:
            stages[-1].append(step)
        else:
            raise WrongCaseError(f"no step is called {step.do!r}")
    return stages


def _after_stage(world: World, case: Case, stage: list[Step], following: list[Step]) -> World:
    if not stage or world.refusal is not None:
        return world
    if stage[0].do in WITH_PROCESSES:
        ALONE[stage[0].do](world, stage[0])
        return world
    if stage[0].do in ALONE:
        return run(partial(_alone, world, stage[0]))
    return run(partial(_inside, world, case, stage, following))


def _alone(world: World, step: Step, _: Limits) -> World:
    ALONE[step.do](world, step)
    return world


def _inside(world: World, case: Case, stage: list[Step], following: list[Step], _: Limits) -> World:
    before = resident_mib()
    store = world.opened()
    _take(world, store, case, stage)
    if any(step.do in COMPARED_AFTER for step in following):
        note_before(Scene(store, world, case), case)
    if any(step.what in LEFT_OPEN for step in following):
        ABANDONED.append(store)
    else:
        store.close()
    if stage == [BEGIN]:
        world.rss_growth_mib = max(0.0, peak_mib() - before)
    return world


def _last(world: World, case: Case, stage: list[Step], ending: Ending, limits: Limits) -> list[Result]:
    if world.refusal is None:
        try:
            opened = world.opened()
        except EvidenceError as error:
            world.refusal = refusal_of(error)
        else:
            with opened as store:
                _take(world, store, case, stage)
                scene = Scene(store, world, case)
                ask_all(scene, limits)
                return ending(scene)
    return ending(Scene(None, world, case))


def _take(world: World, store: EvidenceStore, case: Case, stage: list[Step]) -> None:
    for step in stage:
        if step is BEGIN or step.do == BEGIN.do:
            begin(world, store, case)
        else:
            INSIDE[step.do](world, store, case, step)
