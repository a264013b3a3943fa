"""make bench-closeout: is each false claim caught, and each honest one proven, on mutated sessions.

`MUNIMENT_SESSIONS` names the folder of recorded sessions. Each session with recorded test runs is cut before such a run
and continued by each mutation, in raw files of its own in a temporary folder. Prints a table per mutation and per
format, each miss and each wrong refusal, and one JSON object as the last line. `--sample N` takes N runs a session
(2 unless told), `--only NAME` takes one mutation or format, `--workers N` at most 2.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.bench import (
    closeout_false_changes,
    closeout_false_claims,
    closeout_false_runs,
    closeout_harmless,
    closeout_honest,
    closeout_lines,
)
from tests.bench.closeout_case import Judged, judged_all
from tests.bench.closeout_claude import ClaudeRaw
from tests.bench.closeout_codex import CodexRaw
from tests.bench.closeout_documents import MiniRaw, OpenCodeRaw
from tests.bench.closeout_mutations import FALSE, HONEST, Base, Mutation
from tests.bench.closeout_openhands import OpenHandsRaw
from tests.bench.closeout_steps import Raw
from tests.bench.closeout_truth import look_at

FORMATS: dict[str, tuple[type[ClaudeRaw | CodexRaw | MiniRaw | OpenCodeRaw | OpenHandsRaw], str]] = {
    "claude-code": (ClaudeRaw, "*.jsonl"),
    "codex": (CodexRaw, "*.jsonl"),
    "mini-swe-agent": (MiniRaw, "*.traj.json"),
    "opencode": (OpenCodeRaw, "*.json"),
    "openhands": (OpenHandsRaw, "*v1*"),
}
_MODULES = (
    *(closeout_false_changes, closeout_false_runs, closeout_false_claims, closeout_lines),
    *(closeout_honest, closeout_harmless),
)
MUTATIONS: tuple[Mutation, ...] = tuple(mutation for module in _MODULES for mutation in module.REGISTRY.all)
_FOLDER = "/dev/shm"


def sessions_in(folder: Path) -> list[tuple[str, Path]]:
    """Return the sessions that may hold test runs, with their formats."""
    return [(form, path) for form, (_, name) in FORMATS.items() for path in sorted((folder / form).glob(name))]


def bases_of(form: str, path: Path, most: int) -> list[Base]:
    """Return up to `most` test runs of a session to start from, of different words: those that passed before others,
    and early ones before late ones, which cost more.
    """
    raw: Raw = FORMATS[form][0](path)
    by_words: dict[str, Base] = {}
    for run in raw.runs():
        look = look_at(run.command, run.output)
        if look is None or not look.clean:
            continue
        passed = run.code == 0 and look.passed > 0 and not look.failed and not look.left_out
        base = Base(raw, run, look, made=not passed)
        if look.words not in by_words or (passed and by_words[look.words].made):
            by_words[look.words] = base
    return sorted(by_words.values(), key=lambda base: base.made)[:most]


def judge_run(form: str, path: Path, most: int, place: int, names: Sequence[str]) -> list[Judged]:
    """Judge all mutations, or those that are named, of one run of a session."""
    chosen = [mutation for mutation in MUTATIONS if not names or mutation.name in names]
    with TemporaryDirectory(dir=_FOLDER if Path(_FOLDER).is_dir() else None) as folder:
        return judged_all(bases_of(form, path, most)[place], chosen, Path(folder))


def judge_sessions(folder: Path, most: int, names: Sequence[str], workers: int) -> Iterator[list[Judged]]:
    """Judge the runs of all sessions; yield what was said of each as it is done."""
    told = [(form, path) for form, path in sessions_in(folder) if not set(names) & set(FORMATS) or form in names]
    runs = [(form, path, most, place) for form, path in told for place in range(len(bases_of(form, path, most)))]
    mutations = [name for name in names if name not in FORMATS]
    with ProcessPoolExecutor(workers) as pool:
        waiting = [pool.submit(judge_run, *run, mutations) for run in runs]
        for done, future in enumerate(as_completed(waiting), 1):
            bar = "█" * (30 * done // len(waiting))
            judged = future.result()
            wrong = sum(1 for each in judged if each.said and not each.right)
            sys.stderr.write(f"\r  {bar:30} {done}/{len(waiting)} runs, {wrong} wrong in the last one ")
            sys.stderr.flush()
            yield judged
    sys.stderr.write("\n")


def table(found: Iterable[Judged], key: str) -> list[str]:
    """Return the rows of a table by mutation or by format."""
    rows: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for each in found:
        rows[each.kind, getattr(each, key)].append(each)
    lines = [f"{'kind':7}{key:44}{'cases':>6}{'as due':>7}{'reason':>7}{'n/a':>5}  said"]
    for (kind, name), cases in rows.items():
        applied = [each for each in cases if each.said]
        said = Counter(each.said for each in applied)
        words = ", ".join(f"{word} {count}" for word, count in said.most_common(5))
        caught, right = sum(each.caught for each in applied), sum(each.right for each in applied)
        lines.append(f"{kind:7}{name:44}{len(applied):>6}{caught:>7}{right:>7}{len(cases) - len(applied):>5}  {words}")
    return lines


def figures(found: Sequence[Judged], seconds: float) -> dict[str, object]:
    """Return the figures of a whole run."""
    applied = [each for each in found if each.said]
    false, true = ([each for each in applied if each.kind == kind] for kind in (FALSE, HONEST))
    refused = sum(not each.caught for each in true)
    return {
        "bases": len({each.base for each in found}),
        "false": len(false),
        "caught": sum(each.caught for each in false),
        "right_reason": sum(each.right for each in false),
        "honest": len(true),
        "refused": refused,
        "refused_share": round(refused / max(len(true), 1), 4),
        "not_applicable": dict(Counter(each.why for each in found if not each.said)),
        "seconds": round(seconds, 1),
    }


def main() -> None:
    """Print the tables, what went wrong, and the figures."""
    parser = argparse.ArgumentParser(description="is each false claim caught, and each honest one proven")
    parser.add_argument("--sample", type=int, default=2, help="runs of each session")
    parser.add_argument("--only", action="append", default=[], help="a mutation or a format")
    parser.add_argument("--workers", type=int, default=2, choices=(1, 2))
    asked = parser.parse_args()
    folder = os.environ.get("MUNIMENT_SESSIONS")
    if not folder:
        sys.exit("set MUNIMENT_SESSIONS to the folder of recorded sessions")
    began = perf_counter()
    judged = judge_sessions(Path(folder), asked.sample, asked.only, asked.workers)
    found = sorted((each for part in judged for each in part), key=lambda each: (each.form, each.base))
    order = {mutation.name: place for place, mutation in enumerate(MUTATIONS)}
    print("\n".join(table(sorted(found, key=lambda each: order[each.mutation]), "mutation")))
    print("\n".join(table(found, "form")))
    for each in found:
        if each.said and not each.right:
            word = (
                "MISSED" if each.kind == FALSE and not each.caught else "REFUSED" if each.kind == HONEST else "reason"
            )
            print(f"{word}: {each.mutation} on {each.base}: {each.said}: {each.why}")
    print(json.dumps(figures(found, perf_counter() - began)))


if __name__ == "__main__":
    main()
