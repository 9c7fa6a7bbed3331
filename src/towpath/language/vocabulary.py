"""Words as a static model knows them (WordLlama, 256 dimensions): what each is near to, and how common it is.

The vocabulary is that of a large language model and has the commonest pieces of words first, so the place of a
word in it tells how common it is, in any language; a word of several pieces is a rare one.
"""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from towpath.errors import ConfigError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Floats32 = NDArray[np.float32]

PACKAGE = "wordllama==0.4.0.post1"
DIMENSION = 256
#: Words whose vectors are remembered, a kilobyte each.
REMEMBERED = 16_384
#: The first places are those of signs and single letters.
FIRST_WORD = 300
#: What the commonest word tells, a rare one, and one of several pieces.
_COMMONEST, _RARE, _PIECED = 0.15, 1.0, 1.15


def is_installed() -> bool:
    return importlib.util.find_spec("wordllama") is not None


def known(words: Sequence[str]) -> tuple[Floats32, Floats32]:
    """A unit vector for each word, and how much each word tells."""
    if not words:
        return np.zeros((0, DIMENSION), np.float32), np.zeros(0, np.float32)
    vectors, telling = zip(*map(_known, words), strict=True)
    return np.stack(vectors), np.array(telling, np.float32)


@lru_cache(maxsize=REMEMBERED)
def _known(word: str) -> tuple[Floats32, float]:
    tokenizer, table = load()
    pieces = tokenizer.encode(word, add_special_tokens=False).ids
    # A number is put together from digits, and would be near to every other.
    means_something = pieces and not word.isdecimal()
    vector = unit(table[pieces].mean(axis=0)) if means_something else np.zeros(DIMENSION, np.float32)
    if len(pieces) != 1:
        return vector, _PIECED
    place = math.log(max(pieces[0], FIRST_WORD) / FIRST_WORD) / math.log(len(table) / FIRST_WORD)
    return vector, _COMMONEST + (_RARE - _COMMONEST) * place


def unit(vector: Floats32) -> Floats32:
    return vector / (np.sqrt(np.dot(vector, vector)) or np.float32(1.0))


@cache
def load() -> tuple[Tokenizer, Floats32]:
    """What cuts text into pieces, and the vector of each piece."""
    from tokenizers import Tokenizer

    folder = _installed()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    # "<s>" written in a document is text, not the mark of a beginning.
    tokenizer.encode_special_tokens = True
    return tokenizer, _table(folder / "weights" / "l2_supercat_256.safetensors")


def _table(path: Path) -> Floats32:
    """The one tensor of the safetensors file, widened to float32."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    entry = json.loads(raw[8:start])["embedding.weight"]
    begin, end = entry["data_offsets"]
    half = np.frombuffer(raw[start + begin : start + end], np.float16)
    return half.reshape(entry["shape"]).astype(np.float32)


def _installed() -> Path:
    found = importlib.util.find_spec("wordllama")
    if found is None or found.origin is None:
        raise ConfigError(f"The local embedding model is not installed. Run: pip install --no-deps {PACKAGE}")
    return Path(found.origin).parent
