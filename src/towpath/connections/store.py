"""The published documents of an organization, as the computation of connections reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from towpath.connections.features import TermCounts
from towpath.model.writes import ChunkProfile, DocumentPublication
from towpath.providers.contract import Vectors

ConnectionKind = Literal["edition", "quotation", "same_subject", "same_entity"]


@dataclass(frozen=True, slots=True)
class DocumentChunks:
    """The published chunks of one document, or some of them, in the order of their ids."""

    version: DocumentPublication
    model: str
    ids: Sequence[str]
    texts: Sequence[str]
    vectors: Vectors
    #: By chunk id; missing if the document was never connected.
    profiles: Mapping[str, ChunkProfile]

    @property
    def document_id(self) -> str:
        return self.version.document_id

    def part(self, rows: range) -> DocumentChunks:
        """Some of the chunks."""
        selected = slice(rows.start, rows.stop)
        return replace(
            self,
            ids=self.ids[selected],
            texts=self.texts[selected],
            vectors=self.vectors[selected],
            profiles={},
        )


@dataclass(frozen=True, slots=True)
class Candidates:
    """For each chunk: numbers of similar chunks of other documents, and the cosines of the nearest, best first."""

    chunk_numbers: Sequence[frozenset[int]]
    similarities: Sequence[Sequence[float]]
    counts: TermCounts


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


class ConnectionStore(Protocol):
    """Reads the published documents, connections and marks of an organization."""

    async def document(self, org_id: str, document_id: str) -> DocumentChunks | None:
        """All chunks of a document, read in one statement with its version; None if it has none."""
        ...

    async def candidates(
        self, org_id: str, document: DocumentChunks, nearest: int, by_terms: int
    ) -> Candidates:
        """Similar chunks: the nearest vectors, and those that share rare terms."""
        ...

    async def chunks(
        self, org_id: str, document: DocumentChunks, numbers: Sequence[int], chunk_ids: Sequence[str]
    ) -> tuple[list[DocumentChunks], dict[int, str]]:
        """Chunks of other documents by number or id, grouped by document with its version; and ids by number."""
        ...

    async def texts(self, org_id: str, document_ids: Sequence[str]) -> dict[str, list[str]]:
        """The texts of whole documents, to find editions."""
        ...

    async def connected_chunks(self, org_id: str, document_id: str) -> list[tuple[str, str, str]]:
        """The stored connections of a document: its own chunk, the other one, and the other document."""
        ...

    async def republished(self, org_id: str, versions: Sequence[DocumentPublication]) -> list[str]:
        """The documents that were republished since these versions."""
        ...

    async def marks(self, org_id: str, document_id: str) -> list[ConnectionMark]: ...
