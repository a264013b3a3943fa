"""`measure`: a number, and whether it is what it should be."""

from __future__ import annotations

from collections.abc import Callable

from muniment.model.nodes import NODE_TYPES, Fact, File, Node, Packet
from muniment.snapshot import Snapshot
from tests.cases.check_view import copies
from tests.cases.form import Check
from tests.cases.outcome import TARGET, CannotAskError, Result, WrongCaseError
from tests.cases.scene import Scene
from tests.cases.surfaces import scoped
from tests.cases.world import Appending, stored_records


def measure(scene: Scene, check: Check) -> Result:
    """Compare a number. Over sizes it is only collected here."""
    name = f"{check.check} {check.what}"
    reader = MEASURES.get(check.what)
    if reader is None:
        raise WrongCaseError(f"measure knows no {check.what!r}")
    if check.target:
        return Result(check=name, asked=False, missing=[TARGET])
    number = reader(scene, check)
    result = Result(check=name, value=number)
    if check.equals is not None and number != check.equals:
        result.wrong.append(f"is {number:g}, expected {check.equals:g}")
    if check.at_most is not None and check.what != "time_ratio" and number > check.at_most:
        result.wrong.append(f"is {number:g}, expected at most {check.at_most:g}")
    return result


def over_sizes(check: Check, values: list[object]) -> list[str]:
    """Return what is wrong with a number that was measured at several sizes, smallest first."""
    numbers = [value for value in values if isinstance(value, int | float)]
    if check.equal_over_sizes and len(set(numbers)) > 1:
        return [f"differs over the sizes: {numbers}"]
    if check.what == "time_ratio" and check.at_most is not None and numbers:
        ratio = numbers[-1] / max(numbers[0], 1e-9)
        return [f"is {ratio:.2f}, expected at most {check.at_most:g}"] if ratio > check.at_most else []
    return []


def _missions(scene: Scene, check: Check) -> list[str]:
    """Return the missions of a scope, all where none is given."""
    store = scene.store if check.scope is None else scoped(scene, check.scope)
    return [info.mission for info in store.missions()]


def _records(scene: Scene, check: Check) -> float:
    if check.ids is not None:
        return sum(map(len, scene.entries(check.ids).values()))
    return _records_of(scene, _missions(scene, check))


def _records_of(scene: Scene, missions: list[str]) -> int:
    counted = stored_records(scene.store, scene.world)
    return sum(counted[mission] for mission in missions)


def _new_records(scene: Scene, check: Check) -> float:
    return _records_of(scene, _missions(scene, check)) - sum(
        scene.world.begun.get(mission, 0) for mission in _missions(scene, check)
    )


def _nodes_of(kind: type[Node]) -> Callable[[Scene, Check], float]:
    def count(scene: Scene, check: Check) -> float:
        return sum(len(scene.state(mission).of_kind(kind)) for mission in _missions(scene, check))

    return count


def _bodies(scene: Scene, check: Check) -> float:
    if scene.answers.view is None or check.path is None:
        raise CannotAskError("view")
    return copies(scene, scene.answers.view, check.path)


def _output_bytes(scene: Scene, check: Check) -> float:
    return sum(len(scene.rehydrated(record).text.encode()) for record in check.ids or ())


def _rss_growth(scene: Scene, check: Check) -> float:
    if scene.world.rss_growth_mib is None:
        raise CannotAskError("peak memory of a process")
    return scene.world.rss_growth_mib


def _time(scene: Scene, check: Check) -> float:
    return sum(scene.answers.seconds.values())


def _bytes_read(scene: Scene, check: Check) -> float:
    delivery = scene.world.delivery
    if delivery.report is None:
        raise WrongCaseError("bytes_read_fraction needs a file")
    return delivery.report.bytes / max(1, delivery.file_bytes)


def _appending(scene: Scene) -> Appending:
    if scene.world.appending is None:
        raise WrongCaseError("nothing was appended concurrently")
    return scene.world.appending


def _acknowledged_lost(scene: Scene, check: Check) -> float:
    return sum(1 for record in _appending(scene).acknowledged if not scene.nodes(record))


def _unreported(scene: Scene, check: Check) -> float:
    return _appending(scene).unreported


def _partial_records(scene: Scene, check: Check) -> float:
    """Count entries of the writers that gave no record."""
    tried = _appending(scene).tried
    stored = scene.entries(tried)
    return sum(1 for record in tried if stored[record] and not scene.nodes(record))


def _chain_errors(scene: Scene, check: Check) -> float:
    return len(scene.store.verify().problems)


def _cross_scope_edges(scene: Scene, check: Check) -> float:
    return sum(_edges_outside(scene.snapshot(mission)) for mission in scene.missions())


def _edges_outside(snapshot: Snapshot) -> int:
    """Count edges with an end that is not in the mission's graph."""
    ends = 0
    for kind in NODE_TYPES:
        for node in snapshot.of_kind(kind):
            ends += sum(1 for edge in snapshot.edges_from(node.id) if snapshot.node(edge.target) is None)
            ends += sum(1 for edge in snapshot.edges_to(node.id) if snapshot.node(edge.source) is None)
    return ends


def _of_graphql(scene: Scene, check: Check) -> float:
    found = scene.answers.graphql
    if found is None:
        raise CannotAskError("graphql")
    value = {"items": found.items, "errors": found.errors, "store_calls": found.store_calls}[check.what]
    if value is None or check.has_next_page not in (None, found.has_next_page):
        return float("inf")
    return value


MEASURES: dict[str, Callable[[Scene, Check], float]] = {
    "records": _records,
    "new_records": _new_records,
    "packets": _nodes_of(Packet),
    "facts": _nodes_of(Fact),
    "files": _nodes_of(File),
    "bodies": _bodies,
    "items": _of_graphql,
    "errors": _of_graphql,
    "store_calls": _of_graphql,
    "output_bytes": _output_bytes,
    "rss_growth_mib": _rss_growth,
    "time_ratio": _time,
    "bytes_read_fraction": _bytes_read,
    "acknowledged_lost": _acknowledged_lost,
    "unacknowledged_unreported": _unreported,
    "partial_records": _partial_records,
    "chain_errors": _chain_errors,
    "cross_scope_edges": _cross_scope_edges,
}
"""What is measured → how."""
