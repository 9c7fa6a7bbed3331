"""Versions of documents that have a key: the same document, with the bytes of one upload each."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from towpath.errors import UserError
from towpath.model.json_types import Json

MAX_KEY_LENGTH = 500


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """One version. The numbers of chunks are those of its first publication; None if it was never published."""

    number: int
    name: str
    kind: str
    media_type: str
    size: int
    sha256: str
    blob_key: str
    created_at: datetime
    #: The run that published it last; if there is none, its first run.
    run_id: str | None
    #: PROCESSING, COMPLETED, FAILED, TIMED_OUT or CANCELLED.
    status: str
    content_key: str | None = None
    chunks_added: int | None = None
    chunks_removed: int | None = None
    chunks_kept: int | None = None


def clean_key(text: str | None) -> str | None:
    """The key without blanks around it; None if it is empty. Raises UserError if it is not valid."""
    key = unicodedata.normalize("NFC", text or "").strip()
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in key):
        raise UserError("A key has no control characters.")
    if len(key) > MAX_KEY_LENGTH:
        raise UserError(f"A key has at most {MAX_KEY_LENGTH} characters.")
    return key or None


def version_of(options: Json) -> int:
    """The version of the document that a run with these options processes."""
    document = cast("Mapping[str, Any]", options.get("document") or {})
    return int(document.get("version", 1))


def with_version(options: Json, number: int, blob_key: str) -> Json:
    """The options of a run that processes this version, whose bytes are at this key."""
    document = options.get("document")
    if not isinstance(document, Mapping):
        return {**options, "document": {"version": number, "blob_key": blob_key}}
    known = cast("Mapping[str, object]", document)
    # Without a number it is the first version: so the options of documents without a key stay as they were.
    numbered = {"version": number} if number > 1 else {}
    return {**options, "document": {**known, **numbered, "blob_key": blob_key}}
