"""Tables of webhook endpoints and their deliveries."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from towpath.ledger.columns import Id, Instant, Json
from towpath.ledger.tables.metadata import metadata, partial_index

# The secrets sign messages, so they are stored as they are.
webhook_endpoints = Table(
    "webhook_endpoints",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, ForeignKey("organizations.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("events", Json, nullable=False),
    Column("description", Text, nullable=False),
    Column("secret", Text, nullable=False),
    Column("previous_secret", Text),
    Column("previous_secret_until", Instant),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
)

# One message to one endpoint. A claim raises the epoch and sets next_attempt_at to the end of the claim.
webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("endpoint_id", Id, ForeignKey("webhook_endpoints.id", ondelete="CASCADE"), nullable=False),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("run_id", Id, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("next_attempt_at", Instant),
    Column("history", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("completed_at", Instant),
    UniqueConstraint("endpoint_id", "message_id"),
    Index("ix_webhook_deliveries_newest", "endpoint_id", "id"),
    partial_index("ix_webhook_deliveries_due", "endpoint_id", "next_attempt_at", where="status = 'PENDING'"),
)
