"""Embeds the voices of one window in a child process, with the speaker model ECAPA-TDNN.

Speech is divided into pieces of about two seconds. Each piece gets a vector; vectors of the same voice are similar.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from towpath.model.extracted_audio import Window
from towpath.providers.local.embeddings.model_package import is_installed, model_folder
from towpath.providers.local.speech.audio_samples import MODEL_SAMPLE_RATE, decode_samples
from towpath.providers.local.speech.voice_activity import Span, detect_speech
from towpath.providers.local.speech.voice_features import voice_features
from towpath.rejections import calls_unavailable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

PACKAGE = "towpath-model-speakers"

#: Longer pieces may contain two speakers, shorter ones say too little about a voice.
PIECE_SECONDS = 2.0
#: The model hears at least so much of the recording around a short piece.
MIN_INPUT_SECONDS = 1.6
DIMENSION = 192


def embed_voices(sound: str, window: Window) -> bytes:
    """The pieces of speech in a window; runs in a child process. Returns JSON: a list of [start, end, vector]."""
    start, end = window
    samples = decode_samples(sound, start, end, None)
    length = len(samples) / MODEL_SAMPLE_RATE
    pieces: list[tuple[float, float, str]] = []
    for first, last in _pieces(detect_speech(samples)):
        margin = max(0.0, MIN_INPUT_SECONDS - (last - first)) / 2
        heard = slice(
            round(max(0.0, first - margin) * MODEL_SAMPLE_RATE),
            round(min(length, last + margin) * MODEL_SAMPLE_RATE),
        )
        vector = _embed(samples[heard])
        encoded = base64.b64encode(vector.astype("<f2").tobytes()).decode("ascii")
        pieces.append((round(start + first, 2), round(min(start + last, end), 2), encoded))
    return json.dumps(pieces).encode()


def read_voices(body: bytes) -> list[tuple[float, float, npt.NDArray[np.float32]]]:
    """The pieces of `embed_voices` with their unit vectors."""
    pieces: list[tuple[float, float, str]] = json.loads(body)
    return [
        (start, end, np.frombuffer(base64.b64decode(vector), "<f2").astype(np.float32))
        for start, end, vector in pieces
    ]


def _pieces(spans: Iterable[Span]) -> Iterator[Span]:
    for start, end in spans:
        count = max(1, math.ceil((end - start) / PIECE_SECONDS))
        edges = np.linspace(start, end, count + 1).tolist()
        yield from pairwise(edges)


def _embed(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    answer = cast(
        "list[npt.NDArray[np.float32]]", _session().run(None, {"features": voice_features(samples)[None]})
    )
    vector = answer[0][0]
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


@cache
def _session() -> InferenceSession:
    try:
        import onnxruntime
    except ImportError as error:
        raise calls_unavailable("onnxruntime") from error
    if not is_installed(PACKAGE):
        raise calls_unavailable(PACKAGE)
    options = cast(Any, onnxruntime).SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    path = model_folder(PACKAGE) / "model.onnx"
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
