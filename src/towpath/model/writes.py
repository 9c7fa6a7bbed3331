"""What a stage asks to have written together with its checkpoint, in one transaction, fenced by its lease."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from towpath.model.content import Chunk, Field


@dataclass(frozen=True, slots=True)
class KeepArtifact:
    """Notes that a blob belongs to the document, so that it goes when the document goes."""

    kind: str
    key: str
    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DropArtifact:
    """Notes that a blob which was needed for a while only is gone."""

    key: str


@dataclass(frozen=True, slots=True)
class DropOriginal:
    """Notes that the original was removed, as the settings wish: what was made of it is all there is."""


@dataclass(frozen=True, slots=True)
class Publish:
    """The one switch: from here on search sees exactly these chunks and no others of the document."""

    chunks: Sequence[Chunk]
    vectors: npt.NDArray[np.float32]
    model: str
    fields: Sequence[Field]
    summary: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Version:
    """A document as it was read: published by this run. Another run, and it is to be read again."""

    document_id: str
    run_id: str | None


@dataclass(frozen=True, slots=True)
class Connection:
    """Two passages of different documents, stored once: ``a`` is the one with the smaller id."""

    a_chunk_id: str
    b_chunk_id: str
    score: float
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Carry:
    """A person's pin or hide goes over to the passage that took the place of the one they saw."""

    mark_id: str
    a_document_id: str
    b_document_id: str
    a_chunk_id: str
    b_chunk_id: str
    a_text: str
    b_text: str


@dataclass(frozen=True, slots=True)
class Between:
    """All that connects the document with one other. Connections there beside ``valid`` ones are over.

    Those of ``refreshed`` are brought up to date where they stand already, and are not made.
    """

    other: Version
    found: Sequence[Connection]
    valid: frozenset[tuple[str, str]]
    carried: Sequence[Carry] = ()
    refreshed: Sequence[Connection] = ()


@dataclass(frozen=True, slots=True)
class Connect:
    """Brings the connections of one document with some others up to date.

    It holds only for the versions that were compared. Whoever publishes a newer one compares anew,
    so what is said here of an older one is left out.
    """

    document: Version
    between: Sequence[Between]
    at: datetime


Write = KeepArtifact | DropArtifact | DropOriginal | Publish | Connect
