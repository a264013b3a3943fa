"""What closeouts say of the recorded sessions: each claim where it was made, at the end, and beside outside verdicts.

`MUNIMENT_SESSIONS` names the folder of recorded sessions. Three tables, and one JSON object on the last line:

* *as made*: every plain claim of an agent, judged as of the moment when it was said;
* *at the end*: the claims that stand at the end of each session, as `muniment closeout` judges them;
* *beside the harness*: the mini-swe-agent sessions, whose work an outside harness has tested: what was claimed, the
  verdict with its reason, and whether the harness resolved it.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from muniment import EvidenceStore
from muniment.closeout.claims import said_in
from muniment.closeout.evidence import Evidence
from muniment.closeout.judge import judge, ruling_on, verdict_on
from muniment.closeout.verdict import PROVEN, ClaimVerdict
from muniment.errors import EvidenceError
from muniment.model.nodes import Message
from muniment.snapshot import Snapshot

FORMATS = (
    "claude-code", "codex", "copilot-cli", "gemini-cli", "mini-swe-agent", "opencode", "openhands", "swe-agent", "aider"
)  # fmt: skip
OUTSIDE = "mini-swe-agent"
EXPLAINED = {
    "ms01": "nothing is claimed in words that can be checked; what was resolved may still not be called done",
    "ms03": "said of a script of its own; the runner never started (a module is missing), and a pipe hid its status",
    "ms05": "said of a script of its own; the runner was not configured, and a pipe hid its status. The harness agrees",
    "ms07": "said of a script of its own, which is no runner: no test run is on record",
    "ms09": "said of a script of its own; the runner never started (a module is missing), and a pipe hid its status",
    "ms11": "the runs were narrower than the claim, and a pipe hid their status. The harness agrees: not resolved",
    "ms13": "nothing is claimed in words that can be checked; what was resolved may still not be called done",
}
"""Why our verdict is not the harness's: it tests the work, we judge what the session shows of it."""


class Judged(NamedTuple):
    """A claim of a session, with the verdict on it."""

    format: str
    session: str
    said_in: str
    verdict: ClaimVerdict

    @property
    def sort(self) -> str:
        """Status, and the reason where it is not proven."""
        return self.verdict.status if not self.verdict.reason else f"{self.verdict.status}: {self.verdict.reason}"


def main() -> None:
    """Judge all sessions and print."""
    folder = os.environ.get("MUNIMENT_SESSIONS")
    if not folder:
        sys.exit("set MUNIMENT_SESSIONS to the folder of recorded sessions")
    told = "--all" in sys.argv
    figures: dict[str, object] = {}
    with TemporaryDirectory() as made, EvidenceStore.open(Path(made) / "store", create=True) as store:
        found = {name: list(_imported(store, Path(folder) / name)) for name in FORMATS}
        sessions = [(name, source, store.snapshot(mission)) for name in FORMATS for source, mission in found[name]]
        figures["as_made"] = _table("as made", [j for each in sessions for j in as_made(*each)], told=told)
        figures["at_the_end"] = _table("at the end", [j for each in sessions for j in at_the_end(*each)], told=told)
        outside = [row for each in sessions if each[0] == OUTSIDE for row in beside(Path(folder), *each)]
    figures["beside_the_harness"] = outside
    sys.stdout.write("\nbeside the harness\n")
    for row in outside:
        sys.stdout.write(f"  {row['task']:<34} resolved {row['resolved']!s:<5}  {row['claimed']}: {row['verdict']}\n")
        sys.stdout.write(f"    {row['why']}\n")
    sys.stdout.write(json.dumps(figures) + "\n")


def as_made(name: str, source: Path, snapshot: Snapshot) -> Iterator[Judged]:
    """Yield each claim of an agent's answers, judged as of when it was said."""
    for answer in snapshot.of_kind(Message):
        made = said_in(snapshot, answer) if answer.role == "answer" and answer.by != "user" else []
        evidence = Evidence(snapshot.upto(answer.ordinal), ruling_on)
        for claim in made:
            yield Judged(name, source.name, answer.handle, verdict_on(evidence, claim))


def at_the_end(name: str, source: Path, snapshot: Snapshot) -> Iterator[Judged]:
    """Yield the claims that stand at the end of a session."""
    for verdict in judge(snapshot).claims:
        handles = [node.handle for node in snapshot.named(verdict.record)]
        yield Judged(name, source.name, handles[0] if handles else "", verdict)


def beside(folder: Path, name: str, source: Path, snapshot: Snapshot) -> Iterator[dict[str, object]]:
    """Yield what a session claimed last, with our verdict, beside whether the harness resolved it."""
    prefix = source.name.split("-", 1)[0]
    for report in sorted((folder / "eval-runs").glob(f"{prefix}-*.report.json")):
        for task, outcome in json.loads(report.read_text()).items():
            judged = list(at_the_end(name, source, snapshot)) or list(as_made(name, source, snapshot))[-1:]
            final = bool(judge(snapshot).claims)
            yield {
                "task": task,
                "resolved": outcome["resolved"],
                "claimed": "; ".join(j.verdict.text[:80] for j in judged) if judged else "nothing that can be judged",
                "in_final_answer": final,
                "verdict": "; ".join(j.sort for j in judged) if judged else "nothing_claimed",
                "proven": bool(judged) and all(j.verdict.status == PROVEN for j in judged),
                "why": EXPLAINED.get(prefix, ""),
            }


def _imported(store: EvidenceStore, folder: Path) -> Iterator[tuple[Path, str]]:
    """Import all sessions of a format; yield each with its mission. What no importer knows is left out."""
    for source in sorted(folder.iterdir()) if folder.is_dir() else ():
        if source.is_dir() and source.with_suffix(".jsonl").exists():
            continue  # the subagents of the file of that name, which brings them along
        try:
            yield source, store.import_session(source).mission
        except EvidenceError as error:
            sys.stderr.write(f"left out: {source.name}: {error}\n")


def _table(title: str, judged: list[Judged], *, told: bool) -> dict[str, object]:
    sorts = Counter(each.sort for each in judged)
    formats = Counter((each.sort, each.format) for each in judged)
    sys.stdout.write(f"\n{title}: {len(judged)} claims\n")
    for sort, count in sorted(sorts.items(), key=lambda pair: (-pair[1], pair[0])):
        where = ", ".join(f"{name} {formats[sort, name]}" for name in FORMATS if formats[sort, name])
        sys.stdout.write(f"  {count:>4}  {sort:<36} {where}\n")
    for each in judged if told else ():
        sys.stdout.write(f"{_told(each)}\n")
    proven = sum(each.verdict.status == PROVEN for each in judged)
    return {"claims": len(judged), "proven": proven, "by_sort": dict(sorts)}


def _told(judged: Judged) -> str:
    verdict = judged.verdict
    head = f"    {judged.session[:24]} {judged.said_in} {judged.sort} | {verdict.type} | {verdict.text[:100]}"
    steps = [f"        {step.relation} {step.handle} {step.words[:120]}" for step in verdict.evidence[1:]]
    return "\n".join([head, *steps, f"        next: {verdict.next_step}" if verdict.next_step else ""]).rstrip()


if __name__ == "__main__":
    main()
