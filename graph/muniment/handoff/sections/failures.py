"""Failed approaches: what was tried, failed, and was not done since with success.

* The same is tried again by the same command or on the same thing, or, for a run, by one of the same scope.
* A run is put right by a later one of all tests of its group, too.
* A search that found nothing did not fail: it is negative knowledge.
* Of the same act on the same commit the newest failure stands for all; on another commit it may be another one.
* What a decision turned down stands with the decision.
* Failures of the base that still stand are carried; they are not looked for anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from muniment.derive.run_words import SUITE
from muniment.derive.runs import run_of
from muniment.derive.texts import readable
from muniment.handoff.parts import Part, Sources, item_of, ranked
from muniment.model.nodes import Event, Receipt, Text
from muniment.selection.steps import heading_of

MOST: Final = 16
"""Failures that a packet names: runs and what changes things before looks, the newest first."""
REASON_TOKENS: Final = 40
COMMIT: Final = 12
"""Characters of a commit that are shown."""
HEADING_TOKENS: Final = 96
"""More than a step's heading takes: it is cut already."""
_UNSHOWABLE: Final = frozenset({"binary", "purged"})


def failures(sources: Sources) -> Iterable[Part]:
    """Return the failures that stand, those that tell most first."""
    found = standing_failures(sources)

    def matters(receipt: Receipt) -> tuple[bool, bool, int, str]:
        about = sources.desk.text(receipt.command) if sources.words else ""
        return not sources.matches(about), not _tells(receipt), -receipt.ordinal, receipt.id

    found.sort(key=matters)
    commits = commits_of(sources)
    return ranked(_part(sources, receipt, commit_at(commits, receipt)) for receipt in found[:MOST])


def standing_failures(sources: Sources) -> list[Receipt]:
    """Return the failed receipts after which the same was not done with success, newest first."""
    live = sources.live
    recent = live.newest([Receipt])
    known = {receipt.id for receipt in recent}
    carried = [live.node(each) or sources.snapshot.node(each) for each in (sources.base.failed if sources.base else ())]
    older = [node for node in carried if isinstance(node, Receipt) and node.id not in known]
    older.sort(key=lambda receipt: (-receipt.ordinal, receipt.id))
    done: set[object] = set()
    told: set[object] = set()
    found: list[Receipt] = []
    commits = commits_of(sources)
    for receipt in [*recent, *older]:
        if live.ended(receipt.id) or receipt.agent != sources.focus.agent:
            continue
        acts = _acts(sources, receipt)
        if receipt.status == "ok":
            done.update(acts)
        elif receipt.status == "failed" and acts and receipt.matches != 0 and not done.intersection(acts):
            failure = (acts[0], commit_at(commits, receipt))
            if failure not in told:
                found.append(receipt)
                told.add(failure)
    return found


def commits_of(sources: Sources) -> list[tuple[int, str]]:
    """Return the commits that were told, each with the ordinal from which on it was the current one."""
    events = [event for event in sources.live.newest([Event]) if event.what == "commit" and event.now]
    return [(event.ordinal, event.now or "") for event in reversed(events)]


def commit_at(commits: list[tuple[int, str]], receipt: Receipt) -> str:
    """Return the commit on which something was done, "" where none was told before."""
    place = bisect_right(commits, receipt.ordinal, key=lambda commit: commit[0])
    return commits[place - 1][1] if place else ""


def reason_of(sources: Sources, receipt: Receipt) -> str:
    """Return why something failed, as its output says: names of what failed, else its last lines."""
    if receipt.failed_ids:
        more = f" and {len(receipt.failed_ids) - 3:,} more" if len(receipt.failed_ids) > 3 else ""
        return sources.shown(", ".join(receipt.failed_ids[:3])) + more
    if receipt.output is None or _UNSHOWABLE.intersection(receipt.flags):
        return ""
    text = sources.desk.text(_end_of(receipt.output))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return sources.desk.counter.cut(" / ".join(lines[-2:]), REASON_TOKENS).strip()


def _end_of(text: Text) -> Text:
    """Return the end of a long text: nobody looks at more of it here."""
    if text.inline is not None or text.stop - text.start <= 1000:
        return text
    return Text(digest=text.digest, start=text.stop - 1000, stop=text.stop, lines=1, size=1000)


def _acts(sources: Sources, receipt: Receipt) -> tuple[object, ...]:
    """Return what a receipt did, as that may be done again: for one that succeeded, what it has put right."""
    act = (receipt.tool, receipt.folder, receipt.command or receipt.path or receipt.pattern)
    found: list[object] = [act] if act[2] is not None else []
    if receipt.scope is not None and receipt.command is not None:
        group = _group(sources.live.text(receipt.command))
        found.append(("run", group, receipt.scope))
        if receipt.status == "failed" and receipt.scope != SUITE:
            found.append(("run", group, SUITE))
    return tuple(found)


@lru_cache(maxsize=1024)
def _group(command: str) -> str:
    """Return which tests a command runs: runs of one group run the same ones."""
    run = run_of(command)
    return run.group or run.family if run is not None else ""


def _tells(receipt: Receipt) -> bool:
    return receipt.counts is not None or receipt.scope is not None or receipt.effect != "none"


def _part(sources: Sources, receipt: Receipt, commit: str) -> Part:
    heading = heading_of(sources.desk, receipt).removeprefix(f"{receipt.handle} ")
    return Part(
        section="failed",
        item=item_of(
            receipt, what=f"on {readable(commit)[:COMMIT]}" if commit else "", why=reason_of(sources, receipt)
        ),
        text=heading,
        sizes=(HEADING_TOKENS,),
        ordinal=receipt.ordinal,
    )
