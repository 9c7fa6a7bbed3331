"""Shortens the body of an error response for error messages: one line, bounded, without keys."""

from __future__ import annotations

import re

MAX_CHARACTERS = 500

_SECRET = re.compile(
    r"(?i)\b(?:bearer|api-key|basic)\s+[\w.~+/=-]{8,}"
    r"|\bsk-[\w-]{8,}"
    r"|(?<=[\"'])?\b(?:api[-_]?key|access[-_]?token|password|secret|signature|sig)\b[\"']?\s*[=:]\s*[\"']?[^\s\"',&}]{4,}"
)
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")


def body_head(body: bytes | str, *secrets: str | None) -> str:
    """The first 500 characters of the body on one line; ``secrets`` and whatever looks like a key are masked."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    # Masked before it is cut: the cut could leave a part of a key that is not recognized.
    text = text[: 20 * MAX_CHARACTERS]
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    text = _BLANKS.sub(" ", _SECRET.sub("***", text)).strip()
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…"
