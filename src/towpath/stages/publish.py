"""publish: the counts are checked, and the new content becomes visible in one switch."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

import numpy as np

from towpath.errors import Rejected, TowpathError
from towpath.model.encode import load_chunks, load_fields
from towpath.model.work import Done, Outcome
from towpath.model.writes import Publish
from towpath.stages.capabilities import result_of
from towpath.stages.contract import Context
from towpath.storage.contract import BlobStore


async def publish(context: Context, *, blobs: BlobStore) -> Outcome:
    cut, embedded = result_of(context, "chunk"), result_of(context, "embed")
    chunks = await asyncio.to_thread(load_chunks, await blobs.get(str(cut["chunks"])))
    dimension = int(str(embedded["dimension"]))
    vectors = np.frombuffer(await blobs.get(str(embedded["vectors"])), dtype="<f4").reshape(-1, dimension)
    if not chunks:
        raise Rejected("empty", "Nothing that could be searched was found in this file.")
    if len(chunks) != len(vectors):
        raise TowpathError(f"There are {len(chunks)} chunks but {len(vectors)} vectors.")
    fields = await asyncio.to_thread(load_fields, await blobs.get(str(cut["fields"])))
    summary = cast("Mapping[str, object]", cut["summary"])
    content = Publish(chunks, vectors, str(embedded["model"]), fields, summary)
    return Done({"chunks": len(chunks), "fields": len(fields)}, writes=[content])
