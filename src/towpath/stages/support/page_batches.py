"""Recognizes the scanned pages of a long file batch by batch; the answer for each batch is cached.

A killed worker, or the next run after a deadline, continues with the first batch that has no answer.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from towpath.model.job import ProgressUnit
from towpath.model.page_plan import PageBatch, PagePlan
from towpath.model.provider_answer import Answer
from towpath.stages.capabilities import Reader
from towpath.stages.contract import Context, ProviderCall
from towpath.stages.support.original_file import Original
from towpath.stages.support.progress_callback import progress_callback


async def recognize_batches(
    context: Context, original: Original, reader: Reader, document: Mapping[str, str], plan: PagePlan
) -> list[bytes]:
    """The answers for all batches of the plan, in order. The original is fetched only if a batch has no answer."""
    media_type = document["media_type"]
    report = progress_callback(context, ProgressUnit.PAGE)
    done = plan.page_count - plan.ocr_pages
    answers: list[bytes] = []
    async with AsyncExitStack() as stack:
        path: Path | None = None

        async def recognize(batch: PageBatch, on_progress: Callable[[int, int], None]) -> Answer:
            nonlocal path
            if path is None:
                path = await stack.enter_async_context(original.file())
            previous = answers[-1] if answers else None
            body = await reader.recognize(path, media_type, batch, previous, on_progress)
            return Answer(zlib.compress(body), {"pages": float(len(batch.pages))})

        for batch in plan.batches:
            answer = await context.call_once(
                _call(reader, document, batch),
                lambda batch=batch, done=done: recognize(
                    batch, lambda pages, _: report(done + pages, plan.page_count)
                ),
            )
            answers.append(zlib.decompress(answer.body))
            done += len(batch.pages)
            await context.progress(done, plan.page_count, ProgressUnit.PAGE)
    return answers


def _call(reader: Reader, document: Mapping[str, str], batch: PageBatch) -> ProviderCall:
    """The call of one batch. Its result also depends on the batches before it, which the file decides."""
    parameters = {**reader.parameters(document["media_type"]), "pages": ",".join(map(str, batch.pages))}
    return ProviderCall(reader.provider, reader.model, parameters, document["sha256"])
