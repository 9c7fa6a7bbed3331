"""Turns errors into RFC 9457 problem details: a stable type, a sentence, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount

from towpath.errors import (
    AnswerTimeout,
    BlobMissing,
    ConfigError,
    DatabaseFull,
    DatabaseReadOnly,
    DatabaseUnavailable,
    IllegalTransition,
    KeyConflict,
    LeaseLost,
    NotFound,
    PartMissing,
    ProviderError,
    QuestionRejected,
    Refused,
    Rejected,
    SchemaRefused,
    StorageFull,
    StorageUnavailable,
    Throttled,
    TowpathError,
    UserError,
)
from towpath.worker_protocol.contract import StageForbidden

MEDIA_TYPE = "application/problem+json"


class Problem(BaseModel):
    """RFC 9457 problem details."""

    type: str = Field(description="Stable code of the error: `urn:towpath:` and a name")
    title: str
    status: int
    detail: str = Field(description="What went wrong in this request")
    action: str = Field(description="What to do about it")
    errors: list[dict[str, object]] | None = Field(None, description="The invalid parts of the request")


PROBLEM_RESPONSE: dict[str, Any] = {"model": Problem}

# The most specific error first: status, type, title, action.
PROBLEMS_BY_ERROR: tuple[tuple[type[Exception], int, str, str, str], ...] = (
    (PartMissing, 404, "not-found", "Not found", "See the kind and the status of the document."),
    (
        NotFound,
        404,
        "not-found",
        "Not found",
        "Check the id or the name. It may belong to another organization.",
    ),
    (
        BlobMissing,
        410,
        "file-missing",
        "The stored file is missing",
        "Upload the file again, or restore it from a backup.",
    ),
    (KeyConflict, 409, "key-conflict", "The key belongs to another file", "Use a new key for a new file."),
    (
        LeaseLost,
        409,
        "lease-lost",
        "The worker no longer holds the job",
        "Stop working on this job and write nothing more about it. Claim the next one.",
    ),
    (
        IllegalTransition,
        409,
        "illegal-transition",
        "Not possible in this state",
        "Read the status again: it may have changed.",
    ),
    (
        QuestionRejected,
        422,
        "question-rejected",
        "The chat model refuses to answer",
        "Ask in other words.",
    ),
    (SchemaRefused, 422, "schema-refused", "The schema cannot be used", "Change the schema."),
    (
        StageForbidden,
        403,
        "stage-forbidden",
        "Not allowed for this stage",
        "Use a key for this stage, or claim other stages.",
    ),
    (ConfigError, 503, "misconfigured", "The server's settings are incomplete", "Ask the operator."),
    (UserError, 400, "bad-request", "The request cannot be carried out", "Correct the request."),
    (
        DatabaseFull,
        507,
        "storage-full",
        "No disk space left",
        "Delete documents or make the disk larger, then try again.",
    ),
    (
        StorageFull,
        507,
        "storage-full",
        "No disk space left",
        "Delete documents or make the disk larger, then try again.",
    ),
    (DatabaseReadOnly, 503, "database-read-only", "The database accepts no writes", "Try again later."),
    (DatabaseUnavailable, 503, "database-unavailable", "The database does not answer", "Try again later."),
    (StorageUnavailable, 503, "storage-unavailable", "The blob storage does not answer", "Try again later."),
    (AnswerTimeout, 504, "answer-timeout", "The answer takes too long", "Ask again, or ask the operator."),
    (
        Throttled,
        503,
        "provider-throttled",
        "The provider accepts no more calls now",
        "Try again after the seconds of the header Retry-After.",
    ),
    (
        Refused,
        502,
        "provider-refused",
        "The provider refuses the call",
        "Ask the operator to check the settings of the provider.",
    ),
    (ProviderError, 502, "provider-failed", "The provider failed", "Try again later."),
)
PROBLEMS_BY_STATUS: Mapping[int, tuple[str, str, str]] = {
    400: ("bad-request", "The request cannot be read", "Correct the request."),
    401: ("unauthorized", "An API key is required", "Send `Authorization: Bearer <key>`."),
    403: ("forbidden", "Not allowed", "Use a key with this scope, or ask the operator."),
    404: ("not-found", "Not found", "Check the address."),
    405: ("method-not-allowed", "Method not allowed", "See /docs for the supported methods."),
    408: ("request-timeout", "The request came too slowly", "Send it again."),
    413: ("too-large", "The request is too large", "Send less, or raise the limit in the settings."),
    507: ("quota-exceeded", "The organization's storage is full", "Delete documents, or ask the operator."),
    503: ("unavailable", "Not ready", "Try again later."),
    416: ("range-not-satisfiable", "Range not satisfiable", "Request a range inside the file."),
}


def problem(
    status: int, problem_type: str, title: str, detail: str, action: str, **extra: object
) -> JSONResponse:
    body = {
        "type": f"urn:towpath:{problem_type}",
        "title": title,
        "status": status,
        "detail": detail,
        "action": action,
    }
    return JSONResponse(jsonable_encoder(body | extra), status, media_type=MEDIA_TYPE)


def add_exception_handlers(app: FastAPI) -> None:
    """Register the exception handlers."""
    app.add_exception_handler(TowpathError, _towpath_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(Exception, _unexpected)


def _towpath_error(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, TowpathError)
    return towpath_problem(error)


def towpath_problem(error: TowpathError) -> JSONResponse:
    """The response for an error of Towpath."""
    if isinstance(error, Rejected):
        status = 413 if error.code == "too_large" else 422
        problem_type = error.code.replace("_", "-")
        return problem(status, problem_type, "The file was rejected", error.reason, "Upload another file.")
    for error_class, status, problem_type, title, action in PROBLEMS_BY_ERROR:
        if isinstance(error, error_class):
            response = problem(status, problem_type, title, str(error), action)
            if isinstance(error, Throttled):
                response.headers["Retry-After"] = str(ceil(error.retry_after or 15))
            return response
    return problem(
        500, "error", "Something went wrong", str(error), "Try again. If it happens again, report it."
    )


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    problem_type, title, action = PROBLEMS_BY_STATUS.get(
        error.status_code, ("error", "Error", "See the detail.")
    )
    detail = "There is nothing at this address." if error.detail == "Not Found" else str(error.detail)
    response = problem(error.status_code, problem_type, title, detail, action)
    response.headers.update(error.headers or {})
    if error.status_code == 405:
        # Starlette lists the methods of one route only; several routes may share the path.
        response.headers["Allow"] = ", ".join(_allowed_methods(request))
    return response


def _allowed_methods(request: Request) -> list[str]:
    routes = [route for route in request.app.routes if not isinstance(route, Mount)]

    def is_served(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in routes)

    return [method for method in ("DELETE", "GET", "PATCH", "POST", "PUT") if is_served(method)]


def _validation_error(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    errors = [{"where": list(item["loc"]), "message": item["msg"]} for item in error.errors()]
    detail = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
    return problem(
        422, "invalid-request", "The request is not valid", detail, "Correct these values.", errors=errors
    )


def _unexpected(_request: Request, _error: Exception) -> JSONResponse:
    return unexpected_problem()


def unexpected_problem() -> JSONResponse:
    """The response for an error that is not one of Towpath."""
    return problem(
        500,
        "unexpected",
        "Unexpected error",
        "The details are in the server's log.",
        "Try again.",
    )
