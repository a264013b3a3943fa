"""Missions about claims, told in few words, and what the judge says of them."""

from __future__ import annotations

from muniment.closeout.judge import judge
from muniment.closeout.verdict import ClaimVerdict, Closeout
from muniment.model import records as r
from muniment.snapshot import Snapshot
from tests.support.graphs import SESSION, Story


class Case(Story):
    """A mission with short words for what claims are about."""

    def ran(self, command: str, output: str = "", **fields: object) -> str:
        """A command came back; its effect is the one that its text has, and exit status 0 is its own."""
        record = r.ToolReturned(
            id=str(fields.pop("id", self._id("c"))), by=str(fields.pop("by", "tool")), session=SESSION, tool="command",
            name="Bash", command=command, output=output,
        )  # fmt: skip
        given = {"exit_code": 0, **fields}
        return self.add(_replaced(record, given))

    def tests(self, passed: int = 9, **fields: object) -> str:
        """The whole suite passed, as the recorder counted it."""
        given = {"scope": "suite", "counts": r.Counts(collected=passed, passed=passed, failed=0, skipped=0), **fields}
        command = str(given.pop("command", "pytest"))
        return self.ran(command, "", **given)

    def searched(self, looked_for: str, **fields: object) -> str:
        """A search found nothing, and ignored nothing."""
        record = r.ToolReturned(
            id=self._id("s"), by="tool", session=SESSION, tool="search", status="ok", effect="none", pattern=looked_for,
            searched=(".",), matches=0, files_considered=3, files_ignored=0,
        )  # fmt: skip
        return self.add(_replaced(record, fields))

    def claim(self, type_: str, *cites: str, **fields: object) -> str:
        """The agent claims something."""
        record = r.ClaimMade(id=self._id("claim"), by="agent", session=SESSION, type=type_, cites=cites)
        return self.add(_replaced(record, fields))

    def answer(self, text: str) -> str:
        """The root agent gives its last answer."""
        return self.say(text, by="agent", role="answer")

    def closeout(self, task: str | None = None) -> Closeout:
        """Judge the mission as told so far."""
        return self.closeout_of(self.snapshot(), task)

    def closeout_of(self, snapshot: Snapshot, task: str | None = None) -> Closeout:
        """Judge a snapshot of the mission."""
        return judge(snapshot, task=task, head="h")

    def verdict(self, claim: str | None = None) -> ClaimVerdict:
        """Return the verdict on a claim, by its record's id; the only one where none is named."""
        claims = self.closeout().claims
        found = [each for each in claims if claim is None or each.record == claim]
        assert len(found) == 1, [each.record for each in claims]
        return found[0]

    def records_of(self, ids: tuple[str, ...]) -> list[str]:
        """Return the records that made some nodes."""
        snapshot = self.snapshot()
        return [node.record for each in ids if (node := snapshot.node(each)) is not None]


def _replaced(record: r.Record, fields: dict[str, object]) -> r.Record:
    return type(record)(**{name: getattr(record, name) for name in record.__struct_fields__} | fields)
