"""Builds the call pipeline: audio extractor, transcriber and call analyzer that the settings name."""

from __future__ import annotations

from pathlib import Path

from towpath.bootstrap.cloud import require_setting
from towpath.bootstrap.providers import document_embedder, word_vectors
from towpath.config import Settings
from towpath.connections.store import ConnectionStore
from towpath.model.poll_state import PollLimits
from towpath.pipelines import call
from towpath.pipelines.pipeline import Pipeline
from towpath.process_runner import ProcessRunner
from towpath.providers.local.analysis.extractive import ExtractiveCallAnalyzer
from towpath.providers.local.speech.audio_extractor import LocalAudioExtractor
from towpath.providers.local.speech.transcriber import LocalTranscriber
from towpath.providers.openai.analysis import OpenAICallAnalyzer
from towpath.providers.yandex.speechkit import SpeechKit
from towpath.providers.yandex.speechkit_v2 import SpeechKitV2
from towpath.stages.capabilities import CallAnalyzer, Transcriber, WindowTranscriber
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
        self._transcriber = transcriber(settings, process_pool)
        self._call_analyzer = call_analyzer(settings, process_pool)

    def pipeline(
        self,
        store: BlobStore,
        incoming: Path,
        connection_store: ConnectionStore,
        background_pool: ProcessRunner,
    ) -> Pipeline:
        settings = self._settings
        extractor = LocalAudioExtractor(self._process_pool, settings.call_window_seconds)
        return call.call_pipeline(
            call_audio=CallAudio(store, extractor, settings.transcriber == "local", incoming),
            transcriber=self._transcriber,
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
            embedder=document_embedder(settings, self._process_pool),
            compute=self._process_pool,
            background_pool=background_pool,
            connection_store=connection_store,
            word_vectors=word_vectors(),
            concurrency=settings.child_processes,
        )

    async def aclose(self) -> None:
        for client in (self._transcriber, self._call_analyzer):
            if isinstance(client, SpeechKit | SpeechKitV2 | OpenAICallAnalyzer):
                await client.aclose()


def transcriber(settings: Settings, process_pool: ProcessPool) -> WindowTranscriber | Transcriber:
    return LocalTranscriber(process_pool) if settings.transcriber == "local" else speechkit(settings)


def speechkit(settings: Settings) -> SpeechKit | SpeechKitV2:
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
        return ExtractiveCallAnalyzer(process_pool)
    return openai_call_analyzer(settings)


def openai_call_analyzer(settings: Settings) -> OpenAICallAnalyzer:
    key = require_setting(settings, "openai_api_key", "call_analyzer = openai")
    return OpenAICallAnalyzer(key, settings.openai_analysis_model, base_url=settings.openai_base_url)
