"""Makes a library of a collection: each text is one document, chunked, embedded and published as the product does."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert

from bench.relevance.collection import Collection, Text
from towpath.chunking.markdown_chunker import chunk_markdown
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import chunks, documents
from towpath.ledger.verbs.index_words import read_unindexed, write_indexed
from towpath.model.codec import anchor_json
from towpath.model.content import Chunk, Extraction
from towpath.model.ids import DEFAULT_ORG_ID, chunk_rowid
from towpath.providers.contract import Embedder, Vectors
from towpath.providers.token_counter import estimate
from towpath.text.word_index_segment import build_segment

CREATED_AT = datetime(2026, 1, 1, tzinfo=UTC)
_NAMESPACE = uuid.UUID("0d2f3a52-62a5-5c8b-8d7e-0f5a6f3f1a77")
_DOCUMENTS_PER_TRANSACTION = 500


@dataclass(frozen=True, slots=True)
class Passage:
    document_id: str
    chunk: Chunk


def document_id(text: Text) -> str:
    return str(uuid.uuid5(_NAMESPACE, text.id))


def chunk_collection(collection: Collection) -> list[Passage]:
    """The chunks of all texts, as the pipeline cuts them: the title is the heading of the text."""
    passages: list[Passage] = []
    for text in collection.corpus:
        markdown = f"# {text.title}\n\n{text.text}\n" if text.title else f"{text.text}\n"
        extraction = Extraction(markdown, "bench")
        identifier = document_id(text)
        passages += (
            Passage(identifier, chunk)
            for chunk in chunk_markdown(identifier, extraction, count_tokens=estimate)
        )
    return passages


async def embed_texts(embedder: Embedder, texts: Sequence[str], folder: Path) -> Vectors:
    """The vectors of the texts, kept in the folder for the next run."""
    digest = hashlib.sha256("\n".join([embedder.model, *texts]).encode("utf-8", "replace")).hexdigest()[:20]
    path = folder / f"{digest}.npy"
    if not path.exists():
        batches = [
            (await embedder.embed(texts[batch.start : batch.stop])).vectors
            for batch in embedder.batches(texts)
        ]
        draft = path.with_suffix(".draft.npy")
        np.save(draft, np.concatenate(batches) if batches else np.zeros((0, embedder.dimension), np.float32))
        draft.rename(path)
    return np.load(path)


def fill(
    database: Database, collection: Collection, passages: Sequence[Passage], vectors: Vectors, model: str
) -> None:
    """Publish the documents with their chunks, vectors and words."""
    names = {document_id(text): f"{text.id}.md" for text in collection.corpus}
    titles = {document_id(text): text.title for text in collection.corpus}
    rows: dict[str, list[dict[str, Any]]] = {identifier: [] for identifier in names}
    for passage, vector in zip(passages, vectors, strict=True):
        rows[passage.document_id].append(_chunk_row(passage, vector, model))
    for batch in _batches([identifier for identifier in names if rows[identifier]]):

        def write(tx: Transaction, batch: Sequence[str] = batch) -> None:
            tx.connection.execute(
                insert(documents),
                [_document_row(identifier, names[identifier], titles[identifier]) for identifier in batch],
            )
            tx.connection.execute(insert(chunks), [row for identifier in batch for row in rows[identifier]])

        database.transact(write)
        _index_words(database, batch)


def _index_words(database: Database, document_ids: Sequence[str]) -> None:
    """Index the words; they are analyzed between two transactions, because Postgres ends idle ones."""
    published = database.transact(lambda tx: read_unindexed(tx, document_ids=document_ids), read=True)
    segment = build_segment([text for item in published for text in item.chunks])
    database.transact(lambda tx: write_indexed(tx, DEFAULT_ORG_ID, published, segment))


def _batches(items: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(items), _DOCUMENTS_PER_TRANSACTION):
        yield items[start : start + _DOCUMENTS_PER_TRANSACTION]


def _chunk_row(passage: Passage, vector: Vectors, model: str) -> dict[str, Any]:
    chunk = passage.chunk
    return {
        "id": chunk.id,
        "number": chunk_rowid(chunk.id),
        "org_id": DEFAULT_ORG_ID,
        "document_id": passage.document_id,
        "ordinal": chunk.ordinal,
        "text": chunk.text,
        "tokens": chunk.tokens,
        "anchor": anchor_json(chunk.anchor),
        "vector": vector,
        "model": model,
        "dimension": len(vector),
    }


def _document_row(identifier: str, name: str, title: str) -> dict[str, Any]:
    return {
        "id": identifier,
        "org_id": DEFAULT_ORG_ID,
        "kind": "document",
        "name": name,
        "media_type": "text/markdown",
        "size": 1,
        "sha256": identifier,
        "blob_key": identifier,
        "status": "COMPLETED",
        "summary": {"title": title or name},
        "created_at": CREATED_AT,
        "updated_at": CREATED_AT,
    }
