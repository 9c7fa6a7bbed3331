"""Documents and the artifacts that stages store for them."""

from __future__ import annotations

from dataclasses import dataclass, field
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
    #: New bytes under the same key are the next version of the document.
    key: str | None = None
    #: The number of the version; the ledger decides it when it stores the document.
    version: int = 1


@dataclass(frozen=True, slots=True)
class ContainedFile:
    """A file inside another one: its name there, with folders, and its place in the file with all of them."""

    name: str
    offset: int
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A parent or a child of a document. ``path`` is the name of the child inside the parent."""

    id: str
    name: str
    media_type: str
    status: str
    path: str


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
    #: What people added. The extracted title is in ``summary``.
    collection: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Json = field(default_factory=dict[str, object])
    edited_title: str | None = None
    title_edited_by: str | None = None
    title_edited_at: datetime | None = None
    key: str | None = None
    #: The version that name, size, sha256 and blob are of: the published one, or the newest if none was published.
    version: int = 1


@dataclass(frozen=True, slots=True)
class Artifact:
    """A stored result of a stage, in blob storage."""

    kind: str
    key: str
    media_type: str
    size: int
    sha256: str
