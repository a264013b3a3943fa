"""What `import muniment` offers: this list changes only on purpose."""

from __future__ import annotations

import subprocess
import sys

import muniment
from muniment.closings import Closings
from muniment.questions import Questions
from muniment.views import Views

PUBLIC = {
    "Acceptance",
    "Advice",
    "AmbiguousIdError",
    "BudgetInfeasibleError",
    "BusyError",
    "Checked",
    "ClaimVerdict",
    "Closeout",
    "ConflictError",
    "DamageError",
    "EvidenceError",
    "EvidenceStore",
    "FieldError",
    "Finding",
    "FormatError",
    "Hit",
    "ImportReport",
    "JournalMissingError",
    "MissionInfo",
    "Omitted",
    "Packet",
    "PacketInfo",
    "PacketRefusedError",
    "Problem",
    "PurgedError",
    "Rehydrated",
    "ScopeError",
    "SecretRefusedError",
    "Snapshot",
    "StoreError",
    "UnknownIdError",
    "UsageError",
    "Verification",
    "View",
    "ViewItem",
    "__version__",
}
STORE = {
    *("open", "close", "scoped", "head"),
    *("import_session", "importing", "record", "withdraw", "waive", "purge"),
    *("missions", "entries", "snapshot", "live", "rehydrate", "search"),
    *("to_networkx", "graph_digest", "query"),
    *("rebuild", "verify", "save_fold", "settle"),
}

QUESTIONS = {
    *("snapshot", "head", "reports", "collapse_plan", "symbols"),
    *("coverage", "check_write", "holds", "absences", "distillations", "pending_distillations"),
    *("explain_claim", "impact"),
}

VIEWS = {"view", "explain", "why", "rereads", "profiles"}
CLOSINGS = {"closeout", "closeout_report", "rules", "rulebook"}


def test_the_public_names_are_these() -> None:
    assert set(muniment.__all__) == PUBLIC
    assert sorted(muniment.__all__) == muniment.__all__


def test_each_public_name_can_be_loaded() -> None:
    assert all(getattr(muniment, name) is not None for name in muniment.__all__)


def test_the_store_has_these_methods() -> None:
    assert {name for name in vars(muniment.EvidenceStore) if not name.startswith("_")} == STORE
    assert {name for name in vars(Questions) if not name.startswith("_")} == QUESTIONS
    assert {name for name in vars(Views) if not name.startswith("_")} == VIEWS
    assert {name for name in vars(Closings) if not name.startswith("_")} == CLOSINGS


def test_importing_the_package_loads_nothing_heavy() -> None:
    told = "import sys, muniment; print(sorted(m for m in sys.modules if m.startswith(('muniment.', 'networkx'))))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
