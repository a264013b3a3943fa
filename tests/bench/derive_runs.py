"""How the recorded runs ended, by the rules and by a plain look at what was printed: a figure of `make bench-derive`.

* The plain look knows nothing of commands: words of failure or of success in the output, and the exit status where it
  is the command's own. Where both kinds of words are there, or none, the verdict cannot be seen.
* A run is right where both agree. One that the rules leave open is not wrong; each that they call passed against what
  was printed is listed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from muniment.derive.runs import FAILED, PASSED, UNKNOWN_OUTCOME, Ended, run_of, run_outcome
from muniment.model.nodes import Receipt
from muniment.snapshot import Snapshot

_BAD = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|failing|errors?)\b|^FAIL\b|\bFAILED\b|error TS\d|npm ERR!|ELIFECYCLE|^panic:"
    r"|BUILD FAILURE|BUILD FAILED|\(fail\)|exited with code [1-9]|^make: \*\*\*|^Traceback|: error:|✖ [1-9]",
    re.MULTILINE,
)
_GOOD = re.compile(
    r"\b[1-9]\d* (?:passed|passing|pass)\b|^ok\s+\S|^OK\b|\b0 failures\b|All checks passed|Success: no issues"
    r"|BUILD SUCCESS|No fixes applied|^PASS\b|Compiled successfully|\b0 fail\b|Finished .* target\(s\)|^0 issues",
    re.MULTILINE,
)


def seen(receipt: Receipt, output: str) -> str:
    """Return what a plain look tells: passed, failed, or unknown where it cannot be seen."""
    bad, good = _BAD.search(output) is not None, _GOOD.search(output) is not None
    if receipt.own_status and receipt.exit_code is not None:
        bad, good = bad or receipt.exit_code != 0, good and receipt.exit_code == 0
    return FAILED if bad and not good else PASSED if good and not bad else UNKNOWN_OUTCOME


def outcomes(snapshots: Iterable[Snapshot]) -> dict[str, object]:
    """Return how the runs of some missions ended, and how often the plain look agrees."""
    ended: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    for snapshot in snapshots:
        for receipt in snapshot.of_kind(Receipt):
            command = snapshot.text(receipt.command) if receipt.command is not None else ""
            run = run_of(command) if receipt.tool == "command" else None
            if run is None or receipt.status == "refused":
                continue
            output = snapshot.text(receipt.output) if receipt.output is not None else ""
            given = Ended(
                status=receipt.status,
                exit_code=receipt.exit_code,
                own_status=receipt.own_status,
                counts=receipt.counts,
            )
            outcome, plain = run_outcome(run, given, output), seen(receipt, output)
            ended[outcome] += 1
            both[outcome, plain] += 1
            if PASSED in (outcome, plain) and FAILED in (outcome, plain):
                wrong.append(f"{outcome}, seen {plain}: {receipt.handle} {command[:70]!r}")
    told = {pair: number for pair, number in both.items() if UNKNOWN_OUTCOME not in pair and "empty" not in pair}
    agreed = sum(number for pair, number in told.items() if pair[0] == pair[1])
    return {
        "runs": sum(ended.values()),
        **dict(sorted(ended.items())),
        "seen by both": sum(told.values()),
        "agreed": agreed,
        "passed against what was printed": both[PASSED, FAILED],
        "left open, though seen": both[UNKNOWN_OUTCOME, PASSED] + both[UNKNOWN_OUTCOME, FAILED],
        "differences": wrong[:10],
    }
