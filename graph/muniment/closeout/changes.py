"""Changes: what may have changed the workspace, and when, as far as the record tells.

* A change is a receipt or event that wrote known files, one that wrote nobody knows which, or one of unknown effect. A
  command that never
  came back is of the effect that its text has.
* A command that names all that it writes leaves alone what it does not name. One that installs packages changes what
  runs depend on, and no file.
* What goes on in the background may change what it changes as long as nobody knows that it has ended: it is later than
  each run before that, too (`pending`).
* A refused command changed nothing. A commit changes no content; a branch or an environment that changed may change
  anything, but
  a branch that a recorded `git checkout` or `git switch` changed is told by that command already.
* Where two looks at a workspace on one commit differ in what tracked files hold, and nothing on record changed anything
  between, somebody else did.
* A change is later than a run if it came back later, or was asked for later: what ran beside a run may have come
  between.
* A record that was purged, or a line that could not be read, may have been a change.
* Only changes in the same workspace matter, where both are known.
* What old receipts told is kept with the graph: the next closeout reads the new ones.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from functools import cached_property
from operator import attrgetter

import msgspec

from muniment.derive.effect_tables import NONE, OUTSIDE_ONLY, UNKNOWN, WRITES
from muniment.derive.effects import effect_of
from muniment.model.edges import EdgeKind
from muniment.model.nodes import (
    ENVIRONMENT_CHANGED,
    LEFT_RUNNING,
    WRITES_NAMED,
    Call,
    Event,
    File,
    FileVersion,
    Receipt,
    Session,
    Workspace,
)
from muniment.snapshot import Snapshot

_LOST = frozenset({"purged", "lines_quarantined"})
_KEPT = "changes that receipts tell of"
_NOT_YET = 2**62
_TOUCHES = frozenset({EdgeKind.WRITES, EdgeKind.ABOUT})
_LOOKS = frozenset({"read", "search", "command"})
"""Tools whose receipts change nothing where their effect is none."""
_BRANCHING = ("git checkout", "git switch", "git worktree", "git branch", "gh pr checkout")


class Change(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Something that changed files, or may have. `files` are node ids; empty: nobody knows which, unless they are all
    `named`. `around`: no file changed, only what runs depend on beside the files. `until`: the ordinal at which it had
    ended, where it went on. `pending`: it began before what it is asked about, and may have changed files since.
    """

    ordinal: int
    asked: int
    cause: str
    effect: str
    workspace: str
    files: tuple[str, ...] = ()
    named: bool = False
    around: bool = False
    until: int = 0
    pending: bool = False

    @property
    def blind(self) -> bool:
        """Whether nobody knows what it touched."""
        return self.effect == UNKNOWN or not (self.files or self.named)


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What the first `count` receipts of a graph told of, where their sessions worked in these workspaces.

    `unsettled`: those that later records may say more of, such as when what they left running had ended.
    """

    workspaces: dict[str, str]
    count: int = 0
    changes: tuple[Change, ...] = ()
    unsettled: tuple[Receipt, ...] = ()


class Changes:
    """All changes of a mission, in order."""

    def __init__(self, snapshot: Snapshot, supposed: Collection[str] = ()) -> None:
        """Read a snapshot; `supposed` are files to be taken as changed after all that is on record."""
        self._snapshot = snapshot
        self._supposed = frozenset(supposed)
        self._observed: dict[str, list[tuple[int, str]]] = {}

    @cached_property
    def all(self) -> list[Change]:
        """The changes, by ordinal."""
        snapshot = self._snapshot
        receipts = snapshot.of_kind(Receipt)
        answered = {receipt.call for receipt in receipts}
        found = self._of_receipts(receipts)
        found += [change for event in snapshot.of_kind(Event) if (change := self._of_event(event)) is not None]
        for call in snapshot.of_kind(Call):
            if call.id not in answered and (effect := self._pending(call)) is not None:
                found.append(self._change(call, effect))
        found += [
            Change(ordinal=gap.ordinal, asked=gap.ordinal, cause=gap.id, effect=UNKNOWN, workspace="")
            for gap in snapshot.gaps()
            if gap.code in _LOST
        ]
        found += self._seen_only(found)
        after = snapshot.ordinal + 1
        found += [
            Change(ordinal=after, asked=after, cause=file, effect=WRITES, workspace="", files=(file,))
            for file in sorted(self._supposed)
        ]
        return sorted(found, key=attrgetter("ordinal", "cause"))

    def after(self, receipt: Receipt) -> list[Change]:
        """Return which files changed, or may have, since a receipt's command began to look."""
        return [change for change in self._later(receipt) if not change.around]

    def around_after(self, receipt: Receipt) -> list[Change]:
        """Return what changed around the files since a receipt's command began: packages and settings."""
        return [change for change in self._later(receipt) if change.around]

    def _later(self, receipt: Receipt) -> list[Change]:
        asked, place = self.asked(receipt), self.workspace(receipt.session)
        first = bisect_right(self.all, asked, key=lambda change: change.ordinal)
        same = self._epochs_that_came_back(receipt)
        later = [change for change in self.all[first:] if change.ordinal > receipt.ordinal or change.asked > asked]
        going = [
            msgspec.structs.replace(change, pending=True)
            for change in self._going_on
            if change.until > asked and change not in later
        ]
        return [
            change
            for change in (*going, *later)
            if change.cause not in same
            and change.cause not in (receipt.id, receipt.polls)
            and (not place or not change.workspace or place == change.workspace)
        ]

    @cached_property
    def _going_on(self) -> list[Change]:
        return [change for change in self.all if change.until]

    def ended_epochs(self, receipt: Receipt, kinds: tuple[str, ...]) -> list[Event]:
        """Return what ended since a receipt's command began: changes of environment or deployment (`kinds` begin their
        names) that were not put back.
        """
        asked = self.asked(receipt)
        ended = []
        for what, events in self._surroundings.items():
            later = [event for event in events if event.ordinal > asked]
            before = [event.now for event in events if event.ordinal <= asked] or [events[0].was]
            if later and what.startswith(kinds) and (before[-1] is None or later[-1].now != before[-1]):
                ended.append(later[0])
        return ended

    def _epochs_that_came_back(self, receipt: Receipt) -> frozenset[str]:
        """Return the changes of surroundings since a receipt that were put back."""
        if not self._surroundings:
            return frozenset()
        ended = {event.what for event in self.ended_epochs(receipt, ("",))}
        return frozenset(e.id for what, events in self._surroundings.items() if what not in ended for e in events)

    @cached_property
    def _surroundings(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = {}
        for event in self._snapshot.of_kind(Event):
            if event.what.startswith(("environment ", "deployment ")):
                found.setdefault(event.what, []).append(event)
        return found

    def is_blind_after(self, receipt: Receipt) -> bool:
        """Tell whether something came after a receipt of which nobody knows what it touched: see `last_blind`."""
        return self.last_blind > receipt.ordinal

    @cached_property
    def last_blind(self) -> int:
        """The ordinal of the newest change of which nobody knows what it touched, in the one workspace; 0 for none."""
        spaces = len(self._snapshot.of_kind(Workspace))
        passing = {event.id for events in self._surroundings.values() for event in events}
        told = (c for c in self.all if c.blind and not c.around and c.cause not in passing)
        blind = [max(c.ordinal, c.until - 1) for c in told if spaces == 1 or not c.workspace]
        return max(blind, default=0)

    def asked(self, receipt: Receipt) -> int:
        """Return the ordinal at which a receipt's command was asked for, its own where no call is known."""
        call = self._snapshot.node(receipt.call) if receipt.call is not None else None
        return call.ordinal if call is not None else receipt.ordinal

    def workspace(self, session: str) -> str:
        """Return the workspace that a session works in, "" where nothing tells."""
        return self._workspaces.get(session, "")

    def version_at(self, file: str, ordinal: int) -> FileVersion | None:
        """Return the version that a file stood at, as of an ordinal; None where none was known."""
        if file not in self._observed:
            edges = self._snapshot.edges_from(file, {EdgeKind.OBSERVED})
            self._observed[file] = [(edge.ordinal, edge.target) for edge in edges]
        observed = self._observed[file]
        place = bisect_right(observed, ordinal, key=lambda pair: pair[0])
        node = self._snapshot.node(observed[place - 1][1]) if place else None
        return node if isinstance(node, FileVersion) else None

    def current(self, file: str) -> FileVersion | None:
        """Return the version that a file stands at."""
        if file in self._supposed:
            ordinal = self._snapshot.ordinal + 1
            return FileVersion(id="", ordinal=ordinal, handle="", record="", file=file, grade="partial", digest="")
        return self.version_at(file, self._snapshot.ordinal)

    def arrived(self, file: str) -> int:
        """Return the ordinal since when a file is known to hold what it holds, without a break."""
        now = self.current(file)
        since = self._snapshot.ordinal + 1
        for ordinal, version in reversed(self._observed.get(file, ())):
            node = self._snapshot.node(version)
            if now is None or not isinstance(node, FileVersion) or (node.grade, node.digest) != (now.grade, now.digest):
                break
            since = ordinal
        return since

    def first_held(self, file: str) -> int:
        """Return the ordinal at which a file first held what it is known to hold now."""
        now = self.current(file)
        for ordinal, version in self._observed.get(file, ()):
            node = self._snapshot.node(version)
            if isinstance(node, FileVersion) and now is not None and node.digest == now.digest:
                return ordinal
        return self._snapshot.ordinal + 1

    @cached_property
    def _workspaces(self) -> dict[str, str]:
        spaces = self._snapshot.of_kind(Workspace)
        if len(spaces) == 1:
            return {session.session: spaces[0].id for session in self._snapshot.sessions()}
        known = {space.id for space in spaces}
        found: dict[str, str] = {}
        for session in self._snapshot.of_kind(Session):
            for edge in self._snapshot.edges_from(session.id, {EdgeKind.PART_OF}):
                if edge.target in known:
                    found[session.session] = edge.target
        for receipt in self._snapshot.of_kind(Receipt):
            if receipt.session not in found and (place := self._place_of(receipt)):
                found[receipt.session] = place
        return found

    def _place_of(self, receipt: Receipt) -> str:
        """Return the workspace of the files that a receipt is about, "" where it is about none."""
        for file in (*(receipt.subject or ()), *self._written(receipt.id)):
            node = self._snapshot.node(file)
            if isinstance(node, File):
                return node.workspace
        return ""

    def _of_receipts(self, receipts: Sequence[Receipt]) -> list[Change]:
        """Return what receipts tell of. What they told the last time is kept, but for those that more may come of."""
        spaces = self._workspaces
        kept = self._snapshot.made.get(_KEPT)
        if not (isinstance(kept, _Kept) and kept.count <= len(receipts) and kept.workspaces == spaces):
            kept = _Kept(workspaces=dict(spaces))
        found, unsettled = list(kept.changes), list(kept.unsettled)
        for receipt in receipts[kept.count :]:
            if receipt.effect == NONE and receipt.tool in _LOOKS and ENVIRONMENT_CHANGED not in receipt.flags:
                continue
            called = receipt.call is None or self._snapshot.node(receipt.call) is not None
            if called and LEFT_RUNNING not in receipt.flags:
                self._add_of_receipt(found, receipt)
            else:
                unsettled.append(receipt)
        now = _Kept(workspaces=kept.workspaces, count=len(receipts), changes=tuple(found), unsettled=tuple(unsettled))
        before = self._snapshot.made.get(_KEPT)
        if not (isinstance(before, _Kept) and before.count >= now.count and before.workspaces == spaces):
            self._snapshot.made[_KEPT] = now
        for receipt in unsettled:
            self._add_of_receipt(found, receipt)
        return found

    def _add_of_receipt(self, found: list[Change], receipt: Receipt) -> None:
        if receipt.status == "refused":
            return
        if ENVIRONMENT_CHANGED in receipt.flags:
            found.append(self._by_receipt(receipt, UNKNOWN, around=True))
            if receipt.effect == NONE and receipt.tool in _LOOKS:
                return
        if receipt.effect == UNKNOWN:
            found.append(self._by_receipt(receipt, UNKNOWN))
            return
        files = self._written(receipt.id)
        if receipt.effect != NONE or files:
            found.append(self._by_receipt(receipt, WRITES, files))

    def _by_receipt(
        self, receipt: Receipt, effect: str, files: tuple[str, ...] = (), *, around: bool = False
    ) -> Change:
        return Change(
            ordinal=receipt.ordinal,
            asked=self.asked(receipt),
            cause=receipt.id,
            effect=effect,
            workspace=self._workspaces.get(receipt.session, ""),
            files=files,
            named=WRITES_NAMED in receipt.flags,
            around=around,
            until=self._until(receipt) if LEFT_RUNNING in receipt.flags and not around else 0,
        )

    def _until(self, receipt: Receipt) -> int:
        """Return the ordinal at which what a command left running had ended."""
        ends = self._snapshot.edges_to(receipt.id, {EdgeKind.MOVED})
        return min((edge.ordinal for edge in ends), default=_NOT_YET)

    def _written(self, cause: str) -> tuple[str, ...]:
        found: list[str] = []
        for edge in self._snapshot.edges_from(cause, _TOUCHES):
            node = self._snapshot.node(edge.target)
            if isinstance(node, FileVersion):
                found.append(node.file)
            elif isinstance(node, File):
                found.append(node.id)
        return tuple(found) if len(found) < 2 else tuple(dict.fromkeys(found))

    def _of_event(self, event: Event) -> Change | None:
        files = self._written(event.id)
        if files:
            return self._change(event, WRITES, files)
        moved = event.what == "branch" and not self._told_by_command(event)
        return self._change(event, UNKNOWN) if moved or event.what.startswith(("environment", "file")) else None

    def _seen_only(self, told: list[Change]) -> list[Change]:
        """Return the changes that only looks at the workspace tell of; `told` are those on record."""
        at = sorted(change.ordinal for change in told)
        looks: dict[str, Event] = {}
        found = []
        for event in self._snapshot.of_kind(Event):
            if event.what != "workspace" or event.now is None:
                continue
            before = looks.get(event.session)
            looks[event.session] = event
            if before is None or before.was != event.was or before.now == event.now:
                continue
            if bisect_right(at, before.ordinal) == bisect_right(at, event.ordinal):
                found.append(self._change(event, UNKNOWN))
        return found

    def _told_by_command(self, event: Event) -> bool:
        """Tell whether the newest command before a change of branch is one that changes branches."""
        receipts = self._snapshot.of_kind(Receipt)
        place = bisect_right(receipts, event.ordinal, key=lambda receipt: receipt.ordinal)
        for receipt in reversed(receipts[:place]):
            if receipt.session == event.session and receipt.command is not None:
                text = self._snapshot.text(receipt.command)
                return any(word in text for word in _BRANCHING)
        return False

    def _pending(self, call: Call) -> str | None:
        if call.tool == "write":
            return UNKNOWN
        if call.tool != "command" or call.command is None:
            return None
        effect = effect_of(self._snapshot.text(call.command))
        return None if effect in (NONE, OUTSIDE_ONLY) else UNKNOWN

    def _change(self, node: Call | Event, effect: str, files: tuple[str, ...] = ()) -> Change:
        return Change(
            ordinal=node.ordinal,
            asked=node.ordinal,
            cause=node.id,
            effect=effect,
            workspace=self.workspace(node.session),
            files=files,
        )
