"""A setting that needs a package says so at start, with the exact install line."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from towpath.bootstrap import cloud_providers, install_hints, job_queue, open_runtime
from towpath.config import Settings
from towpath.errors import ConfigError, Rejected
from towpath.ledger.contract.ledger import RunPlan
from towpath.providers.local.speech.transcode_to_opus import extract_audio
from towpath.readers.ocr import settings as ocr

find_spec: Callable[..., Any] = importlib.util.find_spec


@pytest.mark.parametrize(
    ("settings", "missing", "line"),
    [
        ({"embedder": "english"}, "onnxruntime", r"pip install 'towpath\[english\]'"),
        ({"embedder": "english"}, "towpath_model_english", r"pip install 'towpath\[english\]'"),
        (
            {"embedder": "multilingual"},
            "towpath_model_multilingual",
            "pip install towpath-model-multilingual",
        ),
        ({"embedder": "fast"}, "towpath_model_fast", "pip install towpath-model-fast"),
        ({"embedder": "openai", "openai_api_key": "key"}, "openai", r"pip install 'towpath\[openai\]'"),
    ],
)
def test_a_missing_package_is_named_at_start(
    settings: dict[str, Any], missing: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def find(name: str, package: str | None = None) -> Any:
        return None if name == missing else find_spec(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    monkeypatch.setattr(cloud_providers, "find_spec", find)

    with pytest.raises(ConfigError, match=line):
        cloud_providers.check_providers(Settings(data=tmp_path, **settings))


@pytest.mark.parametrize(
    ("transcriber", "missing"),
    [
        ("whisper", "av"),
        ("whisper", "faster_whisper"),
        ("whisper", "towpath_model_whisper_base"),
        ("whisper", "towpath_model_speakers"),
        ("whisper", "onnxruntime"),
        ("openai", "av"),
    ],
)
async def test_missing_packages_for_calls_are_reported_at_start_and_documents_are_processed(
    transcriber: str,
    missing: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    def find(name: str, package: str | None = None) -> Any:
        return None if name == missing else find_spec(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    settings = Settings(data=tmp_path, transcriber=transcriber, openai_api_key="key")  # pyright: ignore[reportArgumentType] a parameter

    async with open_runtime(settings, with_worker=True) as runtime:
        assert runtime.worker is not None

    assert missing.replace("_", "") in caplog.text.replace("-", "").replace("_", "")
    assert "pip install 'towpath[calls]'" in caplog.text


def test_nothing_is_reported_if_the_packages_for_calls_and_scans_are_there(tmp_path: Path):
    assert install_hints(Settings(data=tmp_path)) == []


def without_ocr(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let RapidOCR be missing, and all folders of Tesseract's language data but this one."""

    def find(name: str, package: str | None = None) -> Any:
        return None if name == "rapidocr" else find_spec(name, package)

    def folders(_settings: object) -> list[Path]:
        return [folder]

    monkeypatch.setattr(ocr, "find_spec", find)
    monkeypatch.setattr(ocr, "tessdata_folders", folders)


async def test_missing_packages_for_scans_are_reported_at_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    without_ocr(monkeypatch, tmp_path)

    async with open_runtime(Settings(data=tmp_path / "data"), with_worker=True) as runtime:
        assert runtime.worker is not None

    assert "Scans and images cannot be read." in caplog.text
    assert "pip install 'towpath[ocr]'. Files that contain text" in caplog.text


@pytest.mark.parametrize("settings", [{"ocr": "off"}, {"reader": "azure"}])
def test_missing_packages_for_scans_are_not_reported_if_nobody_needs_them(
    settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    without_ocr(monkeypatch, tmp_path)

    assert install_hints(Settings(data=tmp_path, **settings)) == []


def test_language_data_alone_is_enough_for_scans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    without_ocr(monkeypatch, tmp_path)
    (tmp_path / "eng.traineddata").touch()

    assert install_hints(Settings(data=tmp_path)) == []


@dataclass(frozen=True)
class Recording:
    """The properties of an uploaded recording."""

    name: str = "a.wav"
    kind: str = "call"
    media_type: str = "audio/wav"
    size: int = 44
    sha256: str = "0" * 64
    blob_key: str = "key"
    version: int = 1


async def test_a_call_is_rejected_without_a_retry_and_processed_once_the_package_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def find(name: str, package: str | None = None) -> Any:
        return None if name == "av" else find_spec(name, package)

    plans: list[RunPlan] = []
    for missing in (True, False):
        with monkeypatch.context() as patch:
            if missing:
                patch.setattr(importlib.util, "find_spec", find)
                patch.setitem(sys.modules, "av", None)
                with pytest.raises(Rejected, match=r"pip install 'towpath\[calls\]'") as caught:
                    extract_audio(
                        str(tmp_path / "a.wav"), str(tmp_path / "a.flac"), False, 24_000, 30.0, print
                    )
                assert caught.value.code == "calls_unavailable"
            async with open_runtime(Settings(data=tmp_path / "data"), with_worker=False) as runtime:
                plans.append(runtime.services.intake.plan_for(Recording()))

    # A run that was rejected with other options is not taken as the answer to the same file.
    assert plans[0].options != plans[1].options


def test_a_missing_bullmq_is_named_at_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str, package: str | None = None) -> Any:
        return None if name == "bullmq" else find_spec(name, package)

    monkeypatch.setattr(job_queue, "find_spec", find)
    settings = Settings(data=tmp_path, database="postgresql://db/x", queue="bullmq", redis_url="redis://r")

    with pytest.raises(ConfigError, match=r"pip install 'towpath\[bullmq\]'"):
        job_queue.require_queue(settings)
