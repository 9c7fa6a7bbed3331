"""Translates error answers of SpeechKit into ``towpath.errors``. REST answers carry gRPC codes too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from towpath.errors import AccountRefused, OperationLost, Rejected, Throttled, TowpathError, Transient
from towpath.providers.error_response_body import body_head

PROVIDER = "yandex-speechkit"

_INVALID_ARGUMENT, _PERMISSION_DENIED, _RESOURCE_EXHAUSTED, _UNAUTHENTICATED = 3, 7, 8, 16
_GRPC_BY_HTTP_STATUS = {400: 3, 401: 16, 403: 7, 413: 3, 429: 8}


@dataclass(frozen=True, slots=True)
class ServiceError:
    """An error of the service: its gRPC code (0 if there is none) and its message."""

    code: int = 0
    message: str = ""

    @staticmethod
    def parse(error: Mapping[str, Any]) -> ServiceError:
        """Parse an error object. Recognition names the code ``grpcCode``, the operation service ``code``."""
        return ServiceError(
            int(error.get("grpcCode") or error.get("code") or 0), str(error.get("message") or "")
        )

    @staticmethod
    def parse_body(body: bytes) -> ServiceError:
        """Parse a response body. The error page of a gateway gives an empty error."""
        try:
            answer: Any = json.loads(body)
            return ServiceError.parse(answer.get("error") or answer)
        except (ValueError, AttributeError, TypeError):
            return ServiceError()


def error_from_response(status: int, headers: Mapping[str, str], body: bytes) -> TowpathError:
    """Translate an HTTP error answer."""
    service_error = ServiceError.parse_body(body)
    if status == 503 and (wait := _seconds(headers.get("Retry-After"))) is not None:
        return Throttled(f"SpeechKit is unavailable. {service_error.message}".strip(), wait)
    code = _GRPC_BY_HTTP_STATUS.get(status, service_error.code)
    return _by_code(
        code,
        service_error.message or f"HTTP {status} {body_head(body)}".strip(),
        _seconds(headers.get("Retry-After")),
    )


def from_failed_operation(error: Mapping[str, Any]) -> TowpathError:
    """Translate the end of a recognition that has no transcript."""
    service_error = ServiceError.parse(error)
    translated = _by_code(service_error.code, service_error.message, None)
    if isinstance(translated, Throttled | Transient):
        return OperationLost(f"The recognition failed and must be started again. {service_error.message}")
    return translated


def expired_operation(operation: str) -> OperationLost:
    """SpeechKit deletes transcripts after 3 days and answers 404 afterwards."""
    return OperationLost(
        f"The recognition {operation} has expired: SpeechKit keeps transcripts for 3 days."
        " It must be started again."
    )


def _by_code(code: int, message: str, retry_after: float | None) -> TowpathError:
    if code in (_UNAUTHENTICATED, _PERMISSION_DENIED):
        return AccountRefused(
            "SpeechKit refused the key or its permissions. The key must be that of a service account with the"
            f" role ai.speechkit-stt.user. {message}"
        )
    if code == _RESOURCE_EXHAUSTED:
        return Throttled(f"SpeechKit rate limit reached. {message}", retry_after)
    if code == _INVALID_ARGUMENT:
        return Rejected("provider_rejected", f"SpeechKit rejected this recording. {message}", PROVIDER)
    return Transient(f"SpeechKit failed. {message}")


def _seconds(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None
