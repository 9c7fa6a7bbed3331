"""publish: checks the numbers of chunks and vectors, and makes the new content visible in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

import numpy as np

from towpath.errors import Rejected, TowpathError
from towpath.model.codec import decode_fields
from towpath.model.json_types import Json
from towpath.model.outcome import Done, Outcome
from towpath.model.writes import Publish
from towpath.providers.contract import Vectors
from towpath.stages.capabilities import result_of
from towpath.stages.contract import Context
from towpath.stages.support.chunk_artifact import load_chunks
from towpath.storage.contract import BlobStore


async def publish(context: Context, *, blobs: BlobStore) -> Outcome:
    chunked, embedded = result_of(context, "chunk"), result_of(context, "embed")
    chunks = await load_chunks(context, blobs)
    vectors = await _load_vectors(blobs, embedded)
    if not chunks:
        raise Rejected("empty", "No searchable text was found in this file.")
    if len(chunks) != len(vectors):
        raise TowpathError(f"There are {len(chunks)} chunks but {len(vectors)} vectors.")
    fields = await asyncio.to_thread(decode_fields, await blobs.get(str(chunked["fields"])))
    summary = cast("Mapping[str, object]", chunked["summary"])
    content = Publish(chunks, vectors, str(embedded["model"]), fields, summary)
    return Done({"chunks": len(chunks), "fields": len(fields)}, writes=[content])


async def _load_vectors(blobs: BlobStore, embedded: Json) -> Vectors:
    """The vectors of all batches in their order. Version 0.1.0 stored them as one blob."""
    keys = embedded["vectors"]
    batches = [keys] if isinstance(keys, str) else cast("list[str]", keys)
    body = b"".join([await blobs.get(key) for key in batches])
    return np.frombuffer(body, dtype="<f4").reshape(-1, int(str(embedded["dimension"])))
