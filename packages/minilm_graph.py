"""Builds the MiniLM network as an ONNX graph: token ids of one text in, mean of the token states out.

There is no padding and no mask: one run embeds one text. Dynamic int8 quantisation takes its scale from
all inputs of a run, so a batch would change the vectors (measured: cosine down to 0.987).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import onnx

DIMENSION = 384
LAYERS = 6
HEADS = 12
EPSILON = 1e-12
FUSED_DOMAIN = "com.microsoft"  # operators of onnxruntime: attention and GELU as one node each

Array = npt.NDArray[np.float32]


def read_weights(path: Path) -> dict[str, Array]:
    """The float32 tensors of a safetensors file, as views into the memory-mapped file."""
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    start = 8 + int.from_bytes(raw[:8].tobytes(), "little")
    header = json.loads(raw[8:start].tobytes())
    tensors: dict[str, Array] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        tensors[name] = raw[start + begin : start + end].view(np.float32).reshape(entry["shape"])
    return tensors


def build_graph(weights: dict[str, Array]) -> onnx.ModelProto:
    """The float32 network, ready to be quantised."""
    return _GraphBuilder(weights).model()


class _GraphBuilder:
    def __init__(self, weights: dict[str, Array]) -> None:
        import onnx
        from onnx import helper, numpy_helper

        self._onnx = onnx
        self._helper = helper
        self._to_tensor = numpy_helper.from_array
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def model(self) -> onnx.ModelProto:
        states = self._embed_tokens()
        for layer in range(LAYERS):
            states = self._layer(states, f"encoder.layer.{layer}.")
        self._node("ReduceMean", [states, "one"], "mean", keepdims=0)
        tensor = self._onnx.TensorProto
        graph = self._helper.make_graph(
            self._nodes,
            "minilm",
            [self._helper.make_tensor_value_info("ids", tensor.INT64, [1, "length"])],
            [self._helper.make_tensor_value_info("mean", tensor.FLOAT, [1, DIMENSION])],
            self._constants,
        )
        opsets = [self._helper.make_opsetid("", 18), self._helper.make_opsetid(FUSED_DOMAIN, 1)]
        model = self._helper.make_model(graph, opset_imports=opsets, ir_version=9)
        # Suppresses the advice of the quantiser to preprocess, which it writes to the root logger.
        self._helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})
        return model

    def _embed_tokens(self) -> str:
        w = self._weights
        words = self._constant("words", w["embeddings.word_embeddings.weight"])
        # All tokens have type 0, so its embedding is added to the position embeddings.
        types = w["embeddings.token_type_embeddings.weight"]
        positions = self._constant("positions", w["embeddings.position_embeddings.weight"] + types[0])
        for name, value in (("zero", 0), ("one", 1), ("two", 2)):
            self._constants.append(self._to_tensor(np.array([value], np.int64), name))
        shape = self._node("Shape", ["ids"], "shape")
        length = self._node("Slice", [shape, "one", "two", "zero"], "length")
        position_rows = self._node("Slice", [positions, "zero", length, "zero"], "here")
        summed = self._node("Add", [self._node("Gather", [words, "ids"], "word"), position_rows], "embedded")
        return self._layer_norm(summed, "embeddings.LayerNorm")

    def _layer(self, states: str, prefix: str) -> str:
        w = self._weights
        parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
        matrix = np.concatenate([w[f"{part}.weight"] for part in parts])
        bias = np.concatenate([w[f"{part}.bias"] for part in parts])
        joined = self._dense(states, f"{prefix}qkv", matrix, bias)
        split = [f"{prefix}{part}" for part in "qkv"]
        node = self._helper.make_node("Split", [joined], split, name=f"{prefix}split", axis=-1, num_outputs=3)
        self._nodes.append(node)
        seen = self._node("MultiHeadAttention", split, f"{prefix}seen", FUSED_DOMAIN, num_heads=HEADS)
        seen = self._named_dense(seen, f"{prefix}attention.output.dense")
        states = self._node("Add", [seen, states], f"{prefix}attended")
        states = self._layer_norm(states, f"{prefix}attention.output.LayerNorm")
        wide = self._named_dense(states, f"{prefix}intermediate.dense")
        wide = self._node("Gelu", [wide], f"{prefix}gelu", FUSED_DOMAIN)
        narrow = self._named_dense(wide, f"{prefix}output.dense")
        states = self._node("Add", [narrow, states], f"{prefix}summed")
        return self._layer_norm(states, f"{prefix}output.LayerNorm")

    def _named_dense(self, states: str, name: str) -> str:
        return self._dense(states, name, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _dense(self, states: str, name: str, matrix: Array, bias: Array) -> str:
        columns = self._constant(f"{name}.matrix", matrix.T)
        product = self._node("MatMul", [states, columns], f"{name}.product")
        return self._node("Add", [product, self._constant(f"{name}.bias", bias)], name)

    def _layer_norm(self, states: str, name: str) -> str:
        scale = self._constant(f"{name}.scale", self._weights[f"{name}.weight"])
        bias = self._constant(f"{name}.bias", self._weights[f"{name}.bias"])
        return self._node("LayerNormalization", [states, scale, bias], name, axis=-1, epsilon=EPSILON)

    def _constant(self, name: str, value: Array) -> str:
        self._constants.append(self._to_tensor(np.ascontiguousarray(value, np.float32), name))
        return name

    def _node(self, operator: str, inputs: list[str], output: str, domain: str = "", **options: float) -> str:
        node = self._helper.make_node(operator, inputs, [output], name=output, domain=domain)
        node.attribute.extend(self._helper.make_attribute(key, value) for key, value in options.items())
        self._nodes.append(node)
        return output
