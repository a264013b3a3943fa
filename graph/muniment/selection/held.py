"""Held: which reads showed an agent again what it had seen, unchanged, and whether a view held that at the moment.

* A read fetches again where its agent had seen all the lines that it shows, as they are now. One that shows a changed
  line, or a line that its agent never saw, is not in the answer.
* It was needless where a view held all its lines: one that the agent was given since its context was last replaced, as
  that view's record says, the lines being the same then as now; or, where somebody asks what a view would have held,
  one whose text has them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec

from muniment.current import current_lines
from muniment.derive.collapsing import Collapse, call_of, shows_only_lines
from muniment.derive.coverage import Moment, agent_key, moments
from muniment.derive.texts import readable, split_lines
from muniment.model.nodes import SHOWN, Boundary, Call, Excerpt, File, FileVersion, Receipt, View
from muniment.model.packing import writable
from muniment.snapshot import Snapshot


class Reread(msgspec.Struct, frozen=True, kw_only=True):
    """A read that showed unchanged lines again that its agent had seen: `places` are (path, first, last).

    `began` is the ordinal at which the model began to ask for it; `needless` says that an emitted view held it all, and
    `view` is the handle of that view.
    """

    receipt: str
    handle: str
    record: str
    session: str
    agent: str
    places: tuple[tuple[str, int, int], ...]
    began: int
    needless: bool
    view: str


def rereads(snapshot: Snapshot) -> list[Reread]:
    """Return the reads that fetched again what their agents had seen, oldest first; withdrawn ones are left out."""
    shows: dict[str, list[Excerpt]] = defaultdict(list)
    for excerpt in snapshot.of_kind(Excerpt):
        if excerpt.file is not None and excerpt.how == SHOWN and _of_worktree(snapshot, excerpt):
            shows[excerpt.receipt].append(excerpt)
    histories = _Histories(snapshot)
    views = snapshot.of_kind(View)
    found: list[Reread] = []
    for wanted, excerpts in shows.items():
        receipt = snapshot.node(wanted)
        if not isinstance(receipt, Receipt) or snapshot.ended(receipt.id):
            continue
        if all(histories.had_seen(excerpt) for excerpt in excerpts):
            found.append(_reread(snapshot, receipt, excerpts, histories, views))
    return sorted(found, key=lambda each: (each.began, each.receipt))


def held_collapses(snapshot: Snapshot, known: Collection[str]) -> list[Collapse]:
    """Return which reads may give way to a marker because a view that their agent was given holds them, oldest first;
    `known` are receipts that go already, or that others point to. Only an output that is nothing but lines may go.
    """
    if not snapshot.of_kind(View):
        return []
    found: list[Collapse] = []
    for read in rereads(snapshot):
        receipt, views = snapshot.node(read.receipt), [v for v in snapshot.of_kind(View) if v.handle == read.view]
        if not read.needless or read.receipt in known or not isinstance(receipt, Receipt) or not views:
            continue
        shown = [e for e in snapshot.of_kind(Excerpt) if e.receipt == receipt.id and e.file and e.how == SHOWN]
        if shows_only_lines(snapshot, receipt.id, shown):
            found.append(
                Collapse(
                    receipt=receipt.id,
                    record=receipt.record,
                    call=call_of(snapshot, receipt),
                    into=views[-1].id,
                    into_record=views[-1].record,
                    into_call="",
                    marker=f"[truncated: held in view {read.view}]",
                )
            )
    return found


def held_in(snapshot: Snapshot, receipt: str, text: str) -> bool:
    """Tell whether a view's text has all the lines of files that a receipt showed."""
    lines = {line.strip() for line in text.split("\n")}
    excerpts = (e for e in snapshot.of_kind(Excerpt) if e.receipt == receipt and e.file is not None and e.how == SHOWN)
    shown = (readable(line).strip() for e in excerpts for line in split_lines(snapshot.text(e.text)))
    return all(not line or line in lines for line in shown)


class _Histories:
    """What happened to files; each is told once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._told: dict[str, list[Moment]] = {}
        self._lines: dict[str, list[str]] = {}

    def had_seen(self, excerpt: Excerpt) -> bool:
        """Tell whether an excerpt's agent had seen all of its lines before, as the excerpt has them."""
        told = self._history(excerpt.file or "")
        place = bisect_left(told, excerpt.ordinal, key=lambda moment: moment.ordinal)
        if place == 0 or excerpt.last < excerpt.first:
            return False
        seen: dict[int, str] = {}
        for segment in told[place - 1].seen.get(agent_key(excerpt.session, excerpt.agent), ()):
            texts = self.lines(segment.excerpt)[segment.offset : segment.offset + segment.count]
            seen |= {segment.start + number: text for number, text in enumerate(texts)}
        return self._as_in(excerpt, seen)

    def was_in(self, excerpt: Excerpt, view: View) -> bool:
        """Tell whether a view showed all the lines of an excerpt, as the excerpt has them."""
        intervals = [(first, last) for source, first, last in view.lines if self._file(source) == excerpt.file]
        if not intervals or view.as_of is None:
            return False
        then = self._snapshot.upto(view.as_of)
        state = then.ledger(excerpt.file or "")
        known = current_lines(then, state) if state is not None else []
        shown = {
            number: line
            for first, last in intervals
            for number in range(first, min(last, len(known)) + 1)
            if (line := known[number - 1]) is not None
        }
        return self._as_in(excerpt, shown)

    def lines(self, excerpt: str) -> list[str]:
        """Return the lines of an excerpt."""
        if excerpt not in self._lines:
            node = self._snapshot.node(excerpt)
            self._lines[excerpt] = split_lines(self._snapshot.text(node.text)) if isinstance(node, Excerpt) else []
        return self._lines[excerpt]

    def _as_in(self, excerpt: Excerpt, known: dict[int, str]) -> bool:
        own = self.lines(excerpt.id)
        return bool(own) and all(known.get(excerpt.first + place) == line for place, line in enumerate(own))

    def _history(self, file: str) -> list[Moment]:
        if file not in self._told:
            self._told[file] = list(moments(self._snapshot, file))
        return self._told[file]

    def _file(self, excerpt: str) -> str | None:
        node = self._snapshot.node(excerpt)
        return node.file if isinstance(node, Excerpt) else None


def _reread(
    snapshot: Snapshot, receipt: Receipt, excerpts: Sequence[Excerpt], histories: _Histories, views: Iterable[View]
) -> Reread:
    call = snapshot.node(receipt.call) if receipt.call is not None else None
    began = call.began if isinstance(call, Call) else receipt.ordinal
    since = _replaced(snapshot, receipt, began)
    given = [v for v in views if since < v.ordinal < began and (v.session, v.agent) == (receipt.session, receipt.agent)]
    holding = next((v for v in reversed(given) if all(histories.was_in(excerpt, v) for excerpt in excerpts)), None)
    files = [snapshot.node(excerpt.file or "") for excerpt in excerpts]
    paths = [file.path if isinstance(file, File) else "" for file in files]
    return writable(
        Reread(
            receipt=receipt.id,
            handle=receipt.handle,
            record=receipt.record,
            session=receipt.session,
            agent=receipt.agent,
            places=tuple((path, e.first, e.last) for path, e in zip(paths, excerpts, strict=True)),
            began=began,
            needless=holding is not None,
            view=holding.handle if holding is not None else "",
        )
    )


def _replaced(snapshot: Snapshot, receipt: Receipt, before: int) -> int:
    """Return when an agent's context was last replaced before an ordinal; 0 for never."""
    own = (b for b in snapshot.of_kind(Boundary) if (b.session, b.agent) == (receipt.session, receipt.agent))
    return max((b.ordinal for b in own if b.outcome == "done" and b.ordinal < before), default=0)


def _of_worktree(snapshot: Snapshot, excerpt: Excerpt) -> bool:
    version = snapshot.node(excerpt.of)
    return isinstance(version, FileVersion) and version.revision is None
