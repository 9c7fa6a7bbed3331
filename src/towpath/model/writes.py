"""Writes that a stage returns; the ledger applies them in the transaction that completes the stage's job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from towpath.model.content import Chunk, Field


@dataclass(frozen=True, slots=True)
class KeepArtifact:
    """Records that a blob belongs to the document, so that deleting the document deletes it."""

    kind: str
    key: str
    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DropArtifact:
    """Records that a temporary blob was deleted."""

    key: str


@dataclass(frozen=True, slots=True)
class DropOriginal:
    """Records that the original file was deleted because the setting keep_original says so."""


@dataclass(frozen=True, slots=True)
class Publish:
    """Replaces all chunks of the document at once; search sees either the old ones or the new ones."""

    chunks: Sequence[Chunk]
    vectors: npt.NDArray[np.float32]
    model: str
    fields: Sequence[Field]
    summary: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A document as published by one run; another run makes another version."""

    document_id: str
    run_id: str | None


@dataclass(frozen=True, slots=True)
class Connection:
    """Two chunks of different documents, stored once: ``a`` is the one with the smaller id."""

    a_chunk_id: str
    b_chunk_id: str
    score: float
    kind: str
    reason: str


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
    """The connections of a document with one other document. Stored connections that are not ``valid`` are deleted.

    Connections in ``refreshed`` are updated if they are stored, but not created.
    """

    other: DocumentVersion
    connections: Sequence[Connection]
    valid: frozenset[tuple[str, str]]
    moved_marks: Sequence[MovedMark] = ()
    refreshed: Sequence[Connection] = ()


@dataclass(frozen=True, slots=True)
class Connect:
    """Brings the connections of one document with some others up to date.

    It applies only to the versions that were compared: a newer version has its own `connect` job, so diffs with an
    older version are skipped.
    """

    document: DocumentVersion
    diffs: Sequence[ConnectionDiff]
    at: datetime


Write = KeepArtifact | DropArtifact | DropOriginal | Publish | Connect
