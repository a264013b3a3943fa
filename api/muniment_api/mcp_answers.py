"""What the tools of the MCP server answer: plain values, so that their schemas are printed with the tools."""

from __future__ import annotations

from pydantic import BaseModel

from muniment.closeout.explaining import Explanation
from muniment.closeout.holding import Holding
from muniment.closeout.impact import Affected, Impact
from muniment.closeout.outputs import DistilledOutput
from muniment.closeout.verdict import REASONS, ClaimVerdict, Closeout, Step
from muniment.errors import UnknownIdError
from muniment.rehydration import Rehydrated
from muniment.search.hits import Hit
from muniment.selection.view import View
from muniment.selection.whether import WhyAnswer
from muniment.sight import WriteCheck
from muniment.store import EvidenceStore


class Named(BaseModel, frozen=True):
    """Something in the graph: its id, its short handle, its kind, and a word about it."""

    id: str
    handle: str
    kind: str
    note: str


class ViewAnswer(BaseModel, frozen=True):
    """The live context: its text, what is in it and what was left out, all of which `show` gives whole."""

    mission: str
    text: str
    tokens: int
    budget: int
    items: list[Named]
    omitted: list[Named]


class WhyToolAnswer(BaseModel, frozen=True):
    """Why something is or is not in the view: the answer, in words, what it is by, and what is missing of it."""

    id: str
    handle: str
    kind: str
    path: str | None
    answer: str
    text: str
    reasons: list[str]
    names: list[str]
    by: list[str]
    tokens: int
    missing_tokens: int


class ShowAnswer(BaseModel, frozen=True):
    """What an id names, whole or some lines (1-based, inclusive) of it. `state`: "" where it is in force."""

    id: str
    handle: str
    kind: str
    mission: str
    text: str
    first_line: int
    last_line: int
    total_lines: int
    state: str


class Found(BaseModel, frozen=True):
    """A place where words were found."""

    id: str
    handle: str
    kind: str
    mission: str
    title: str
    snippet: str
    line: int | None
    state: str


class SearchAnswer(BaseModel, frozen=True):
    """What was found, best first."""

    hits: list[Found]


class JudgedClaim(BaseModel, frozen=True):
    """What a closeout says of one claim: proven, unproven (with the reason), or contradicted (by receipts)."""

    handle: str
    type: str
    text: str
    status: str
    reason: str
    by: list[str]
    next_step: str
    waived: str
    evidence: list[str]


class ExplainedClaim(BaseModel, frozen=True):
    """A claim, and the whole chain behind it, one step a line; deeper steps hang on the one above them."""

    claim: JudgedClaim
    chain: list[str]


class ImpactAnswer(BaseModel, frozen=True):
    """What loses its proof if a thing changes or no longer holds; what has lost it already; what merely cites it."""

    handle: str
    words: str
    happened: bool
    loses: list[str]
    lost: list[str]
    rests: list[str]


class CloseoutAnswer(BaseModel, frozen=True):
    """What may be called done: the verdict, each claim, what else was noticed, and the head of the journal."""

    mission: str
    verdict: str
    passed: bool
    claims: list[JudgedClaim]
    findings: list[str]
    head: str


class PendingOutput(BaseModel, frozen=True):
    """A large output: what printed it, how that ended, and lines of it as `first-last: what they establish`."""

    handle: str
    command: str
    status: str
    total_lines: int
    kept: list[str]


class PendingAnswer(BaseModel, frozen=True):
    """The large outputs that wait for an agent's word on which lines matter, oldest first."""

    pending: list[PendingOutput]


class RecordedAnswer(BaseModel, frozen=True):
    """What was recorded: the id by which it is known, and its place in the journal. It is durable."""

    id: str
    mission: str
    position: int
    stored: bool


def pending_answer(found: list[DistilledOutput]) -> PendingAnswer:
    """Return outputs as an answer."""
    return PendingAnswer(
        pending=[
            PendingOutput(
                handle=output.handle,
                command=output.command,
                status=output.status if output.exit_code is None else f"exit {output.exit_code}",
                total_lines=output.lines,
                kept=[f"{kept.first}-{kept.last}: {kept.states}" for kept in output.kept],
            )
            for output in found
        ]
    )


def view_answer(view: View) -> ViewAnswer:
    """Return a view as an answer."""
    return ViewAnswer(
        mission=view.mission,
        text=view.text,
        tokens=view.tokens,
        budget=view.budget,
        items=[Named(id=item.id, handle=item.handle, kind=item.kind, note=item.why) for item in view.items],
        omitted=[Named(id=item.id, handle=item.handle, kind=item.kind, note=item.reason) for item in view.omitted],
    )


def why_answer(found: WhyAnswer) -> WhyToolAnswer:
    """Return why something is or is not in the view, as an answer."""
    return WhyToolAnswer(
        id=found.id,
        handle=found.handle,
        kind=found.kind,
        path=found.path,
        answer=found.answer,
        text=found.text,
        reasons=list(found.reasons),
        names=list(found.names),
        by=list(found.by),
        tokens=found.tokens,
        missing_tokens=found.missing,
    )


def show_answer(shown: Rehydrated) -> ShowAnswer:
    """Return what an id names as an answer."""
    first, last = shown.lines or (1, shown.total_lines)
    return ShowAnswer(
        id=shown.id,
        handle=shown.handle,
        kind=shown.kind,
        mission=shown.mission,
        text=shown.text,
        first_line=first,
        last_line=last,
        total_lines=shown.total_lines,
        state=shown.state,
    )


def search_answer(hits: list[Hit]) -> SearchAnswer:
    """Return hits as an answer."""
    return SearchAnswer(
        hits=[
            Found(
                id=hit.id,
                handle=hit.handle,
                kind=hit.kind,
                mission=hit.mission,
                title=hit.title,
                snippet=hit.snippet,
                line=hit.line,
                state=hit.state,
            )
            for hit in hits
        ]
    )


def judged_claim(claim: ClaimVerdict) -> JudgedClaim:
    """Return the verdict on a claim as the model gets it."""
    return JudgedClaim(
        handle=claim.handle,
        type=claim.type,
        text=claim.text,
        status=claim.status,
        reason=REASONS.get(claim.reason, claim.reason),
        by=[*((claim.receipt,) if claim.receipt else ()), *claim.by],
        next_step=claim.next_step,
        waived=claim.waiver,
        evidence=[_step(step) for step in claim.evidence],
    )


def explained_claim(found: Explanation) -> ExplainedClaim:
    """Return an explanation as the model gets it."""
    return ExplainedClaim(claim=judged_claim(found.claim), chain=[_step(step) for step in found.steps])


def impact_answer(found: Impact) -> ImpactAnswer:
    """Return an impact as the model gets it."""
    return ImpactAnswer(
        handle=found.handle,
        words=found.words,
        happened=found.happened,
        loses=[_affected(each) for each in found.loses],
        lost=[_affected(each) for each in found.lost],
        rests=[_affected(each) for each in found.rests],
    )


def _step(step: Step) -> str:
    return f"{'  ' * (step.depth - 1)}{step.relation} {step.handle}: {step.words}"


def _affected(found: Affected) -> str:
    why = f" ({REASONS.get(found.reason, found.reason)})" if found.reason else ""
    step = f"; next: {found.next_step}" if found.next_step else ""
    return f"{found.kind} {found.handle}: {found.words}{why}{step}"


def closeout_answer(judged: Closeout) -> CloseoutAnswer:
    """Return a closeout as an answer."""
    claims = [judged_claim(claim) for claim in judged.claims]
    return CloseoutAnswer(
        mission=judged.mission,
        verdict=judged.verdict,
        passed=judged.passed,
        claims=claims,
        findings=[f"{finding.severity}: {finding.message} ({finding.rule})" for finding in judged.findings],
        head=judged.head,
    )


class CheckAnswer(BaseModel, frozen=True):
    """Whether all that is about to be changed was seen as it is now; if not, what to read first and what changed it."""

    ok: bool
    path: str
    read_first: list[str]
    changed_by: list[str]
    reasons: list[str]


class HoldsAnswer(BaseModel, frozen=True):
    """Whether a receipt holds, is stale or unknown; `because` is the record that ended it."""

    handle: str
    status: str
    reason: str
    because: str | None
    path: str | None
    lines: list[str]


def check_answer(found: WriteCheck) -> CheckAnswer:
    """Return a check as the model gets it."""
    return CheckAnswer(
        ok=found.ok,
        path=found.path,
        read_first=[f"{first}-{'end' if last is None else last}" for first, last in found.unseen],
        changed_by=[change.handle for change in found.stale_base],
        reasons=list(found.reasons),
    )


def holds_answer(found: Holding) -> HoldsAnswer:
    """Return a holding as the model gets it."""
    return HoldsAnswer(
        handle=found.handle,
        status=found.status,
        reason=found.reason,
        because=found.because,
        path=found.path,
        lines=[f"{first}-{last}" for first, last in found.lines],
    )


def rule_page(store: EvidenceStore, wanted: str) -> str:
    """Return the page of a rule.

    Raises:
        UnknownIdError: no rule has this id.
    """
    for rule in store.rules():
        if rule.id == wanted:
            return rule.page
    raise UnknownIdError(wanted)
