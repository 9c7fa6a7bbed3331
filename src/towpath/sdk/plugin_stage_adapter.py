"""Adapts a stage of an installed package to the stage contract: gives it its Context and stores its outcome."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import timedelta

from towpath.model.codec import encode, encode_extraction
from towpath.model.content import Extraction
from towpath.model.job import WaitingReason
from towpath.model.job_payload import STATE
from towpath.model.outcome import Done as StageDone
from towpath.model.outcome import Outcome as StageOutcome
from towpath.model.outcome import Reject
from towpath.model.outcome import Suspend as StageSuspend
from towpath.model.stage_declaration import FIELDS, TEXT
from towpath.model.writes import Write
from towpath.sdk.call_observer import running_stage
from towpath.sdk.context import Context
from towpath.sdk.outcomes import Done, Outcome, Suspend
from towpath.sdk.stage import OwnStage
from towpath.stages.capabilities import OWN
from towpath.stages.contract import Context as JobContext
from towpath.stages.contract import Stage
from towpath.stages.support.artifact import store, store_content
from towpath.storage.contract import BlobStore

#: The largest result of an own stage as JSON, in bytes: it is read with every later stage of the run.
MAX_RESULT_BYTES = 65_536
#: Names in a result that Towpath uses itself.
_RESERVED = frozenset({OWN, "calls"})


def adapt_stage(own: OwnStage, blobs: BlobStore, settings: Mapping[str, object]) -> Stage:
    async def run(job: JobContext) -> StageOutcome:
        context = Context(job, blobs, settings)
        with running_stage(own.name, job.document_id):
            outcome = await own.function(context)
        return await _converted(own, job, blobs, context, outcome)

    return run


async def _converted(
    own: OwnStage, job: JobContext, blobs: BlobStore, context: Context, outcome: Outcome
) -> StageOutcome:
    match outcome:
        case Done():
            return await _done(own, job, blobs, context, outcome)
        case Suspend():
            until = job.now() + timedelta(seconds=outcome.seconds)
            payload = None if outcome.state is None else {**job.payload, STATE: dict(outcome.state)}
            provider = outcome.provider or own.name
            return StageSuspend(until, WaitingReason.PROVIDER_OPERATION, provider, outcome.detail, payload)
        case Reject():
            return outcome
        case other:  # pyright: ignore[reportUnnecessaryComparison]  (packages need not be type-checked)
            raise TypeError(
                f"The stage {own.name} returned {type(other).__name__}; it must return Done, Suspend or Reject."
            )


async def _done(own: OwnStage, job: JobContext, blobs: BlobStore, context: Context, done: Done) -> StageDone:
    result = _checked_result(own, done.result)
    writes: list[Write] = list(context.artifacts)
    made: dict[str, object] = {}
    if done.text is not None:
        _require_output(own, TEXT)
        encoded = await asyncio.to_thread(encode_extraction, Extraction(done.text, own.name))
        content = await store_content(job, blobs, encoded.markdown)
        extraction = await store(job, blobs, "extraction", "json", "application/json", encoded.extraction)
        writes += [content, extraction]
        made |= {
            "extraction": extraction.key,
            "markdown": content.key,
            "markdown_bytes": content.size,
            "markdown_sha256": content.sha256,
        }
    if done.fields:
        _require_output(own, FIELDS)
        kind = f"fields-{own.name.replace('_', '-')}"
        fields = await store(job, blobs, kind, "json", "application/json", encode(list(done.fields)))
        writes.append(fields)
        made["fields"] = fields.key
    return StageDone({**result, OWN: made} if made else result, writes)


def _checked_result(own: OwnStage, result: Mapping[str, object]) -> dict[str, object]:
    if reserved := sorted(_RESERVED.intersection(result)):
        raise ValueError(f"The result of the stage {own.name} must not have the name `{reserved[0]}`.")
    try:
        size = len(json.dumps(dict(result)).encode())
    except (TypeError, ValueError) as error:
        raise TypeError(f"The result of the stage {own.name} is not JSON: {error}.") from error
    if size > MAX_RESULT_BYTES:
        raise ValueError(
            f"The result of the stage {own.name} has {size} bytes; at most {MAX_RESULT_BYTES} are stored. "
            "Store large results with `context.store` and put their keys into the result."
        )
    return dict(result)


def _require_output(own: OwnStage, kind: str) -> None:
    if kind not in own.declaration.outputs:
        raise ValueError(
            f"The stage {own.name} gives {kind} but does not declare it. Add `{kind}` to its `outputs`."
        )
