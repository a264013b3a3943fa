"""After a boundary: what its agent did again that it would not have done with the context it had lost.

* Looked at are the next `ACTIONS` calls of the agent, or those until its next boundary. Each sign is counted there, and
  compared with how often the same agent of the same session showed it before the boundary (per 100 calls): who always
  repeats much is not said to have lost anything.
* Signs: `reread`: a read that showed nothing but unchanged lines that the agent had seen, none of them since the
  boundary. `repeated_command`: the same line in the same folder with the same output as before. `repeated_failure`: a
  call that fails as the same call had failed. `plan_rebuilt`: a task in the words of one that was there already.
  `contradiction`: a claim that receipts speak against.
* Where a boundary is not the agent's last, what was repeated of after it counts for the later one only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from muniment.closeout.verdict import CONTRADICTED, ClaimVerdict
from muniment.handoff.boundaries import BoundaryReport, squeezed
from muniment.model.nodes import Call, Receipt, Task
from muniment.selection.held import Reread
from muniment.snapshot import Snapshot

ACTIONS: Final = 100
"""Calls after a boundary that are looked at, at most."""

REREAD, COMMAND, FAILURE, PLAN, CONTRADICTION = (
    "reread",
    "repeated_command",
    "repeated_failure",
    "plan_rebuilt",
    "contradiction",
)
SIGNS: Final[dict[str, str]] = {
    REREAD: "unchanged content that it had seen was read again",
    COMMAND: "a command was run again and gave the same output",
    FAILURE: "what had failed was tried again, and failed again",
    PLAN: "a task was stated again that was there already",
    CONTRADICTION: "something was claimed that receipts speak against",
}
"""Sign of a loss → what it says, in words."""


class Sign(msgspec.Struct, frozen=True, kw_only=True):
    """How often something happened after a boundary. `expected` is how often it would have at the rate of before.

    `rate` and `base_rate` are per 100 calls. `ids` are nodes: receipts, tasks or claims; `places` what was read again.
    """

    name: str
    count: int
    rate: float
    base_count: int
    base_rate: float
    expected: float
    ids: tuple[str, ...] = ()
    places: tuple[tuple[str, int, int], ...] = ()

    @property
    def excess(self) -> float:
        """Return how many more there were than were to be expected; never below 0."""
        return max(self.count - self.expected, 0.0)


class Aftermath(msgspec.Struct, frozen=True, kw_only=True):
    """What came after a boundary: `actions` calls were looked at, `base` calls came before it."""

    boundary: str
    actions: int
    base: int
    signs: tuple[Sign, ...]

    def sign(self, name: str) -> Sign:
        """Return one sign."""
        return next(sign for sign in self.signs if sign.name == name)


class Happening(NamedTuple):
    """One showing of a sign. `first`: since when what is repeated was there, the newest time that it was shown."""

    name: str
    ordinal: int
    first: int
    id: str
    places: tuple[tuple[str, int, int], ...] = ()


def aftermaths(
    snapshot: Snapshot, reports: Sequence[BoundaryReport], reread: Sequence[Reread], verdicts: Iterable[ClaimVerdict]
) -> list[Aftermath]:
    """Return what came after each of some boundaries; `reread` and `verdicts` are those of the same mission."""
    claims = list(verdicts)
    agents = {(report.session, report.agent) for report in reports}
    told = {key: _happenings(snapshot, key, reread, claims) for key in sorted(agents)}
    calls = {key: _calls(snapshot, key) for key in sorted(agents)}
    return [
        _after(report, told[report.session, report.agent], calls[report.session, report.agent]) for report in reports
    ]


def window(report: BoundaryReport, calls: Sequence[int]) -> tuple[int, int]:
    """Return the first and last ordinal that are looked at after a boundary, given those of its agent's calls."""
    ahead = [ordinal for ordinal in calls if report.ordinal < ordinal <= report.until]
    return report.ordinal + 1, ahead[ACTIONS - 1] if len(ahead) >= ACTIONS else report.until


def _after(report: BoundaryReport, told: Sequence[Happening], calls: Sequence[int]) -> Aftermath:
    first, last = window(report, calls)
    base, actions = sum(c < first for c in calls), sum(first <= c <= last for c in calls)
    signs = []
    for name in SIGNS:
        then = [h for h in told if h.name == name and first <= h.ordinal <= last and h.first < first]
        before = sum(h.name == name and h.ordinal < first for h in told)
        rate = before / base if base else 0.0
        signs.append(
            Sign(
                name=name,
                count=len(then),
                rate=round(100 * len(then) / actions, 2) if actions else 0.0,
                base_count=before,
                base_rate=round(100 * rate, 2),
                expected=round(rate * actions, 2),
                ids=tuple(h.id for h in then),
                places=tuple(dict.fromkeys(place for h in then for place in h.places)),
            )
        )
    return Aftermath(boundary=report.id, actions=actions, base=base, signs=tuple(signs))


def _calls(snapshot: Snapshot, key: tuple[str, str]) -> list[int]:
    return [call.ordinal for call in snapshot.of_kind(Call) if (call.session, call.agent) == key]


def _happenings(
    snapshot: Snapshot, key: tuple[str, str], reread: Sequence[Reread], verdicts: Sequence[ClaimVerdict]
) -> list[Happening]:
    receipts = [r for r in snapshot.of_kind(Receipt) if (r.session, r.agent) == key]
    told = [*_reads_again(snapshot, key, reread), *_runs_again(snapshot, receipts), *_plans_again(snapshot, key)]
    return [*told, *_contradictions(snapshot, key, verdicts)]


def _reads_again(snapshot: Snapshot, key: tuple[str, str], reread: Sequence[Reread]) -> Iterator[Happening]:
    newest: dict[str, int] = {}
    for read in reread:
        if (read.session, read.agent) != key:
            continue
        receipt = snapshot.node(read.receipt)
        at = receipt.ordinal if receipt is not None else read.began
        shown = [newest.get(f"{path}\n{first}\n{last}", 0) for path, first, last in read.places]
        yield Happening(REREAD, at, max(shown, default=0), read.receipt, read.places)
        newest |= {f"{path}\n{first}\n{last}": at for path, first, last in read.places}


def _runs_again(snapshot: Snapshot, receipts: Iterable[Receipt]) -> Iterator[Happening]:
    outputs: dict[tuple[str, str, str], int] = {}
    failures: dict[tuple[str, str], int] = {}
    for receipt in receipts:
        act = _act(snapshot, receipt)
        output = "" if receipt.output is None else snapshot.text(receipt.output)
        if receipt.command is not None and receipt.polls is None:
            known = outputs.get((*act, output))
            if known is not None:
                yield Happening(COMMAND, receipt.ordinal, known, receipt.id)
            outputs[*act, output] = receipt.ordinal
        if receipt.status == "failed":
            if act in failures:
                yield Happening(FAILURE, receipt.ordinal, failures[act], receipt.id)
            failures[act] = receipt.ordinal


def _act(snapshot: Snapshot, receipt: Receipt) -> tuple[str, str]:
    """Return what was tried: a command in its folder, or what a tool was asked."""
    if receipt.command is not None:
        return receipt.folder or "", snapshot.text(receipt.command)
    call = snapshot.node(receipt.call) if receipt.call is not None else None
    given = snapshot.text(call.arguments) if isinstance(call, Call) and call.arguments is not None else ""
    return f"{receipt.name}\n{receipt.path or ''}", given


def _plans_again(snapshot: Snapshot, key: tuple[str, str]) -> Iterator[Happening]:
    known: dict[str, int] = {}
    for task in snapshot.of_kind(Task):
        if (task.session, task.agent) != key:
            continue
        words = squeezed(snapshot.text(task.text)).casefold()
        if words in known:
            yield Happening(PLAN, task.ordinal, known[words], task.id)
        known[words] = task.ordinal


def _contradictions(snapshot: Snapshot, key: tuple[str, str], verdicts: Sequence[ClaimVerdict]) -> Iterator[Happening]:
    for verdict in verdicts:
        nodes = snapshot.named(verdict.record) if verdict.status == CONTRADICTED else []
        node = next((n for n in nodes if getattr(n, "session", None) == key[0]), None)
        if node is not None and getattr(node, "agent", key[1]) == key[1]:
            yield Happening(CONTRADICTION, node.ordinal, 0, node.id)
