"""make bench-packet: what crosses a context boundary with a packet and a first view. The last line is one JSON object.

At each real boundary of the recorded sessions and at every 50th call of the others, a packet (4,000 tokens) and a first
view (the rest of 8,000) are built of what lay before it, and nothing else:

* `binding`: the share of what binds that they hold by id, by a list that was made by reading (`boundaries.json`).
* `evidence`, `strict`: the share of what the next 20 calls used that they hold; the measure of `bench/next_action.py`.
* `rereads`: of the reads behind it (to the next boundary, at most 100 calls; of steps: 50) that showed unchanged lines
  again: the share of which all lines stand in packet and view. Those would have been needless. `rereads_small`: the
  same of reads of at most 100 lines.
* `own`: the same of the context that the session's own compaction left, where the file tells it: what stayed, the
  summary, what was put in again. Of binding things those count that stayed or whose words are in it.
* CPU milliseconds of building packet and view and of the check, and what the check found wrong.

Means are over moments, with the 95 % interval of a bootstrap over them. MUNIMENT_SESSIONS names the folder of sessions,
MUNIMENT_BENCH the file `next_action.py`. `MOST` (default 4; 0: all) is how many steps of a session are measured.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Final, NamedTuple

from muniment.handoff.boundaries import BEGUN, BY_ID, QUOTED, RELOADED, BoundaryReport, squeezed, things_of
from muniment.handoff.build import build
from muniment.handoff.check import check
from muniment.handoff.packet import BUDGET, Packet, PacketItem
from muniment.handoff.proposal import Proposal, proposal_of
from muniment.handoff.rehydrating import told_by
from muniment.handoff.render import render
from muniment.handoff.request import PacketRequest
from muniment.model.nodes import Message, Receipt
from muniment.selection.held import Reread, held_in, rereads
from muniment.selection.select import select
from muniment.selection.view import View, ViewRequest
from muniment.snapshot import Snapshot
from muniment.store import EvidenceStore
from muniment.tokens import o200k
from tests.bench.packet_moments import FOLDERS, Moment, moments_of
from tests.bench.view_bench import yardstick

TOGETHER: Final = 8_000
LIST: Final = json.loads((Path(__file__).parent / "boundaries.json").read_text(encoding="utf-8"))["boundaries"]
SMALL: Final = 100
DRAWS: Final = 2_000
_HELD: Final = frozenset({BY_ID, QUOTED, BEGUN, RELOADED})


class Given(NamedTuple):
    """What the next context begins with."""

    packet: Packet
    view: View
    text: str
    tokens: int
    built: float
    viewed: float
    checked: float
    problems: tuple[str, ...]


class Figures:
    """Figures of moments, by what is measured; `real` ones are of boundaries."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = defaultdict(list)
        self.problems: dict[str, int] = defaultdict(int)

    def add(self, real: bool, **values: float | None) -> None:
        """Add figures of one moment; None is not known there."""
        for name, value in values.items():
            if value is not None:
                self.of[f"{'boundaries' if real else 'steps'}.{name}"].append(value)


def given_at(snapshot: Snapshot, moment: Moment) -> Given:
    """Return the packet and the view with which the next context would begin."""
    then, counter = snapshot.upto(moment.ordinal), o200k()
    started = time.process_time()
    packet = build(then, PacketRequest(budget=BUDGET, session=moment.session), counter)
    built = time.process_time()
    text = render(packet)
    room = TOGETHER - counter.count(text)
    began = time.process_time()
    view = select(then, ViewRequest(budget=room, session=moment.session, beside=told_by(packet)), counter)
    viewed = time.process_time()
    checked = check(then, Proposal(name="bench", said=proposal_of(packet), whole=packet), None, counter=counter)
    ended = time.process_time()
    whole = f"{text}\n{view.text}"
    codes = tuple(problem.code for problem in checked.problems)
    spent = [1000 * (b - a) for a, b in ((started, built), (began, viewed), (viewed, ended))]
    return Given(packet, view, whole, counter.count(whole), spent[0], spent[1], spent[2], codes)


def records_in(given: Given) -> set[str]:
    """Return the records that packet and view hold by id."""
    fields = (getattr(given.packet, name) for name in Packet.__struct_fields__)
    items = (each for field in fields if isinstance(field, tuple) for each in field)
    return {each.record for each in items if isinstance(each, PacketItem)} | {each.record for each in given.view.items}


def own_text(path: Path, snapshot: Snapshot, report: BoundaryReport) -> str:
    """Return the context that a session's own compaction left, as far as its file tells it."""
    if path.parent.name == "codex":
        return _restored(path, report)
    kept = [node for each in report.after.nodes if (node := snapshot.node(each)) is not None]
    begun = next((t.ordinal for t in things_of(snapshot, report.session, report.agent) if _acts(t, report)), 0)
    again = [t for t in things_of(snapshot, report.session, report.agent) if report.ordinal < t.ordinal < begun]
    texts = [snapshot.text(node.text) for node in [*kept, *again] if isinstance(node, Message)]
    texts += [snapshot.text(n.output) for n in [*kept, *again] if isinstance(n, Receipt) and n.output is not None]
    summary = snapshot.node(report.summary) if report.summary else None
    told = getattr(summary, "text", None)
    return "\n".join([*texts, snapshot.text(told) if told is not None else ""])


def measured(bench: ModuleType, path: Path, most: int, figures: Figures) -> None:
    """Measure one session."""
    with TemporaryDirectory() as folder, EvidenceStore.open(Path(folder) / "store", create=True) as store:
        mission = store.import_session(path).mission
        snapshot, reports = store.snapshot(mission), store.boundaries(mission)
        moments = moments_of(bench, path, snapshot, reports, most)
        again = rereads(snapshot) if moments else []
        for moment in moments:
            _measure(bench, path, snapshot, moment, again, figures)


def _measure(
    bench: ModuleType, path: Path, snapshot: Snapshot, moment: Moment, again: Sequence[Reread], figures: Figures
) -> None:
    given, real = given_at(snapshot, moment), moment.report is not None
    before = {name: len(values) for name, values in figures.of.items()}
    later = [r for r in again if moment.ordinal < r.began <= moment.until and (r.session, r.agent) == _root(moment)]
    figures.add(real, packet=given.packet.tokens, tokens=given.tokens, over=float(given.tokens > TOGETHER))
    figures.add(real, packet_ms=given.built, view_ms=given.viewed, check_ms=given.checked)
    figures.add(real, sound=100.0 * (not given.problems), **_scored(bench, moment, snapshot, later, given.text, ""))
    for code in given.problems:
        figures.problems[code] += 1
    line = f"{moment.file} {moment.ordinal}: packet {given.packet.tokens}, together {given.tokens}"
    if moment.report is not None:
        own = own_text(path, snapshot, moment.report)
        figures.add(real, own_tokens=o200k().count(own), **_scored(bench, moment, snapshot, later, own, "own_"))
        binds = _listed(moment.report)
        missing = sorted(binds - records_in(given))
        words, how = squeezed(own), {item.record: item.how for item in moment.report.binding}
        held = sum(how.get(each) in _HELD or _said(snapshot, each, words) for each in binds)
        figures.add(real, binding=_share(len(binds) - len(missing), len(binds)), own_binding=_share(held, len(binds)))
        line += f", binding {len(binds) - len(missing)} of {len(binds)} (own {held}){' missing ' * bool(missing)}"
        line += " ".join(missing)
    sys.stderr.write(" ".join([line, *_told(before, figures), *given.problems]) + "\n")


def _told(before: dict[str, int], figures: Figures) -> list[str]:
    """Return the figures that came since there were so many of each, for people who watch."""
    wanted = [(name, values) for name, values in figures.of.items() if len(values) > before.get(name, 0)]
    told = ((name.partition(".")[2], values[-1]) for name, values in wanted)
    return [f"{name}={value:.0f}" for name, value in told if name.endswith(("evidence", "strict", "rereads"))]


def _scored(
    bench: ModuleType, moment: Moment, snapshot: Snapshot, later: Sequence[Reread], text: str, head: str
) -> dict[str, float | None]:
    score = bench.Score()
    for step in moment.steps:
        bench.add(score, step, text)
    held = sum(held_in(snapshot, read.receipt, text) for read in later)
    small = [read for read in later if sum(last - first + 1 for _, first, last in read.places) <= SMALL]
    kept = sum(held_in(snapshot, read.receipt, text) for read in small)
    found: dict[str, float | None] = {
        "evidence": 100 * fmean(score.coverage) if score.coverage else None,
        "strict": 100 * fmean(score.strict) if score.strict else None,
        "rereads": _share(held, len(later)),
        "rereads_small": _share(kept, len(small)),
    }
    return {head + name: value for name, value in found.items()}


def _restored(path: Path, report: BoundaryReport) -> str:
    wanted = int(report.handle[1:])
    line = json.loads(path.read_text(encoding="utf-8").split("\n")[wanted - 1])
    items = line["payload"].get("replacement_history") or []
    parts = (part.get("text", "") for item in items for part in item.get("content") or [] if isinstance(part, dict))
    return "\n".join([line["payload"].get("message") or "", *parts])


def _acts(thing: object, report: BoundaryReport) -> bool:
    if getattr(thing, "ordinal", 0) <= report.ordinal:
        return False
    return not isinstance(thing, Receipt) and getattr(thing, "by", "agent") == "agent"


def _said(snapshot: Snapshot, record: str, words: str) -> bool:
    texts = (getattr(node, "text", None) for node in snapshot.named(record))
    return any(text is not None and (own := squeezed(snapshot.text(text))) and own in words for text in texts)


def _listed(report: BoundaryReport) -> set[str]:
    listed = next(each for each in LIST if each["boundary"] == report.record)
    return {item["record"] for item in listed["binds"]}


def _root(moment: Moment) -> tuple[str, str]:
    return moment.session, ""


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _interval(values: Sequence[float]) -> list[float]:
    """Return the 2.5th and 97.5th percentile of means of draws; the draws are the same in each run."""
    source = random.Random(len(values))
    means = sorted(fmean(source.choices(values, k=len(values))) for _ in range(DRAWS))
    return [round(means[int(DRAWS * share)], 1) for share in (0.025, 0.975)]


def main() -> None:
    """Measure all sessions and print the figures."""
    bench, figures = yardstick(), Figures()
    folder, most = Path(os.environ["MUNIMENT_SESSIONS"]), int(os.environ.get("MOST", "4"))
    o200k().count("the vocabulary is loaded once per process")
    paths = [path for name in FOLDERS for path in sorted((folder / name).iterdir()) if not path.name.startswith(".")]
    wanted = [path for path in paths if not (path.is_dir() and path.with_suffix(".jsonl").exists())]
    for path in wanted:
        measured(bench, path, most, figures)
    told: dict[str, dict[str, object]] = {"boundaries": {}, "steps": {}}
    for name, values in sorted(figures.of.items()):
        group, _, what = name.partition(".")
        if what.endswith("_ms"):
            told[group][what] = {
                "median": round(median(values), 1),
                "p95": round(sorted(values)[int(len(values) * 0.95)], 1),
            }
        else:
            told[group][what] = {"mean": round(fmean(values), 1), "ci95": _interval(values), "of": len(values)}
    sys.stdout.write(json.dumps({**told, "problems": dict(figures.problems)}) + "\n")


if __name__ == "__main__":
    main()
