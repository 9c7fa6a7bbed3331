"""Writes that a stage returns; the ledger applies them in the transaction that completes the stage's job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from towpath.model.content import Chunk, Field
from towpath.model.document import NewDocument
from towpath.model.field_schema import SchemaField
from towpath.model.json_types import Json


@dataclass(frozen=True, slots=True)
class KeepArtifact:
    """Records that a blob belongs to the document, so that deleting the document deletes it."""

    kind: str
    key: str
    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class StoreAnswer:
    """Stores the answer of a brief provider call (`stages/contract.py`)."""

    key: str
    provider: str
    model: str
    answer: Json | None
    #: The blob of a large answer.
    artifact: str | None
    units: Mapping[str, float]
    cost: float
    started_at: datetime
    answered_at: datetime


@dataclass(frozen=True, slots=True)
class DropArtifact:
    """Records that a temporary blob was deleted."""

    key: str


@dataclass(frozen=True, slots=True)
class DropOriginal:
    """Records that the original file was deleted because the setting keep_original says so."""


@dataclass(frozen=True, slots=True)
class EncodedSegment:
    """A segment of the word index (`text/word_index_segment.py`): its header; postings and positions of each page."""

    chunks: int
    length: int
    header: bytes
    pages: Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Publish:
    """Replaces all chunks of the document at once; search sees either the old ones or the new ones."""

    chunks: Sequence[Chunk]
    vectors: npt.NDArray[np.float32]
    model: str
    fields: Sequence[Field]
    summary: Mapping[str, object] = field(default_factory=dict[str, object])
    #: The word index of the chunks; None if the ledger has to make it.
    words: EncodedSegment | None = None
    #: The blob of the text. None if the results of the run's stages name it, which are stored before.
    markdown: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentPublication:
    """A document as published by one run; another run makes another version."""

    document_id: str
    run_id: str | None


@dataclass(frozen=True, slots=True)
class Connection:
    """Two chunks of different documents, stored once: ``a`` is the one with the smaller id."""

    a_chunk_id: str
    b_chunk_id: str
    #: The probability that the chunks belong together; for an edition the share of the text that both documents have.
    score: float
    kind: str
    #: The cosine of the chunks' vectors; for an edition the same as the score.
    similarity: float
    shared_terms: Sequence[str] = ()
    shared_identifiers: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ChunkProfile:
    """What the library tells about a chunk: needed to score its pairs, stored when its document is connected."""

    #: The mean cosine to the nearest chunks of other documents after the first few.
    neighbour_similarity: float
    #: The length of the vector of term weights.
    term_norm: float
    #: The number of other documents that have most of this text.
    copies: int


@dataclass(frozen=True, slots=True)
class MovedMark:
    """Moves a person's pin or hide to the chunk that replaced the one they saw."""

    mark_id: str
    a_document_id: str
    b_document_id: str
    a_chunk_id: str
    b_chunk_id: str
    a_text: str
    b_text: str


@dataclass(frozen=True, slots=True)
class ConnectionDiff:
    """All connections of a document with one other document; stored ones that are not among them are deleted."""

    other: DocumentPublication
    connections: Sequence[Connection]
    moved_marks: Sequence[MovedMark] = ()


@dataclass(frozen=True, slots=True)
class Connect:
    """Brings the connections of one document with some others up to date.

    It applies only to the versions that were compared: a newer version has its own `connect` job, so diffs with an
    older version are skipped.
    """

    document: DocumentPublication
    diffs: Sequence[ConnectionDiff]
    at: datetime
    #: By id of a chunk of the document.
    profiles: Mapping[str, ChunkProfile] = field(default_factory=dict[str, ChunkProfile])


@dataclass(frozen=True, slots=True)
class StoreNextVectors:
    """Stores vectors of the library's next model. When no chunk lacks one, the next model becomes its model."""

    model: str
    chunk_ids: Sequence[str]
    vectors: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ChildDocument:
    """A file found inside a document: an attachment or the member of an archive. Its bytes are in blob storage."""

    document: NewDocument
    #: Its name inside the parent, with folders.
    path: str
    #: The run plan of the ledger; stages only pass it on.
    plan: object


@dataclass(frozen=True, slots=True)
class AddChildren:
    """Submits the children of a document and links them to it. A child that the organization has is only linked."""

    children: Sequence[ChildDocument]
    at: datetime


@dataclass(frozen=True, slots=True)
class StoreSchemaFields:
    """Replaces the values of some schemas in a document; other fields stay.

    A follow-up of an older run than the published one writes nothing: the newer run has its own.
    """

    #: None if the document has no schema: its values of ``replaced`` schemas are deleted.
    schema: str | None
    fields: Sequence[SchemaField]
    replaced: Sequence[str]


Write = (
    KeepArtifact
    | StoreAnswer
    | DropArtifact
    | DropOriginal
    | Publish
    | Connect
    | AddChildren
    | StoreNextVectors
    | StoreSchemaFields
)
