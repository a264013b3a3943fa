"""Run case files: `python tests/cases/run.py [--only NAME] FILE...`.

A line for each case (passed, failed with what differs, skipped with the capability that is not there yet) and a last
line `N passed, N failed, N skipped`. The exit status is 0 if none failed, 1 if one did, 2 if a file is no case file.

What a case means stands in the README beside the case files. This runner knows the vocabulary and no case.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:] = [str(HERE.parents[1]), *(entry for entry in sys.path if Path(entry or ".").resolve() != HERE)]

from tests.cases.cases import outcome  # noqa: E402  needs the path above
from tests.cases.form import Case, read_cases  # noqa: E402
from tests.cases.outcome import Outcome  # noqa: E402


def main() -> int:
    """Run the files that are named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--only", metavar="NAME", help="run the cases whose name begins so")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for path in given.files:
        try:
            file, cases = read_cases(path)
        except (OSError, ValueError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 2
        for name, found in outcomes(cases, given.only or ""):
            counts[found.word] += 1
            print(printable(found.line(file, name)), flush=True)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


def outcomes(cases: list[Case | tuple[str, str]], only: str) -> Iterator[tuple[str, Outcome]]:
    """Yield the name and the outcome of each case."""
    others = {case.name: case for case in cases if isinstance(case, Case)}
    for case in cases:
        name = case.name if isinstance(case, Case) else case[0]
        if name.startswith(only):
            wrong = Outcome(word="failed", why=case[1]) if isinstance(case, tuple) else None
            yield name, wrong or outcome(others[name], others)


def printable(line: str) -> str:
    """Return a line that any terminal takes: one line, valid UTF-8."""
    return line.encode("utf-8", "backslashreplace").decode("utf-8").replace("\n", "\\n").replace("\0", "\\0")


if __name__ == "__main__":
    sys.exit(main())
