"""Tables of what was made of documents: artifacts, fields, chunks and vectors."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)

from towpath.ledger.columns import Id, Instant, Json, Serial, Vector
from towpath.ledger.tables.metadata import metadata

artifacts = Table(
    "artifacts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("run_id", Id, nullable=False),
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("org_id", "key"),
)

document_fields = Table(
    "document_fields",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("org_id", Id, nullable=False),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("anchor", Json, nullable=False),
    # The field schema of a value that a field extractor found; null for fields that are found locally.
    Column("schema", Text),
    # Whether the quotation of such a value is in the text.
    Column("verified", Boolean),
)

# Field schemas of an organization; the shipped ones and those of the settings folder are files.
field_schemas = Table(
    "field_schemas",
    metadata,
    Column("org_id", Id, ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("document", Json, nullable=False),
    Column("updated_at", Instant, nullable=False),
)

# Values that people gave to fields. Publishing replaces `document_fields` and leaves these rows; `field_edits.py` in
# queries says which field an edit belongs to. `extracted_value` is the value at the time of the edit.
field_edits = Table(
    "field_edits",
    metadata,
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("org_id", Id, nullable=False),
    Column("value", Text, nullable=False),
    Column("extracted_value", Text),
    Column("edited_by", Text, nullable=False),
    Column("edited_at", Instant, nullable=False),
)

chunks = Table(
    "chunks",
    metadata,
    Column("id", Id, primary_key=True),
    # The first 63 bits of the id: full-text search on SQLite needs an integer for each chunk.
    Column("number", BigInteger, nullable=False, unique=True),
    Column("org_id", Id, nullable=False),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("anchor", Json, nullable=False),
    Column("vector", Vector),
    Column("model", Text),
    Column("dimension", Integer),
    Index("ix_chunks_org", "org_id"),
)

# The embedding model that answers searches, and the one that replaces it once every chunk has a vector of it.
library_models = Table(
    "library_models",
    metadata,
    Column("org_id", Id, primary_key=True),
    Column("model", Text, nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("next_model", Text),
    Column("next_dimension", Integer),
    Column("updated_at", Instant),
)

next_vectors = Table(
    "next_vectors",
    metadata,
    Column("chunk_id", Id, ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
    Column("org_id", Id, nullable=False, index=True),
    Column("model", Text, nullable=False),
    Column("vector", Vector, nullable=False),
)
