"""A passage: a chunk with its text that was found for a question."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with its whole text, and the name and kind of its document."""

    chunk_id: str
    document_id: str
    document_name: str
    document_kind: str
    ordinal: int
    text: str
    anchor: Mapping[str, object]

    @property
    def text_hash(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
