"""Keeps what `prepare_document` computed in memory, for the later stages of the run.

A stage that finds nothing here computes its result itself: after a restart, or when another worker continues the run.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from towpath.model.codec import decode_chunks
from towpath.model.content import Chunk
from towpath.model.writes import EncodedSegment
from towpath.providers.contract import Embedder, Vectors

#: Documents that are kept: more than a worker processes at a time.
MAX_DOCUMENTS = 64
#: Up to this size a text is chunked and indexed by the call that reads it.
MAX_BYTES = 65_536

#: The parts of the results of `extract` and `chunk` that identify what was prepared.
_TEXT = ("extraction", "markdown")
_CHUNKS = ("chunks", "fields", "summary", "content")


@dataclass(slots=True)
class PreparedDocument:
    """The results of `chunk`, the word index and perhaps the vectors of one text."""

    markdown: bytes
    chunks_body: bytes
    fields_body: bytes
    summary: Mapping[str, object]
    words: EncodedSegment
    model: str | None = None
    #: The vectors of the chunks by this model, with full precision; None if there is no model or the text is long.
    vectors: bytes | None = None
    _chunks: list[Chunk] | None = field(default=None)

    def vectors_of(self, embedder: Embedder) -> Vectors | None:
        """The vectors of the chunks, if they are those of this embedder."""
        if self.vectors is None or self.model != embedder.model:
            return None
        return np.frombuffer(self.vectors, np.float32).reshape(-1, embedder.dimension)

    def chunks(self) -> list[Chunk]:
        if self._chunks is None:
            self._chunks = decode_chunks(self.chunks_body, self.markdown)
        return self._chunks


@dataclass(slots=True)
class _Entry:
    document: PreparedDocument
    text: Mapping[str, object]
    #: The result of the stage `chunk`; None before it has used the document.
    chunks: Mapping[str, object] | None = None


class PreparedDocuments:
    """The last prepared documents of this process, by run.

    A document is found only with the stored result from which, or into which, it was made: an own stage of a package
    may make another text of the document, or other chunks.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    def put(self, run_id: str, extracted: Mapping[str, object], document: PreparedDocument) -> None:
        """Keep the document that was prepared by the call that made the result of `extract`."""
        self._entries[run_id] = _Entry(document, extracted)
        while len(self._entries) > MAX_DOCUMENTS:
            self._entries.popitem(last=False)

    def find_by_text(self, run_id: str, text: Mapping[str, object]) -> PreparedDocument | None:
        """The document prepared from this text; ``text`` is the result of the stage that made it."""
        entry = self._entries.get(run_id)
        return entry.document if entry is not None and _equal(entry.text, text, _TEXT) else None

    def set_chunks(self, run_id: str, chunked: Mapping[str, object]) -> None:
        """``chunked``, a result of `chunk`, has the chunks, fields and summary of the document of this run."""
        if (entry := self._entries.get(run_id)) is not None:
            entry.chunks = chunked

    def find_by_chunks(self, run_id: str, chunked: Mapping[str, object]) -> PreparedDocument | None:
        """The document with these chunks, fields and summary; ``chunked`` is the result of the stage `chunk`."""
        entry = self._entries.get(run_id)
        if entry is None or entry.chunks is None:
            return None
        return entry.document if _equal(entry.chunks, chunked, _CHUNKS) else None

    def remove(self, run_id: str) -> None:
        self._entries.pop(run_id, None)


def _equal(known: Mapping[str, object], result: Mapping[str, object], names: tuple[str, ...]) -> bool:
    return all(name in result and known.get(name) == result[name] for name in names)
