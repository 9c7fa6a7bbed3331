"""SpeechKit's refusals in our own words. It speaks in gRPC codes, also over REST."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from towpath.errors import AccountRefused, OperationLost, Rejected, Throttled, TowpathError, Transient

_INVALID_ARGUMENT, _PERMISSION_DENIED, _RESOURCE_EXHAUSTED, _UNAUTHENTICATED = 3, 7, 8, 16
_GRPC_OF_HTTP = {400: 3, 401: 16, 403: 7, 413: 3, 429: 8}


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the service said: its gRPC code (0 where there is none) and its own sentence."""

    code: int = 0
    message: str = ""

    @staticmethod
    def of(error: Mapping[str, Any]) -> Complaint:
        """Recognition calls the code ``grpcCode``, the operation service ``code``."""
        return Complaint(
            int(error.get("grpcCode") or error.get("code") or 0), str(error.get("message") or "")
        )

    @staticmethod
    def in_body(body: bytes) -> Complaint:
        """Read a response body; a gateway's own page gives an empty complaint."""
        try:
            answer: Any = json.loads(body)
            return Complaint.of(answer.get("error") or answer)
        except (ValueError, AttributeError, TypeError):
            return Complaint()

    @property
    def not_ready(self) -> bool:
        return "not ready" in self.message


def from_response(status: int, headers: Mapping[str, str], body: bytes) -> TowpathError:
    """The error that an HTTP answer other than success means."""
    complaint = Complaint.in_body(body)
    code = _GRPC_OF_HTTP.get(status, complaint.code)
    return _by_code(code, complaint.message or f"HTTP {status}", _seconds(headers.get("Retry-After")))


def from_failed_operation(error: Mapping[str, Any]) -> TowpathError:
    """The error that a recognition which ended without a transcript means; it will not recover."""
    complaint = Complaint.of(error)
    found = _by_code(complaint.code, complaint.message, None)
    if isinstance(found, Throttled | Transient):
        return OperationLost(f"The recognition failed and has to be started again. {complaint.message}")
    return found


def expired(operation: str) -> OperationLost:
    """Transcripts are kept for 3 days; afterwards the operation is not found."""
    return OperationLost(
        f"The recognition {operation} has expired: SpeechKit keeps transcripts for 3 days."
        " It has to be started again."
    )


def _by_code(code: int, said: str, retry_after: float | None) -> TowpathError:
    if code in (_UNAUTHENTICATED, _PERMISSION_DENIED):
        return AccountRefused(
            "SpeechKit refused the key or its permissions. The key must be that of a service account with the"
            f" role ai.speechkit-stt.user. {said}"
        )
    if code == _RESOURCE_EXHAUSTED:
        return Throttled(f"SpeechKit asks to slow down. {said}", retry_after)
    if code == _INVALID_ARGUMENT:
        return Rejected("provider_rejected", f"SpeechKit will not work on this recording. {said}")
    return Transient(f"SpeechKit has a fault of its own. {said}")


def _seconds(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None
