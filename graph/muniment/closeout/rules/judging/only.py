"""Claims that nothing changed outside of some paths.

* Everything that is known to have changed since the mission began lies within them, or holds again what it held.
* After something of unknown effect only a look at the whole worktree tells: `git status` in short form, over all of it,
  with nothing after it and no commit before it that would hide a change. It has to list what the mission is known to
  have changed: where it does not, or nothing was, that something may have committed what it did.
* What lies outside of the workspace is not spoken of.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec

from muniment.closeout.changes import Change
from muniment.closeout.evidence import Evidence, unsure_of
from muniment.closeout.verdict import CONTRADICTED, PROVEN, UNPROVEN, Ruling
from muniment.derive.shell import base_name, simple_commands
from muniment.model.nodes import Claim, Event, File, FileVersion, Receipt, Workspace

_WHOLE = frozenset({"bytes", "lines", "absent"})
_SHORT = frozenset({"-s", "--short", "--porcelain", "--porcelain=v1", "-sb", "-bs"})
_ALL = frozenset({"-u", "-uall", "-unormal", "--untracked-files", "--untracked-files=all", "--untracked-files=normal"})
LOOK = "git status --short"


def only_changed(evidence: Evidence, claim: Claim) -> Ruling:
    """Nothing changed outside of the paths of the claim."""
    workspace = evidence.workspace(claim)
    paths = _paths(claim)
    base = Ruling(status=UNPROVEN, next_step=f"run {LOOK} and let the output be recorded")
    if not paths:
        return msgspec.structs.replace(base, reason="no_receipt", next_step="name the paths in `scope`")
    changes = [c for c in evidence.changes.all if not c.around and workspace in ("", c.workspace or workspace)]
    outside = _outside(evidence, changes, paths, workspace)
    if outside is not None:
        change, file = outside
        step = f"restore {file.path}, or claim that it changed too"
        return Ruling(status=CONTRADICTED, by=(change.cause,), path=file.path, next_step=step)
    blind = [change for change in changes if change.blind]
    if not blind:
        by = tuple(dict.fromkeys(change.cause for change in changes)) or _newest(evidence)
        return Ruling(status=PROVEN, by=by) if by else msgspec.structs.replace(base, reason="no_receipt")
    look = _newest_look(evidence, blind[-1], workspace)
    base = msgspec.structs.replace(base, reason="effect_unknown", because=(blind[-1].cause,))
    if look is None:
        return base
    listed = _listed(evidence.text(look.output))
    if not _lists_all(evidence, changes, listed, workspace):
        return msgspec.structs.replace(base, receipt=look.id)
    beside = [path for path in listed if not _within(evidence, path, paths, workspace)]
    if beside:
        # it may have been so before the mission began: that is no contradiction
        return msgspec.structs.replace(base, receipt=look.id, path=beside[0], names=tuple(beside))
    return Ruling(status=PROVEN, by=(look.id,))


def _lists_all(evidence: Evidence, changes: list[Change], listed: list[str], workspace: str) -> bool:
    """Tell whether a look lists what is known to have changed, and something was: so nothing was committed unseen."""
    root = evidence.snapshot.node(workspace)
    home = evidence.key(root.root, workspace).rstrip("/") if isinstance(root, Workspace) and root.root else ""
    found = False
    for change in changes:
        for each in change.files:
            file = evidence.snapshot.node(each)
            if not isinstance(file, File) or (home and not file.key.startswith(f"{home}/")):
                continue
            if not _within(evidence, file.path, tuple(listed), workspace):
                if not _as_at_first(evidence, change, file):
                    return False
                continue
            found = True
    return found


def _paths(claim: Claim) -> tuple[str, ...]:
    scope = (claim.scope,) if isinstance(claim.scope, str) else claim.scope or ()
    return tuple(path for path in (*scope, *((claim.path,) if claim.path else ())) if path)


def _outside(
    evidence: Evidence, changes: list[Change], paths: tuple[str, ...], workspace: str
) -> tuple[Change, File] | None:
    space = evidence.snapshot.node(workspace)
    root = evidence.key(space.root, workspace) if isinstance(space, Workspace) and space.root else ""
    met: set[str] = set()
    for change in changes:
        for each in change.files:
            first, file = each not in met, evidence.snapshot.node(each)
            met.add(each)
            if not isinstance(file, File) or _within(evidence, file.path, paths, workspace):
                continue
            inside = not root or file.key.startswith(root.rstrip("/") + "/")
            if first and inside and not _as_at_first(evidence, change, file):
                return change, file
    return None


def _as_at_first(evidence: Evidence, change: Change, file: File) -> bool:
    """Tell whether a file holds what it held before its first change, as far as that is known."""
    before = evidence.changes.version_at(file.id, min(change.asked, change.ordinal - 1))
    now = evidence.changes.current(file.id)
    if before is None:
        return now is not None and now.grade == "absent" and _created(evidence, change, file)
    return now is not None and before.grade in _WHOLE and (before.grade, before.digest) == (now.grade, now.digest)


def _created(evidence: Evidence, change: Change, file: File) -> bool:
    """A file of which nothing is known before its first change, and that is gone now, was made and taken away."""
    after = evidence.changes.version_at(file.id, change.ordinal)
    return isinstance(after, FileVersion) and after.grade != "absent"


def _within(evidence: Evidence, path: str, paths: tuple[str, ...], workspace: str) -> bool:
    key = evidence.key(path, workspace)
    for allowed in paths:
        wide = evidence.key(allowed.rstrip("/") or allowed, workspace).rstrip("/")
        if key == wide or key.startswith(f"{wide}/") or ("*" in allowed and fnmatchcase(key, wide)):
            return True
    return False


def _newest_look(evidence: Evidence, blind: Change, workspace: str) -> Receipt | None:
    """Return the newest look at the whole worktree that nothing came after."""
    commits = [e for e in evidence.snapshot.of_kind(Event) if e.what.startswith(("commit", "branch"))]
    for receipt in reversed(evidence.receipts):
        if receipt.ordinal <= blind.ordinal:
            return None
        if not _is_look(evidence, receipt) or not evidence.in_workspace(receipt, workspace):
            continue
        hidden = any(commit.ordinal < receipt.ordinal for commit in commits) or _committed(evidence, receipt)
        return None if hidden or unsure_of(evidence.changes.after(receipt)) is not None else receipt
    return None


_HIDING = (
    *("commit", "stash", "reset", "rebase", "merge", "pull"),
    *("update-index", "showUntracked", "excludesFile", "info/exclude", "gitignore"),
)
"""Words of commands after which a look at the work tree may not show what was changed before."""


def _committed(evidence: Evidence, look: Receipt) -> bool:
    """Tell whether a recorded command before a look made a commit, or put changes aside."""
    for receipt in evidence.receipts:
        if receipt.ordinal >= look.ordinal:
            return False
        text = evidence.text(receipt.command)
        if "git" in text and any(word in text for word in _HIDING):
            return True
    return False


def _is_look(evidence: Evidence, receipt: Receipt) -> bool:
    if receipt.exit_code != 0 or not receipt.own_status or receipt.truncated or receipt.output is None:
        return False
    simples = simple_commands(evidence.text(receipt.command)) or ()
    if len(simples) != 1 or len(simples[0].words) < 3 or simples[0].folder is not None:
        return False
    name, verb, *options = simples[0].words
    known = all(option in _SHORT | _ALL for option in options)
    return base_name(name) == "git" and verb == "status" and known and bool(_SHORT.intersection(options))


def _listed(output: str) -> list[str]:
    """Return the paths that a short status lists; of a renamed file both."""
    found: list[str] = []
    for line in output.split("\n"):
        if len(line) > 3 and not line.startswith("##"):
            found += [path.strip().strip('"') for path in line[3:].split(" -> ")]
    return found


def _newest(evidence: Evidence) -> tuple[str, ...]:
    """Return what shows that nothing changed at all: the newest receipt; nothing of unknown effect came before."""
    return tuple(receipt.id for receipt in evidence.receipts[-1:])
