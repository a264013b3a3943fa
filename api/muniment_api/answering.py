"""Errors as HTTP answers: the same body whatever the route, the status by what went wrong."""

from __future__ import annotations

from typing import Final

from starlette.responses import JSONResponse, Response

from muniment import errors
from muniment.errors import EvidenceError
from muniment_api.access import UnauthenticatedError
from muniment_api.exits import facts_of

STATUSES: Final[dict[type[EvidenceError], int]] = {
    UnauthenticatedError: 401,
    errors.ScopeError: 403,
    errors.UnknownIdError: 404,
    errors.ConflictError: 409,
    errors.BusyError: 503,
    errors.DamageError: 500,
    errors.StoreError: 503,
}


def error_response(error: EvidenceError) -> Response:
    """Return the answer for an error on purpose."""
    status = next((STATUSES[cls] for cls in type(error).__mro__ if cls in STATUSES), 400)
    answer = plain_error(status, error.code, str(error), facts_of(error))
    if status == STATUSES[UnauthenticatedError]:
        answer.headers["www-authenticate"] = "Bearer"
    return answer


def plain_error(status: int, code: str, message: str, facts: dict[str, object] | None = None) -> Response:
    """Return an answer in the form that GraphQL errors have."""
    return JSONResponse(
        {"errors": [{"message": message, "extensions": {**(facts or {}), "code": code}}]}, status_code=status
    )
