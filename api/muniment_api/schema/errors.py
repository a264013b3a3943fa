"""Errors on their way to a client: every top-level error carries `extensions.code`.

* An error on purpose (`EvidenceError`) keeps its code and facts. What a query says wrongly is `syntax` or `validation`;
  a limit has a code of its own (see `limits`).
* Anything else is a fault of ours: its text is hidden, the client gets `internal` and an id, and the log has the
  traceback under the same id.
* Mutations answer expected faults as `userErrors` beside a null object. Faults of the store and of the scope stay
  top-level errors: no other input would help.
"""

from __future__ import annotations

import re
import secrets

import structlog
from graphql import GraphQLError, GraphQLSyntaxError
from strawberry.extensions import MaskErrors

from muniment.errors import EvidenceError, FieldError, ScopeError, StoreError
from muniment_api.exits import facts_of
from muniment_api.schema.declare import said, typed

SYNTAX = "syntax"
VALIDATION = "validation"
INTERNAL = "internal"

_log = structlog.get_logger("muniment.api")


@typed
class UserError:
    """Something that the caller can put right."""

    code: str = said("A stable word for machines.")
    message: str = said("What was found, what was expected, and what to do.")
    field: list[str] | None = said("The way to the input that is meant, where one is.")


def user_error(error: EvidenceError, *, inside: str) -> UserError:
    """Return an expected fault as a value.

    Raises:
        EvidenceError: the very error, where it is not the input that is wrong.
    """
    if isinstance(error, StoreError | ScopeError):
        raise error
    way = f"{inside}.{error.path}" if isinstance(error, FieldError) else ""
    path = [step for step in re.split(r"[.\[\]]", way) if step] or None
    return UserError(code=error.code, message=str(error), field=path)


def coded(error: GraphQLError) -> GraphQLError:
    """Return an error as clients may see it."""
    cause = error.original_error
    if isinstance(cause, EvidenceError):
        return _remade(error, str(cause), {**facts_of(cause), "code": cause.code})
    if isinstance(error, GraphQLSyntaxError):
        return _remade(error, error.message, {"code": _of_syntax(error.message)})
    if cause is None or isinstance(cause, GraphQLError):
        code = VALIDATION if not error.extensions else str(error.extensions.get("code", VALIDATION))
        return _remade(error, error.message, {**(error.extensions or {}), "code": code})
    number = secrets.token_hex(8)
    _log.error("internal error", error_id=number, exc_info=cause)
    return _remade(error, f"internal error {number}; the server's log says more", {"code": INTERNAL, "id": number})


def _of_syntax(message: str) -> str:
    """Return the code of what the parser says: it enforces two limits and has no codes for them."""
    if message.endswith("Parsing aborted."):
        return "tokens" if " tokens." in message else "depth"
    return SYNTAX


def _remade(error: GraphQLError, message: str, extensions: dict[str, object]) -> GraphQLError:
    return GraphQLError(
        message,
        nodes=error.nodes,
        source=error.source,
        positions=error.positions,
        path=error.path,
        extensions=extensions,
    )


class ErrorCodes(MaskErrors):
    """Gives each error its code and hides what is nobody's business."""

    def anonymise_error(self, error: GraphQLError) -> GraphQLError:
        """Return the error as clients may see it."""
        return coded(error)
