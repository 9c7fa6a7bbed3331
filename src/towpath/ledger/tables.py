"""Every table, for both engines. Alembic's migrations are tested to build exactly this."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.sql.elements import TextClause

from towpath.ledger.columns import Id, Instant, Json, Serial, Vector

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    condition: TextClause = text(where)
    return Index(name, *columns, unique=unique, postgresql_where=condition, sqlite_where=condition)


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
)

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
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    UniqueConstraint("org_id", "sha256"),
    Index("ix_documents_newest", "org_id", "created_at", "id"),
    # Status changes with every run: room in the page keeps those updates off the indexes (HOT).
    postgresql_with={"fillfactor": 80},
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("org_id", Id, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Instant, nullable=False),
)

processing_runs = Table(
    "processing_runs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("pipeline", Text, nullable=False),
    Column("pipeline_version", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("failure_type", Text),
    Column("error", Text),
    Column("options", Json, nullable=False, server_default=text("'{}'")),
    Column("resumes_run_id", Id),
    Column("deadline_seconds", Float),
    Column("deadline_at", Instant),
    Column("created_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("ended_at", Instant),
    Index("ix_processing_runs_document", "document_id", "created_at"),
    _partial("uq_processing_runs_one_running", "document_id", where="state = 'RUNNING'", unique=True),
    _partial(
        "ix_processing_runs_deadline",
        "deadline_at",
        where="state = 'RUNNING' and deadline_at is not null",
    ),
    postgresql_with={"fillfactor": 80},
)

document_processing_jobs = Table(
    "document_processing_jobs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("run_id", Id, nullable=False),
    Column("stage", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("follow_up", Boolean, nullable=False, server_default=text("false")),
    Column("payload", Json, nullable=False, server_default=text("'{}'")),
    Column("result", Json),
    Column("progress", Json),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("max_attempts", Integer, nullable=False),
    Column("crashes", Integer, nullable=False, server_default=text("0")),
    Column("available_at", Instant, nullable=False),
    Column("locked_at", Instant),
    Column("locked_by", Text),
    Column("lease_epoch", BigInteger, nullable=False, server_default=text("0")),
    Column("lease_until", Instant),
    Column("reused_from", Id),
    Column("waiting_for", Text),
    Column("error_log", Text),
    Column("created_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("completed_at", Instant),
    Column("updated_at", Instant, nullable=False),
    Index("ix_document_processing_jobs_run", "document_id", "run_id"),
    # The claim's predicate and order, and nothing else.
    _partial(
        "ix_document_processing_jobs_claim",
        "org_id",
        "stage",
        "available_at",
        "id",
        where="status = 'PENDING'",
    ),
    # Leases are found by this small set; no heartbeat column is indexed, so that heartbeats stay HOT.
    _partial("ix_document_processing_jobs_leased", "locked_at", where="status = 'PROCESSING'"),
    # The list of failures that people look at and retry in bulk.
    _partial("ix_document_processing_jobs_failed", "org_id", "updated_at", where="status = 'FAILED'"),
    postgresql_with={"fillfactor": 80},
)

# No foreign key here: five events a run would each pay for a check, and every event is written in
# the transaction that has just changed its run's job.
run_events = Table(
    "run_events",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("org_id", Id, nullable=False),
    Column("run_id", Id, nullable=False),
    Column("job_id", Id),
    Column("kind", Text, nullable=False),
    Column("stage", Text),
    Column("at", Instant, nullable=False),
    Column("detail", Json),
    Index("ix_run_events_run", "run_id", "id"),
)

provider_calls = Table(
    "provider_calls",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("key", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("operation_id", Text),
    Column("document_id", Id, nullable=False, index=True),
    Column("run_id", Id, nullable=False),
    Column("job_id", Id, nullable=False),
    Column("lease_epoch", BigInteger, nullable=False),
    Column("answer", Json),
    Column("answer_artifact", Text),
    Column("units", Json, nullable=False, server_default=text("'{}'")),
    Column("cost", Float, nullable=False, server_default=text("0")),
    Column("reused", Integer, nullable=False, server_default=text("0")),
    Column("reopened", Integer, nullable=False, server_default=text("0")),
    Column("error", Text),
    Column("started_at", Instant, nullable=False),
    Column("answered_at", Instant),
    UniqueConstraint("org_id", "key"),
)

# The account at a provider belongs to the installation, so its gate does too: no organization here.
provider_gates = Table(
    "provider_gates",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("closed_until", Instant, nullable=False),
    Column("reason", Text, nullable=False),
    Column("updated_at", Instant, nullable=False),
)

provider_users = Table(
    "provider_users",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("user_id", Id, primary_key=True),
    Column("joined_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
)

# A worker serves every organization, so its sign of life belongs to none of them.
workers = Table(
    "workers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("slots", Integer, nullable=False),
    Column("stages", Json, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
)

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
)

chunks = Table(
    "chunks",
    metadata,
    Column("id", Id, primary_key=True),
    # The first 63 bits of the id: full-text search on SQLite wants a whole number for each passage.
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
    Index("ix_chunks_document", "document_id", "ordinal"),
    Index("ix_chunks_org", "org_id"),
)

connections = Table(
    "connections",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("a_chunk_id", Id, ForeignKey("chunks.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("b_chunk_id", Id, ForeignKey("chunks.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("a_document_id", Id, nullable=False, index=True),
    Column("b_document_id", Id, nullable=False, index=True),
    Column("score", Float, nullable=False),
    Column("kind", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("pinned", Boolean, nullable=False, server_default=text("false")),
    Column("hidden", Boolean, nullable=False, server_default=text("false")),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("a_chunk_id", "b_chunk_id"),
)

# What a person decided about a connection, with both passages as they saw them: connections go with their
# chunks, but a decision outlives a passage that was only rewritten a little.
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
