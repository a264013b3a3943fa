"""One case of the corpus: the mutated session is written, imported and judged, all through the public API.

* What lies before the mutated run is imported once for all cases of that run; each case goes on from a copy of that
  store, as an import of a file that has grown does.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from muniment import EvidenceStore
from muniment.closeout.verdict import ClaimVerdict, Closeout
from tests.bench.closeout_mutations import HONEST, Base, Claim, Mutation, NotApplicableError, Story
from tests.bench.closeout_steps import UnableError

STATED = "claim-of-the-corpus"


class Judged(NamedTuple):
    """What a closeout said in a case. `said`: proven, contradicted, the reason, or `no claim`; "" if not applicable."""

    mutation: str
    kind: str
    form: str
    base: str
    said: str
    right: bool
    why: str = ""

    @property
    def caught(self) -> bool:
        """Whether a false claim was not taken for proven, or an honest one was."""
        return (self.said == "proven") == (self.kind == HONEST)


def judged_all(base: Base, mutations: Sequence[Mutation], folder: Path, *, anew: bool = False) -> list[Judged]:
    """Judge all mutations of one run. `anew`: each in a store of its own."""
    before = None if anew else _before(base, folder)
    return [judged(base, mutation, folder / f"case-{place}", before) for place, mutation in enumerate(mutations)]


def judged(base: Base, mutation: Mutation, folder: Path, before: Path | None) -> Judged:
    """Judge one mutation."""
    found = Judged(mutation.name, mutation.kind, base.raw.form, base.name, "", right=True)
    try:
        story = Story(base, base.raw.before(base.run), mutation.name)
        claim = mutation.tell(story)
    except (NotApplicableError, UnableError) as error:
        return found._replace(why=str(error))
    folder.mkdir()
    try:
        if before is not None:
            shutil.copytree(before, folder / "store")
        said, why = _said(story, claim, folder, new=before is None)
    finally:
        shutil.rmtree(folder)
    return found._replace(said=said, right=said in mutation.right, why=why)


def _before(base: Base, folder: Path) -> Path:
    """Import what lies before the run; return the store."""
    path = base.raw.before(base.run).write(folder)
    with EvidenceStore.open(folder / "before", create=True) as store:
        store.live(store.import_session(path, format=base.raw.form).mission)
        store.save_fold()
    return folder / "before"


def _said(story: Story, claim: Claim, folder: Path, *, new: bool) -> tuple[str, str]:
    with EvidenceStore.open(folder / "store", create=new) as store:
        mission = store.import_session(story.telling.write(folder), format=story.base.raw.form).mission
        session = store.missions()[0].session
        own = {"by": "agent", "session": session}
        if claim.recorded:
            store.record([{**own, **each} for each in claim.recorded], mission=mission)
        if claim.record is not None:
            stated = {"kind": "claim_made", "id": STATED, **own, "type": claim.type, **claim.record}
            store.record([stated], mission=mission)
        if claim.withdrawn is not None:
            store.withdraw(claim.withdrawn, "it was not what it seemed", mission=mission)
        if claim.purged is not None:
            store.purge(claim.purged, "it held what it should not", mission=mission)
        return _verdict(store.closeout(mission), claim)


def _verdict(closeout: Closeout, claim: Claim) -> tuple[str, str]:
    """Return what was said of the claim, and of what else the verdict speaks."""
    if claim.record is None:
        found = [each for each in closeout.claims if each.inferred and each.type == claim.type]
    else:
        found = [each for each in closeout.claims if each.record == STATED]
    if not found:
        return "no claim", ", ".join(each.type for each in closeout.claims)
    return _in_a_word(found[-1]), f"{found[-1].receipt} {found[-1].because} {found[-1].path} {found[-1].text[:60]}"


def _in_a_word(verdict: ClaimVerdict) -> str:
    return verdict.reason if verdict.status == "unproven" else verdict.status
