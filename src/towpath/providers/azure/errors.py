"""Translates error answers of Document Intelligence into ``towpath.errors``.

The service reports codes: a general outer one ("InvalidRequest") and an exact inner one
("InvalidContentLength"). A failed analysis has HTTP status 200, so errors are classified by code
first and by status only if there is no code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

from towpath.errors import (
    AccountRefused,
    OperationLost,
    Refused,
    Rejected,
    Throttled,
    TowpathError,
    Transient,
)
from towpath.providers.error_response_body import body_head

PROVIDER = "azure-document-intelligence"

_BAD_INPUT: Mapping[str, tuple[str, str]] = {
    "InvalidContent": (
        "corrupt",
        "Document Intelligence cannot open this file: it is damaged, protected by a password or of a format"
        " it does not read. Send an intact, unprotected copy.",
    ),
    "InvalidContentLength": (
        "too_large",
        "The file is larger than Document Intelligence accepts (500 MB, or 4 MB on the free tier). Split it.",
    ),
    "InvalidContentDimensions": (
        "bad_dimensions",
        "A page is too small or too large for Document Intelligence (50 to 10,000 pixels a side)."
        " Send it at another resolution.",
    ),
    "UnsupportedContent": (
        "unsupported",
        "Document Intelligence does not read this kind of file. Convert it to PDF.",
    ),
    "UnsupportedMediaType": (
        "unsupported",
        "Document Intelligence does not read this kind of file. Convert it to PDF.",
    ),
}
_BAD_SETTINGS = {
    "InvalidArgument",
    "InvalidParameter",
    "InvalidParameterLength",
    "ModelNotFound",
    "ModelNotReady",
    "NotSupportedApiVersion",
    "ParameterMissing",
}
_TRANSIENT = {
    "ContentSourceNotAccessible",
    "ContentSourceTimeout",
    "InternalServerError",
    "ServiceUnavailable",
}


@dataclass(frozen=True, slots=True)
class ServiceError:
    """An error of the service: its codes from the most general to the most exact, and its message."""

    codes: tuple[str, ...] = ()
    message: str = ""

    @staticmethod
    def parse(error: object) -> ServiceError:
        """Parse an ``error`` object and the errors nested in it."""
        codes: list[str] = []
        message = ""
        while isinstance(error, dict):
            fields = cast(dict[str, Any], error)
            codes.append(str(fields.get("code", "")))
            message = str(fields.get("message") or message)
            error = fields.get("innererror")
        return ServiceError(tuple(codes), message)

    @staticmethod
    def parse_body(body: bytes) -> ServiceError:
        """Parse a response body. The error page of a gateway has no codes and gives an empty error."""
        try:
            return ServiceError.parse(json.loads(body)["error"])
        except (ValueError, KeyError, TypeError):
            return ServiceError()


def error_from_response(status: int, headers: Mapping[str, str], body: bytes) -> TowpathError:
    """Translate an HTTP error answer."""
    service_error = ServiceError.parse_body(body)
    message = service_error.message or f"HTTP {status} {body_head(body)}".strip()
    if status in (401, 403):
        return AccountRefused(
            f"Document Intelligence refused the key or its permissions. Check endpoint and key. {message}"
        )
    if status == 429:
        return Throttled(f"Document Intelligence rate limit reached: {message}", retry_after(headers))
    if status == 503 and (seconds := retry_after(headers)) is not None:
        return Throttled(f"Document Intelligence is unavailable: {message}", seconds)
    if status == 408 or status >= 500:
        return Transient(f"Document Intelligence failed (HTTP {status}): {message}")
    if status == 413:
        service_error = ServiceError(("InvalidContentLength",), message)
    if status == 415:
        service_error = ServiceError(("UnsupportedMediaType",), message)
    return _by_code(service_error) or (
        Refused(f"Document Intelligence does not know this model or URL. Check endpoint and model. {message}")
        if status == 404
        else Rejected("provider_rejected", f"Document Intelligence rejected this file: {message}", PROVIDER)
    )


def from_failed_analysis(state: str, error: object) -> TowpathError:
    """Translate the end of an analysis that has no result."""
    service_error = ServiceError.parse(error)
    message = service_error.message or "No reason was given."
    if state == "skipped":
        return Rejected("skipped", f"Document Intelligence skipped this file: {message}", PROVIDER)
    return _by_code(service_error) or OperationLost(
        f"The analysis ended with status '{state}' and must be started again. {message}"
    )


def no_token(message: str) -> AccountRefused:
    """The identity of this machine gives no token for the service."""
    return AccountRefused(f"Azure gave no token for Document Intelligence: {message}")


def expired_operation(operation: str) -> OperationLost:
    """The service deletes results 24 hours after they are ready and answers 404 afterwards."""
    return OperationLost(
        f"The analysis {operation} has expired: Document Intelligence keeps results for 24 hours."
        " It must be started again."
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait according to the header Retry-After, which holds a number or a date."""
    value = headers.get("Retry-After")
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _by_code(service_error: ServiceError) -> TowpathError | None:
    for code in reversed(service_error.codes):
        if code in _BAD_INPUT:
            return Rejected(*_BAD_INPUT[code], PROVIDER)
        if code in _BAD_SETTINGS:
            return Refused(f"Document Intelligence rejected the settings: {service_error.message}")
        if code in _TRANSIENT:
            return OperationLost(
                f"Document Intelligence could not finish the analysis: {service_error.message}"
            )
    return None
