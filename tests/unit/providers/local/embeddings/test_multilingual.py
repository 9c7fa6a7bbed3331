"""The multilingual embedder: translations are similar, and a vector depends only on its text."""

from __future__ import annotations

import numpy as np
import pytest

from towpath.providers.contract import Embedder, Vectors
from towpath.providers.local.embeddings.fast import embed_fast
from towpath.providers.local.embeddings.model_package import model_folder
from towpath.providers.local.embeddings.multilingual import MultilingualEmbedder, embed_multilingual

QUESTION = "Where is the key of the cellar?"
TRANSLATIONS = {
    "ru": "Где ключ от подвала?",
    "de": "Wo ist der Schlüssel zum Keller?",
    "es": "¿Dónde está la llave del sótano?",
    "fr": "Où est la clé de la cave ?",
    "zh": "地下室的钥匙在哪里？",
    "ar": "أين مفتاح القبو؟",
    "tr": "Bodrumun anahtarı nerede?",
    "ja": "地下室の鍵はどこですか。",
}
OTHERS = (
    "The committee approved the annual budget of the hospital.",
    "Rain is expected in the mountains on Thursday evening.",
    "The orchestra plays two symphonies by Sibelius.",
)

#: The first numbers of the vector that the package wordllama 0.4.0 gave.
EXPECTED_FAST = (0.0375196, -0.0187162, -0.0636268, 0.0924454)


async def in_this_process(function: object, texts: list[str]) -> Vectors:
    return embed_multilingual(texts)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_is_nearer_than_any_other_sentence(language: str):
    vectors = embed_multilingual([QUESTION, TRANSLATIONS[language], *OTHERS])

    similarities = vectors[1:] @ vectors[0]

    assert similarities[0] > similarities[1:].max() + 0.2
    assert similarities[0] > MultilingualEmbedder.noise_similarity


def test_the_vector_of_a_text_does_not_depend_on_its_batch():
    texts = [QUESTION, "", *TRANSLATIONS.values(), "lock " * 2000, *OTHERS]

    together = embed_multilingual(texts)

    alone = np.concatenate([embed_multilingual([text]) for text in texts])
    assert together == pytest.approx(alone, abs=1e-5)
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)


def test_names_of_control_tokens_and_unpaired_surrogates_are_ordinary_text():
    plain, control, surrogate = embed_multilingual(["", "<s></s>", "torn \ud83d emoji"])

    assert plain @ control < 0.9
    assert np.isfinite(surrogate).all()


def test_no_texts_give_no_vectors():
    assert embed_multilingual([]).shape == (0, 512)


async def test_it_fulfils_the_contract_of_an_embedder():
    embedder: Embedder = MultilingualEmbedder(in_this_process)
    texts = ["one", "two", "three"]

    embedded = await embedder.embed(texts)

    assert (embedder.provider, embedder.model, embedder.dimension) == ("local", "use-multilingual-3", 512)
    assert embedder.languages is not None
    assert {"en", "ru", "zh"} <= embedder.languages
    assert embedded.vectors.shape == (3, 512)
    assert [row for batch in embedder.batches(texts * 50) for row in batch] == list(range(150))


def test_the_vectors_of_fast_are_those_of_libraries_embedded_before():
    [vector] = embed_fast(["The lease ends on Friday."])

    assert vector[:4] == pytest.approx(EXPECTED_FAST, abs=1e-6)


@pytest.mark.parametrize("package", ["towpath-model-fast", "towpath-model-multilingual"])
def test_a_model_package_carries_its_licence_and_its_source(package: str):
    folder = model_folder(package)

    assert (folder / "LICENSE").read_text("utf-8")
    assert "wheel_sha256" in (folder / "source.json").read_text("utf-8")
