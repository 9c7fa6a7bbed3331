"""Builds the local reader and its OCR settings, and the fingerprint that decides whether a rejection still holds."""

from __future__ import annotations

from typing import cast

from towpath import __version__
from towpath.config import Settings
from towpath.readers.local_reader import LocalReader
from towpath.readers.ocr.settings import EngineChoice, OcrSettings, find_engines
from towpath.worker.process_pool import ProcessPool


def build_reader(settings: Settings, process_pool: ProcessPool) -> LocalReader:
    return LocalReader(process_pool, ocr_settings(settings), page_cpu_seconds=settings.reader_cpu_seconds)


def reader_fingerprint(settings: Settings) -> dict[str, object]:
    """What decides whether a file can be read: a rejection holds as long as this stays the same."""
    ocr_engines = find_engines(ocr_settings(settings))
    return {
        "towpath": __version__,
        "reader": settings.reader,
        "ocr": list(ocr_engines.names) if ocr_engines else [],
        "transcriber": settings.transcriber,
        "limits": [settings.reader_cpu_seconds, settings.child_memory_mb],
    }


def ocr_settings(settings: Settings) -> OcrSettings:
    """The OCR settings of the readers."""
    return OcrSettings(
        cast(EngineChoice, settings.ocr), settings.tessdata, tuple(settings.ocr_languages.split("+"))
    )
