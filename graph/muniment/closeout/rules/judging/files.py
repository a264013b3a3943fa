"""Claims about files: written, unchanged, and what they hold.

* What a file holds is told by its ledger: the current lines that somebody saw. What was not seen is neither there nor
  absent.
* A write, or a command that names the file as what it writes and succeeded, proves that a file was written while
  nothing since may have removed it; a later sight of the file renews it. An empty file is no result, but where being
  there is its work. A file that is known to be gone contradicts.
* `unchanged` looks from the first cited read to now: equal content proves it, a change that is known contradicts it.
"""

from __future__ import annotations

import re

from muniment.closeout.evidence import Evidence, Stale, unsure_of
from muniment.closeout.verdict import CONTRADICTED, PROVEN, UNPROVEN, Ruling
from muniment.derive.effect_tables import WRITES
from muniment.model.edges import EdgeKind
from muniment.model.nodes import WRITES_NAMED, Claim, Event, Excerpt, File, FileVersion, Receipt

Interval = tuple[int, int]
_WHOLE = frozenset({"bytes", "lines"})
_LEAVES_NOTHING = re.compile(
    r"(?:^|[;&|\n])\s*(?:(?:touch|truncate)\s|(?:(?::|true|printf ''|echo -n(?: '')?)\s*)?>)|<<-?\s*'?(\w+)'?\n\1\b"
)
"""Commands after which a file may be there and hold nothing."""
_MARKERS = frozenset({"__init__.py", "__init__.pyi", "py.typed"})


def bad_citation(evidence: Evidence, claim: Claim) -> str:
    """Return the fault of the first bad citation of a claim about files, "" where all are receipts that stand."""
    for citation in evidence.citations(claim):
        if citation.fault:
            return citation.fault
        node = citation.node
        if not (isinstance(node, Receipt) and evidence.shows_content(node)):
            return "support_not_a_receipt"
    return ""


def file_written(evidence: Evidence, claim: Claim) -> Ruling:
    """The file was written, and is there."""
    file = evidence.file_of(claim)
    step = f"write {claim.path}, or look whether it is there"
    if file is None:
        return Ruling(status=UNPROVEN, reason="no_receipt", path=claim.path, next_step=step)
    current = evidence.changes.current(file.id)
    if current is not None and current.grade == "absent":
        return Ruling(status=CONTRADICTED, by=makers_of(evidence, current), path=file.path, next_step=step)
    bad = bad_citation(evidence, claim)
    made = _commanded(evidence, file)
    seen, wrote = _last_sight_and_write(evidence, file, made)
    if bad or wrote is None or seen is None:
        return Ruling(status=UNPROVEN, reason=bad or "no_receipt", path=file.path, next_step=step)
    stale = evidence.file_stale(seen, file)
    if stale is not None and stale.reason == "effect_unknown":
        return _unsure(stale, wrote, file, f"look at {file.path} again")
    if is_empty(current) and not _is_a_marker(file):
        return Ruling(status=UNPROVEN, reason="artifact_empty", receipt=wrote.id, path=file.path, next_step=step)
    renewed = () if seen.id == wrote.id or stale is None else (seen.id,)
    return Ruling(status=PROVEN, by=(wrote.id, *renewed), path=file.path)


def _last_sight_and_write(evidence: Evidence, file: File, made: list[Receipt]) -> tuple[Receipt | None, Receipt | None]:
    """Return the newest receipt that shows what a file holds, and the newest that wrote it; `made` are commands that
    did. A long history is looked at from its end.
    """
    last: Receipt | None = None
    commanded = {receipt.id for receipt in made}
    seen = {receipt.id: receipt for receipt in (*evidence.seen_since(file), *made)}
    for receipt in sorted(seen.values(), key=lambda receipt: receipt.ordinal, reverse=True):
        if receipt.id in commanded or evidence.shows_content(receipt):
            last = last or receipt
            if receipt.id in commanded or _wrote(evidence, receipt, file):
                return last, receipt
    return last, None


def _commanded(evidence: Evidence, file: File) -> list[Receipt]:
    """Return the commands that succeeded and write the file by name, by ordinal; one that leaves it empty makes only a
    marker.
    """
    found = []
    for edge in evidence.snapshot.edges_to(file.id, {EdgeKind.ABOUT}):
        receipt = evidence.snapshot.node(edge.source)
        if not isinstance(receipt, Receipt) or receipt.tool != "command" or not evidence.is_proof(receipt):
            continue
        well = receipt.status == "ok" and receipt.own_status and receipt.exit_code in (0, None)
        if not well or receipt.effect != WRITES or WRITES_NAMED not in receipt.flags:
            continue
        if _is_a_marker(file) or _LEAVES_NOTHING.search(evidence.text(receipt.command)) is None:
            found.append(receipt)
    return found


def is_empty(version: FileVersion | None) -> bool:
    """Tell whether a version is known to hold nothing."""
    return version is not None and version.grade in _WHOLE and version.total_lines == 0 and not version.binary


def _is_a_marker(file: File) -> bool:
    """Tell whether a file does its work by being there, whatever it holds."""
    name = file.key.rpartition("/")[2]
    return name in _MARKERS or name.startswith(".")


def present_in_file(evidence: Evidence, claim: Claim) -> Ruling:
    """The text stands in the file as it is now."""
    file = evidence.file_of(claim)
    step = f"read {claim.path} where it holds the text"
    bad = bad_citation(evidence, claim)
    if file is None or not claim.what:
        return Ruling(status=UNPROVEN, reason=bad or "no_receipt", path=claim.path, next_step=step)
    shown = sources_of(evidence, file, claim.what)
    if shown:
        if bad:
            return Ruling(status=UNPROVEN, reason=bad, path=file.path, next_step=step)
        stale = doubt_since(evidence, shown[0] if "\n" in claim.what else shown[-1], file)
        if stale is not None:
            return _unsure(stale, shown[-1], file, step)
        return Ruling(status=PROVEN, by=_cited_first(evidence, claim, shown), path=file.path)
    return _not_present(evidence, claim, file, bad)


def _not_present(evidence: Evidence, claim: Claim, file: File, bad: str) -> Ruling:
    step = f"read {file.path} again"
    readers = sight_receipts(evidence, file)
    if is_known_whole(evidence, file) and readers and doubt_since(evidence, readers[0], file) is None:
        return Ruling(status=CONTRADICTED, by=tuple(receipt.id for receipt in readers), path=file.path, next_step=step)
    if bad:
        return Ruling(status=UNPROVEN, reason=bad, path=file.path, next_step=step)
    cited = [c.node for c in evidence.citations(claim) if isinstance(c.node, Receipt)]
    stale = evidence.file_stale(cited[-1], file) if cited else None
    if stale is not None and claim.what and any(shows(evidence, receipt, file, claim.what) for receipt in cited):
        return _unsure(stale, cited[-1], file, step)
    covered, total = extent(evidence, file)
    return Ruling(
        status=UNPROVEN, reason="coverage_incomplete", path=file.path, covered=covered, total=total, next_step=step
    )


def unchanged(evidence: Evidence, claim: Claim) -> Ruling:
    """The file holds what it held when it was first read (or cited)."""
    file = evidence.file_of(claim)
    step = f"read {claim.path} again, whole"
    bad = bad_citation(evidence, claim)
    if file is None or bad:
        return Ruling(status=UNPROVEN, reason=bad or "no_receipt", path=claim.path, next_step=step)
    cited = [c.node for c in evidence.citations(claim) if isinstance(c.node, Receipt)]
    seen = [receipt for receipt in evidence.seen_since(file) if evidence.shows_content(receipt)]
    looks = [receipt for receipt in seen if not cited or receipt.id in {node.id for node in cited}]
    if not looks:
        reason = "support_not_a_receipt" if cited else "no_receipt"
        return Ruling(status=UNPROVEN, reason=reason, path=file.path, next_step=step)
    breach = _first_breach(evidence, file, looks[0])
    if breach is not None:
        return breach
    stale = evidence.file_stale(looks[-1], file)
    if stale is not None:
        return _unsure(stale, looks[-1], file, step)
    if evidence.file_stale(looks[0], file) is not None and not _whole_and_equal(evidence, file, looks):
        return Ruling(status=UNPROVEN, reason="effect_unknown", receipt=looks[0].id, path=file.path, next_step=step)
    return Ruling(status=PROVEN, by=tuple(dict.fromkeys(receipt.id for receipt in looks)), path=file.path)


def _first_breach(evidence: Evidence, file: File, first: Receipt) -> Ruling | None:
    """Return the verdict where the file is known to have changed after its first look, else None."""
    start = evidence.changes.version_at(file.id, first.ordinal)
    for edge in evidence.snapshot.edges_from(file.id, {EdgeKind.OBSERVED}):
        version = evidence.snapshot.node(edge.target)
        if edge.ordinal <= first.ordinal or not isinstance(version, FileVersion) or start is None:
            continue
        if (version.grade, version.digest) == (start.grade, start.digest) or not _differs(evidence, start, version):
            continue
        by = makers_of(evidence, version, at=edge.ordinal)
        step = f"restore {file.path}, or claim that it changed"
        return Ruling(status=CONTRADICTED, by=by, receipt=first.id, path=file.path, next_step=step)
    return None


def _differs(evidence: Evidence, before: FileVersion, after: FileVersion) -> bool:
    """Tell whether two versions are known to differ: at one grade, or in a line that both show."""
    if before.grade in _WHOLE and after.grade in _WHOLE:
        return before.digest != after.digest
    if "absent" in (before.grade, after.grade):
        return True
    old, new = _lines_of(evidence, before), _lines_of(evidence, after)
    if any(old[number] != new[number] for number in old.keys() & new.keys()):
        return True
    totals = (before.total_lines, after.total_lines)
    return None not in totals and totals[0] != totals[1]


def _lines_of(evidence: Evidence, version: FileVersion) -> dict[int, str]:
    found: dict[int, str] = {}
    for edge in evidence.snapshot.edges_to(version.id, {EdgeKind.EXCERPT_OF}):
        node = evidence.snapshot.node(edge.source)
        if isinstance(node, Excerpt):
            lines = evidence.snapshot.text(node.text).split("\n")
            found.update(zip(node.numbers(), lines, strict=False))
    return found


def _whole_and_equal(evidence: Evidence, file: File, looks: list[Receipt]) -> bool:
    versions = [evidence.changes.version_at(file.id, receipt.ordinal) for receipt in (looks[0], looks[-1])]
    first, last = versions
    return (
        len(looks) > 1
        and first is not None
        and last is not None
        and first.grade in _WHOLE
        and (first.grade, first.digest) == (last.grade, last.digest)
        and _saw_whole(evidence, looks[-1], file)
    )


def _saw_whole(evidence: Evidence, receipt: Receipt, file: File) -> bool:
    """Tell whether a receipt itself showed all lines of a file."""
    shown = [
        node
        for node in evidence.made_by(receipt.record)
        if isinstance(node, Excerpt) and node.file == file.id and node.first == 1 and not node.runs
    ]
    current = evidence.changes.version_at(file.id, receipt.ordinal)
    return current is not None and any(node.last >= (current.total_lines or 0) for node in shown)


def _wrote(evidence: Evidence, receipt: Receipt, file: File) -> bool:
    for edge in evidence.snapshot.edges_from(receipt.id, {EdgeKind.WRITES}):
        version = evidence.snapshot.node(edge.target)
        if isinstance(version, FileVersion) and version.file == file.id and version.grade != "absent":
            return True
    return False


def makers_of(evidence: Evidence, version: FileVersion, at: int | None = None) -> tuple[str, ...]:
    """Return what wrote or showed a version: its newest writer or reader, or the one at an ordinal."""
    edges = evidence.snapshot.edges_to(version.id, {EdgeKind.WRITES, EdgeKind.READS})
    edges = [edge for edge in edges if at is None or edge.ordinal == at] or edges
    nodes = [evidence.snapshot.node(edge.source) for edge in edges]
    found = [node.id for node in nodes if isinstance(node, Receipt | Event)]
    return tuple(found[-1:])


def sources_of(evidence: Evidence, file: File, text: str) -> list[Receipt]:
    """Return the receipts whose lines, current ones, hold a text, by ordinal; none where no known line does."""
    lines = evidence.current_lines(file)
    found: dict[str, Receipt] = {}
    for run in _contiguous(lines):
        whole = "\n".join(line for _, line, _ in run)
        place = whole.find(text)
        if place < 0:
            continue
        first = whole.count("\n", 0, place)
        for _, _, excerpt in run[first : first + text.count("\n") + 1]:
            receipt = evidence.receipt_of_excerpt(excerpt)
            if receipt is not None and evidence.shows_content(receipt):
                found[receipt.id] = receipt
    return sorted(found.values(), key=lambda receipt: receipt.ordinal)


def doubt_since(evidence: Evidence, receipt: Receipt, file: File) -> Stale | None:
    """Return what of unknown effect came after a sight of current lines, or still goes on; known writes are in the
    ledger.
    """
    return unsure_of(evidence.changes.after(receipt), {file.id})


def _contiguous(lines: list[tuple[int, str, str]]) -> list[list[tuple[int, str, str]]]:
    runs: list[list[tuple[int, str, str]]] = []
    for line in lines:
        if runs and runs[-1][-1][0] + 1 == line[0]:
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def sight_receipts(evidence: Evidence, file: File) -> list[Receipt]:
    """Return the receipts that the current lines of a file come from, by ordinal."""
    found: dict[str, Receipt] = {}
    for excerpt in dict.fromkeys(excerpt for _, _, excerpt in evidence.current_lines(file)):
        receipt = evidence.receipt_of_excerpt(excerpt)
        if receipt is not None and evidence.shows_content(receipt):
            found[receipt.id] = receipt
    return sorted(found.values(), key=lambda receipt: receipt.ordinal)


def shows(evidence: Evidence, receipt: Receipt, file: File, text: str) -> bool:
    """Tell whether a receipt itself showed a text in a file."""
    return any(
        text in evidence.snapshot.text(node.text)
        for node in evidence.made_by(receipt.record)
        if isinstance(node, Excerpt) and node.file == file.id
    )


def extent(evidence: Evidence, file: File) -> tuple[tuple[Interval, ...], int | None]:
    """Return the intervals of a file's current lines that are known, and its number of lines where that is known."""
    numbers = [number for number, _, _ in evidence.current_lines(file)]
    intervals: list[Interval] = []
    for number in numbers:
        if intervals and intervals[-1][1] + 1 == number:
            intervals[-1] = (intervals[-1][0], number)
        else:
            intervals.append((number, number))
    state = evidence.snapshot.ledger(file.id)
    return tuple(intervals), state.total if state is not None else None


def is_known_whole(evidence: Evidence, file: File) -> bool:
    """Tell whether every line of a file is known as it is now, on one version."""
    covered, total = extent(evidence, file)
    state = evidence.snapshot.ledger(file.id)
    return total is not None and (covered == ((1, total),) or (total == 0 and state is not None and state.complete))


def _cited_first(evidence: Evidence, claim: Claim, shown: list[Receipt]) -> tuple[str, ...]:
    """Name what the claim cites where that shows the text too, else what shows it."""
    file = evidence.file_of(claim)
    cited = [c.node for c in evidence.citations(claim) if isinstance(c.node, Receipt)]
    good = [node.id for node in cited if file is not None and claim.what and shows(evidence, node, file, claim.what)]
    return tuple(good) or (shown[-1].id,)


def _unsure(stale: Stale, receipt: Receipt, file: File, step: str) -> Ruling:
    return Ruling(
        status=UNPROVEN,
        reason=stale.reason,
        receipt=receipt.id,
        because=(stale.cause,),
        path=stale.path or file.path,
        next_step=step,
    )
