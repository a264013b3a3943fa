"""Claims of absence: a text is not in a file or folder, a file is not there. Absence is as wide as what was looked at.

* What is known to be there contradicts, whatever a search said: a search may have looked for another spelling.
* A search proves absence if it looked for that very thing, over all of the place, ignored nothing, was not cut short,
  and nothing has
  changed since. That it ignored nothing must be told, but for tools that ignore nothing.
* A file whose every current line was seen on one version shows what it does not hold; reads of two versions never add
  up.
"""

from __future__ import annotations

import re

from muniment.closeout.evidence import Evidence, Stale, stale_by, unsure_of
from muniment.closeout.freshness import stale_since
from muniment.closeout.rules.judging.files import (
    bad_citation,
    doubt_since,
    extent,
    is_known_whole,
    makers_of,
    sight_receipts,
    sources_of,
)
from muniment.closeout.verdict import CONTRADICTED, PROVEN, UNPROVEN, Ruling
from muniment.derive.searched import NOT_FOUND, searched_by
from muniment.derive.shell import base_name, simple_commands
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Claim, Excerpt, File, Receipt

_IGNORE_NOTHING = frozenset({"find", "grep", "egrep", "fgrep", "ls"})
_NO_MATCH = 1
"""Exit status of grep and rg that found nothing."""


def absent_in_file(evidence: Evidence, claim: Claim) -> Ruling:
    """The text does not stand in the file, or in any file of the folder."""
    what = claim.what or ""
    file = None if (claim.path or "").endswith("/") else evidence.file_of(claim)
    for known in [file] if file is not None else _files_below(evidence, claim):
        shown = sources_of(evidence, known, what) if what else []
        if shown and doubt_since(evidence, shown[-1], known) is None:
            step = f"remove it from {known.path}"
            return Ruling(status=CONTRADICTED, by=(shown[-1].id,), path=known.path, next_step=step)
    bad = bad_citation(evidence, claim)
    step = f"search all of {claim.path} for it"
    if bad:
        return Ruling(status=UNPROVEN, reason=bad, path=claim.path, next_step=step)
    if not what:
        step = "say in `what` which text is absent"
        return Ruling(status=UNPROVEN, reason="no_receipt", path=claim.path, next_step=step)
    searched = _by_search(evidence, claim, "text", file)
    if searched is not None and (searched.status == PROVEN or file is None):
        return searched
    if file is None:
        return Ruling(status=UNPROVEN, reason="no_receipt", path=claim.path, next_step=step)
    return _by_reading(evidence, file, searched, step)


def _by_reading(evidence: Evidence, file: File, searched: Ruling | None, step: str) -> Ruling:
    covered, total = extent(evidence, file)
    readers = sight_receipts(evidence, file)
    if is_known_whole(evidence, file) and readers:
        stale = doubt_since(evidence, readers[0], file)
        if stale is None:
            return Ruling(status=PROVEN, by=tuple(receipt.id for receipt in readers), path=file.path)
        return _stale(stale, readers[0], file.path, step)
    if searched is not None:
        return searched
    split = total is not None and _ever_seen(evidence, file) >= set(range(1, total + 1))
    reason = "coverage_split" if split else "coverage_incomplete"
    return Ruling(status=UNPROVEN, reason=reason, path=file.path, covered=covered, total=total, next_step=step)


def _ever_seen(evidence: Evidence, file: File) -> set[int]:
    """Return the numbers of all lines that were seen, on whatever version."""
    seen: set[int] = set()
    for edge in evidence.snapshot.edges_to(file.id, {EdgeKind.VERSION_OF}):
        for shown in evidence.snapshot.edges_to(edge.source, {EdgeKind.EXCERPT_OF}):
            node = evidence.snapshot.node(shown.source)
            if isinstance(node, Excerpt):
                seen.update(node.numbers())
    return seen


def file_absent(evidence: Evidence, claim: Claim) -> Ruling:
    """No file of this name is there."""
    wanted = claim.what or claim.path or ""
    there = [file for file in _files_named(evidence, claim, wanted) if _is_there(evidence, file)]
    for file in there:
        seen = evidence.seen_since(file)
        if seen and evidence.file_stale(seen[-1], file) is None:
            current = evidence.changes.current(file.id)
            by = makers_of(evidence, current) if current is not None else (seen[-1].id,)
            step = f"remove {file.path}"
            return Ruling(status=CONTRADICTED, by=by, path=file.path, next_step=step)
    bad = bad_citation(evidence, claim)
    step = f"search the workspace for a file named {wanted}"
    if bad:
        return Ruling(status=UNPROVEN, reason=bad, next_step=step)
    return _by_search(evidence, claim, "names", None) or Ruling(status=UNPROVEN, reason="no_receipt", next_step=step)


def _by_search(evidence: Evidence, claim: Claim, within: str, file: File | None) -> Ruling | None:
    """Return what the searches for the claimed thing say: the first that proves, else why the last one does not."""
    cited = [c.node.id for c in evidence.citations(claim) if c.node is not None]
    searches = [r for r in evidence.receipts if r.within == within and _looks_for(evidence, claim, r, file)]
    rulings = [
        _judged(evidence, claim, search, file)
        for search in sorted(searches, key=lambda receipt: (receipt.id not in cited, -receipt.ordinal))
    ]
    return next((ruling for ruling in rulings if ruling.status == PROVEN), rulings[0] if rulings else None)


def _looks_for(evidence: Evidence, claim: Claim, receipt: Receipt, file: File | None) -> bool:
    if receipt.pattern is None or not evidence.in_workspace(receipt, evidence.workspace(claim)):
        return False
    wanted = claim.what or claim.path or ""
    names = {wanted, re.escape(wanted), base_name(wanted)} if receipt.within == "names" else {wanted, re.escape(wanted)}
    return receipt.pattern in names and (receipt.within == "names" or _covers(evidence, receipt, claim, file))


def _covers(evidence: Evidence, receipt: Receipt, claim: Claim, file: File | None) -> bool:
    """Tell whether a search looked into the file or folder of a claim."""
    workspace = evidence.workspace(claim)
    target = file.key if file is not None else evidence.key(claim.path or ".", workspace)
    places = [evidence.key(place, workspace) for place in receipt.searched]
    return any(target == place or place in (".", "/") or target.startswith(f"{place}/") for place in places)


def _judged(evidence: Evidence, claim: Claim, search: Receipt, file: File | None) -> Ruling:
    step = f"search again: {evidence.text(search.command).strip() or claim.what}"
    stale = _search_stale(evidence, claim, search, file)
    if search.matches and stale is not None:
        return _stale(stale, search, stale.path or claim.path, step)
    if search.matches:
        return Ruling(status=CONTRADICTED, by=(search.id,), receipt=search.id, path=claim.path, next_step=step)
    reason = _shortcoming(evidence, claim, search, file)
    if reason:
        return Ruling(status=UNPROVEN, reason=reason, receipt=search.id, path=claim.path, next_step=step)
    if stale is not None:
        return _stale(stale, search, stale.path or claim.path, step)
    return Ruling(status=PROVEN, by=(search.id,), path=claim.path)


def _shortcoming(evidence: Evidence, claim: Claim, search: Receipt, file: File | None) -> str:
    """Return why a search that found nothing does not show absence, "" where it does."""
    answered = search.status == "ok" or search.exit_code == _NO_MATCH
    if search.tool == "command":
        answered = search.exit_code == NOT_FOUND[search.within]
    if not answered or not search.own_status:
        return "status_unknown"
    if search.matches is None:
        return "no_machine_report"
    narrow = search.within == "names" and not _whole_workspace(evidence, claim, search)
    if narrow or search.truncated or search.files_ignored or (search.files_considered == 0 and search.within == "text"):
        return "coverage_incomplete"
    whole = search.files_ignored == 0 or _ignores_nothing(evidence, search) or _named(evidence, search, file)
    return "" if whole else "coverage_incomplete"


def _named(evidence: Evidence, search: Receipt, file: File | None) -> bool:
    """Tell whether a search was given the very file: what is named is not passed over as ignored or hidden."""
    if file is None or search.within != "text":
        return False
    return any(evidence.key(place, file.workspace) == file.key for place in search.searched)


def _whole_workspace(evidence: Evidence, claim: Claim, search: Receipt) -> bool:
    """Tell whether a search for a name looked everywhere, or in the folder that the claim names."""
    workspace = evidence.workspace(claim)
    root = evidence.key(".", workspace)
    within = claim.path if claim.path and claim.what else None
    scope = evidence.key(within, workspace) if within else root
    places = [evidence.key(place, workspace) for place in search.searched]
    return any(place in (root, ".", "/") or scope == place or scope.startswith(f"{place}/") for place in places)


def _ignores_nothing(evidence: Evidence, search: Receipt) -> bool:
    if search.tool == "command" or search.command is not None:
        told = searched_by(evidence.text(search.command))
        if told is not None:
            return not told.excluded
    simples = simple_commands(evidence.text(search.command)) or ()
    return bool(simples) and all(s.words and base_name(s.words[0]) in _IGNORE_NOTHING for s in simples)


def _search_stale(evidence: Evidence, claim: Claim, search: Receipt, file: File | None) -> Stale | None:
    if search.subject:
        return stale_since(evidence, search) if file is None else _subject_or_file(evidence, search, file)
    after = evidence.changes.after(search)
    if file is not None:
        return evidence.file_stale(search, file)
    if search.within == "names":
        return unsure_of(after)
    below = {known.id for known in _files_below(evidence, claim)}
    touched = [change for change in after if below.intersection(change.files)]
    return stale_by(touched, evidence.path_of(touched[-1].files[0]) if touched else None) or unsure_of(after, below)


def _subject_or_file(evidence: Evidence, search: Receipt, file: File) -> Stale | None:
    """A search of one file with its digest holds while that file is the same; other files do not matter."""
    digest = (search.subject or {}).get(file.id)
    current = evidence.changes.current(file.id)
    after = evidence.changes.after(search)
    touched = [change for change in after if file.id in change.files]
    if touched and (current is None or digest is None or current.digest != digest):
        return stale_by(touched, file.path)
    return unsure_of(after, {file.id})


def _files_below(evidence: Evidence, claim: Claim) -> list[File]:
    workspace = evidence.workspace(claim)
    place = evidence.key(claim.path or ".", workspace)
    everywhere = place in (".", "/")
    return [
        file
        for file in evidence.snapshot.of_kind(File)
        if (not workspace or file.workspace == workspace) and (everywhere or file.key.startswith(f"{place}/"))
    ]


def _files_named(evidence: Evidence, claim: Claim, wanted: str) -> list[File]:
    workspace = evidence.workspace(claim)
    found: list[File] = []
    for file in evidence.snapshot.of_kind(File):
        if workspace and file.workspace != workspace:
            continue
        name = evidence.key(wanted, file.workspace, placed=False)
        if file.key in (name, evidence.key(wanted, file.workspace)) or file.key.endswith(f"/{name}"):
            found.append(file)
    return found


def _is_there(evidence: Evidence, file: File) -> bool:
    current = evidence.changes.current(file.id)
    return current is not None and not evidence.is_absent(current)


def _stale(stale: Stale, receipt: Receipt, path: str | None, step: str) -> Ruling:
    return Ruling(
        status=UNPROVEN,
        reason=stale.reason,
        receipt=receipt.id,
        because=(stale.cause,),
        path=stale.path or path,
        next_step=step,
    )
