"""Who hears calls and tells what they were about, for this installation."""

from __future__ import annotations

from pathlib import Path

from towpath.app.cloud import wanted
from towpath.app.providers import document_embedder
from towpath.config import Settings
from towpath.pipelines import call
from towpath.pipelines.pipeline import Pipeline
from towpath.providers.local.analyst import LocalAnalyst
from towpath.providers.local.recorder import LocalRecorder
from towpath.providers.local.transcriber import LocalTranscriber
from towpath.providers.openai.analysis import OpenAIAnalyst
from towpath.providers.yandex.speechkit import SpeechKit
from towpath.providers.yandex.speechkit_v2 import SpeechKitV2
from towpath.stages.call_capabilities import Analyst, Listener, Patience, Transcriber
from towpath.stages.capabilities import Compute, Library
from towpath.stages.extract_audio import Tape
from towpath.storage.contract import BlobStore
from towpath.worker.children import Children

#: A busy analyst is asked as often as it says; only the time counts.
ANY_NUMBER = 1_000_000


class CallHearing:
    """Puts the pipeline of calls together, and ends its connections when the program ends."""

    def __init__(self, settings: Settings, children: Children) -> None:
        self._settings = settings
        self._children = children
        self._ears = transcriber(settings, children)
        self._analyst = analyst(settings, children)

    def pipeline(self, store: BlobStore, incoming: Path, library: Library, aside: Compute) -> Pipeline:
        settings = self._settings
        recorder = LocalRecorder(self._children, settings.call_window_seconds)
        return call.call_pipeline(
            tape=Tape(store, recorder, settings.transcriber == "local", incoming),
            ears=self._ears,
            patience=Patience(
                settings.transcript_patience_seconds,
                settings.transcript_polls,
                settings.transcript_first_poll_seconds,
            ),
            turn_seconds=settings.call_turn_seconds,
            keep_original=settings.keep_original,
            analyst=self._analyst,
            analyst_patience=Patience(settings.analysis_patience_seconds, ANY_NUMBER),
            embedder=document_embedder(settings, self._children),
            compute=self._children,
            aside=aside,
            library=library,
            side_by_side=settings.child_processes,
        )

    async def aclose(self) -> None:
        for one in (self._ears, self._analyst):
            if isinstance(one, SpeechKit | SpeechKitV2 | OpenAIAnalyst):
                await one.aclose()


def transcriber(settings: Settings, children: Children) -> Listener | Transcriber:
    if settings.transcriber == "local":
        return LocalTranscriber(children)
    key = wanted(settings, "speechkit_api_key", f"transcriber = {settings.transcriber}")
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


def analyst(settings: Settings, children: Children) -> Analyst:
    if settings.analyst == "local":
        return LocalAnalyst(children)
    key = wanted(settings, "openai_api_key", "analyst = openai")
    return OpenAIAnalyst(key, settings.openai_analysis_model, base_url=settings.openai_base_url)
