"""Creates the first tables: organizations, keys, documents, runs, jobs, events, provider calls, chunks, connections."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns
from towpath.model.ids import DEFAULT_ORG_ID

revision = "0001"
down_revision = None


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("create extension if not exists vector")
    op.create_table(
        "organizations",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organizations")),
    )
    op.create_table(
        "provider_calls",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("operation_id", sa.Text(), nullable=True),
        sa.Column("document_id", columns.Id, nullable=False),
        sa.Column("run_id", columns.Id, nullable=False),
        sa.Column("job_id", columns.Id, nullable=False),
        sa.Column("lease_epoch", sa.BigInteger(), nullable=False),
        sa.Column("answer", columns.Json, nullable=True),
        sa.Column("answer_artifact", sa.Text(), nullable=True),
        sa.Column("units", columns.Json, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("cost", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("reused", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("reopened", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("started_at", columns.Instant, nullable=False),
        sa.Column("answered_at", columns.Instant, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_provider_calls")),
        sa.UniqueConstraint("org_id", "key", name=op.f("uq_provider_calls_org_id_key")),
    )
    op.create_index(op.f("ix_provider_calls_document_id"), "provider_calls", ["document_id"], unique=False)
    op.create_table(
        "run_events",
        sa.Column("id", columns.Serial, autoincrement=True, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("run_id", columns.Id, nullable=False),
        sa.Column("job_id", columns.Id, nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=True),
        sa.Column("at", columns.Instant, nullable=False),
        sa.Column("detail", columns.Json, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_events")),
    )
    op.create_index("ix_run_events_run", "run_events", ["run_id", "id"], unique=False)
    op.create_table(
        "api_keys",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.Column("last_used_at", columns.Instant, nullable=True),
        sa.Column("revoked_at", columns.Instant, nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organizations.id"], name=op.f("fk_api_keys_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_keys_hash")),
    )
    op.create_index(op.f("ix_api_keys_org_id"), "api_keys", ["org_id"], unique=False)
    op.create_table(
        "documents",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("blob_key", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("published_run_id", columns.Id, nullable=True),
        sa.Column("summary", columns.Json, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("vector", columns.Vector, nullable=True),
        sa.Column("vector_model", sa.Text(), nullable=True),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.Column("updated_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_documents_org_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint("org_id", "sha256", name=op.f("uq_documents_org_id_sha256")),
        postgresql_with={"fillfactor": 80},
    )
    op.create_index("ix_documents_newest", "documents", ["org_id", "created_at", "id"], unique=False)
    op.create_table(
        "artifacts",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("document_id", columns.Id, nullable=False),
        sa.Column("run_id", columns.Id, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_artifacts_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifacts")),
        sa.UniqueConstraint("org_id", "key", name=op.f("uq_artifacts_org_id_key")),
    )
    op.create_index(op.f("ix_artifacts_document_id"), "artifacts", ["document_id"], unique=False)
    op.create_table(
        "chunks",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("document_id", columns.Id, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("anchor", columns.Json, nullable=False),
        sa.Column("vector", columns.Vector, nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("dimension", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_chunks_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chunks")),
        sa.UniqueConstraint("number", name=op.f("uq_chunks_number")),
    )
    op.create_index("ix_chunks_document", "chunks", ["document_id", "ordinal"], unique=False)
    op.create_index("ix_chunks_org", "chunks", ["org_id"], unique=False)
    op.create_table(
        "document_fields",
        sa.Column("id", columns.Serial, autoincrement=True, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("document_id", columns.Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("anchor", columns.Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_document_fields_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_fields")),
    )
    op.create_index(op.f("ix_document_fields_document_id"), "document_fields", ["document_id"], unique=False)
    op.create_table(
        "document_processing_jobs",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("document_id", columns.Id, nullable=False),
        sa.Column("run_id", columns.Id, nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("follow_up", sa.Boolean(), server_default=sa.text("(false)"), nullable=False),
        sa.Column("payload", columns.Json, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("result", columns.Json, nullable=True),
        sa.Column("progress", columns.Json, nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("crashes", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("available_at", columns.Instant, nullable=False),
        sa.Column("locked_at", columns.Instant, nullable=True),
        sa.Column("locked_by", sa.Text(), nullable=True),
        sa.Column("lease_epoch", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("lease_until", columns.Instant, nullable=True),
        sa.Column("reused_from", columns.Id, nullable=True),
        sa.Column("waiting_for", sa.Text(), nullable=True),
        sa.Column("error_log", sa.Text(), nullable=True),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.Column("started_at", columns.Instant, nullable=True),
        sa.Column("completed_at", columns.Instant, nullable=True),
        sa.Column("updated_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.id"],
            name=op.f("fk_document_processing_jobs_document_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_processing_jobs")),
        postgresql_with={"fillfactor": 80},
    )
    op.create_index(
        "ix_document_processing_jobs_claim",
        "document_processing_jobs",
        ["org_id", "stage", "available_at", "id"],
        unique=False,
        postgresql_where=sa.text("status = 'PENDING'"),
        sqlite_where=sa.text("status = 'PENDING'"),
    )
    op.create_index(
        "ix_document_processing_jobs_failed",
        "document_processing_jobs",
        ["org_id", "updated_at"],
        unique=False,
        postgresql_where=sa.text("status = 'FAILED'"),
        sqlite_where=sa.text("status = 'FAILED'"),
    )
    op.create_index(
        "ix_document_processing_jobs_leased",
        "document_processing_jobs",
        ["locked_at"],
        unique=False,
        postgresql_where=sa.text("status = 'PROCESSING'"),
        sqlite_where=sa.text("status = 'PROCESSING'"),
    )
    op.create_index(
        "ix_document_processing_jobs_run", "document_processing_jobs", ["document_id", "run_id"], unique=False
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("document_id", columns.Id, nullable=False),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.id"],
            name=op.f("fk_idempotency_keys_document_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index(
        op.f("ix_idempotency_keys_document_id"), "idempotency_keys", ["document_id"], unique=False
    )
    op.create_table(
        "processing_runs",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("document_id", columns.Id, nullable=False),
        sa.Column("pipeline", sa.Text(), nullable=False),
        sa.Column("pipeline_version", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("failure_type", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("options", columns.Json, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("resumes_run_id", columns.Id, nullable=True),
        sa.Column("deadline_seconds", sa.Float(), nullable=True),
        sa.Column("deadline_at", columns.Instant, nullable=True),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.Column("started_at", columns.Instant, nullable=True),
        sa.Column("ended_at", columns.Instant, nullable=True),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_processing_runs_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_processing_runs")),
        postgresql_with={"fillfactor": 80},
    )
    op.create_index(
        "ix_processing_runs_deadline",
        "processing_runs",
        ["deadline_at"],
        unique=False,
        postgresql_where=sa.text("state = 'RUNNING' and deadline_at is not null"),
        sqlite_where=sa.text("state = 'RUNNING' and deadline_at is not null"),
    )
    op.create_index(
        "ix_processing_runs_document", "processing_runs", ["document_id", "created_at"], unique=False
    )
    op.create_index(
        "uq_processing_runs_one_running",
        "processing_runs",
        ["document_id"],
        unique=True,
        postgresql_where=sa.text("state = 'RUNNING'"),
        sqlite_where=sa.text("state = 'RUNNING'"),
    )
    op.create_table(
        "connections",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("a_chunk_id", columns.Id, nullable=False),
        sa.Column("b_chunk_id", columns.Id, nullable=False),
        sa.Column("a_document_id", columns.Id, nullable=False),
        sa.Column("b_document_id", columns.Id, nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("pinned", sa.Boolean(), server_default=sa.text("(false)"), nullable=False),
        sa.Column("hidden", sa.Boolean(), server_default=sa.text("(false)"), nullable=False),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["a_chunk_id"], ["chunks.id"], name=op.f("fk_connections_a_chunk_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["b_chunk_id"], ["chunks.id"], name=op.f("fk_connections_b_chunk_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connections")),
        sa.UniqueConstraint("a_chunk_id", "b_chunk_id", name=op.f("uq_connections_a_chunk_id_b_chunk_id")),
    )
    op.create_index(op.f("ix_connections_a_chunk_id"), "connections", ["a_chunk_id"], unique=False)
    op.create_index(op.f("ix_connections_a_document_id"), "connections", ["a_document_id"], unique=False)
    op.create_index(op.f("ix_connections_b_chunk_id"), "connections", ["b_chunk_id"], unique=False)
    op.create_index(op.f("ix_connections_b_document_id"), "connections", ["b_document_id"], unique=False)
    organizations = sa.table("organizations", sa.column("id"), sa.column("name"), sa.column("created_at"))
    op.execute(
        organizations.insert().values(
            id=sa.literal(DEFAULT_ORG_ID, columns.Id),
            name="home",
            created_at=sa.literal(datetime.now(UTC), columns.Instant),
        )
    )
