"""extract: text, markdown, pages and fields out of the original. Remembered by content, so done once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from towpath.errors import Rejected
from towpath.model.work import Done, Outcome
from towpath.providers.contract import Answer
from towpath.stages.artifact import store
from towpath.stages.capabilities import Reader, document_of
from towpath.stages.contract import Context, PaidCall
from towpath.storage.contract import BlobStore


async def extract(context: Context, *, blobs: BlobStore, reader: Reader) -> Outcome:
    document = document_of(context)
    media_type = document["media_type"]
    if refusal := document.get("refusal"):
        raise Rejected("unsupported", refusal)

    async def read() -> Answer:
        async with blobs.as_file(document["blob_key"]) as path:
            return await reader.read(path, media_type, _reporter(context))

    call = PaidCall(reader.provider, reader.model, reader.parameters(media_type), document["sha256"])
    answer = await context.once(call, read)
    made = await store(context, blobs, "extraction", "json", "application/json", answer.body)
    return Done({"extraction": made.key}, writes=[made])


def _reporter(context: Context) -> Callable[[int, int], None]:
    """Progress comes from a thread's callback; the ledger is told from the loop, in the background."""
    loop = asyncio.get_running_loop()
    running: set[asyncio.Task[None]] = set()

    def report(done: int, total: int) -> None:
        task = loop.create_task(_quietly(context, done, total))
        running.add(task)
        task.add_done_callback(running.discard)

    return report


async def _quietly(context: Context, done: int, total: int) -> None:
    """A lost lease shows at the next real write; progress is not worth failing for."""
    try:
        await context.progress(done, total)
    except Exception:
        return
