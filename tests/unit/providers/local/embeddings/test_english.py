"""The embedder `english` gives the published vectors, which depend only on the text."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from towpath.errors import ConfigError
from towpath.providers.contract import Embedder, Vectors
from towpath.providers.local.embeddings.english import EnglishEmbedder, embed_english
from towpath.providers.local.embeddings.model_package import model_folder

pytestmark = pytest.mark.slow

PARAPHRASES = (
    ("How do I reset my password?", "What are the steps to change a forgotten password?"),
    ("The invoice is due in thirty days.", "Payment must arrive within a month of billing."),
    ("Heavy rain flooded the valley.", "The lowlands were under water after the downpour."),
    ("The surgeon removed the patient's appendix.", "An appendectomy was performed on the sick man."),
    ("Our train was three hours late.", "The railway journey suffered a long delay."),
)


async def in_this_process(function: object, texts: list[str]) -> Vectors:
    return embed_english(texts)


def test_values_are_close_to_the_published_ones():
    left = ["The cat sits outside", "A man is playing guitar", "The new movie is awesome"]
    right = ["The dog plays in the garden", "A woman watches TV", "The new movie is so great"]

    similarities = (embed_english(left) * embed_english(right)).sum(axis=1)

    assert similarities == pytest.approx([0.2838, -0.0327, 0.8939], abs=0.03)


def test_a_paraphrase_is_the_nearest_of_all():
    questions = embed_english([a for a, _ in PARAPHRASES])
    answers = embed_english([b for _, b in PARAPHRASES])

    assert (questions @ answers.T).argmax(axis=1).tolist() == list(range(len(PARAPHRASES)))


def test_every_vector_has_unit_length_whatever_the_text():
    texts = ["", " \n\t", "x", "слово", "表", "\ud800 half a pair", "[SEP] [CLS] [PAD]", "word " * 3000]

    vectors = embed_english(texts)

    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)


def test_no_texts_give_no_vectors():
    assert embed_english([]).shape == (0, 384)


def test_a_text_has_the_same_vector_in_any_batch():
    text = "The lock keeper opens the upper gate."
    alone = embed_english([text])[0]
    among_long = embed_english(["water " * 400, text, "a"])[1]
    among_many = embed_english([f"boat number {n}" for n in range(20)] + [text])[-1]

    assert alone.tobytes() == among_long.tobytes() == among_many.tobytes()


def test_control_tokens_in_a_text_are_ordinary_text():
    plain, marked = embed_english(["alpha beta", "alpha [SEP] beta"])

    assert plain.tobytes() != marked.tobytes()
    assert float(plain @ marked) < 0.999


def test_the_end_of_a_long_text_counts():
    filler = "The committee met on Tuesday and approved the minutes of the previous meeting. " * 24
    without, with_end = embed_english([filler, filler + "Volcanoes erupt molten lava. " * 12])
    question = embed_english(["volcano eruption"])[0]

    assert float(question @ with_end) > float(question @ without) + 0.1


async def test_it_fulfils_the_contract_of_an_embedder():
    embedder: Embedder = EnglishEmbedder(in_this_process)
    texts = [f"chunk {n}" for n in range(70)]

    batches = embedder.batches(texts)
    embedded = await embedder.embed(texts[:3])

    assert (embedder.provider, embedder.model, embedder.dimension) == ("local", "minilm-l6-int8", 384)
    assert batches == [range(32), range(32, 64), range(64, 70)]
    assert embedder.batches([]) == []
    assert embedded.vectors.tobytes() == embed_english(texts[:3]).tobytes()
    assert embedded.cost == 0.0
    assert embedded.units == {"texts": 3.0}


def test_a_missing_package_is_named_with_its_install_line(monkeypatch: pytest.MonkeyPatch):
    def finds_nothing(name: str) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", finds_nothing)

    with pytest.raises(ConfigError, match=r"pip install 'towpath\[english\]'"):
        model_folder("towpath-model-english")
