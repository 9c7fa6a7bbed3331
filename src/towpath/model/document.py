"""Documents and the artifacts that stages store for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from towpath.model.json_types import Json


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document to submit. Its bytes are already in blob storage at ``blob_key``."""

    org_id: str
    name: str
    kind: str
    media_type: str
    size: int
    sha256: str
    blob_key: str


@dataclass(frozen=True, slots=True)
class Document:
    """A stored document. ``size`` is in bytes."""

    id: str
    org_id: str
    kind: str
    name: str
    media_type: str
    size: int
    sha256: str
    blob_key: str
    status: str
    searchable: bool
    summary: Json
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Artifact:
    """A stored result of a stage, in blob storage."""

    kind: str
    key: str
    media_type: str
    size: int
    sha256: str
