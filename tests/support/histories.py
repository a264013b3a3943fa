"""Generated histories: a pretend agent session as neutral records, with the files as they really are.

`histories()` is a hypothesis strategy. Each history is a list of record objects, in order, that a store accepts;
`files` is what every file holds at the end, which no rule of the product has seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

PATHS = ("a.py", "src/b.py", "notes.md")
SLOTS = (None, "port", "region")
STATES = ("open", "active", "settled", "cancelled", "blocked")


@dataclass
class History:
    """A history under construction, and when done."""

    records: list[dict[str, object]] = field(default_factory=list)
    files: dict[str, list[str]] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)

    def add(self, kind: str, by: str, **fields: object) -> str:
        """Append a record and return its id."""
        record_id = f"{kind}-{len(self.records)}"
        self.records.append({"kind": kind, "id": record_id, "by": by, "session": "S", **fields})
        return record_id


def text_of(lines: list[str]) -> str:
    """Return the text of a file with these lines."""
    return "".join(f"{line}\n" for line in lines)


@st.composite
def histories(draw: st.DrawFn, most: int = 30) -> History:
    """Draw a history of up to `most` steps."""
    history = History()
    history.add("session_opened", "harness", workspace="w", root="/w", project="p")
    steps = [_message, _fact, _task, _move, _decision, _withdraw, _write, _read, _command, _question, _claim, _outside]
    steps += [_distil]
    for step in draw(st.lists(st.sampled_from(steps), max_size=most)):
        step(draw, history)
    return history


WORDS = st.text(alphabet="abcdef ghij\n", min_size=1, max_size=40)
LINES = st.lists(st.sampled_from(["alpha", "beta", "gamma = 1", "", "delta()"]), min_size=1, max_size=12)


def _message(draw: st.DrawFn, history: History) -> None:
    by = draw(st.sampled_from(["user", "agent", "harness"]))
    parent = draw(st.sampled_from([None, "nobody", *[str(r["id"]) for r in history.records if r["kind"] == "message"]]))
    history.add("message", by, text=draw(WORDS), parent=parent, role="prompt" if by == "user" else "answer")


def _fact(draw: st.DrawFn, history: History) -> None:
    older = draw(st.lists(st.sampled_from([*history.facts, "fact_stated-999"]), max_size=2))
    fact = history.add(
        "fact_stated",
        draw(st.sampled_from(["user", "agent"])),
        **{"class": draw(st.sampled_from(["constraint", "objective", "preference"]))},
        text=draw(WORDS),
        slot=draw(st.sampled_from(SLOTS)),
        supersedes=older,
    )
    history.facts.append(fact)


def _task(draw: st.DrawFn, history: History) -> None:
    needed = draw(st.lists(st.sampled_from(history.tasks), max_size=1)) if history.tasks else []
    history.tasks.append(history.add("task_stated", "user", text=draw(WORDS), depends_on=needed))


def _move(draw: st.DrawFn, history: History) -> None:
    if history.tasks:
        history.add("task_moved", "agent", task=draw(st.sampled_from(history.tasks)), to=draw(st.sampled_from(STATES)))


def _decision(draw: st.DrawFn, history: History) -> None:
    count = len(history.records) + draw(st.integers(0, 3))
    older = draw(st.sampled_from([[], history.decisions[-1:], [f"decision_made-{count}"]]))
    history.decisions.append(history.add("decision_made", "agent", choice=draw(WORDS), supersedes=older))


def _withdraw(draw: st.DrawFn, history: History) -> None:
    targets = [*history.facts, *history.tasks, *history.decisions]
    if targets:
        by = draw(st.sampled_from(["user", "agent"]))
        history.add("withdrawal", by, target=draw(st.sampled_from(targets)), text="no longer")


def _write(draw: st.DrawFn, history: History) -> None:
    path = draw(st.sampled_from(PATHS))
    history.files[path] = draw(LINES)
    content = text_of(history.files[path])
    history.add("tool_returned", "agent", tool="write", path=path, content=content, effect="writes")


def _read(draw: st.DrawFn, history: History) -> None:
    path = draw(st.sampled_from(PATHS))
    lines = history.files.get(path)
    if not lines:
        return
    first = draw(st.integers(1, len(lines)))
    last = draw(st.integers(first, len(lines)))
    history.add(
        "tool_returned",
        "tool",
        tool="read",
        path=path,
        lines=[first, last],
        total_lines=len(lines),
        content=text_of(lines[first - 1 : last]),
    )


def _command(draw: st.DrawFn, history: History) -> None:
    call = history.add("tool_called", "agent", tool="command", command="pytest", turn=f"t{len(history.records)}")
    if draw(st.booleans()):
        code = draw(st.sampled_from([0, 1]))
        output = draw(WORDS) * draw(st.sampled_from([1, 60, 600]))
        history.add("tool_returned", "tool", tool="command", command="pytest", call=call, exit_code=code, output=output)


def _distil(draw: st.DrawFn, history: History) -> None:
    outputs = [str(record["id"]) for record in history.records if record["kind"] == "tool_returned"]
    spans = draw(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 30)), min_size=1, max_size=3))
    history.add(
        "distillation_made",
        "agent",
        of=draw(st.sampled_from([*outputs, "nothing"])),
        spans=[{"lines": [first, first + more]} for first, more in spans],
        states="what matters",
        omissions_matter=draw(st.sampled_from([None, True, False])),
    )


def _question(draw: st.DrawFn, history: History) -> None:
    question = history.add("question_opened", "agent", what="risk", text=draw(WORDS))
    if draw(st.booleans()):
        history.add("question_settled", "agent", question=question)


def _claim(draw: st.DrawFn, history: History) -> None:
    cited = [str(record["id"]) for record in history.records if record["kind"] == "tool_returned"]
    cites = draw(st.lists(st.sampled_from([*cited, "nothing"]), max_size=2))
    history.add("claim_made", "agent", type="tests_pass", cites=cites, scope="suite")


def _outside(draw: st.DrawFn, history: History) -> None:
    path = draw(st.sampled_from(PATHS))
    if draw(st.booleans()):
        history.files[path] = draw(LINES)
        history.add("file_changed_outside", "harness", path=path, content=text_of(history.files[path]))
    else:
        history.files.pop(path, None)
        history.add("file_changed_outside", "harness", path=path, change="deleted")
