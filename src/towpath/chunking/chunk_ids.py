"""Makes deterministic chunk ids from the document id and the text of the chunk."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter

#: Blanks and line breaks are ignored: a paragraph that is wrapped differently keeps its id.
_WHITESPACE = b" \t\n\v\f\r"


class ChunkIdGenerator:
    """Makes the chunk ids of one document in order; the n-th chunk with the same text gets its own id."""

    def __init__(self, document_id: str) -> None:
        self._document = hashlib.sha256(document_id.encode()).digest()
        self._occurrences: Counter[bytes] = Counter()

    def next_id(self, text: str) -> str:
        content = text.encode("utf-8", "surrogatepass").translate(None, _WHITESPACE)
        digest = hashlib.sha256(self._document + content).digest()
        occurrence = self._occurrences[digest]
        self._occurrences[digest] += 1
        id_digest = hashlib.sha256(digest + occurrence.to_bytes(8, "big")).digest()
        return str(uuid.UUID(bytes=id_digest[:16], version=5))
