"""The check: what is wrong with a packet, by comparing it with the graph. A bad packet never raises.

* Each rule is one small function and has one code, or few; all run, so that a compactor learns all that is wrong.
* Everything is compared with the graph as it is now: what came after `covers_to` must be in the packet's tail.
* Problems name ids as the packet used them, and what is missing from it by the record that stated it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from muniment.errors import FieldError
from muniment.handoff.checks import completeness, currency, form, identity, states, texts
from muniment.handoff.checks.inquiry import EntryOf, Inquiry
from muniment.handoff.packet import Checked, Problem
from muniment.handoff.proposal import Proposal
from muniment.model.nodes import Packet
from muniment.model.packing import writable
from muniment.snapshot import Snapshot
from muniment.tokens import TokenCounter, o200k

Rule = Callable[[Inquiry], Iterable[Problem]]

RULES: Final[tuple[tuple[str, Rule], ...]] = (
    ("schema", form.fields),
    ("id_unknown", form.mission),
    ("too_large", form.size),
    ("base_replaced", form.base),
    ("no_progress", form.progress),
    ("binding_missing", completeness.binding),
    ("open_task_missing", completeness.tasks),
    ("delegation_missing", completeness.delegations),
    ("timer_missing", completeness.timers),
    ("question_missing", completeness.questions),
    ("id_unknown", identity.known),
    ("id_unknown", identity.labels),
    ("citation_invalid", identity.authors),
    ("citation_invalid", identity.citations),
    ("task_state_mismatch", states.tasks),
    ("next_action_not_open", states.next_actions),
    ("superseded_listed", states.current),
    ("version_stale", currency.files),
    ("version_stale", currency.workspace),
    ("claim_overstated", currency.claims),
    ("text_differs", texts.alike),
    ("redacted_returned", texts.clean),
)
"""Code → the rule that finds it, in the order in which problems are told."""


def check(
    snapshot: Snapshot,
    proposal: Proposal,
    in_force: Packet | None,
    *,
    counter: TokenCounter | None = None,
    entry_of: EntryOf = lambda _: None,
) -> Checked:
    """Return what is wrong with a proposal, as the graph is at `snapshot` and with that packet in force.

    `entry_of` knows the entries of records that made no node.
    """
    inquiry = Inquiry(snapshot, proposal, in_force, counter=counter or o200k(), entry_of=entry_of)
    found: dict[str, Problem] = {}
    for code, rule in RULES:
        for problem in _found_by(rule, inquiry, code):
            before = found.get(problem.code)
            found[problem.code] = problem if before is None else _both(before, problem)
    return writable(
        Checked(
            packet=proposal.node or proposal.name,
            problems=tuple(found.values()),
            in_force=in_force.id if in_force is not None else "",
        )
    )


def refused(problem: Problem, in_force: Packet | None) -> Checked:
    """Return the answer to what is no proposal at all."""
    return Checked(packet=problem.ids[0], problems=(problem,), in_force=in_force.id if in_force is not None else "")


def _found_by(rule: Rule, inquiry: Inquiry, code: str) -> list[Problem]:
    try:
        return list(rule(inquiry))
    except FieldError as error:  # a text that cannot be scanned for secrets
        return [Problem(code=code, ids=(inquiry.name,), message=str(error))]


def _both(first: Problem, second: Problem) -> Problem:
    ids = tuple(dict.fromkeys((*first.ids, *second.ids)))
    return Problem(code=first.code, ids=ids, message=first.message or second.message)
