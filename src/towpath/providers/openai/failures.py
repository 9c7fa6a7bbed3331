"""OpenAI's refusals in our own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from towpath.errors import AccountRefused, Ambiguous, Refused, Rejected, Throttled, TowpathError, Transient

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAIError

# The SDK sits on httpx or, from version 3 on, on httpx2: the names of their errors are the same.
_NOT_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "WriteError", "WriteTimeout", "ProxyError"}
_TOO_LONG_CODES = {"context_length_exceeded", "max_tokens_per_request", "array_above_max_length"}
_TOO_LONG = re.compile(r"maximum (context|input) length|tokens per request|too long|context window")
_SETTINGS = {"model", "dimensions", "encoding_format", "response_format", "max_completion_tokens"}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def translate(error: OpenAIError) -> TowpathError:
    """The error of ours that an exception of the SDK means."""
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, APIStatusError):
        return _from_status(error)
    if isinstance(error, APIConnectionError):
        cause = type(error.__cause__).__name__
        if cause in _NOT_SENT:
            return Transient(f"OpenAI could not be reached ({cause}).")
        return Ambiguous(
            f"OpenAI did not answer ({cause}). The request had been sent: it may have been paid for."
        )
    return Ambiguous(f"OpenAI gave an answer that cannot be understood: {error}")


def _from_status(error: APIStatusError) -> TowpathError:
    status, said = error.status_code, error.message
    if error.code == "insufficient_quota":
        return AccountRefused(
            f"The OpenAI account has no credit left or has reached its limit. Top it up or raise it. {said}"
        )
    if status in (401, 403):
        return AccountRefused(
            f"OpenAI refused the key or its permissions. Check the key and its project. {said}"
        )
    if status == 429:
        return Throttled(f"OpenAI asks to slow down. {said}", retry_after(error.response.headers))
    if status in (408, 409) or status >= 500:
        return Transient(f"OpenAI has a fault of its own (HTTP {status}). {said}")
    if error.code in _TOO_LONG_CODES or status == 413 or _TOO_LONG.search(said):
        return Rejected(
            "too_long", f"The text is longer than the model accepts. Cut it into smaller parts. {said}"
        )
    if status == 404 or error.param in _SETTINGS or error.code == "model_not_found":
        return Refused(f"OpenAI does not accept the settings. Check model and address. {said}")
    if error.code in ("content_policy_violation", "content_filter"):
        return Rejected("content_policy", f"OpenAI's content policy forbids an answer to this text. {said}")
    return Rejected("provider_rejected", f"OpenAI will not work on this text. {said}")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the service asks us to wait: its exact wish, or the time until its limits are reset."""
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
    """``1m30s`` or ``6ms`` in seconds."""
    return sum(float(amount) * _SECONDS[unit] for amount, unit in _DURATION.findall(text))
