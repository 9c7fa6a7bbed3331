"""The WordLlama model (256 dimensions): loading its weights, and vectors and weights of single words.

The vocabulary is that of a large language model and lists the most frequent tokens first, so the rank of a token
says how frequent the word is, in any language. A word of several tokens is a rare one.
"""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from towpath.errors import ConfigError
from towpath.providers.contract import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "wordllama==0.4.0.post1"
DIMENSION = 256
#: Words whose vectors are cached, 1 kB each.
CACHED_WORDS = 16_384
#: Token ids below this are punctuation and single letters.
FIRST_WORD_ID = 300
#: Weights of the most frequent word, of the rarest single-token word, and of a word of several tokens.
_MIN_WEIGHT, _MAX_WEIGHT, _MULTI_TOKEN_WEIGHT = 0.15, 1.0, 1.15


def is_installed() -> bool:
    return importlib.util.find_spec("wordllama") is not None


@dataclass(frozen=True, slots=True)
class WordLlamaVectors:
    """Word vectors and word weights for scoring connections. Has no state, so it can be sent to child processes."""

    def word_vectors(self, words: Sequence[str]) -> Vectors:
        """A unit vector for each word; zeros for a number, whose digits would make it similar to every other."""
        return (
            np.stack([_look_up(word)[0] for word in words]) if words else np.zeros((0, DIMENSION), np.float32)
        )

    def word_weights(self, words: Sequence[str]) -> Vectors:
        """A weight for each word: 0.15 for the most frequent ones, 1.15 for words of several tokens."""
        return np.array([_look_up(word)[1] for word in words], np.float32)


@lru_cache(maxsize=CACHED_WORDS)
def _look_up(word: str) -> tuple[Vectors, float]:
    tokenizer, table = load()
    token_ids = tokenizer.encode(word, add_special_tokens=False).ids
    has_meaning = token_ids and not word.isdecimal()
    vector = unit(table[token_ids].mean(axis=0)) if has_meaning else np.zeros(DIMENSION, np.float32)
    if len(token_ids) != 1:
        return vector, _MULTI_TOKEN_WEIGHT
    rank = math.log(max(token_ids[0], FIRST_WORD_ID) / FIRST_WORD_ID) / math.log(len(table) / FIRST_WORD_ID)
    return vector, _MIN_WEIGHT + (_MAX_WEIGHT - _MIN_WEIGHT) * rank


def unit(vector: Vectors) -> Vectors:
    return vector / (np.sqrt(np.dot(vector, vector)) or np.float32(1.0))


@cache
def load() -> tuple[Tokenizer, Vectors]:
    """The tokenizer, and a table with one vector per token id."""
    from tokenizers import Tokenizer

    folder = _package_folder()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    # "<s>" written in a document is text, not a control token.
    tokenizer.encode_special_tokens = True
    return tokenizer, _read_table(folder / "weights" / "l2_supercat_256.safetensors")


def _read_table(path: Path) -> Vectors:
    """The one tensor of the safetensors file, converted from float16 to float32."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    entry = json.loads(raw[8:start])["embedding.weight"]
    begin, end = entry["data_offsets"]
    half = np.frombuffer(raw[start + begin : start + end], np.float16)
    return half.reshape(entry["shape"]).astype(np.float32)


def _package_folder() -> Path:
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ConfigError(f"The local embedding model is not installed. Run: pip install --no-deps {PACKAGE}")
    return Path(spec.origin).parent
