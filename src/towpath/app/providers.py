"""Who reads and embeds for this installation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from towpath import __version__
from towpath.app.cloud import openai_embedder
from towpath.config import Settings
from towpath.providers.contract import Embedder, Vectors
from towpath.providers.local.embedder import LocalEmbedder
from towpath.providers.local.ocr import OcrSettings, language_data
from towpath.providers.local.registry import LocalReader
from towpath.providers.local.wordllama import StaticEmbedder
from towpath.worker.children import Children


def reader(settings: Settings, children: Children) -> LocalReader:
    return LocalReader(children, _ocr(settings))


def reading_means(settings: Settings) -> dict[str, object]:
    """What decides whether a file can be read here: while it stays the same, so does a rejection."""
    found = language_data(_ocr(settings))
    return {
        "towpath": __version__,
        "reader": settings.reader,
        "ocr": list(found.languages) if found else [],
        "transcriber": settings.transcriber,
    }


def _ocr(settings: Settings) -> OcrSettings:
    return OcrSettings(settings.ocr, settings.tessdata, tuple(settings.ocr_languages.split("+")))


def document_embedder(settings: Settings, children: Children) -> Embedder:
    return _embedder(settings, partial(children.run, seconds=120))


def query_embedder(settings: Settings) -> Embedder:
    """Queries do not stand in line behind documents: they are embedded in a thread of this process."""
    return _embedder(settings, _in_thread)


def _embedder(settings: Settings, run: Callable[..., Awaitable[Vectors]]) -> Embedder:
    if settings.embedder == "openai":
        return openai_embedder(settings)
    if settings.embedder == "minilm":
        return LocalEmbedder(settings.data / "models", run=run)
    return StaticEmbedder(run=run)


async def _in_thread(function: Callable[..., Vectors], *arguments: object) -> Vectors:
    return await asyncio.to_thread(function, *arguments)
