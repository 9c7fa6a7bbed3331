"""The exceptions that the Python client raises, with the problem details of the response."""

from __future__ import annotations

from typing import Any

import httpx

from towpath.errors import NotFound, UserError


class ApiError(UserError):
    """A response with an error. ``type`` is a stable code such as `urn:towpath:not-found`."""

    def __init__(self, status: int, problem_type: str, detail: str, action: str) -> None:
        super().__init__(f"{detail} {action}".strip())
        self.status = status
        self.type = problem_type
        self.detail = detail
        self.action = action


class ApiNotFound(ApiError, NotFound):
    """404: the document, run or job does not exist in the organization of the key."""


class ConnectionFailed(UserError):
    """The server does not answer, or the connection broke."""


def check_response(response: httpx.Response) -> httpx.Response:
    """Return a successful response; raise the problem of any other."""
    if response.is_success:
        return response
    if response.status_code == 401:
        given = "is unknown or revoked" if "authorization" in response.request.headers else "is not set"
        raise ApiError(
            401,
            "urn:towpath:unauthorized",
            f"The server requires an API key, and TOWPATH_API_KEY {given}. Set it to a key that "
            "`towpath keys create` printed on the server.",
            "",
        )
    try:
        problem: dict[str, Any] = response.json()
        detail, action = str(problem["detail"]), str(problem["action"])
    except (ValueError, KeyError, TypeError):
        problem = {}
        detail = f"{response.url} answered {response.status_code}. Is it the address of a Towpath server?"
        action = ""
    kind = ApiNotFound if response.status_code == 404 else ApiError
    raise kind(response.status_code, str(problem.get("type", "about:blank")), detail, action)
