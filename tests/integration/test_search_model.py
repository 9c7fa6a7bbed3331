"""Search with the default model: nonsense finds nothing, and a question finds a passage in another language."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import update

from tests.integration.test_search_words import IDENTIFIERS, NONSENSE, PASSAGES
from tests.support.databases import EngineUnderTest
from tests.support.search_collection import Collection, build_index
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.providers.local.embeddings.multilingual import MultilingualEmbedder, embed_multilingual
from towpath.search.contract import Query, SearchResults
from towpath.search.hybrid import HybridSearcher

#: Prose of a book, so that there are passages on many subjects.
BOOK = Path(__file__).parents[2] / "bench" / "data" / "beagle.txt"
BOOK_PASSAGES = 60

MORE_PASSAGES = {
    "payment": "Please transfer the amount to the account below. IBAN: DE89 3704 0044 0532 0130 00, BIC COBADEFFXXX.",
    "money": "The bank charges a fee for every transfer between accounts, and the account number must be complete.",
    "config": "Configuration files must be placed in the directory /etc or in a subdirectory of it.",
    "cats": "Cats sleep for most of the day and hunt mice at night.",
    "russian": "Кошки спят большую часть дня, а ночью охотятся на мышей.",
    "greek": "Οι γάτες κοιμούνται το μεγαλύτερο μέρος της ημέρας και τη νύχτα κυνηγούν ποντίκια.",
    "chinese": "蜜蜂用蜂蜜过冬，它们在蜂箱里靠在一起取暖。",
    # The end of a text: its vector is near to those of invented words.
    "end": "plate .",
}
NO_WORDS = [
    "zqxwv",
    "brillig slithy toves gimble",
    "фывапролдж ячсмить",
    "lkjsdf oiuwer",
    "hrtzpl",
    "wqe rty uio pas",
]


async def run(function: object, texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    assert function is embed_multilingual
    return embed_multilingual(texts)


@pytest.fixture
async def searcher(engine: EngineUnderTest) -> HybridSearcher:
    collection = Collection(engine.database)
    for name, text in {**PASSAGES, **MORE_PASSAGES}.items():
        await collection.add(text, name=f"{name}.pdf")
    paragraphs = [part for part in BOOK.read_text("utf-8").split("\n\n") if len(part) > 300]
    await collection.add(*paragraphs[:BOOK_PASSAGES], name="book.txt")

    def write_vectors(tx: Transaction) -> None:
        rows = tx.connection.execute(chunks.select().with_only_columns(chunks.c.id, chunks.c.text)).all()
        vectors = embed_multilingual([row.text for row in rows])
        for row, vector in zip(rows, vectors, strict=True):
            values = {"vector": vector, "model": MultilingualEmbedder.model, "dimension": len(vector)}
            tx.connection.execute(update(chunks).where(chunks.c.id == row.id).values(**values))

    await engine.database.run(write_vectors)
    return HybridSearcher(build_index(engine.database), MultilingualEmbedder(run))


async def search(searcher: HybridSearcher, text: str) -> SearchResults:
    return await searcher.search(Query(DEFAULT_ORG_ID, text, limit=5))


async def test_nonsense_finds_nothing_and_words_are_found_first(searcher: HybridSearcher):
    for query in [*NONSENSE, *NO_WORDS]:
        assert (await search(searcher, query)).hits == (), query
    for name, spellings in IDENTIFIERS.items():
        for spelling in spellings:
            names = [hit.document_name for hit in (await search(searcher, spelling)).hits]
            wanted = {f"{name}.pdf"} | ({"payment.pdf"} if "3704" in spelling else set[str]())
            assert names[0] in wanted, spelling
    expected = {
        "IBAN": "payment.pdf",
        "where must config files be placed": "config.pdf",
        "beagle book.txt": "book.txt",
    }
    for query, name in expected.items():
        assert (await search(searcher, query)).hits[0].document_name == name, query


async def test_nonsense_of_other_scripts_finds_nothing(searcher: HybridSearcher):
    for query in (
        "龘靐齉爩鱻",
        "뷁쉛뚫랗",
        "ασδφγ ζχψβν",
        "झमफडक टठपणक",
        "ฟหกดเวง",
        "什么是龘靐",
        "που είναι ο ζιμπότης",
    ):
        assert (await search(searcher, query)).hits == (), query
    assert (await search(searcher, "蜜蜂过冬")).hits[0].document_name == "chinese.pdf"


async def test_a_question_finds_a_passage_in_another_language(searcher: HybridSearcher):
    russian = await search(searcher, "Где должны лежать файлы конфигурации?")
    assert "config.pdf" in [hit.document_name for hit in russian.hits[:3]]
    assert russian.hits[0].matched_by in ("meaning", "both")
    # Their words are not in the library, and the similarity is below that of the noise of invented words.
    for question in ("куда положить файлы настроек", "wohin gehören die Dateien mit Einstellungen"):
        names = [hit.document_name for hit in (await search(searcher, question)).hits[:3]]
        assert "config.pdf" in names, question
    # A text in the language of the question has some of its words, and another subject.
    fee = await search(searcher, "Какую комиссию берёт банк за перевод денег между счетами днём и ночью?")
    assert "money.pdf" in [hit.document_name for hit in fee.hits[:2]]
    assert "russian.pdf" in [hit.document_name for hit in fee.hits]
    english = await search(searcher, "when do cats catch mice")
    assert [hit.document_name for hit in english.hits[:2]] == ["cats.pdf", "russian.pdf"]
