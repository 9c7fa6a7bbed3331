"""A library of look-alikes: equal passages of two documents are found, whatever the embedding model."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.integration.connection_harness import FAST, TestedModel, make_connection_harness
from tests.support.books import BOOKS
from tests.support.databases import EngineUnderTest
from tests.support.emulators import hashed_embeddings
from tests.support.emulators.openai import DIMENSIONS
from towpath.providers.contract import Vectors
from towpath.providers.local.embeddings.english import EnglishEmbedder, embed_english
from towpath.providers.local.embeddings.multilingual import MultilingualEmbedder, embed_multilingual

#: Enough that all neighbours of a passage can be invoices.
INVOICES = 24
OPENAI_MODEL = "text-embedding-3-small"
GOODS = ("oak planks", "iron hinges", "lamp oil", "hemp rope", "lime mortar", "roof slates", "window glass")
TOWNS = ("Braunston", "Foxton", "Hatton", "Devizes", "Bingley", "Marple", "Stourport", "Audlem", "Tardebigge")


def _embed_like_openai(texts: list[str]) -> Vectors:
    dimension = DIMENSIONS[OPENAI_MODEL]
    return np.stack([hashed_embeddings.embed(text, dimension, dimension) for text in texts])


MODELS = {
    "fast": FAST,
    "multilingual": TestedModel(MultilingualEmbedder.model, embed_multilingual),
    "english": TestedModel(EnglishEmbedder.model, embed_english),
    "openai": TestedModel(OPENAI_MODEL, _embed_like_openai),
}


def _invoice(number: int) -> tuple[str, str]:
    """The two passages of an invoice: its items, and a remark in the words that every invoice has."""
    rng = random.Random(number)
    items = "\n".join(
        f"| {rng.choice(GOODS)} | {rng.randrange(1, 90)} | {rng.random() * 500:.2f} |" for _ in range(4)
    )
    head = f"Invoice {20240000 + number} of Canal Stores Ltd\n\n| item | quantity | price |\n|---|---|---|\n{items}"
    return head, _remark(rng)


def _remark(rng: random.Random) -> str:
    return (
        f"The {rng.choice(GOODS)} of this invoice were delivered to the wharf in {rng.choice(TOWNS)} on "
        f"{rng.randrange(1, 29)} May 2024 and signed for by the keeper. Please pay within {rng.randrange(10, 60)} days."
    )


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
async def test_equal_passages_are_found_among_invoices_of_one_sender(
    engine: EngineUnderTest, model: TestedModel
) -> None:
    rng = random.Random("equal passages")
    chapters = [*BOOKS["fables"].chapters, *BOOKS["village_book"].chapters]
    # Nine passages of books, and nine that look like the remarks on the invoices.
    equal = [chapter.first for chapter in chapters[:9]] + [_remark(rng) for _ in range(9)]
    own = [[chapter.first, chapter.second] for chapter in BOOKS["beagle"].chapters[:8]]
    first = [*equal, *own[0], *own[1], *own[2], *own[3]]
    second = [*own[4], *own[5], *equal[::-1], *own[6], *own[7]]
    harness = make_connection_harness(engine, model)
    async with harness.run_worker():
        for number in range(INVOICES):
            await harness.submit(f"invoice {number}", *_invoice(number))
        document = await harness.submit("first", *first)
        other = await harness.submit("second", *second)
        await harness.wait_until_idle()

    connections = [c for c in await harness.connections(document) if c.other.document_id == other]
    quoted = {c.this.text for c in connections if c.this.text == c.other.text and c.kind == "quotation"}
    assert quoted == set(equal)
