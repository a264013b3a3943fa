"""When a closeout holds an agent back from stopping or from settling a task, and in which words.

* At a stop only what was claimed since the user's last prompt counts: what was said long ago holds nobody back again.
* A task is held back for what is claimed of it, and for what its own text says. The same words are said once a prompt:
  who settles it again with nothing new on record is let through.
* An error that a rule found beside the claims (a constraint breached, a required command not run) holds back too, if it
  concerns something that was done since the user's last prompt, or that was not done; not a rule that cannot be asked.
* Words are statements of fact: what is claimed, why it does not stand, by which receipts, and the step that would
  settle most of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from muniment.closeout.rules.cypher import FAILED
from muniment.closeout.rules.registry import BY_ID
from muniment.closeout.rules.rule import ERROR
from muniment.closeout.rules.running import NO_RULES
from muniment.closeout.verdict import PROVEN, REASONS, ClaimVerdict, Closeout, Finding
from muniment.describing import described
from muniment.model.nodes import AnyNode, Claim, Fact, Message, Receipt
from muniment.snapshot import Snapshot
from muniment_api.layout import one_line

MOST_CLAIMS = 8
WIDTH = 160
SETTLING = "TaskUpdate"
"""The tool that settles tasks; what a hook says to it is its answer."""
NOTHING = "Nothing was claimed, so nothing can be called done. A claim such as `All tests pass.` can be checked."


def blocking_reason(judged: Closeout, snapshot: Snapshot, *, strict: bool) -> str | None:
    """Return why the agent may not stop yet, None where it may. `strict`: it has to claim something."""
    since = _prompted(snapshot)
    claims = [claim for claim in judged.claims if _made(snapshot, claim) > since]
    if strict and not claims:
        return NOTHING
    return _reason(claims, snapshot, _errors(judged, snapshot, since))


def task_reason(judged: Closeout, snapshot: Snapshot) -> str | None:
    """Return why a task may not be settled yet, given its closeout; None where it may, or where just this was said."""
    reason = _reason(judged.claims, snapshot)
    return None if reason is None or _was_said(reason, snapshot) else reason


def _errors(judged: Closeout, snapshot: Snapshot, since: int) -> list[Finding]:
    """Return the errors beside the claims that concern what was done behind an ordinal, or was not done."""
    found = []
    for finding in judged.findings:
        rule = BY_ID.get(finding.rule)
        if finding.severity != ERROR or finding.code in (FAILED, NO_RULES) or (rule is not None and rule.sound):
            continue
        nodes = [node for each in finding.ids if (node := snapshot.node(each)) is not None]
        done = [node.ordinal for node in nodes if not isinstance(node, Fact | Message)]
        if not done or max(done) > since:
            found.append(finding)
    return found


def _reason(claims: Sequence[ClaimVerdict], snapshot: Snapshot, errors: Sequence[Finding] = ()) -> str | None:
    failing = [claim for claim in claims if claim.status != PROVEN and claim.waived is None]
    told = [f"- {one_line(error.message, WIDTH)} ({error.rule})" for error in errors[:MOST_CLAIMS]]
    if not failing:
        return "\n".join(["Not done:", *told]) if told else None
    shown = [line for claim in failing[:MOST_CLAIMS] for line in _lines(snapshot, claim)]
    more = [f"... and {len(failing) - MOST_CLAIMS} more"] if len(failing) > MOST_CLAIMS else []
    steps = Counter(claim.next_step for claim in failing if claim.next_step)
    cheapest = [f"Cheapest next step: {steps.most_common(1)[0][0]}"] if steps else []
    return "\n".join([f"Not proven: {len(failing)} of {len(claims)} claims.", *shown, *more, *told, *cheapest])


def _prompted(snapshot: Snapshot) -> int:
    """Return when the user's last prompt came."""
    return max((message.ordinal for message in snapshot.newest([Message]) if _is_prompt(message)), default=0)


def _was_said(reason: str, snapshot: Snapshot) -> bool:
    """Tell whether a call that settles a task was answered so since the user's last prompt, as text or inside JSON."""
    since = _prompted(snapshot)
    forms = (reason, json.dumps(reason, ensure_ascii=False)[1:-1])
    answers = [each for each in snapshot.newest([Receipt]) if each.name == SETTLING and each.ordinal > since]
    texts = [snapshot.text(each.output) for each in answers if each.output is not None]
    return any(form in text for form in forms for text in texts)


def _is_prompt(node: AnyNode) -> bool:
    return isinstance(node, Message) and node.by == "user" and node.role == "prompt"


def _made(snapshot: Snapshot, claim: ClaimVerdict) -> int:
    """Return when a claim was made; an inferred one when its message was said, or its task settled."""
    node = snapshot.node(claim.id)
    if isinstance(node, Claim):
        return node.ordinal
    return max((each.ordinal for each in snapshot.named(claim.record)), default=0)


def _lines(snapshot: Snapshot, claim: ClaimVerdict) -> list[str]:
    why = REASONS.get(claim.reason, claim.reason) or "a receipt says otherwise"
    lines = [f"- {claim.status}: {one_line(claim.text, WIDTH)} ({why}{f': {claim.path}' if claim.path else ''})"]
    for wanted in dict.fromkeys((claim.receipt, *claim.by) if claim.receipt else claim.by):
        node = snapshot.node(wanted)
        if node is not None:
            lines.append(f"  by {node.handle}: {one_line(described(snapshot, node), WIDTH)}")
    return lines
