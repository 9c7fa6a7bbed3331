"""Tables of connections between chunks."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, ForeignKey, Integer, Table, Text, UniqueConstraint, text

from towpath.ledger.columns import Id, Instant, Json
from towpath.ledger.tables.metadata import metadata

connections = Table(
    "connections",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("a_chunk_id", Id, ForeignKey("chunks.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("b_chunk_id", Id, ForeignKey("chunks.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("a_document_id", Id, nullable=False, index=True),
    Column("b_document_id", Id, nullable=False, index=True),
    # The probability that the chunks belong together; for an edition the share of the text in both documents.
    Column("score", Float, nullable=False),
    # edition, quotation, same_subject or same_entity
    Column("kind", Text, nullable=False),
    Column("similarity", Float),
    Column("shared_terms", Json, nullable=False, server_default=text("'[]'")),
    Column("shared_identifiers", Json, nullable=False, server_default=text("'[]'")),
    Column("pinned", Boolean, nullable=False, server_default=text("false")),
    Column("hidden", Boolean, nullable=False, server_default=text("false")),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("a_chunk_id", "b_chunk_id"),
)

# What the scores of a chunk's pairs need of the whole library, as of the last time its document was connected.
chunk_profiles = Table(
    "chunk_profiles",
    metadata,
    Column("chunk_id", Id, ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("neighbour_similarity", Float, nullable=False),
    Column("term_norm", Float, nullable=False),
    Column("copies", Integer, nullable=False),
)

# Pins and hides, with the texts of both chunks when they were marked. A connection is deleted with its chunks; its
# mark is kept and moves to the new chunk if the text changed only a little.
connection_marks = Table(
    "connection_marks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("a_document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("b_document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("a_chunk_id", Id, nullable=False),
    Column("b_chunk_id", Id, nullable=False),
    Column("a_text", Text, nullable=False),
    Column("b_text", Text, nullable=False),
    Column("pinned", Boolean, nullable=False, server_default=text("false")),
    Column("hidden", Boolean, nullable=False, server_default=text("false")),
    Column("updated_at", Instant, nullable=False),
)
