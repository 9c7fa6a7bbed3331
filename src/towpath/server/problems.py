"""Errors as RFC 9457 problem details: a stable type, a sentence for a person, and what to do."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount

from towpath.errors import (
    ConfigError,
    DatabaseUnavailable,
    IllegalMove,
    KeyConflict,
    NotFound,
    Rejected,
    StorageUnavailable,
    TowpathError,
    UserError,
)

MEDIA_TYPE = "application/problem+json"


class Problem(BaseModel):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    detail: str
    action: str
    errors: list[dict[str, object]] | None = None


# Most specific first: status, stable type, title, what to do.
_PROBLEMS: tuple[tuple[type[Exception], int, str, str, str], ...] = (
    (NotFound, 404, "not-found", "Not found", "Check the id; it may belong to another organization."),
    (KeyConflict, 409, "key-conflict", "The key belongs to another file", "Use a new key for a new file."),
    (IllegalMove, 409, "illegal-move", "Not possible in this state", "Look at the status and try again."),
    (ConfigError, 503, "misconfigured", "The server is not set up for this", "Ask whoever runs the server."),
    (UserError, 400, "bad-request", "The request cannot be carried out", "Correct the request."),
    (DatabaseUnavailable, 503, "database-unavailable", "The database does not answer", "Try again soon."),
    (StorageUnavailable, 503, "storage-unavailable", "The storage cannot serve now", "Try again soon."),
)
_BY_STATUS: Mapping[int, tuple[str, str, str]] = {
    400: ("bad-request", "The request cannot be understood", "Correct the request."),
    401: ("unauthorized", "An API key is needed", "Send `Authorization: Bearer <key>`."),
    403: ("forbidden", "Not allowed", "Call the API from its own origin, or with an API key."),
    404: ("not-found", "Not found", "Check the address."),
    405: ("method-not-allowed", "This method is not allowed here", "See /docs for what is."),
    413: ("too-large", "The request is too large", "Send less, or raise the limit in the settings."),
    416: ("range-not-satisfiable", "There is nothing at that range", "Ask for a range inside the file."),
}


def problem(status: int, kind: str, title: str, detail: str, action: str, **extra: object) -> JSONResponse:
    body = {
        "type": f"urn:towpath:{kind}",
        "title": title,
        "status": status,
        "detail": detail,
        "action": action,
    }
    return JSONResponse(jsonable_encoder(body | extra), status, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    app.add_exception_handler(TowpathError, _towpath_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(Exception, _unexpected)


def _towpath_error(_request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, Rejected):
        status = 413 if error.code == "too_large" else 422
        kind = error.code.replace("_", "-")
        return problem(status, kind, "The file cannot be accepted", error.reason, "Send another file.")
    for kind_of, status, kind, title, action in _PROBLEMS:
        if isinstance(error, kind_of):
            return problem(status, kind, title, str(error), action)
    return problem(500, "error", "Something went wrong", str(error), "Try again; tell us if it stays.")


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    kind, title, action = _BY_STATUS.get(error.status_code, ("error", "Error", "See the detail."))
    answer = problem(error.status_code, kind, title, str(error.detail), action)
    answer.headers.update(error.headers or {})
    if error.status_code == 405:
        # Whoever refused the method knew its own methods only: several routes may share the address.
        answer.headers["Allow"] = ", ".join(_methods(request))
    return answer


def _methods(request: Request) -> list[str]:
    routes = [route for route in request.app.routes if not isinstance(route, Mount)]

    def served(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in routes)

    return [method for method in ("DELETE", "GET", "PATCH", "POST", "PUT") if served(method)]


def _validation_error(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    errors = [{"where": list(item["loc"]), "message": item["msg"]} for item in error.errors()]
    detail = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
    return problem(
        422, "invalid-request", "The request is not valid", detail, "Correct what is named.", errors=errors
    )


def _unexpected(_request: Request, _error: Exception) -> JSONResponse:
    return problem(
        500,
        "unexpected",
        "Something unexpected went wrong",
        "The server's log has the details.",
        "Try again.",
    )
