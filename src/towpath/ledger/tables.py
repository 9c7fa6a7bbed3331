"""All tables, for both engines. A test checks that the Alembic migrations create the same schema."""

from __future__ import annotations

from sqlalchemy import (
    DDL,
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
    event,
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
    # Status changes with every run. Free space in each page allows HOT updates, which write no index.
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
    Column("rejected_by", Text),
    Column("error", Text),
    Column("options", Json, nullable=False, server_default=text("'{}'")),
    Column("resumes_run_id", Id),
    Column("reason", Text),
    Column("deadline_seconds", Float),
    # What the run was promised when it was created; empty in runs of earlier versions.
    Column("policy", Json, nullable=False, server_default=text("'{}'")),
    Column("continue_after_timeout", Boolean, nullable=False, server_default=text("false")),
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
    Column("suspect", Boolean, nullable=False, server_default=text("false")),
    Column("available_at", Instant, nullable=False),
    Column("locked_at", Instant),
    Column("locked_by", Text),
    Column("lease_epoch", BigInteger, nullable=False, server_default=text("0")),
    Column("lease_until", Instant),
    Column("last_heartbeat", Instant),
    Column("reused_from", Id),
    Column("waiting_reason", Text),
    Column("waiting_provider", Text),
    Column("waiting_until", Instant),
    Column("waiting_run_id", Id),
    Column("waiting_detail", Text),
    Column("error_log", Text),
    Column("created_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("completed_at", Instant),
    Column("updated_at", Instant, nullable=False),
    Index("ix_document_processing_jobs_run", "document_id", "run_id"),
    # Exactly the predicate and the order of the claim.
    _partial(
        "ix_document_processing_jobs_claim",
        "org_id",
        "stage",
        "available_at",
        "id",
        where="status = 'PENDING'",
    ),
    # Sweeps find leases by this small index.
    _partial("ix_document_processing_jobs_leased", "locked_at", where="status = 'PROCESSING'"),
    # For people who look for jobs without heartbeats. It holds the jobs of living workers only.
    _partial("ix_document_processing_jobs_heartbeat", "last_heartbeat", where="status = 'PROCESSING'"),
    # For the list of failed jobs and for bulk retries.
    _partial("ix_document_processing_jobs_failed", "org_id", "updated_at", where="status = 'FAILED'"),
    postgresql_with={"fillfactor": 80},
)

# No foreign key: it would cost a check for each of about five events per run, and every event is written in the
# transaction that changes a job of its run.
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
    Column("repeated", Integer, nullable=False, server_default=text("0")),
    Column("error", Text),
    Column("started_at", Instant, nullable=False),
    Column("answered_at", Instant),
    UniqueConstraint("org_id", "key"),
)

# All organizations share the installation's account at a provider, so this table has no org_id.
provider_throttles = Table(
    "provider_throttles",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("throttled_until", Instant, nullable=False),
    Column("reason", Text, nullable=False),
    Column("detail", Text, nullable=False),
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

provider_batch_limits = Table(
    "provider_batch_limits",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("endpoint", Text, primary_key=True),
    Column("inputs", Integer, nullable=False),
    Column("updated_at", Instant, nullable=False),
)

# A worker serves every organization, so this table has no org_id.
workers = Table(
    "workers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("slots", Integer, nullable=False),
    Column("stages", Json, nullable=False),
    # The settings that should be the same in every process.
    Column("settings", Json, nullable=False, server_default=text("'{}'")),
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

#: What the two engines write differently, as migration 0011 does. SQLite has no defaults here: they could not be
#: added to an existing table, and the program always gives the values.
_ONLY_ON = {
    "postgresql": (
        "alter table chunks add constraint uq_chunks_document_ordinal unique (document_id, ordinal) deferrable",
        "alter table document_processing_jobs alter column id set default gen_random_uuid(), "
        "alter column max_attempts set default 5, alter column available_at set default now(), "
        "alter column created_at set default now(), alter column updated_at set default now()",
    ),
    "sqlite": ("create unique index uq_chunks_document_ordinal on chunks (document_id, ordinal)",),
}
for _dialect, _statements in _ONLY_ON.items():
    for _statement in _statements:
        event.listen(metadata, "after_create", DDL(_statement).execute_if(dialect=_dialect))
