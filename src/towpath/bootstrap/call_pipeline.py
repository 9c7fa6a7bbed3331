"""Builds the call pipeline: audio extractor, transcriber and call analyzer that the settings name."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from towpath.bootstrap.cloud_providers import require_setting
from towpath.bootstrap.plugin_providers import is_own, own_provider
from towpath.config import Settings
from towpath.connections.store import ConnectionStore
from towpath.model.poll_state import PollLimits
from towpath.pipelines import call_pipeline
from towpath.pipelines.pipeline import Pipeline
from towpath.process_runner import ProcessRunner
from towpath.providers.local.analysis.local_call_analyzer import LocalCallAnalyzer
from towpath.providers.local.speech.audio_extractor import LocalAudioExtractor
from towpath.providers.local.speech.audio_window import encode_window
from towpath.providers.local.speech.diarization import LocalDiarizer
from towpath.providers.local.speech.transcode_to_opus import MODEL_BIT_RATE, SERVICE_BIT_RATE
from towpath.providers.local.speech.whisper import WhisperTranscriber
from towpath.providers.openai.call_analyzer import OpenAICallAnalyzer
from towpath.providers.openai.transcription import OpenAITranscriber
from towpath.providers.yandex.speechkit_v2 import SpeechKitV2
from towpath.providers.yandex.speechkit_v3 import SpeechKit
from towpath.stages.capabilities import (
    CallAnalyzer,
    Diarizer,
    Transcriber,
    WindowTranscriber,
    is_remote,
)
from towpath.stages.reembed import LibraryEmbedders, PublishedChunks
from towpath.stages.support.call_audio import CallAudio
from towpath.storage.contract import BlobStore
from towpath.worker.process_pool import ProcessPool

#: Retries of a throttled call analyzer are limited by time only.
UNLIMITED_POLLS = 1_000_000


class CallPipelineBuilder:
    """Builds the call pipeline and closes its HTTP clients."""

    def __init__(self, settings: Settings, process_pool: ProcessPool) -> None:
        self._settings = settings
        self._process_pool = process_pool
        self._transcriber = build_transcriber(settings, process_pool)
        self._call_analyzer = call_analyzer(settings, process_pool)

    def pipeline(
        self,
        store: BlobStore,
        incoming: Path,
        connection_store: ConnectionStore,
        background_pool: ProcessRunner,
        embedders: LibraryEmbedders,
        published: PublishedChunks,
    ) -> Pipeline:
        settings = self._settings
        for_service = is_remote(self._transcriber)
        extractor = LocalAudioExtractor(
            self._process_pool,
            settings.call_window_seconds,
            SERVICE_BIT_RATE if for_service else MODEL_BIT_RATE,
        )
        return call_pipeline.call_pipeline(
            call_audio=CallAudio(store, extractor, not for_service, incoming),
            transcriber=self._transcriber,
            speaker_separator=speaker_separator(settings, self._process_pool, self._transcriber),
            poll_limits=PollLimits(
                settings.transcript_timeout_seconds,
                settings.transcript_max_polls,
                settings.transcript_first_poll_seconds,
                None
                if settings.speechkit_poll_interval_ms is None
                else settings.speechkit_poll_interval_ms / 1000,
            ),
            slice_seconds=settings.call_slice_seconds,
            keep_original=settings.keep_original,
            analyzer=self._call_analyzer,
            analyzer_poll_limits=PollLimits(
                settings.analysis_timeout_seconds,
                UNLIMITED_POLLS,
                seconds_setting="analysis_timeout_seconds",
            ),
            embedders=embedders,
            published=published,
            compute=self._process_pool,
            background_pool=background_pool,
            connection_store=connection_store,
            concurrency=settings.child_processes,
        )

    async def aclose(self) -> None:
        for client in (self._transcriber, self._call_analyzer):
            if isinstance(client, Closable):
                await client.aclose()


@runtime_checkable
class Closable(Protocol):
    """A client with connections."""

    async def aclose(self) -> None: ...


def build_transcriber(settings: Settings, process_pool: ProcessPool) -> WindowTranscriber | Transcriber:
    if settings.transcriber == "whisper":
        return WhisperTranscriber(process_pool, language=settings.call_language)
    if settings.transcriber == "openai":
        return openai_transcriber(settings, process_pool)
    if is_own(settings.transcriber):
        return cast("WindowTranscriber | Transcriber", own_provider(settings, "transcriber"))
    return build_speechkit_client(settings)


def speaker_separator(
    settings: Settings, process_pool: ProcessPool, transcriber: WindowTranscriber | Transcriber
) -> Diarizer | None:
    """Who speaks on a recording with one channel; None for services that say it themselves, or if nobody asks."""
    if is_remote(transcriber) or settings.call_speakers == 1:
        return None
    return LocalDiarizer(process_pool, count=settings.call_speakers)


def openai_transcriber(settings: Settings, process_pool: ProcessPool | None) -> OpenAITranscriber:
    """The client of the server. Without a process pool it can only be probed."""
    return OpenAITranscriber(
        require_setting(settings, "openai_api_key", "transcriber = openai"),
        settings.openai_transcription_model,
        cut_audio=None if process_pool is None else partial(process_pool.run, encode_window, seconds=300),
        language=settings.call_language,
        base_url=settings.openai_base_url,
        price_per_minute=settings.openai_transcription_price,
    )


def build_speechkit_client(settings: Settings) -> SpeechKit | SpeechKitV2:
    """The client of the SpeechKit API that the setting `transcriber` names."""
    key = require_setting(settings, "speechkit_api_key", f"transcriber = {settings.transcriber}")
    if settings.transcriber == "speechkit-v2":
        return SpeechKitV2(
            key,
            folder_id=settings.speechkit_folder_id,
            model=settings.speechkit_model,
            language=settings.speechkit_languages[0],
            transcribe_url=settings.speechkit_transcribe_url,
            operations_url=settings.speechkit_operations_url,
        )
    return SpeechKit(
        key,
        folder_id=settings.speechkit_folder_id,
        model=settings.speechkit_model,
        languages=settings.speechkit_languages,
        stt_url=settings.speechkit_stt_url,
        operations_url=settings.speechkit_operations_url,
    )


def call_analyzer(settings: Settings, process_pool: ProcessPool) -> CallAnalyzer:
    if settings.call_analyzer == "local":
        return LocalCallAnalyzer(process_pool)
    if is_own(settings.call_analyzer):
        return cast("CallAnalyzer", own_provider(settings, "call_analyzer"))
    return openai_call_analyzer(settings)


def openai_call_analyzer(settings: Settings) -> OpenAICallAnalyzer:
    key = require_setting(settings, "openai_api_key", "call_analyzer = openai")
    return OpenAICallAnalyzer(key, settings.openai_analysis_model, base_url=settings.openai_base_url)
