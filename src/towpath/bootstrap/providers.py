"""Builds the reader and the embedders that the settings name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from towpath import __version__
from towpath.bootstrap.cloud import openai_embedder
from towpath.config import Settings
from towpath.connections.store import WordVectors
from towpath.providers.contract import Embedder, Vectors
from towpath.providers.local.embeddings.minilm import MiniLMEmbedder
from towpath.providers.local.embeddings.wordllama import WordLlamaEmbedder
from towpath.providers.local.embeddings.wordllama_model import WordLlamaVectors, is_installed
from towpath.readers.local_reader import LocalReader
from towpath.readers.ocr.settings import OcrSettings, find_language_data
from towpath.worker.process_pool import ProcessPool


def reader(settings: Settings, process_pool: ProcessPool) -> LocalReader:
    return LocalReader(process_pool, _ocr_settings(settings))


def reader_fingerprint(settings: Settings) -> dict[str, object]:
    """What decides whether a file can be read: a rejection holds as long as this stays the same."""
    ocr_data = find_language_data(_ocr_settings(settings))
    return {
        "towpath": __version__,
        "reader": settings.reader,
        "ocr": list(ocr_data.languages) if ocr_data else [],
        "transcriber": settings.transcriber,
    }


def _ocr_settings(settings: Settings) -> OcrSettings:
    return OcrSettings(settings.ocr, settings.tessdata, tuple(settings.ocr_languages.split("+")))


def document_embedder(settings: Settings, process_pool: ProcessPool) -> Embedder:
    return _embedder(settings, partial(process_pool.run, seconds=120))


def query_embedder(settings: Settings) -> Embedder:
    """Embeds queries in a thread of this process, so that they do not queue behind documents."""
    return _embedder(settings, _in_thread)


def _embedder(settings: Settings, run: Callable[..., Awaitable[Vectors]]) -> Embedder:
    if settings.embedder == "openai":
        return openai_embedder(settings)
    if settings.embedder == "minilm":
        return MiniLMEmbedder(settings.data / "models", run=run)
    return WordLlamaEmbedder(run=run)


def word_vectors() -> WordVectors | None:
    """Word vectors for scoring connections; None where the WordLlama package is not installed."""
    return WordLlamaVectors() if is_installed() else None


async def _in_thread(function: Callable[..., Vectors], *arguments: object) -> Vectors:
    return await asyncio.to_thread(function, *arguments)
