"""Tables of runs, jobs, events, provider calls, workers and pauses."""

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
    false,
    text,
)

from towpath.ledger.columns import Id, Instant, Json, Serial
from towpath.ledger.tables.metadata import metadata, partial_index

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
    # Why the input was rejected, as a code: the page offers to enter a password for `encrypted`.
    Column("rejection_code", Text),
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
    partial_index("uq_processing_runs_one_running", "document_id", where="state = 'RUNNING'", unique=True),
    partial_index(
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
    # The password of a locked PDF, encrypted. A trigger erases it in the transaction that ends the job.
    Column("sealed_password", Text),
    Column("created_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("completed_at", Instant),
    Column("updated_at", Instant, nullable=False),
    Index("ix_document_processing_jobs_run", "document_id", "run_id"),
    # Exactly the predicate and the order of the claim.
    partial_index(
        "ix_document_processing_jobs_claim",
        "org_id",
        "stage",
        "available_at",
        "id",
        where="status = 'PENDING'",
    ),
    # For sweeps, and for people who look for jobs without heartbeats. It holds the jobs in progress only.
    partial_index("ix_document_processing_jobs_heartbeat", "last_heartbeat", where="status = 'PROCESSING'"),
    # For the list of failed jobs and for bulk retries.
    partial_index("ix_document_processing_jobs_failed", "org_id", "updated_at", where="status = 'FAILED'"),
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
    # Whether its database session holds a lock; always false on SQLite.
    Column("session_lock", Boolean, nullable=False, server_default=false()),
    Column("started_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
)

# A pause stops a stage or a provider for every organization, so this table has no org_id.
pauses = Table(
    "pauses",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("paused_at", Instant, nullable=False),
    Column("paused_by", Text, nullable=False),
)
