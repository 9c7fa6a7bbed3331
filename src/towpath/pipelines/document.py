"""The document pipeline: extract, save_markdown, chunk, embed, publish; then the follow-up connect."""

from __future__ import annotations

from functools import partial

from towpath.connections.store import ConnectionStore, WordVectors
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.process_runner import ProcessRunner
from towpath.providers.contract import Embedder
from towpath.stages.capabilities import AnalyzerFor, PageCounter, Reader
from towpath.stages.chunk import chunk
from towpath.stages.connect import connect
from towpath.stages.embed import embed
from towpath.stages.extract import extract
from towpath.stages.publish import publish
from towpath.stages.save_markdown import save_markdown
from towpath.storage.contract import BlobStore

NAME = "document"
VERSION = 1
STAGES = ("extract", "save_markdown", "chunk", "embed", "publish")


def document_pipeline(
    *,
    blobs: BlobStore,
    reader: Reader,
    analyzer_for: AnalyzerFor,
    count_pages: PageCounter,
    embedder: Embedder,
    compute: ProcessRunner,
    background_pool: ProcessRunner,
    connection_store: ConnectionStore,
    word_vectors: WordVectors | None,
    concurrency: int,
) -> Pipeline:
    read = partial(extract, blobs=blobs, reader=reader, analyzer_for=analyzer_for, count_pages=count_pages)
    return Pipeline(
        NAME,
        VERSION,
        (
            StageEntry("extract", read),
            StageEntry("save_markdown", partial(save_markdown, blobs=blobs)),
            StageEntry("chunk", partial(chunk, blobs=blobs, compute=compute)),
            StageEntry("embed", partial(embed, blobs=blobs, embedder=embedder, concurrency=concurrency)),
            StageEntry("publish", partial(publish, blobs=blobs)),
        ),
        follow_ups=(
            StageEntry(
                "connect",
                partial(
                    connect,
                    connection_store=connection_store,
                    compute=background_pool,
                    model=embedder.model,
                    word_vectors=word_vectors,
                ),
            ),
        ),
    )
