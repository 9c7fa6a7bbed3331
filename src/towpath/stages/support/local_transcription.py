"""Transcribes a recording on this machine, window by window; the answer for each window is cached.

After ``slice_seconds`` of work the job is suspended and goes behind the other jobs in the queue, so that a
two-hour recording does not block them.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from towpath.model.answer import Answer
from towpath.model.codec import decode, encode
from towpath.model.job import ProgressUnit, WaitingReason
from towpath.model.outcome import Suspend
from towpath.model.payload import WINDOWS_DONE, windows_done
from towpath.model.recording import Recording, Window
from towpath.model.transcript import Segment, Transcript
from towpath.model.writes import DropArtifact, KeepArtifact
from towpath.stages.capabilities import WindowTranscriber
from towpath.stages.contract import Context, ProviderCall
from towpath.stages.support.call_audio import CallAudio, LocalAudioFile


async def transcribe_windows(
    context: Context,
    call_audio: CallAudio,
    transcriber: WindowTranscriber,
    recording: Recording,
    slice_seconds: float,
) -> Transcript | Suspend:
    """The complete transcript; or Suspend when the time slice has ended and windows remain."""
    segments, first = await _load_draft(context, call_audio)
    clock = asyncio.get_running_loop().time
    slice_end = clock() + slice_seconds
    async with call_audio.local_file(context) as audio_file:
        for index in range(first, len(recording.windows)):
            window = recording.windows[index]
            segments += await _transcribe_window(context, audio_file, transcriber, recording, window)
            await context.progress(index + 1, len(recording.windows), ProgressUnit.WINDOW)
            if clock() > slice_end and index + 1 < len(recording.windows):
                await _save_draft(context, call_audio, segments)
                return Suspend(context.now(), WaitingReason.FREE_WORKER, payload={WINDOWS_DONE: index + 1})
    # Delete the row before the file: after a crash in between no row refers to a missing file.
    await context.write(DropArtifact(call_audio.draft_key(context)))
    await call_audio.blobs.delete(call_audio.draft_key(context))
    return Transcript(tuple(segments))


async def _save_draft(context: Context, call_audio: CallAudio, segments: Sequence[Segment]) -> None:
    draft, key = encode(Transcript(tuple(segments))), call_audio.draft_key(context)
    digest = hashlib.sha256(draft).hexdigest()
    await call_audio.blobs.put(key, draft)
    await context.write(KeepArtifact("draft", key, "application/json", len(draft), digest))


async def _load_draft(context: Context, call_audio: CallAudio) -> tuple[list[Segment], int]:
    """The segments that earlier time slices saved, and the index of the next window."""
    window_count = windows_done(context.payload)
    key = call_audio.draft_key(context)
    if window_count is None or await call_audio.blobs.size(key) is None:
        return [], 0
    end = (await call_audio.recording(context)).windows[window_count - 1][1]
    draft = decode(await call_audio.blobs.get(key), Transcript)
    # After a crash the draft may be newer than the payload: drop the segments of later windows.
    return [segment for segment in draft.segments if segment.end <= end], window_count


async def _transcribe_window(
    context: Context,
    audio_file: LocalAudioFile,
    transcriber: WindowTranscriber,
    recording: Recording,
    window: Window,
) -> Sequence[Segment]:
    channels: tuple[int | None, ...] = (0, 1) if recording.speaker_per_channel else (None,)
    segments: list[Segment] = []

    async def run_model(channel: int | None) -> Answer:
        return await transcriber.transcribe(await audio_file.path(), window, channel)

    for channel in channels:
        # Part of the cache key of stored answers: the names "window" and "side" must not change.
        position = {"window": f"{window[0]:g}-{window[1]:g}", "side": str(channel)}
        call = ProviderCall(
            transcriber.provider,
            transcriber.model,
            {**transcriber.parameters(), **position},
            recording.sha256,
        )
        answer = await context.call_once(call, partial(run_model, channel))
        speaker = None if channel is None else f"Speaker {channel + 1}"
        segments += [replace(segment, speaker=speaker) for segment in transcriber.read(answer.body)]
    return sorted(segments, key=lambda segment: (segment.start, segment.end))
