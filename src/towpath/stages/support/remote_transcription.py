"""Gets a transcript from a remote service: starts one operation, polls it by suspending, deletes the remote copy."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta

from towpath.errors import OperationLost, ProviderError, Transient
from towpath.model.extracted_audio import Recording
from towpath.model.job import WaitingReason
from towpath.model.outcome import Reject, Suspend
from towpath.model.poll_state import PollLimits, PollState
from towpath.model.provider_answer import Answer, Pending
from towpath.model.run import FailureType
from towpath.model.transcript import Transcript
from towpath.stages.capabilities import OPUS, Transcriber, result_of
from towpath.stages.contract import Context, ProviderCall, SuspendStage
from towpath.stages.support.blob_source import BlobSource
from towpath.stages.support.call_audio import CallAudio

log = logging.getLogger(__name__)

#: A service needs about 10 seconds per minute of audio; the first poll is delayed by that.
FIRST_POLL_SHARE = 1 / 6


async def start(
    context: Context, call_audio: CallAudio, transcriber: Transcriber, recording: Recording
) -> str | None:
    """Start the operation once; returns its saved id, or None if the answer is cached already."""
    return await context.start_once(
        _call(transcriber, recording), lambda: _send(context, call_audio, transcriber)
    )


async def poll(
    context: Context,
    call_audio: CallAudio,
    transcriber: Transcriber,
    recording: Recording,
    poll_limits: PollLimits,
) -> Transcript | Suspend | Reject:
    """Poll once: the transcript, Suspend while the operation runs, Reject when ``poll_limits`` are used up."""
    started = result_of(context, "transcribe_start").get("operation")
    state = PollState.read(context.payload, context.run_id, context.now())
    if started is not None and not state.resumed:
        until = context.now() + timedelta(seconds=_first_delay(recording, poll_limits))
        reason = WaitingReason.PROVIDER_OPERATION
        return Suspend(until, reason, transcriber.provider, payload=state.write(context.payload))
    operation = None if started is None else str(started)
    fixed = poll_limits.interval is not None

    async def poll_operation(operation_id: str) -> Pending | Answer:
        nonlocal operation
        operation = operation_id
        try:
            state = await transcriber.poll(operation_id)
            return Pending(poll_limits.interval) if fixed and isinstance(state, Pending) else state
        except OperationLost:
            raise
        except Transient as error:
            # A poll costs nothing: a transient error delays the next poll and uses up no attempt.
            log.info("polling the transcript of run %s failed: %s", context.run_id, error)
            return Pending(poll_limits.interval)

    try:
        answer = await context.run_operation(
            _call(transcriber, recording),
            lambda: _send(context, call_audio, transcriber),
            poll_operation,
            max_seconds=None,
        )
    except SuspendStage as suspended:
        return _suspend_or_give_up(context, state, suspended.suspend, transcriber, poll_limits)
    if operation is not None:
        await _delete_remote_copy(transcriber, operation)
    return transcriber.read(answer.body)


def _first_delay(recording: Recording, poll_limits: PollLimits) -> float:
    """Seconds until the first poll: the fixed interval, or the time that a service usually needs."""
    if poll_limits.interval is not None:
        return poll_limits.interval
    return min(max(poll_limits.first, recording.seconds * FIRST_POLL_SHARE), poll_limits.seconds / 2)


def _suspend_or_give_up(
    context: Context, state: PollState, suspend: Suspend, transcriber: Transcriber, poll_limits: PollLimits
) -> Suspend | Reject:
    if suspend.payload is None:
        # The provider was not polled, because it is throttled: the wait counts like a poll.
        suspend = replace(suspend, payload=state.increment().write(context.payload))
    assert suspend.payload is not None
    state = PollState.read(suspend.payload, context.run_id, context.now())
    waited = state.exhausted_after(context.now(), poll_limits)
    if waited is None:
        return suspend
    return Reject(
        f"{transcriber.provider} has not finished the transcript after {waited}. A retry polls the same operation "
        "again at no cost.",
        FailureType.STAGE_FAILED,
    )


async def _send(context: Context, call_audio: CallAudio, transcriber: Transcriber) -> str:
    await call_audio.ensure_extracted(context)
    source = await BlobSource.of(call_audio.blobs, call_audio.audio_key(context), OPUS)
    return await transcriber.start(source)


async def _delete_remote_copy(transcriber: Transcriber, operation: str) -> None:
    """Delete the service's copy of the transcript. An error is only logged: the service deletes it later itself."""
    try:
        await transcriber.delete_remote_copy(operation)
    except ProviderError as error:
        log.warning("the transcript %s was not deleted at %s: %s", operation, transcriber.provider, error)


def _call(transcriber: Transcriber, recording: Recording) -> ProviderCall:
    return ProviderCall(transcriber.provider, transcriber.model, transcriber.parameters(), recording.sha256)
