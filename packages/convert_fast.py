"""Takes token vectors and tokenizer of WordLlama out of its package."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np

MODEL = "WordLlama l2_supercat, 256 dimensions"
LICENSE = "MIT"
_WEIGHTS = "wordllama/weights/l2_supercat_256.safetensors"
_TOKENIZER = "wordllama/tokenizers/l2_supercat_tokenizer_config.json"
_LICENSE = "wordllama-0.4.0.post1.dist-info/licenses/LICENSE"
FILES = (_WEIGHTS, _TOKENIZER, _LICENSE)


def convert(source: Path, target: Path) -> None:
    raw = (source / _WEIGHTS).read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    entry = json.loads(raw[8:start])["embedding.weight"]
    begin, end = entry["data_offsets"]
    table = np.frombuffer(raw[start + begin : start + end], "<f2").reshape(entry["shape"])
    np.save(target / "table.npy", table)
    shutil.copyfile(source / _TOKENIZER, target / "tokenizer.json")
    shutil.copyfile(source / _LICENSE, target / "LICENSE")
