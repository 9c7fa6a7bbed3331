"""The transcript from a service: started once, asked for by suspending, removed there once it is here."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta

from towpath.errors import OperationLost, ProviderError, Throttled, Transient
from towpath.model.recording import Recording
from towpath.model.transcript import Transcript
from towpath.model.work import FailureType, Reject, Suspend
from towpath.providers.contract import Answer, Pending
from towpath.stages.call_capabilities import OPUS, Patience, Transcriber
from towpath.stages.capabilities import result_of
from towpath.stages.contract import Context, PaidCall, Postpone
from towpath.stages.extract_audio import Tape
from towpath.stages.source import BlobSource
from towpath.stages.waiting import Waiting

log = logging.getLogger(__name__)

#: A service needs about 10 seconds for a minute of sound; it is not asked before that.
SHARE_OF_LENGTH = 1 / 6
#: How long to leave it alone when it asks for that without saying how long.
THROTTLED = 15.0


async def start(context: Context, tape: Tape, service: Transcriber, recording: Recording) -> str | None:
    """The id of the operation, saved; None where the answer is remembered already."""
    return await context.started(_call(service, recording), lambda: _send(context, tape, service))


async def ask(
    context: Context, tape: Tape, service: Transcriber, recording: Recording, patience: Patience
) -> Transcript | Suspend | Reject:
    """One question. No answer yet means Suspend, and in the end, when patience is used up, Reject."""
    known = result_of(context, "transcribe_start").get("operation")
    waiting = Waiting.of(context)
    if known is not None and not waiting.begun:
        delay = min(max(patience.first, recording.seconds * SHARE_OF_LENGTH), patience.seconds / 2)
        first = context.now() + timedelta(seconds=delay)
        return Suspend(first, f"the transcript by {service.provider}", waiting.payload())
    operation = None if known is None else str(known)

    async def poll(found: str) -> Pending | Answer:
        nonlocal operation
        operation = found
        try:
            return await service.poll(found)
        except OperationLost:
            raise
        except Transient as fault:
            # A question costs nothing: a fault of the service is met with patience, not with an attempt.
            log.info("asking for the transcript of run %s failed: %s", context.run_id, fault)
            return Pending()

    try:
        answer = await context.operation(
            _call(service, recording), lambda: _send(context, tape, service), poll
        )
    except Postpone as postpone:
        return _later(context, waiting.once_more(), postpone.suspend, service, patience)
    except Throttled as throttled:
        wait = THROTTLED if throttled.retry_after is None else throttled.retry_after
        later = Suspend(context.now() + timedelta(seconds=wait), str(throttled))
        return _later(context, waiting.once_more(), later, service, patience)
    if operation is not None:
        await _forget(service, operation)
    return service.read(answer.body)


def _later(
    context: Context, waiting: Waiting, later: Suspend, service: Transcriber, patience: Patience
) -> Suspend | Reject:
    waited = waiting.exhausted(context.now(), patience)
    if waited is None:
        return replace(later, payload=waiting.payload())
    return Reject(
        f"{service.provider} has not finished the transcript after {waited}. A retry asks for the same operation "
        "again and pays nothing; the setting transcript_patience_seconds says how long to wait.",
        FailureType.STAGE_FAILED,
    )


async def _send(context: Context, tape: Tape, service: Transcriber) -> str:
    await tape.recorded(context)
    return await service.start(await BlobSource.of(tape.blobs, tape.sound_key(context), OPUS))


async def _forget(service: Transcriber, operation: str) -> None:
    """The answer is ours now, and the service's own copy goes; by itself and later, where this fails."""
    try:
        await service.forget(operation)
    except ProviderError as error:
        log.warning("the transcript %s could not be removed at %s: %s", operation, service.provider, error)


def _call(service: Transcriber, recording: Recording) -> PaidCall:
    return PaidCall(service.provider, service.model, service.parameters(), recording.sha256)
