"""A rule: a stable id, how severe its findings are, why it is there, how to fix what it finds, and one pure function.

* A rule looks at an :class:`Inquiry` and yields what it noticed; it changes nothing and reads nothing else.
* `sound` rules speak of proof. They cannot be ignored nor made milder: a claim that nobody proved stays unproven.
* Users write rules with the same three types (entry points of the group `muniment.rules`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import msgspec

from muniment.closeout.evidence import Evidence
from muniment.closeout.verdict import ClaimVerdict
from muniment.model.nodes import Claim
from muniment.snapshot import Snapshot

ERROR: Final = "error"
WARNING: Final = "warning"
NOTE: Final = "note"
SEVERITIES: Final = (ERROR, WARNING, NOTE)
"""An error fails the closeout; warnings and notes fail nothing."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a project sets for its rules: paths that must not change, commands that must have run."""

    forbidden_paths: tuple[str, ...] = ()
    required_commands: tuple[str, ...] = ()


NO_OPTIONS: Final = Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What a rule may look at: the evidence, the claims with the verdict on each (in one order), and the options."""

    evidence: Evidence
    claims: tuple[Claim, ...]
    verdicts: tuple[ClaimVerdict, ...]
    options: Options = NO_OPTIONS

    @property
    def snapshot(self) -> Snapshot:
        """The graph that is judged."""
        return self.evidence.snapshot


class Noticed(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a rule noticed. `ids` are node ids; "" for `code` or `severity`: that of the rule."""

    message: str
    ids: tuple[str, ...] = ()
    code: str = ""
    severity: str = ""


Check = Callable[[Inquiry], Iterable[Noticed]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule. `title` names it in a few words; `why` is the reason for it, `fix` what to do about a finding.

    `codes` are the codes that its findings may have, beside its id with underscores.
    """

    id: str
    severity: str
    title: str
    why: str
    fix: str
    check: Check
    tags: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    sound: bool = False

    @property
    def code(self) -> str:
        """The code of its findings where none of its own is given."""
        return self.id.replace("-", "_")
