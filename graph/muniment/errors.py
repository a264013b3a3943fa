"""Every error that Muniment raises on purpose.

All derive from :class:`EvidenceError`. An error carries facts in attributes (an id, a position, a path inside a
record); its message says what was found, what was expected and, where there is one, what to do next. Only the
network and command-line layers turn them into status codes.
"""

from __future__ import annotations


class EvidenceError(Exception):
    """Base of all errors; `code` is stable and fit for machines."""

    code = "evidence_error"


class FieldError(EvidenceError):
    """A value at the edge has the wrong shape; `path` leads to the field, as in `body.counts.passed`."""

    code = "bad_field"

    def __init__(self, path: str, found: str) -> None:
        self.path = path
        self.found = found
        super().__init__(f"{path}: {found}" if path else found)


class UsageError(EvidenceError):
    """The caller asked for something that contradicts itself, such as `before` together with `as_of`."""

    code = "usage"


class UnknownIdError(EvidenceError):
    """No record, node or mission of this scope has the id. A foreign id and an unknown one get this same answer."""

    code = "unknown_id"

    def __init__(self, wanted: str, hint: str = "") -> None:
        self.wanted = wanted
        super().__init__(f"nothing is known under the id {wanted!r}" + (f"; {hint}" if hint else ""))


class AmbiguousIdError(EvidenceError):
    """An id names more than one thing."""

    code = "ambiguous_id"

    def __init__(self, wanted: str, candidates: tuple[str, ...]) -> None:
        self.wanted = wanted
        self.candidates = candidates
        super().__init__(f"the id {wanted!r} names {len(candidates)} things: {', '.join(candidates[:5])}")


class PurgedError(EvidenceError):
    """The body that was asked for has been purged; it is gone for good."""

    code = "purged"

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        super().__init__(f"{wanted} was purged: its text is gone, its place in the chain remains")


class ScopeError(EvidenceError):
    """The handle may not do this: a missing scope, another project, or a verb that was not granted."""

    code = "scope_required"


class BudgetInfeasibleError(EvidenceError):
    """What binds does not fit the budget; `needed` tokens would do."""

    code = "budget_infeasible"

    def __init__(self, budget: int, needed: int) -> None:
        self.budget = budget
        self.needed = needed
        super().__init__(f"what binds needs {needed} tokens, the budget is {budget}: ask for at least {needed}")


class PacketRefusedError(EvidenceError):
    """Packet after packet was refused since the one in force: another attempt of the same kind is of no use.

    `attempts` counts them; `codes` says what was wrong with the last.
    """

    code = "packet_thrash"

    def __init__(self, attempts: int, codes: tuple[str, ...]) -> None:
        self.attempts = attempts
        self.codes = codes
        super().__init__(
            f"{attempts} packets in a row were refused, the last for {', '.join(codes)}: stop compacting, go on with"
            " the context as it is; then let the store build one (`muniment packet build`), in a larger budget if need"
            " be"
        )


class ConflictError(EvidenceError):
    """`expected` was not the last position any more: somebody else has appended since."""

    code = "conflict"

    def __init__(self, expected: int, actual: int) -> None:
        self.expected = expected
        self.actual = actual
        super().__init__(f"the journal stands at position {actual}, not {expected}: read what is new and try again")


class FormatError(EvidenceError):
    """A source is in no format that is known, or not in the one that was named."""

    code = "unknown_format"


class SecretRefusedError(EvidenceError):
    """The store is set to refuse records that hold secrets; `kinds` names what was found, never the text."""

    code = "secret_refused"

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self.kinds = kinds
        super().__init__(
            f"refused: the record holds {', '.join(kinds)}; redact it or open the store with secrets='redact'"
        )


class StoreError(EvidenceError):
    """The store cannot be opened or written: missing, locked, not a store, or of another version."""

    code = "store"


class JournalMissingError(StoreError):
    """The journal's main file is gone while other files of the store are still there."""

    code = "journal_missing"


class BusyError(StoreError):
    """Another process held the journal for longer than the waiting time; nothing was written, try again."""

    code = "busy"


class DamageError(StoreError):
    """Stored bytes are not what was written.

    `last_good` is the newest position up to which the journal is sound (0: none).
    """

    code = "damaged"

    def __init__(self, what: str, last_good: int, remedy: str) -> None:
        self.what = what
        self.last_good = last_good
        self.remedy = remedy
        super().__init__(f"{what}; sound up to position {last_good}; {remedy}")
