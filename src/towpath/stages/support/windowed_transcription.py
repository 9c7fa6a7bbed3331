"""Transcribes a recording window by window; the answer for each window is cached.

After ``slice_seconds`` of work the job is suspended and goes behind the other jobs in the queue, so that a
two-hour recording does not block them.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from towpath.model.codec import decode, encode
from towpath.model.extracted_audio import Recording, Window
from towpath.model.job import ProgressUnit, WaitingReason
from towpath.model.job_payload import WINDOWS_DONE, windows_done
from towpath.model.outcome import Suspend
from towpath.model.provider_answer import Answer
from towpath.model.transcript import Segment, Transcript
from towpath.model.writes import DropArtifact, KeepArtifact
from towpath.stages.capabilities import Diarizer, LanguageDetector, WindowTranscriber
from towpath.stages.contract import Context, ProviderCall
from towpath.stages.support.call_audio import CallAudio, LocalAudioFile
from towpath.stages.support.speaker_labels import label_speakers
from towpath.stages.support.speaker_turns import merge_turns, utterances


@dataclass(frozen=True, slots=True)
class WindowedTranscription:
    """The transcription of one recording, as far as this job has come."""

    context: Context
    call_audio: CallAudio
    transcriber: WindowTranscriber
    #: None if nobody asked who speaks.
    separator: Diarizer | None
    recording: Recording
    audio_file: LocalAudioFile

    @property
    def channels(self) -> tuple[int | None, ...]:
        return (0, 1) if self.recording.speaker_per_channel else (None,)

    async def detect_language(self) -> bytes | None:
        """The cached answer about the language; None if the transcriber does not detect it beforehand."""
        transcriber = self.transcriber
        if transcriber.language is not None or not isinstance(transcriber, LanguageDetector):
            return None

        async def run_model() -> Answer:
            path = await self.audio_file.path()
            return await transcriber.detect_language(path, self.recording.windows, self.channels)

        parameters = {**transcriber.parameters(None), "task": "language"}
        call = ProviderCall(transcriber.provider, transcriber.model, parameters, self.recording.sha256)
        return (await self.context.call_once(call, run_model)).body

    async def transcribe_window(
        self, window: Window, language: str | None
    ) -> tuple[list[Segment], str | None]:
        """The utterances of one window in order of time, and the language that the transcriber names, if it does."""
        segments: list[Segment] = []
        named: str | None = None
        for channel in self.channels:
            # Part of the cache key of stored answers: the names "window" and "side" must not change.
            position = {"window": f"{window[0]:g}-{window[1]:g}", "side": str(channel)}
            call = ProviderCall(
                self.transcriber.provider,
                self.transcriber.model,
                {**self.transcriber.parameters(language), **position},
                self.recording.sha256,
            )
            answer = await self.context.call_once(call, partial(self._transcribe, window, channel, language))
            speaker = None if channel is None else f"Speaker {channel + 1}"
            spoken = (part for segment in self.transcriber.read(answer.body) for part in utterances(segment))
            segments += [replace(segment, speaker=speaker) for segment in spoken]
            named = named or self.transcriber.language_of(answer.body)
        return sorted(segments, key=lambda segment: (segment.start, segment.end)), named

    async def _transcribe(self, window: Window, channel: int | None, language: str | None) -> Answer:
        return await self.transcriber.transcribe(await self.audio_file.path(), window, channel, language)

    async def describe_voices(self, window: Window) -> bytes | None:
        """The voices of one window; None if the channels already say who speaks."""
        separator = self.separator
        if separator is None or self.recording.speaker_per_channel:
            return None

        async def run_model() -> Answer:
            return await separator.describe(await self.audio_file.path(), window)

        parameters = {**separator.parameters(), "window": f"{window[0]:g}-{window[1]:g}"}
        call = ProviderCall(separator.provider, separator.model, parameters, self.recording.sha256)
        return (await self.context.call_once(call, run_model)).body

    async def label_speakers(self, segments: Sequence[Segment]) -> Sequence[Segment]:
        """The segments with their speakers; unchanged if the channels say who speaks, or only one person does."""
        voices = [await self.describe_voices(window) for window in self.recording.windows]
        if self.separator is None or self.recording.speaker_per_channel:
            return segments
        spans = await self.separator.separate([voice for voice in voices if voice is not None])
        return label_speakers(segments, spans)


async def transcribe_windows(
    context: Context,
    call_audio: CallAudio,
    transcriber: WindowTranscriber,
    separator: Diarizer | None,
    recording: Recording,
    slice_seconds: float,
) -> Transcript | Suspend:
    """The complete transcript; or Suspend when the time slice has ended and windows remain."""
    draft, first = await _load_draft(context, call_audio)
    segments, language = list(draft.segments), draft.language or transcriber.language
    clock = asyncio.get_running_loop().time
    slice_end = clock() + slice_seconds
    async with call_audio.local_file(context) as audio_file:
        work = WindowedTranscription(context, call_audio, transcriber, separator, recording, audio_file)
        detected = await work.detect_language()
        asked = transcriber.language
        if detected is not None and isinstance(transcriber, LanguageDetector):
            language = asked = transcriber.read_language(detected)
            if language is None:
                return Transcript()
        for index in range(first, len(recording.windows)):
            window = recording.windows[index]
            spoken, named = await work.transcribe_window(window, asked)
            segments += spoken
            language = language or named
            await work.describe_voices(window)
            await context.progress(index + 1, len(recording.windows), ProgressUnit.WINDOW)
            if clock() > slice_end and index + 1 < len(recording.windows):
                await _save_draft(context, call_audio, Transcript(tuple(segments), language))
                return Suspend(context.now(), WaitingReason.FREE_WORKER, payload={WINDOWS_DONE: index + 1})
        if detected is not None and isinstance(transcriber, LanguageDetector):
            transcriber.check(detected, segments)
        labelled = await work.label_speakers(segments)
    # Delete the row before the file: after a crash in between no row refers to a missing file.
    await context.write(DropArtifact(call_audio.draft_key(context)))
    await call_audio.blobs.delete(call_audio.draft_key(context))
    return Transcript(tuple(merge_turns(labelled)), language)


async def _save_draft(context: Context, call_audio: CallAudio, draft: Transcript) -> None:
    body, key = encode(draft), call_audio.draft_key(context)
    digest = hashlib.sha256(body).hexdigest()
    await call_audio.blobs.put(key, body)
    await context.write(KeepArtifact("draft", key, "application/json", len(body), digest))


async def _load_draft(context: Context, call_audio: CallAudio) -> tuple[Transcript, int]:
    """What earlier time slices saved, and the index of the next window."""
    window_count = windows_done(context.payload)
    key = call_audio.draft_key(context)
    if window_count is None or await call_audio.blobs.size(key) is None:
        return Transcript(), 0
    end = (await call_audio.recording(context)).windows[window_count - 1][1]
    draft = decode(await call_audio.blobs.get(key), Transcript)
    # After a crash the draft may be newer than the payload: drop the segments of later windows.
    kept = tuple(segment for segment in draft.segments if segment.end <= end)
    return replace(draft, segments=kept), window_count
