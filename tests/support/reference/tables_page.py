"""Generates docs/reference/tables.md from the SQLAlchemy tables."""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, UniqueConstraint

from towpath.ledger.tables import metadata

_MEANINGS = {
    "organizations": "The owners of documents.",
    "api_keys": "API keys. Only the hash of a key is stored.",
    "audit": "Who uploaded, deleted, retried, made keys and changed settings. Rows are only added.",
    "document_versions": "The versions of documents with a key: the file of each upload, and what it changed.",
    "documents": "Documents and calls: the stored file, its status and the run whose content is published.",
    "document_metadata": "The values of `documents.metadata` that documents can be filtered by, as text.",
    "document_tags": "The tags of documents.",
    "field_edits": "Values that people gave to fields; they survive processing again.",
    "document_children": "The parents and children of documents: attachments of mails and files in archives.",
    "idempotency_keys": "The `Idempotency-Key` of each upload, so that a repeated request finds its document.",
    "processing_runs": "Runs: one processing of one document. At most one run of a document is `RUNNING`.",
    "document_processing_jobs": "Jobs: one stage of one run, with lease, attempts, result and what it waits for.",
    "run_events": "Events: what happened to a run. Rows are only added.",
    "provider_calls": "Provider calls: written before the call to a paid or slow service, completed by its answer.",
    "provider_batch_limits": "The number of inputs per request that an embedding server was found to accept.",
    "provider_throttles": "Throttled providers: until when no call is made, and why.",
    "provider_users": "Workers that use a limited provider now. The limit is divided by their number.",
    "workers": "Workers that are alive, with the time they were last seen.",
    "artifacts": "Large results of stages in blob storage.",
    "document_fields": "Fields: named values found in a document, locally or by a field `schema`.",
    "field_schemas": "Field schemas of organizations; shipped ones and those of the settings folder are files.",
    "library_models": "The embedding model that answers searches in each organization, and the one that replaces it.",
    "next_vectors": "Vectors of the model that replaces the present one; moved to `chunks` when none is missing.",
    "chunks": "Chunks of the published content, with anchor and vector.",
    "word_segments": "The word index of search: segments that never change, each with the words of some documents.",
    "word_pages": "The pages of a segment: postings and positions of some words.",
    "connections": "Connections between chunks of two documents.",
    "connection_marks": "Pins and hides of connections, kept when chunks change.",
    "pauses": "Stages and providers that a person paused, for every organization.",
    "webhook_endpoints": "Addresses that receive events of an organization, with the secrets that sign.",
    "webhook_deliveries": "Messages to endpoints: what is sent, its attempts and when the next one is due.",
    "chunk_profiles": "What the scores of a chunk's connections need of the whole library.",
}


def tables_page() -> str:
    lines = [
        "# Tables",
        "",
        "The tables of the database, the same on SQLite and Postgres, generated from `src/towpath/ledger/tables/`.",
        "Primary keys are bold, times are UTC. The words are defined in the [glossary](glossary.md).",
        "",
    ]
    for table in sorted(metadata.tables.values(), key=lambda item: item.name):
        lines += [f"## `{table.name}`", "", _MEANINGS[table.name], ""]
        lines += ["| column | type | null | default | refers to |", "|---|---|---|---|---|"]
        lines += [_row(column) for column in table.columns]
        lines += ["", *_indexes(table), ""]
    return "\n".join(lines)


def _row(column: Column[object]) -> str:
    name = f"**`{column.name}`**" if column.primary_key else f"`{column.name}`"
    default = getattr(column.server_default, "arg", "")
    target = ", ".join(f"`{key.target_fullname}`" for key in column.foreign_keys)
    return (
        f"| {name} | {type(column.type).__name__} | {'yes' if column.nullable else 'no'} "
        f"| {f'`{default}`' if str(default) else ''} | {target} |"
    )


def _indexes(table: Table) -> list[str]:
    uniques = [item for item in table.constraints if isinstance(item, UniqueConstraint)]
    lines = sorted(f"- unique ({', '.join(item.columns.keys())})" for item in uniques)
    for index in sorted(table.indexes, key=lambda item: str(item.name)):
        lines.append(
            f"- `{index.name}` {'unique ' if index.unique else ''}on ({_columns(index)}){_where(index)}"
        )
    return lines


def _columns(index: Index) -> str:
    return ", ".join(index.columns.keys())


def _where(index: Index) -> str:
    where = index.dialect_options["sqlite"]["where"]
    return "" if where is None else f" where `{where}`"
