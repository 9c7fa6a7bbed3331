"""embed: computes a vector for each chunk. Each batch is its own cached provider call, so a crash repeats one batch.

The cached answers are the stored vectors: the result names their blobs in the order of the chunks, or has small ones.
If a server refuses the size of a batch, its halves are sent; the size that it accepts is stored for all workers.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence

import numpy as np

from towpath.errors import BatchTooLarge, Rejected, TowpathError
from towpath.model.content import Chunk
from towpath.model.job import ProgressUnit
from towpath.model.json_types import Json
from towpath.model.outcome import Done, Outcome
from towpath.model.provider_answer import Answer
from towpath.model.writes import KeepArtifact
from towpath.providers.contract import BatchLimit, Embedder, Vectors
from towpath.providers.token_counter import estimate
from towpath.stages.capabilities import result_of
from towpath.stages.contract import Context, ProviderCall
from towpath.stages.support.artifact import INLINE_BYTES, store, store_result
from towpath.stages.support.bounded_gather import for_each_concurrently
from towpath.stages.support.chunk_artifact import load_chunks
from towpath.stages.support.embedding_batches import divide, half_size, subdivisions
from towpath.stages.support.inline_or_thread import run_inline_or_in_thread
from towpath.stages.support.prepared_documents import PreparedDocuments
from towpath.stages.support.reused_vectors import known_vectors, merge_vectors
from towpath.stages.support.vector_blobs import encode_vectors, is_complete, load_vectors
from towpath.storage.contract import BlobStore

#: Embedding so many texts on this machine is a brief call.
BRIEF_TEXTS = 16


async def embed(
    context: Context,
    *,
    blobs: BlobStore,
    embedder: Embedder,
    concurrency: int = 2,
    prepared: PreparedDocuments | None = None,
) -> Outcome:
    chunks = await load_chunks(context, blobs, prepared)
    texts = [searchable_text(chunk.anchor.heading_path, chunk.text) for chunk in chunks]
    known = await known_vectors(context, embedder, chunks)
    if known and not await _is_cached(context, blobs, embedder, texts):
        artifact = await _embed_changed(context, blobs, embedder, chunks, texts, known, concurrency)
        vectors: Json = {
            "vectors": [artifact.key],
            "counts": [len(texts)],
            "dimension": embedder.dimension,
        }
        artifacts = [artifact]
    else:
        ready = (
            None if prepared is None else prepared.find_by_chunks(context.run_id, result_of(context, "chunk"))
        )
        computed = None if ready is None else ready.vectors_of(embedder)
        embedding = await embed_texts(context, blobs, embedder, texts, concurrency, computed)
        vectors, artifacts = embedding.vectors, embedding.artifacts
    result = {**vectors, "count": len(texts), "model": embedder.model}
    return Done(result, writes=artifacts)


async def _embed_changed(
    context: Context,
    blobs: BlobStore,
    embedder: Embedder,
    chunks: Sequence[Chunk],
    texts: Sequence[str],
    known: Mapping[str, Sequence[float]],
    concurrency: int,
) -> KeepArtifact:
    """Embed the chunks without a known vector, and store the vectors of all of them."""
    changed = [text for chunk, text in zip(chunks, texts, strict=True) if chunk.id not in known]
    new = np.zeros((0, embedder.dimension), np.float32)
    if changed:
        embedding = await embed_texts(context, blobs, embedder, changed, concurrency)
        new = await load_vectors(blobs, embedding.vectors)
    merged = await asyncio.to_thread(merge_vectors, chunks, known, new)
    body = encode_vectors(merged, embedder)
    return await store(context, blobs, "vectors", "f32", "application/octet-stream", body)


async def _is_cached(context: Context, blobs: BlobStore, embedder: Embedder, texts: Sequence[str]) -> bool:
    """Whether all texts have cached answers: the file is one that the library had before."""
    embedding = Embedding(context, blobs, embedder, texts)
    return await embedding.is_cached(await asyncio.to_thread(embedder.batches, texts))


async def embed_texts(
    context: Context,
    blobs: BlobStore,
    embedder: Embedder,
    texts: Sequence[str],
    concurrency: int,
    computed: Vectors | None = None,
) -> Embedding:
    """Embed all texts in batches that are cached provider calls; ``computed`` are their vectors if they are known."""
    embedding = Embedding(context, blobs, embedder, texts, computed)
    size = sum(map(len, texts))
    pending = await embedding.plan(await run_inline_or_in_thread(embedder.batches, texts, size=size))
    while pending:
        await for_each_concurrently(pending, embedding.embed_batch, concurrency)
        pending = embedding.take_refused()
    return embedding


def searchable_text(heading_path: Sequence[str], text: str) -> str:
    """The text to embed: a chunk is found by the headings above it as well as by its own words."""
    return f"{' › '.join(heading_path)}\n{text}" if heading_path else text


class Embedding:
    """The batches of one document: planned, requested, and divided if the server refuses their size."""

    def __init__(
        self,
        context: Context,
        blobs: BlobStore,
        embedder: Embedder,
        texts: Sequence[str],
        computed: Vectors | None = None,
    ) -> None:
        """``computed`` are the vectors of the texts if they are known: then no provider is asked."""
        self._context, self._blobs, self._embedder, self._texts = context, blobs, embedder, texts
        self._computed = computed
        self._encoded = [json.dumps(text, ensure_ascii=False) for text in texts]
        self._limit = embedder.batch_limit
        self._max_inputs = len(texts) if self._limit is None else self._limit.inputs
        self._tokens: Sequence[int] = ()
        self._answered: set[range] = set()
        self._refused: list[range] = []
        #: The largest accepted batch since the server refused one; 0 as long as it refused none.
        self._accepted = 0
        self._was_refused = False
        self._done = 0
        self._inline_bytes = 0
        #: The blob of each batch.
        self._keys: dict[range, str] = {}
        self.artifacts: list[KeepArtifact] = []

    @property
    def vectors(self) -> Json:
        """The blobs with the vectors in the order of the texts, and how many vectors each has."""
        batches = sorted(self._keys, key=lambda batch: batch.start)
        return {
            "vectors": [self._keys[batch] for batch in batches],
            "counts": [len(batch) for batch in batches],
            "dimension": self._embedder.dimension,
        }

    async def plan(self, batches: Sequence[range]) -> list[range]:
        """The batches to request. A local model takes those of the embedder."""
        if self._limit is None:
            return list(batches)
        known = await self._context.batch_limit(self._embedder.provider, self._limit.endpoint)
        self._max_inputs = max(1, min(self._limit.inputs, known or self._limit.inputs))
        self._tokens = await asyncio.to_thread(self._count_tokens, self._limit)
        for batch in batches:
            parts = list(subdivisions(batch))
            answered = await self._context.answered(await asyncio.to_thread(self._calls, parts))
            self._answered.update(part for part, known in zip(parts, answered, strict=True) if known)
        return [part for batch in batches for part in self._divided(batch, self._limit)]

    async def is_cached(self, batches: Sequence[range]) -> bool:
        """Whether every batch to request has a cached answer."""
        planned = await self.plan(batches)
        return all(await self._context.answered(await asyncio.to_thread(self._calls, planned)))

    def take_refused(self) -> list[range]:
        """The parts of the batches that were refused, to be requested next."""
        refused, self._refused = self._refused, []
        if self._limit is None:
            return refused
        return [
            part
            for batch in sorted(refused, key=lambda b: b.start)
            for part in self._divided(batch, self._limit)
        ]

    async def embed_batch(self, batch: range) -> None:
        if len(batch) > self._max_inputs and batch not in self._answered:
            # Another batch was refused meanwhile: this one would be refused too.
            self._refused.append(batch)
            return
        try:
            answer = await self._request(batch)
        except BatchTooLarge as refusal:
            if self._limit is None or len(batch) == 1:
                raise Rejected("too_long", str(refusal), self._embedder.provider) from refusal
            self._was_refused = True
            self._max_inputs = min(self._max_inputs, half_size(batch))
            self._refused.append(batch)
            return
        await self._save_accepted(batch)
        self._keys[batch] = await self._key(answer)
        self._done += len(batch)
        await self._context.progress(self._done, len(self._texts), ProgressUnit.CHUNK)

    def _divided(self, batch: range, limit: BatchLimit) -> list[range]:
        return list(divide(batch, limit, self._max_inputs, self._tokens, self._answered))

    async def _save_accepted(self, batch: range) -> None:
        """Store the largest size that was accepted after a refusal.

        Not the half of a refused size: a single bad input would divide batches down to one, for all documents.
        """
        if (
            self._limit is None
            or not self._was_refused
            or batch in self._answered
            or len(batch) <= self._accepted
        ):
            return
        self._accepted = len(batch)
        await self._context.save_batch_limit(self._embedder.provider, self._limit.endpoint, self._accepted)

    async def _key(self, answer: Answer) -> str:
        if answer.blob_key is not None:
            return answer.blob_key
        # A small answer is in the row of its provider call. The vectors of many batches are too much for a result.
        self._inline_bytes += len(answer.body)
        put = store_result if self._inline_bytes <= INLINE_BYTES else _store_blob
        reference, artifacts = await put(
            self._context, self._blobs, "vectors", "f32", "application/octet-stream", answer.body
        )
        self.artifacts += artifacts
        return reference

    async def _request(self, batch: range) -> Answer:
        embedder, texts = self._embedder, self._texts[batch.start : batch.stop]

        async def make() -> Answer:
            if self._computed is not None:
                units = {"texts": float(len(texts))}
                return Answer(encode_vectors(self._computed[batch.start : batch.stop], embedder), units)
            embedded = await embedder.embed(texts)
            return Answer(encode_vectors(embedded.vectors, embedder), embedded.units, embedded.cost)

        answer = await self._context.call_once(self._call(batch), make)
        if not is_complete(answer.body, len(texts), embedder):
            raise TowpathError(f"{embedder.model} did not give one vector for each of {len(texts)} texts.")
        return answer

    def _count_tokens(self, limit: BatchLimit) -> list[int]:
        return [limit.count_tokens(text) for text in self._texts]

    def _calls(self, batches: Sequence[range]) -> list[ProviderCall]:
        return [self._call(batch) for batch in batches]

    def _call(self, batch: range) -> ProviderCall:
        # Equal to json.dumps of the list of texts, which is part of the cache key of stored answers.
        encoded = f"[{', '.join(self._encoded[batch.start : batch.stop])}]"
        input_hash = hashlib.sha256(encoded.encode("utf-8", "replace")).hexdigest()
        parameters = {"dimension": str(self._embedder.dimension)}
        tokens = sum(estimate(text) for text in self._texts[batch.start : batch.stop])
        embedder = self._embedder
        is_brief = embedder.provider == "local" and len(self._texts) <= BRIEF_TEXTS
        return ProviderCall(
            embedder.provider,
            embedder.model,
            parameters,
            input_hash,
            tokens,
            as_blob=True,
            is_brief=is_brief,
            is_new=self._computed is not None,
        )


async def _store_blob(
    context: Context, blobs: BlobStore, kind: str, suffix: str, media_type: str, body: bytes
) -> tuple[str, list[KeepArtifact]]:
    artifact = await store(context, blobs, kind, suffix, media_type, body)
    return artifact.key, [artifact]
