"""Loads the static vectors of the embedder `fast`: one for each token of the vocabulary."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from towpath.providers.contract import Vectors
from towpath.providers.local.embeddings.model_package import model_folder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "towpath-model-fast"
DIMENSION = 256


def unit_vectors(vector: Vectors) -> Vectors:
    return vector / (np.sqrt(np.dot(vector, vector)) or np.float32(1.0))


@cache
def load_fast_model() -> tuple[Tokenizer, Vectors]:
    """The tokenizer, and a table with one vector per token id."""
    from tokenizers import Tokenizer

    folder = model_folder(PACKAGE)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    # "<s>" written in a document is text, not a control token.
    tokenizer.encode_special_tokens = True
    return tokenizer, np.load(folder / "table.npy").astype(np.float32)
