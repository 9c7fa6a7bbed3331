"""reembed: embeds the published chunks of one document with the next model of its library.

The present vectors answer searches until every document has vectors of the next model. As in `embed`, each batch is a
cached provider call: a killed worker repeats at most one batch, and nothing is paid twice.
"""

from __future__ import annotations

from typing import Protocol

from towpath.model.library_embedding_model import LibraryModel, ModelId, PublishedChunk
from towpath.model.outcome import Done, Outcome
from towpath.model.writes import StoreNextVectors
from towpath.providers.contract import Embedder
from towpath.stages.contract import Context
from towpath.stages.embed import embed, embed_texts, searchable_text
from towpath.stages.support.prepared_documents import PreparedDocuments
from towpath.stages.support.vector_blobs import load_vectors
from towpath.storage.contract import BlobStore


class PublishedChunks(Protocol):
    """Reads what is published in a library. `ledger/sql_library_models.py` implements it."""

    async def get(self, org_id: str) -> LibraryModel | None: ...
    async def published_chunks(self, org_id: str, document_id: str) -> list[PublishedChunk]: ...


class LibraryEmbedders(Protocol):
    """The embedders of libraries, each of which has its own model."""

    async def for_organization(self, org_id: str) -> Embedder:
        """The embedder of the model that answers searches in this library."""
        ...

    def by_model(self, model: ModelId) -> Embedder | None:
        """None if the model needs a package or a key that is missing."""
        ...


async def embed_for_library(
    context: Context,
    *,
    blobs: BlobStore,
    embedders: LibraryEmbedders,
    concurrency: int,
    prepared: PreparedDocuments | None = None,
) -> Outcome:
    """The stage `embed` with the present model of the library, so that search finds the document at once."""
    embedder = await embedders.for_organization(context.org_id)
    return await embed(context, blobs=blobs, embedder=embedder, concurrency=concurrency, prepared=prepared)


async def reembed(
    context: Context,
    *,
    blobs: BlobStore,
    embedders: LibraryEmbedders,
    published: PublishedChunks,
    concurrency: int,
) -> Outcome:
    library = await published.get(context.org_id)
    embedder = None if library is None else embedders.by_model(library.target)
    if library is None or embedder is None:
        return Done({"embedded": 0, "skipped": "the model is not available"})
    chunks = [
        chunk
        for chunk in await published.published_chunks(context.org_id, context.document_id)
        if chunk.model != embedder.model
    ]
    texts = [searchable_text(chunk.heading_path, chunk.text) for chunk in chunks]
    embedding = await embed_texts(context, blobs, embedder, texts, concurrency)
    vectors = await load_vectors(blobs, embedding.vectors)
    write = StoreNextVectors(embedder.model, [chunk.id for chunk in chunks], vectors)
    return Done({"embedded": len(chunks), "model": embedder.model}, writes=[*embedding.artifacts, write])
