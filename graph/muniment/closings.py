"""Closings: the verb that says what may be called done, by the rules that a store goes by."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path

from muniment.closeout import outputs
from muniment.closeout.judge import judge
from muniment.closeout.reports.render import CloseoutReport, check_format, rendered
from muniment.closeout.rules.cypher import Rows, asked
from muniment.closeout.rules.listing import ListedRule, listed
from muniment.closeout.rules.rulebook import Rulebook
from muniment.closeout.rules.running import with_findings
from muniment.closeout.verdict import Closeout
from muniment.questions import Questions
from muniment.rulebooks import rulebook_for


class Closings(Questions):
    """What judges."""

    @property
    @abstractmethod
    def _folder(self) -> Path:
        """The store's folder."""

    @abstractmethod
    def _rows(self, cypher: str, values: Mapping[str, str | int], most: int) -> Rows:
        """Ask the engine; raise UsageError where there is none, or where it refuses."""

    def rulebook(self) -> Rulebook:
        """Return the rules that closeouts of this store go by, as its `muniment.toml` and what is installed say.

        Raises:
            StoreError: the file cannot be read.
            UsageError: it is not understood.
        """
        return rulebook_for(self._folder)

    def rules(self) -> list[ListedRule]:
        """Return all rules of closeouts of this store, with the severity that each has here, or off.

        Raises:
            StoreError: its `muniment.toml` cannot be read.
            UsageError: it is not understood.
        """
        return listed(self.rulebook())

    def closeout(
        self,
        mission: str,
        *,
        task: str | None = None,
        as_of: int | None = None,
        require_distillations: bool = False,
        rules: Rulebook | None = None,
    ) -> Closeout:
        """Return which claims of a mission, or of one task, are proven, unproven or contradicted, and by what; and what
        the rules notice: those given, else the store's.

        With `require_distillations` it does not pass while a large output (of the task, where one is asked for) waits
        for an agent's word on what matters.

        Raises:
            UnknownIdError: no such mission or task.
            UsageError: the store's settings for rules are not understood.
        """
        book = self.rulebook() if rules is None else rules
        snapshot = self.snapshot(mission, as_of=as_of)
        judged = judge(snapshot, task=task, head=self.head(), rules=book.rules)
        if book.cypher:
            judged = with_findings(judged, asked(book.cypher, self._rows, snapshot))
        return outputs.requiring(judged, outputs.pending(snapshot, task)) if require_distillations else judged

    def closeout_report(
        self,
        mission: str,
        format: str,
        *,
        task: str | None = None,
        as_of: int | None = None,
        require_distillations: bool = False,
        rules: Rulebook | None = None,
    ) -> CloseoutReport:
        """Return a closeout as a file: text, json, junit, github, sarif, intoto, prov or svg; the rest as `closeout`.

        Raises:
            UnknownIdError: no such mission or task.
            UsageError: no such format, or the store's settings for rules are not understood.
        """
        check_format(format)
        book = self.rulebook() if rules is None else rules
        judged = self.closeout(mission, task=task, as_of=as_of, require_distillations=require_distillations, rules=book)
        return rendered(self.snapshot(mission, as_of=as_of).upto(judged.ordinal), judged, format, listed(book))
