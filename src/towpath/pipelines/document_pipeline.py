"""The document pipeline: extract, save_markdown, chunk, embed, publish; then follow-ups: connect, extract_fields."""

from __future__ import annotations

from functools import partial

from towpath.connections.store import ConnectionStore
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.process_runner import ProcessRunner
from towpath.stages.capabilities import AnalyzerFor, ChildFinder, PageCounter, PdfUnlocker, Reader
from towpath.stages.chunk import chunk
from towpath.stages.connect import connect
from towpath.stages.extract import extract
from towpath.stages.publish import publish
from towpath.stages.reembed import LibraryEmbedders, PublishedChunks, embed_for_library, reembed
from towpath.stages.save_markdown import save_markdown
from towpath.stages.support.prepare_document import LightModel
from towpath.stages.support.prepared_documents import PreparedDocuments
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
    children: ChildFinder,
    unlocker: PdfUnlocker,
    embedders: LibraryEmbedders,
    published: PublishedChunks,
    compute: ProcessRunner,
    background_pool: ProcessRunner,
    connection_store: ConnectionStore,
    concurrency: int,
    extract_fields: StageEntry | None = None,
    light_model: LightModel | None = None,
) -> Pipeline:
    prepared = PreparedDocuments()
    read = partial(
        extract,
        blobs=blobs,
        reader=reader,
        analyzer_for=analyzer_for,
        count_pages=count_pages,
        children=children,
        unlocker=unlocker,
        prepared=prepared,
        light_model=light_model,
    )
    return Pipeline(
        NAME,
        VERSION,
        (
            StageEntry("extract", read),
            StageEntry("save_markdown", partial(save_markdown, blobs=blobs, prepared=prepared)),
            StageEntry("chunk", partial(chunk, blobs=blobs, compute=compute, prepared=prepared)),
            StageEntry(
                "embed",
                partial(
                    embed_for_library,
                    blobs=blobs,
                    embedders=embedders,
                    concurrency=concurrency,
                    prepared=prepared,
                ),
            ),
            StageEntry("publish", partial(publish, blobs=blobs, compute=compute, prepared=prepared)),
        ),
        follow_ups=(
            StageEntry(
                "connect",
                partial(
                    connect,
                    connection_store=connection_store,
                    compute=background_pool,
                ),
            ),
            *(() if extract_fields is None else (extract_fields,)),
        ),
        maintenance=(
            StageEntry(
                "reembed",
                partial(
                    reembed,
                    blobs=blobs,
                    embedders=embedders,
                    published=published,
                    concurrency=concurrency,
                ),
            ),
        ),
    )
