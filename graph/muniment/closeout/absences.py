"""Absences: what searches looked for and did not find, as values that say how far they reach and whether they hold.

* A search that found nothing tells of the files below its places, less what it passed over (`excluded`): an exclusion
  that nobody told is none only for tools that exclude nothing.
* *Confirmed*: the search itself said so, by its own exit status or count, and was not cut short; else it is inferred
  from an empty output.
* It holds until something in its places changes, is unknown after something of unknown effect.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec

from muniment.closeout.evidence import Evidence, Stale, stale_by, unsure_of
from muniment.closeout.holding import HOLDS, STALE, UNKNOWN, own_surroundings
from muniment.derive.searched import BINARY, HIDDEN, IGNORED, NAMES, NOT_FOUND, TEXT, UNTRACKED, Searched, searched_by
from muniment.model.nodes import File, Receipt
from muniment.snapshot import Snapshot

YES, NO, PERHAPS = "yes", "no", "perhaps"
_RUNTIME_SEARCHES = {"Grep": (IGNORED, BINARY), "Glob": ()}
"""What the search tools of runtimes pass over."""


class Absence(msgspec.Struct, frozen=True, kw_only=True):
    """A pattern that a search did not find in the text or the names (`within`) of files below `places`.

    `status`: holds, stale or unknown; since the ordinal `since`, because of the record `because`. `confirmed` false:
    inferred, for the reason `doubt`. `could_see`, where a path was asked about: yes, no or perhaps, and `why`.
    """

    receipt: str
    handle: str
    record: str
    ordinal: int
    pattern: str
    within: str
    places: tuple[str, ...]
    excluded: tuple[str, ...]
    confirmed: bool
    doubt: str
    status: str
    since: int | None = None
    because: str | None = None
    could_see: str = ""
    why: str = ""


def absences_of(snapshot: Snapshot, path: str | None = None) -> list[Absence]:
    """Return what searches did not find, oldest first; with `path`, only those that could, or might, have seen it."""
    evidence = Evidence(snapshot)
    found = []
    for receipt in snapshot.of_kind(Receipt):
        search = search_of(evidence, receipt)
        if search is None or not evidence.stands(receipt):
            continue
        absence = _absence(evidence, receipt, search)
        if path is not None:
            seen, why = could_see(evidence, receipt, search, path)
            if seen == NO:
                continue
            absence = msgspec.structs.replace(absence, could_see=seen, why=why)
        found.append(absence)
    return found


def search_of(evidence: Evidence, receipt: Receipt) -> Searched | None:
    """Return the search that a receipt answered with nothing; None where it found something or is none."""
    failed = receipt.status == "refused" or (receipt.tool == "search" and receipt.status == "failed")
    if receipt.pattern is None or receipt.matches != 0 or failed:
        return None
    excluded = receipt.excluded
    if receipt.tool == "search" and receipt.files_ignored != 0:
        own = searched_by(evidence.text(receipt.command)) if receipt.command is not None else None
        told = (IGNORED,) if receipt.files_ignored else _RUNTIME_SEARCHES.get(receipt.name, ())
        excluded = own.excluded if own is not None else told
    return Searched(
        pattern=receipt.pattern,
        within=NAMES if receipt.within == "names" else TEXT,
        places=receipt.searched or (".",),
        excluded=excluded,
    )


def absence_of(evidence: Evidence, receipt: Receipt) -> Absence | None:
    """Return what one receipt tells of absence; None where it found something, is no search, or does not stand."""
    search = search_of(evidence, receipt)
    return _absence(evidence, receipt, search) if search is not None and evidence.stands(receipt) else None


def _absence(evidence: Evidence, receipt: Receipt, search: Searched) -> Absence:
    doubt = _doubt(receipt, search)
    stale = _stale(evidence, receipt, search)
    cause = evidence.snapshot.node(stale.cause) if stale is not None else None
    status = HOLDS if stale is None else UNKNOWN if stale.reason == "effect_unknown" else STALE
    return Absence(
        receipt=receipt.id,
        handle=receipt.handle,
        record=receipt.record,
        ordinal=receipt.ordinal,
        pattern=search.pattern,
        within=search.within,
        places=search.places,
        excluded=search.excluded,
        confirmed=not doubt,
        doubt=doubt,
        status=status,
        since=cause.ordinal if cause is not None else None,
        because=cause.record if cause is not None else None,
    )


def _doubt(receipt: Receipt, search: Searched) -> str:
    if receipt.truncated:
        return "truncated"
    if receipt.files_considered == 0 and search.within == "text":
        return "nothing_searched"
    if receipt.tool == "search":
        return "" if receipt.own_status else "status_unknown"
    said = receipt.exit_code == NOT_FOUND[search.within]
    return "" if said and receipt.own_status else "status_unknown"


def _stale(evidence: Evidence, receipt: Receipt, search: Searched) -> Stale | None:
    after = [change for change in evidence.changes.after(receipt) if not own_surroundings(evidence, change.cause)]
    touched = [change for change in after if any(_below(evidence, receipt, search, file) for file in change.files)]
    path = evidence.path_of(touched[-1].files[0]) if touched else None
    return stale_by(touched[:1], path) or unsure_of(after, frozenset())


def _below(evidence: Evidence, receipt: Receipt, search: Searched, file: str) -> bool:
    node = evidence.snapshot.node(file)
    return isinstance(node, File) and _reaches(evidence, receipt, search, node.key)


def _reaches(evidence: Evidence, receipt: Receipt, search: Searched, key: str) -> bool:
    workspace = evidence.changes.workspace(receipt.session)
    for place in search.places:
        folder, _, pattern = place.partition("/**/")
        at = evidence.key(folder or ".", workspace)
        inside = key == at or at in (".", "/") or key.startswith(at.rstrip("/") + "/")
        if inside and (not pattern or fnmatchcase(key.rsplit("/", 1)[-1], pattern)):
            return True
    return False


def could_see(evidence: Evidence, receipt: Receipt, search: Searched, path: str) -> tuple[str, str]:
    """Return whether a search could have seen a file (yes, no, perhaps), and what speaks against it."""
    workspace = evidence.changes.workspace(receipt.session)
    key = evidence.key(path, workspace)
    if not _reaches(evidence, receipt, search, key):
        return NO, "outside of where it looked"
    if any(evidence.key(place, workspace) == key for place in search.places) and search.within == TEXT:
        return (PERHAPS, "truncated") if receipt.truncated else (YES, "")
    name, inner = key.rsplit("/", 1)[-1], _inner(evidence, receipt, key)
    perhaps = [what for what in search.excluded if what in (IGNORED, UNTRACKED) or what.startswith("unknown:")]
    for excluded in search.excluded:
        kind, _, value = excluded.partition(":")
        if kind == HIDDEN and any(part.startswith(".") for part in inner):
            return NO, HIDDEN
        if kind == "only" and not value.startswith("!") and not fnmatchcase(name, value.rsplit("/", 1)[-1]):
            return NO, excluded
        if kind == "not" and any(fnmatchcase(part, value) for part in key.split("/")):
            return NO, excluded
        if kind in ("types", "not_types", "depth", "size") or (kind == "only" and value.startswith("!")):
            perhaps.append(excluded)
    if receipt.truncated:
        perhaps.append("truncated")
    return (PERHAPS, ", ".join(perhaps)) if perhaps else (YES, "")


def _inner(evidence: Evidence, receipt: Receipt, key: str) -> list[str]:
    """Return the parts of a file's path below the workspace's root: what lies above is hidden from nobody."""
    root = evidence.key(".", evidence.changes.workspace(receipt.session)).rstrip("/")
    return key.removeprefix(root + "/").split("/")
