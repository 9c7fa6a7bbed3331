"""Translates exceptions of the OpenAI SDK into ``towpath.errors``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from towpath.errors import (
    AccountRefused,
    Ambiguous,
    BatchTooLarge,
    Refused,
    Rejected,
    Throttled,
    TowpathError,
    Transient,
)
from towpath.providers.error_response_body import body_head

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAIError

PROVIDER = "openai"

# The SDK uses httpx or, from version 3 on, httpx2. Both have the same exception names.
_NOT_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "WriteError", "WriteTimeout", "ProxyError"}
_TOO_LONG_CODES = {"context_length_exceeded", "max_tokens_per_request", "array_above_max_length"}
_SETTINGS = {"model", "dimensions", "encoding_format", "response_format", "max_completion_tokens"}
#: OpenAI-compatible servers have no common code for too many or too long inputs, only these statuses.
_MAY_BE_TOO_LARGE = {400, 413, 422}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def translate_error(error: OpenAIError, *, inputs: int = 1) -> TowpathError:
    """Translate an exception of the SDK. ``inputs`` is the number of texts in the request."""
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, APIStatusError):
        return _from_status(error, inputs)
    if isinstance(error, APIConnectionError):
        cause = type(error.__cause__).__name__
        if cause in _NOT_SENT:
            return Transient(f"OpenAI could not be reached ({cause}).")
        return Ambiguous(f"OpenAI did not answer ({cause}). The request had been sent, so it may be billed.")
    return Ambiguous(f"The answer of OpenAI cannot be parsed: {error}")


def _from_status(error: APIStatusError, inputs: int) -> TowpathError:
    status = error.status_code
    message = _message(error)
    if error.code == "insufficient_quota":
        return AccountRefused(
            f"The OpenAI account has no credit left or reached its limit. Add credit or raise the limit. {message}"
        )
    if status in (401, 403):
        return AccountRefused(
            f"OpenAI refused the key or its permissions. Check the key and its project. {message}"
        )
    if status == 429:
        return Throttled(f"OpenAI rate limit reached. {message}", retry_after(error.response.headers))
    if status == 503 and "retry-after" in error.response.headers:
        return Throttled(f"OpenAI is unavailable. {message}", retry_after(error.response.headers))
    if status in (408, 409) or status >= 500:
        return Transient(f"OpenAI failed (HTTP {status}). {message}")
    if status == 404 or error.param in _SETTINGS or error.code == "model_not_found":
        return Refused(f"OpenAI rejected the settings. Check model and URL. {message}")
    if error.code in ("content_policy_violation", "content_filter"):
        return Rejected(
            "content_policy",
            f"The content policy of OpenAI forbids an answer to this text. {message}",
            PROVIDER,
        )
    if inputs > 1 and status in _MAY_BE_TOO_LARGE:
        # If the size was not the reason, the halves are refused too, and the refusal of a single input is final.
        return BatchTooLarge(f"The server does not accept {inputs} inputs in one request. {message}")
    if error.code in _TOO_LONG_CODES or status == 413:
        return Rejected(
            "too_long",
            f"The text is longer than the model accepts. Set a smaller chunk size. {message}",
            PROVIDER,
        )
    return Rejected("provider_rejected", f"OpenAI rejected this text. {message}", PROVIDER)


def _message(error: APIStatusError) -> str:
    """The service's own message, or the head of the body where the SDK finds none; without the key."""
    key = error.request.headers.get("authorization", "").removeprefix("Bearer ")
    body = cast("object", error.body)
    said = cast("dict[str, object]", body).get("message") if isinstance(body, dict) else None
    return body_head(str(said) if said else error.response.text or error.message, key)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait: the Retry-After headers, or the time until the rate limits are reset."""
    if milliseconds := _number(headers.get("retry-after-ms")):
        return milliseconds / 1000
    if seconds := _number(headers.get("retry-after")):
        return seconds
    resets = [_duration(headers.get(f"x-ratelimit-reset-{kind}", "")) for kind in ("requests", "tokens")]
    return max(resets) or None


def _number(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None


def _duration(text: str) -> float:
    """Parse a duration such as ``1m30s`` or ``6ms`` as seconds."""
    return sum(float(amount) * _SECONDS[unit] for amount, unit in _DURATION.findall(text))
