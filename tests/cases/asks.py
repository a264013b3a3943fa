"""Questions become calls of the public API; what the product cannot be asked yet is noted, not failed."""

from __future__ import annotations

import time
from collections.abc import Callable

from muniment.errors import EvidenceError, UnknownIdError
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Message
from tests.cases.ask_graphql import ask_graphql
from tests.cases.form import Ask
from tests.cases.outcome import CannotAskError, WrongCaseError
from tests.cases.processes import Limits
from tests.cases.scene import Scene
from tests.cases.surfaces import ask_surfaces
from tests.cases.world import refusal_of

NO_LIMIT = 1_000_000_000
"""Hops of a walk that goes as far as it can."""


def ask_all(scene: Scene, limits: Limits) -> None:
    """Ask all questions of a case, each within its time."""
    for ask in scene.case.ask:
        form = FORMS.get(ask.form)
        if form is None:
            raise WrongCaseError(f"no question has the form {ask.form!r}")
        limits.begin(f"the question {ask.form!r}", ask.timeout_s)
        started = time.perf_counter()
        try:
            form(scene, ask)
        except EvidenceError as error:
            scene.answers.refusals[ask.form] = refusal_of(error)
        except CannotAskError as error:
            scene.answers.missing.setdefault(ask.form, []).append(error.capability)
        scene.answers.seconds[ask.form] = time.perf_counter() - started
        limits.end()


def _state(scene: Scene, ask: Ask) -> None:
    """No question: but what the checks will read is made here, within the time."""
    for mission in scene.missions():
        scene.snapshot(mission, scene.as_of(ask)).conflicts()
        scene.store.reports(mission)


def _view(scene: Scene, ask: Ask) -> None:
    named = ask.session or ask.task
    mission = scene.world.current_mission() if named is None else scene.mission_of(named)
    as_of = scene.as_of(ask)
    scene.answers.view = scene.store.view(
        mission, task=ask.task, budget=ask.budget_tokens, as_of=as_of, session=ask.session
    )


def _packet(scene: Scene, ask: Ask) -> None:
    if ask.id is None:
        scene.answers.packet = scene.store.packet(scene.world.current_mission())
    else:
        scene.answers.accepted = scene.store.accept_packet(ask.id, mission=scene.mission_of(ask.id))


def _closeout(scene: Scene, ask: Ask) -> None:
    missions = dict.fromkeys(scene.mission_of(claim) for claim in ask.claims)
    for mission in missions or [scene.world.current_mission()]:
        scene.answers.closeouts.append(scene.store.closeout(mission, as_of=scene.as_of(ask)))


def _get(scene: Scene, ask: Ask) -> None:
    if ask.id is None:
        raise WrongCaseError("get needs an id")
    scene.answers.got = scene.rehydrated(ask.id, ask.lines)


def _walk(scene: Scene, ask: Ask) -> None:
    if ask.by == "parent":
        if ask.start is None:
            raise WrongCaseError("a walk by parent needs `from`")
        snapshot = scene.snapshot(scene.mission_of(ask.start))
        seeds = [node.id for node in scene.nodes(ask.start) if isinstance(node, Message)]
        if not seeds:
            raise UnknownIdError(ask.start)
        steps = snapshot.walk(seeds, {EdgeKind.PRECEDES}, NO_LIMIT, way="in")
        scene.answers.walked = [step.node.record for step in steps if step.hops and isinstance(step.node, Message)]
    else:
        snapshot = scene.snapshot(scene.world.current_mission())
        scene.answers.walked = [node.record for node in snapshot.of_kind(Message)]


def _surfaces(scene: Scene, ask: Ask) -> None:
    ask_surfaces(scene, ask)


FORMS: dict[str, Callable[[Scene, Ask], None]] = {
    "state": _state,
    "view": _view,
    "packet": _packet,
    "closeout": _closeout,
    "get": _get,
    "walk": _walk,
    "surfaces": _surfaces,
    "graphql": ask_graphql,
}
"""Form of a question → how it is asked."""
