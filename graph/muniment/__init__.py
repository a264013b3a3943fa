"""Muniment: a graph-backed evidence store for agent runtimes.

    from muniment import EvidenceStore

The public names are those in `__all__`; each is loaded when it is first used, so that `import muniment` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from muniment.capture.importing import ImportReport
    from muniment.closeout.verdict import ClaimVerdict, Closeout, Finding
    from muniment.errors import (
        AmbiguousIdError,
        BudgetInfeasibleError,
        BusyError,
        ConflictError,
        DamageError,
        EvidenceError,
        FieldError,
        FormatError,
        JournalMissingError,
        PacketRefusedError,
        PurgedError,
        ScopeError,
        SecretRefusedError,
        StoreError,
        UnknownIdError,
        UsageError,
    )
    from muniment.handoff.acceptance import Acceptance, PacketInfo
    from muniment.handoff.packet import Checked, Packet, Problem
    from muniment.handoff.thresholds import Advice
    from muniment.journal.port import MissionInfo, Verification
    from muniment.rehydration import Rehydrated
    from muniment.search.hits import Hit
    from muniment.selection.view import Omitted, View, ViewItem
    from muniment.snapshot import Snapshot
    from muniment.store import EvidenceStore

__version__ = "0.1.0"

__all__ = [
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
]

_HOMES = {
    "muniment.capture.importing": ("ImportReport",),
    "muniment.closeout.verdict": ("ClaimVerdict", "Closeout", "Finding"),
    "muniment.handoff.acceptance": ("Acceptance", "PacketInfo"),
    "muniment.handoff.packet": ("Checked", "Packet", "Problem"),
    "muniment.handoff.thresholds": ("Advice",),
    "muniment.journal.port": ("MissionInfo", "Verification"),
    "muniment.rehydration": ("Rehydrated",),
    "muniment.search.hits": ("Hit",),
    "muniment.selection.view": ("Omitted", "View", "ViewItem"),
    "muniment.snapshot": ("Snapshot",),
    "muniment.store": ("EvidenceStore",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF.get(name, "muniment.errors")), name)


def __dir__() -> list[str]:
    return list(__all__)
