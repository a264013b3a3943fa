"""A planted mission: what compactions are known to lose, distort or bring back, put into a mission that goes on.

Planted are: a constraint that stands in the first message alone; a task that is put off; a rejected approach that looks
like the plan; a file before and after a change; two errors alike, from different commits; a task that was concluded and
not verified; a secret. Each leg of work does much the same, so that what a packet needs stays the same: whatever it
costs more in the tenth is history that it should not carry.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

SESSION = "S"
CONSTRAINT = "whatever you do, keep the wire format as it is"
REJECTED = "cache every order in memory"
SECRET = "AKIA" + "K4TZP7WQ2NBVX5RM"
ERROR = "TypeError: unsupported operand type(s) for +: 'int' and 'str'"
COMMITS = ("4c1d9e7ab3f05826d1c8e4a79b6035f2e8d7c1a4", "b7e09c3d15fa4826e0d19c7ba35f862410e9d7c3")
LEGS = 10


def record(kind: str, name: str, by: str, **fields: object) -> dict[str, object]:
    """Return a record of the session."""
    return {"kind": kind, "id": name, "session": SESSION, "by": by, **fields}


@dataclass(frozen=True)
class Names:
    """Records of what is planted, in every leg the same."""

    first: str = "first-message"
    deferred: str = "task-deferred"
    concluded: str = "task-concluded"
    claim: str = "claim-unverified"
    decision: str = "decision-standing"
    rejected: str = "decision-rejected"
    plan: str = "plan-of-the-agent"
    errors: tuple[str, str] = ("error-before", "error-after")
    leak: str = "output-with-secret"
    file: str = "src/orders.py"


NAMES = Names()


def beginning() -> list[dict[str, object]]:
    """Return the records with which the mission begins."""
    n = NAMES
    first = (
        f"Please make the order service faster. And {CONSTRAINT}: other teams read it.\nTell me when you are through."
    )
    plan = f"Plan: 1. {REJECTED}. 2. measure. 3. ship it."
    return [
        record("session_opened", SESSION, "harness", workspace="w", root="/w", project="p"),
        record("message", n.first, "user", text=first, role="prompt"),
        record("task_stated", n.deferred, "user", text="Later, not now: write the migration notes"),
        record("task_stated", n.concluded, "user", text="Make the tests of the order service pass"),
        record("message", n.plan, "agent", text=plan, role="answer"),
        record("decision_made", n.rejected, "agent", choice=f"{REJECTED[0].upper()}{REJECTED[1:]}"),
        record(
            "decision_made",
            n.decision,
            "user",
            choice="Index the orders by customer",
            reason="memory is short on the small machines",
            rejected=[REJECTED],
            supersedes=[n.rejected],
        ),
        record("tool_returned", "orders-before", "agent", tool="write", path=n.file, effect="writes", content=lines(0)),
        record("commit_made", "commit-1", "agent", commit=COMMITS[0], message="index orders"),
        _failure(n.errors[0], COMMITS[0], 12),
        record("commit_made", "commit-2", "agent", commit=COMMITS[1], message="index customers"),
        _failure(n.errors[1], COMMITS[1], 31),
        _ran(n.leak, "show-config", f"AWS_ACCESS_KEY_ID={SECRET}\nregion=eu-west-1\n"),
        record("task_moved", "concluded", "agent", task=n.concluded, to="settled"),
        record("claim_made", n.claim, "agent", type="tests_pass", cites=[], scope="suite", text="All tests pass"),
    ]


def leg(number: int) -> Iterator[dict[str, object]]:
    """Yield the records of one leg of work, from 1."""
    task = f"task-{number}"
    yield record("task_stated", task, "user", text=f"Trim the table of customers, part {number:02d}")
    yield record("task_moved", f"{task}-begun", "agent", task=task, to="active")
    older = [f"focus-{number - 1}"] if number > 1 else []
    fact = f"The customers of region {number:02d} come next"
    yield record("fact_stated", f"focus-{number}", "user", text=fact, supersedes=older, **{"class": "preference"})
    for part in range(6):
        path = f"src/part{part}.py"
        content = "".join(f"part {part} line {line} of leg {number:02d}\n" for line in range(12))
        yield record(
            "tool_returned",
            f"write-{number}-{part}",
            "agent",
            tool="write",
            path=path,
            effect="writes",
            content=content,
        )
        yield _ran(f"look-{number}-{part}", f"wc -l {path}", f"12 {path}\n")
    yield record(
        "tool_returned",
        f"orders-{number}",
        "agent",
        tool="write",
        path=NAMES.file,
        effect="writes",
        content=lines(number),
    )
    yield record(
        "message", f"said-{number}", "agent", text=f"Part {number:02d} of the table is trimmed.", role="answer"
    )
    yield record("task_moved", f"{task}-done", "agent", task=task, to="settled")
    yield record("task_stated", f"next-{number}", "agent", text=f"Look over part {number:02d} once more")
    yield record("task_moved", f"next-{number}-off", "agent", task=f"next-{number}", to="cancelled")


def lines(number: int) -> str:
    """Return what the planted file holds after a leg."""
    return "".join(f"ORDER_{line} = {line * (number + 1)}\n" for line in range(10))


def _failure(name: str, commit: str, line: int) -> dict[str, object]:
    output = f'  File "src/orders.py", line {line}, in total\n{ERROR}\n(at {commit[:8]})\n'
    return {**_ran(name, "python -m orders", output), "exit_code": 1}


def _ran(name: str, command: str, output: str) -> dict[str, object]:
    return record(
        "tool_returned", name, "tool", tool="command", command=command, exit_code=0, output=output, effect="none"
    )
