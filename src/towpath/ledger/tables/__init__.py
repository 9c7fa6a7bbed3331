"""All tables, for both engines. A test checks that the Alembic migrations create the same schema."""

from towpath.ledger.tables.chunk_connections import chunk_profiles, connection_marks, connections
from towpath.ledger.tables.content import (
    artifacts,
    chunks,
    document_fields,
    field_edits,
    field_schemas,
    library_models,
    next_vectors,
)
from towpath.ledger.tables.documents import (
    document_children,
    document_metadata,
    document_tags,
    document_versions,
    documents,
    idempotency_keys,
)
from towpath.ledger.tables.metadata import metadata
from towpath.ledger.tables.organizations import api_keys, audit, organizations
from towpath.ledger.tables.processing import (
    document_processing_jobs,
    pauses,
    processing_runs,
    provider_batch_limits,
    provider_calls,
    provider_throttles,
    provider_users,
    run_events,
    workers,
)
from towpath.ledger.tables.webhooks import webhook_deliveries, webhook_endpoints
from towpath.ledger.tables.word_index import word_pages, word_segments

__all__ = [
    "api_keys",
    "artifacts",
    "audit",
    "chunk_profiles",
    "chunks",
    "connection_marks",
    "connections",
    "document_children",
    "document_fields",
    "document_metadata",
    "document_processing_jobs",
    "document_tags",
    "document_versions",
    "documents",
    "field_edits",
    "field_schemas",
    "idempotency_keys",
    "library_models",
    "metadata",
    "next_vectors",
    "organizations",
    "pauses",
    "processing_runs",
    "provider_batch_limits",
    "provider_calls",
    "provider_throttles",
    "provider_users",
    "run_events",
    "webhook_deliveries",
    "webhook_endpoints",
    "word_pages",
    "word_segments",
    "workers",
]
