"""The pipeline of documents: extract, save_markdown, chunk, embed, publish; and connect once it is ready."""

from __future__ import annotations

from functools import partial

from towpath.pipelines.pipeline import Pipeline, Step
from towpath.providers.contract import Embedder
from towpath.stages.capabilities import AnalyzerFor, Compute, Library, PageCounter, Reader
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
    compute: Compute,
    aside: Compute,
    library: Library,
    side_by_side: int,
) -> Pipeline:
    read = partial(extract, blobs=blobs, reader=reader, analyzer_for=analyzer_for, count_pages=count_pages)
    return Pipeline(
        NAME,
        VERSION,
        (
            Step("extract", read),
            Step("save_markdown", partial(save_markdown, blobs=blobs, compute=compute)),
            Step("chunk", partial(chunk, blobs=blobs, compute=compute)),
            Step("embed", partial(embed, blobs=blobs, embedder=embedder, side_by_side=side_by_side)),
            Step("publish", partial(publish, blobs=blobs)),
        ),
        follow_ups=(Step("connect", partial(connect, library=library, compute=aside, model=embedder.model)),),
    )
