"""Tables of organizations, their keys and the audit log."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Table, Text, text

from towpath.ledger.columns import Id, Instant, Json, Serial
from towpath.ledger.tables.metadata import metadata

organizations = Table(
    "organizations",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, ForeignKey("organizations.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    Column("created_at", Instant, nullable=False),
    Column("last_used_at", Instant),
    Column("revoked_at", Instant),
    # Names of scopes, separated by blanks.
    Column("scopes", Text, nullable=False, server_default=text("'read write'")),
    Column("expires_at", Instant),
    # Stages that a key with the scope `worker` may claim, separated by blanks; NULL is every stage.
    Column("stages", Text),
)

# No foreign keys: the row stays when the document, the key or the organization is deleted.
audit = Table(
    "audit",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("org_id", Id, nullable=False),
    Column("at", Instant, nullable=False),
    Column("action", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("actor_name", Text, nullable=False),
    Column("key_id", Id),
    Column("address", Text),
    Column("subject", Text),
    Column("detail", Json, nullable=False),
    Index("ix_audit_org", "org_id", "id"),
)
