"""Document Intelligence's refusals in our own words.

The service says what is wrong by codes, the outer one broad ("InvalidRequest") and the inner one
exact ("InvalidContentLength"). A failed analysis carries them under status 200, so they are
classified by code first and by status only where no code speaks.
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
_PASSING = {"ContentSourceNotAccessible", "ContentSourceTimeout", "InternalServerError", "ServiceUnavailable"}


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the service said: its codes from the broadest to the most exact, and its own sentence."""

    codes: tuple[str, ...] = ()
    message: str = ""

    @staticmethod
    def of(error: object) -> Complaint:
        """Read an ``error`` object with the errors nested in it."""
        codes: list[str] = []
        message = ""
        while isinstance(error, dict):
            known = cast(dict[str, Any], error)
            codes.append(str(known.get("code", "")))
            message = str(known.get("message") or message)
            error = known.get("innererror")
        return Complaint(tuple(codes), message)

    @staticmethod
    def in_body(body: bytes) -> Complaint:
        """Read a response body; a gateway's own page has no codes and gives an empty complaint."""
        try:
            return Complaint.of(json.loads(body)["error"])
        except (ValueError, KeyError, TypeError):
            return Complaint()


def from_response(status: int, headers: Mapping[str, str], body: bytes) -> TowpathError:
    """The error that an HTTP answer other than success means."""
    complaint = Complaint.in_body(body)
    said = complaint.message or f"HTTP {status}"
    if status in (401, 403):
        return AccountRefused(
            f"Document Intelligence refused the key or its permissions: {said} Check endpoint and key."
        )
    if status == 429:
        return Throttled(f"Document Intelligence asks to slow down: {said}", retry_after(headers))
    if status == 408 or status >= 500:
        return Transient(f"Document Intelligence has a fault of its own (HTTP {status}): {said}")
    if status == 413:
        complaint = Complaint(("InvalidContentLength",), said)
    if status == 415:
        complaint = Complaint(("UnsupportedMediaType",), said)
    return _by_code(complaint) or (
        Refused(
            f"Document Intelligence does not know this model or address: {said} Check endpoint and model."
        )
        if status == 404
        else Rejected("provider_rejected", f"Document Intelligence will not read this file: {said}")
    )


def from_failed_analysis(state: str, error: object) -> TowpathError:
    """The error that an analysis which ended without a result means."""
    complaint = Complaint.of(error)
    said = complaint.message or "no reason was given."
    if state == "skipped":
        return Rejected("skipped", f"Document Intelligence skipped this file: {said}")
    return _by_code(complaint) or OperationLost(
        f"The analysis ended as '{state}': {said} It has to be started again."
    )


def expired(operation: str) -> OperationLost:
    """The service forgets results 24 hours after they are ready, and answers 404 from then on."""
    return OperationLost(
        f"The analysis {operation} has expired: Document Intelligence keeps results for 24 hours."
        " It has to be started again."
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the service asks us to wait; the header holds a number or a date."""
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


def _by_code(complaint: Complaint) -> TowpathError | None:
    for code in reversed(complaint.codes):
        if code in _BAD_INPUT:
            return Rejected(*_BAD_INPUT[code])
        if code in _BAD_SETTINGS:
            return Refused(f"Document Intelligence does not accept the settings: {complaint.message}")
        if code in _PASSING:
            return OperationLost(f"Document Intelligence could not finish: {complaint.message}")
    return None
