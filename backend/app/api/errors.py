"""From a refusal to an answer: the one table of statuses, and the one shape of error bodies."""

import math
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from backend.app.core.errors import AppError, ErrorKind
from backend.app.core.logging import described, get_logger
from backend.app.schemas.base import ErrorBody, FieldProblem

STATUS = {
    ErrorKind.INVALID: 422,
    ErrorKind.UNAUTHENTICATED: 401,
    ErrorKind.FORBIDDEN: 403,
    ErrorKind.NOT_FOUND: 404,
    ErrorKind.CONFLICT: 409,
    ErrorKind.GONE: 410,
    ErrorKind.TOO_LARGE: 413,
    ErrorKind.TOO_MANY: 429,
    ErrorKind.INTERNAL: 500,
    ErrorKind.UPSTREAM: 502,
    ErrorKind.UNAVAILABLE: 503,
}

#: What the framework refuses by itself, in our words.
_FRAMEWORK = {
    400: ("invalid_request", "The request body cannot be read."),
    404: ("not_found", "There is nothing here under this address."),
    405: ("method_not_allowed", "This address does not take this method."),
    413: ("body_too_large", "The request is larger than is accepted here."),
}

_MAX_FIELDS = 20


def error_body(error: AppError) -> ErrorBody:
    """What the wire says of a refusal."""
    return ErrorBody(error=error.code(), detail=error.detail, **error.extra)


def _response(status: int, body: ErrorBody, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse(body.model_dump(mode="json", exclude_none=True), status, headers)


async def _app_error(_request: Request, error: AppError) -> Response:
    headers: dict[str, str] = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after.total_seconds())))
    if error.kind is ErrorKind.UNAUTHENTICATED:
        headers["WWW-Authenticate"] = "Bearer"
    return _response(STATUS[error.kind], error_body(error), headers)


def _problem(problem: dict[str, Any]) -> FieldProblem:
    """Where and what, without the input: it may be huge, secret, or impossible to encode."""
    place = [part for part in problem["loc"] if part not in {"body", "query", "path", "header"}]
    path = ".".join(str(part) for part in place).encode("utf-8", "replace").decode()
    return FieldProblem(path=path[:100], message=str(problem["msg"])[:200])


async def _not_of_the_schema(_request: Request, error: RequestValidationError) -> Response:
    problems = [_problem(dict(problem)) for problem in error.errors()[:_MAX_FIELDS]]
    body = ErrorBody(
        error="invalid_request", detail="The request is not of the expected form.", fields=problems
    )
    return _response(422, body)


async def _framework(_request: Request, error: HTTPException) -> Response:
    code, detail = _FRAMEWORK.get(error.status_code, ("refused", "The request was refused."))
    status = 422 if error.status_code == 400 else error.status_code
    return _response(status, ErrorBody(error=code, detail=detail), dict(error.headers or {}))


def body_too_large() -> HTTPException:
    """What a reader of a request's body meets when there is too much of it."""
    return HTTPException(413)


def refusal(status: int, code: str, detail: str) -> Response:
    """The answer to a request that never reaches a handler."""
    return _response(status, ErrorBody(error=code, detail=detail))


def too_late() -> Response:
    """The answer when something took longer than any request may."""
    answer = refusal(503, "took_too_long", "The helpdesk did not answer in time; try again.")
    answer.headers["Retry-After"] = "2"
    return answer


def unforeseen(error: Exception, method: str) -> Response:
    """The answer to a fault of ours; the log gets its type and place, and nobody its message."""
    get_logger("api").error("unforeseen_error", method=method, **described(error))
    return refusal(500, "internal", "Something went wrong on our side.")


def install(app: FastAPI) -> None:
    """Register the handlers."""
    app.exception_handler(AppError)(_app_error)
    app.exception_handler(RequestValidationError)(_not_of_the_schema)
    app.exception_handler(HTTPException)(_framework)
