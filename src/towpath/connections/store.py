"""The published documents of an organization, as the computation of connections reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from towpath.model.writes import DocumentVersion
from towpath.providers.contract import Vectors


@dataclass(frozen=True, slots=True)
class DocumentChunks:
    """The published chunks of one document, in the order of their ids."""

    version: DocumentVersion
    model: str
    ids: Sequence[str]
    texts: Sequence[str]
    vectors: Vectors

    @property
    def document_id(self) -> str:
        return self.version.document_id


@dataclass(frozen=True, slots=True)
class ConnectionMark:
    """A connection that a person pinned or hid, with the texts that the person saw."""

    id: str
    a_document_id: str
    b_document_id: str
    a_chunk_id: str
    b_chunk_id: str
    a_text: str
    b_text: str


class WordVectors(Protocol):
    """A static model of single words: one vector and one weight for each word.

    Implementations must be picklable: pairs are scored in a child process, which receives a copy.
    """

    def word_vectors(self, words: Sequence[str]) -> Vectors:
        """One row per word: a unit vector, or zeros for a word without a meaning, such as a number."""
        ...

    def word_weights(self, words: Sequence[str]) -> Vectors:
        """One number per word: low for frequent words of the language, about 1 for rare ones."""
        ...


class ConnectionStore(Protocol):
    """Reads the published documents, connections and marks of an organization."""

    async def document_chunks(
        self, org_id: str, document_ids: Sequence[str], model: str | None
    ) -> list[DocumentChunks]:
        """The chunks of each document, read in one statement with the document's version."""
        ...

    async def nearest_documents(
        self, org_id: str, document: DocumentChunks, rows: range, depth: int
    ) -> dict[str, float]:
        """Other documents that own one of the ``depth`` nearest chunks of any given row, with their best cosine."""
        ...

    async def republished(self, org_id: str, versions: Sequence[DocumentVersion]) -> list[str]:
        """The documents that were republished since these versions."""
        ...

    async def connected_documents(self, org_id: str, document_id: str) -> set[str]:
        """The documents that this one has connections or marks with."""
        ...

    async def marks(self, org_id: str, document_id: str) -> list[ConnectionMark]: ...

    async def sample_vectors(self, org_id: str, model: str, limit: int) -> Vectors:
        """Vectors of the first chunks by row id, which are a random sample."""
        ...
