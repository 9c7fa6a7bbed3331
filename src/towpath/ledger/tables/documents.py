"""Tables of documents, their labels and their children."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    text,
)

from towpath.ledger.columns import Id, Instant, Json, Vector
from towpath.ledger.tables.metadata import metadata, partial_index

documents = Table(
    "documents",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, ForeignKey("organizations.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("blob_key", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("published_run_id", Id),
    Column("summary", Json, nullable=False, server_default=text("'{}'")),
    Column("vector", Vector),
    Column("vector_model", Text),
    # False for a document that exists only as a child of others; it is deleted with the last of them.
    Column("uploaded", Boolean, nullable=False, server_default=text("true")),
    # The version of the analysis in the word index; null if the document is not in it.
    Column("words_version", Integer),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    # Given by people. `edited_title` is shown instead of the extracted title, which is in `summary`.
    Column("collection", Text),
    Column("metadata", Json, nullable=False, server_default=text("'{}'")),
    Column("edited_title", Text),
    Column("title_edited_by", Text),
    Column("title_edited_at", Instant),
    # The names of a call's speakers, by the speakers of its transcript: `{"Speaker 1": {"name": …, "edited_by": …}}`.
    Column("speaker_names", Json, nullable=False, server_default=text("'{}'")),
    # Identifies the document instead of its sha256: new bytes under the same key are its next version.
    Column("key", Text),
    # The version whose name, type, size, sha256 and blob are in this row: the published one, or the newest if none
    # was published.
    Column("version", Integer, nullable=False, server_default=text("1")),
    partial_index("uq_documents_sha256", "org_id", "sha256", where="key is null", unique=True),
    partial_index("uq_documents_key", "org_id", "key", where="key is not null", unique=True),
    # The published documents whose words are to be indexed, at first those of a version before the word index.
    partial_index("ix_documents_words", "words_version", where="published_run_id is not null"),
    Index("ix_documents_newest", "org_id", "created_at", "id"),
    # For filters and their counts: rows are wide (1 kB of vector), so counts must read indexes only. Migration 0018
    # has two more, on the lower-case name and on the language in `summary`. The index on the status exists on SQLite
    # only (`schema.py`): on Postgres each change of the status would write all indexes of the row.
    Index("ix_documents_collection", "org_id", "collection", "created_at", "id"),
    Index("ix_documents_media_type", "org_id", "media_type", "kind", "created_at", "id"),
    Index("ix_documents_size", "org_id", "size", "id"),
    # Room for a second version of each row: a change of the status then writes no index.
    postgresql_with={"fillfactor": 50},
)

# The versions of documents with a key. The numbers of chunks are those of the first publication of the version.
# `content_key` is the blob of its text; it stays when the runs are pruned.
document_versions = Table(
    "document_versions",
    metadata,
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("org_id", Id, nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("blob_key", Text, nullable=False),
    Column("run_id", Id),
    # Of a version that is not the newest; the status of the newest one is the status of the document.
    Column("status", Text),
    Column("content_key", Text),
    Column("chunks_added", Integer),
    Column("chunks_removed", Integer),
    Column("chunks_kept", Integer),
    Column("created_at", Instant, nullable=False),
    # For blobs that documents share.
    Index("ix_document_versions_sha256", "org_id", "sha256"),
    Index("ix_document_versions_blob", "org_id", "blob_key"),
)

# `document_created_at` is a copy of the document's `created_at`, which never changes: with it the newest documents with
# a tag are read from the index in order.
document_tags = Table(
    "document_tags",
    metadata,
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("tag", Text, primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("document_created_at", Instant, nullable=False),
    Index("ix_document_tags_filter", "org_id", "tag", "document_created_at", "document_id"),
)

# The values of `documents.metadata` that documents can be filtered by, as text.
document_metadata = Table(
    "document_metadata",
    metadata,
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("org_id", Id, nullable=False),
    Column("document_created_at", Instant, nullable=False),
    Index("ix_document_metadata_filter", "org_id", "key", "value", "document_created_at", "document_id"),
)

# Attachments of mails and members of archives. ``path`` is the name of the child inside its parent.
document_children = Table(
    "document_children",
    metadata,
    Column("parent_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("child_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("org_id", Id, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("path", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("org_id", Id, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Instant, nullable=False),
    # The version that was uploaded with the key.
    Column("version", Integer, nullable=False, server_default=text("1")),
)
