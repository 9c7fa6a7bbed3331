"""embed: a vector for each chunk. Each batch is its own remembered call: a kill in batch 37 resumes there."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence

import numpy as np

from towpath.errors import TowpathError
from towpath.model.encode import load_chunks
from towpath.model.work import Done, Outcome
from towpath.providers.contract import Answer, Embedder, Vectors
from towpath.providers.tokens import estimate
from towpath.stages.artifact import store
from towpath.stages.capabilities import result_of
from towpath.stages.contract import Context, PaidCall
from towpath.stages.together import each
from towpath.storage.contract import BlobStore


async def embed(context: Context, *, blobs: BlobStore, embedder: Embedder, side_by_side: int = 2) -> Outcome:
    chunks = await asyncio.to_thread(load_chunks, await blobs.get(str(result_of(context, "chunk")["chunks"])))
    texts = [searchable(chunk.anchor.heading_path, chunk.text) for chunk in chunks]
    vectors = np.zeros((len(texts), embedder.dimension), np.float32)
    done = 0

    async def one(span: range) -> None:
        nonlocal done
        vectors[span.start : span.stop] = await _embed(context, embedder, texts[span.start : span.stop])
        done += len(span)
        await context.progress(done, len(texts))

    await each(embedder.batches(texts), one, side_by_side)
    body = vectors.astype("<f4").tobytes()
    made = await store(context, blobs, "vectors", "f32", "application/octet-stream", body)
    found = {
        "vectors": made.key,
        "count": len(texts),
        "model": embedder.model,
        "dimension": embedder.dimension,
    }
    return Done(found, writes=[made])


def searchable(heading_path: Sequence[str], text: str) -> str:
    """A passage is found by what it stands under as well as by what it says."""
    return f"{' › '.join(heading_path)}\n{text}" if heading_path else text


async def _embed(context: Context, embedder: Embedder, texts: Sequence[str]) -> Vectors:
    async def make() -> Answer:
        embedded = await embedder.embed(texts)
        return Answer(embedded.vectors.astype("<f4").tobytes(), embedded.units, embedded.cost)

    content = hashlib.sha256(
        json.dumps(list(texts), ensure_ascii=False).encode("utf-8", "replace")
    ).hexdigest()
    parameters = {"dimension": str(embedder.dimension)}
    tokens = sum(estimate(text) for text in texts)
    call = PaidCall(embedder.provider, embedder.model, parameters, content, tokens)
    answer = await context.once(call, make)
    vectors = np.frombuffer(answer.body, dtype="<f4").reshape(-1, embedder.dimension)
    if len(vectors) != len(texts):
        raise TowpathError(f"{embedder.model} gave {len(vectors)} vectors for {len(texts)} texts.")
    return vectors
