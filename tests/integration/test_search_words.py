"""Word search: one suite of queries with one expected order, on both engines."""

from __future__ import annotations

import pytest

from tests.support.databases import EngineUnderTest
from tests.support.search_collection import Collection
from towpath.ledger.database import Transaction
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.verbs.index_words import remove_from_index
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.search.contract import Filters, Query, RankedChunk, Scope
from towpath.search.query_parser import parse_query

PASSAGES = {
    "short": "The lock rises.",
    "long": "The lock rises, and the keeper of the lock writes the level of the water into the book of the year.",
    "twice": "A lock, and another lock below it.",
    "boat": "A boat waits for the keeper.",
    "german": "Die Schleusen wurden gebaut; der Schleusenwärter öffnet das Tor und wartet auf die Schiffe.",
    "russian": "Смотритель открыл ворота шлюза, и стены наполнились водой.",
    "french": "L'éclusier ouvre les portes de l'écluse pendant la nuit, malgré la pluie.",
    "account": "Pay to DE89 3704 0044 0532 0130 00 and quote INV-2024/0815, please.",
    "code": "Call getUserName() in /srv/app/conf_d/main.toml, or write to john.doe@example.org about RFC 2119, "
    "SN 0042-7781-XK.",
    "filler": "Nothing of interest happens in this sentence.",
}

#: Each query with the names of the passages that it finds, in this order.
EXPECTED = {
    "lock": ["twice", "short", "long"],
    "the keeper of the boat": ["boat", "long"],
    "Schleuse": ["german"],
    "стена": ["russian"],
    "ecluse": ["french"],
    "ÉCLUSIER": ["french"],
    '"keeper of the lock"': ["long"],
    '"lock of the keeper"': [],
    'why did "the lock of keepers" wait so long for its boat': ["boat", "long", "twice", "short"],
}

IDENTIFIERS = {
    "account": [
        "DE89370400440532013000", "de89 3704 0044 0532 0130 00", "DE89-3704-0044-0532-0130-00",
        "DE89 370400440532 013000", "IBAN DE89370400440532013000", "INV-2024/0815", "inv 2024 0815",
        "INV20240815", "inv_2024_0815", "INV.2024.0815", "invoice INV-2024-0815",
    ],
    "code": [
        "getUserName", "getusername", "get_user_name", "get user name", "/srv/app/conf_d/main.toml",
        "main.toml", "john.doe@example.org", "JOHN.DOE@EXAMPLE.ORG", "rfc2119", "RFC-2119",
        "SN00427781XK", "sn-0042-7781-xk", "00427781XK",
    ],
}  # fmt: skip

NONSENSE = [
    "xqzt", "blorf wug", "asdf qwer zxcv", "fnord the glarp", "zzzzzz", "qqq www rrr", "plugh xyzzy", "vrbsk of nttk",
    "ghjkl", "uiop vbnm", "the xqzt", "и ыъвщ", "жщзх", "kqxj 99999999", "aaaaaaaab", "wvwvwv", "jjjj kkkk llll",
    "snorfle the blarg of wibble", "ytrewq", "mnbvcxz lkjhg", "что такое бырымдыр", "де такий ґлюмзик",
]  # fmt: skip


@pytest.fixture
async def collection(engine: EngineUnderTest) -> Collection:
    filled = Collection(engine.database)
    for name, text in PASSAGES.items():
        await filled.add(text, name=f"{name}.pdf")
    return filled


async def found(collection: Collection, query: str) -> list[str]:
    return [hit.document_name.removesuffix(".pdf") for hit in await collection.hits(query, "text")]


@pytest.mark.parametrize("query", EXPECTED)
async def test_each_query_finds_its_passages_in_the_same_order(collection: Collection, query: str):
    assert await found(collection, query) == EXPECTED[query]


async def test_identifiers_are_found_first_in_every_spelling(collection: Collection):
    for name, spellings in IDENTIFIERS.items():
        for spelling in spellings:
            for mode in ("text", "hybrid"):
                hits = await collection.hits(spelling, mode)
                assert [hit.document_name for hit in hits[:1]] == [f"{name}.pdf"], spelling


async def test_nonsense_finds_nothing(collection: Collection):
    for query in NONSENSE:
        assert await collection.hits(query, "text") == [], query


async def test_a_stem_of_one_language_is_no_word_of_another(collection: Collection):
    await collection.add(
        "Kanaldaki tekneler her sabah erkenden yola çıkar ve akşam olunca geri döner.", name="turkish.pdf"
    )
    await collection.add("It is late, and this is the last lock of the canal.", name="late.pdf")
    assert await found(collection, "tekne") == ["turkish"]
    # In Turkish its stem is "is".
    assert await found(collection, "isum") == []


async def test_a_passage_whose_language_is_not_known_is_found_by_its_words(engine: EngineUnderTest):
    collection = Collection(engine.database)
    await collection.add(
        "Die Rechnungen wurden vom Wärter der Schleuse noch nicht bezahlt.", name="german.pdf"
    )
    await collection.add("Quittungen", name="list.pdf")
    assert await found(collection, "Quittungen") == ["list"]
    assert await found(collection, "Rechnung") == ["german"]


async def test_the_words_of_a_query_may_be_in_two_chunks_of_a_document(engine: EngineUnderTest):
    collection = Collection(engine.database)
    await collection.add("The height is two metres.", "The weir is closed.", name="weir.pdf")
    await collection.add(
        "Marbury has an aqueduct made of stone.",
        "The height of it is forty metres or more.",
        name="marbury.pdf",
    )
    hits = await collection.hits("Marbury height", "text")
    assert [hit.document_name for hit in hits] == ["marbury.pdf", "marbury.pdf", "weir.pdf"]
    # A chunk without a word of the query is no hit, whatever the rest of its document has.
    assert await collection.snippets("closed aqueduct marbury", "text") == [
        "Marbury has an aqueduct made of stone.",
        "The weir is closed.",
    ]


async def test_a_pair_of_letters_that_joins_two_words_is_no_missing_word(engine: EngineUnderTest):
    collection = Collection(engine.database)
    await collection.add("運河的水閘由管理員在夜間關閉。", name="lock.pdf")
    await collection.add("恆星在巨大的雲氣中誕生。", name="star.pdf")
    for number in range(8):
        await collection.add(f"第{number}艘船的事件子的報告會寄給公司。", name=f"{number}.pdf")
    assert (await found(collection, "哪樣子的事件會誕生恆星？"))[0] == "star"
    assert await found(collection, "龘靐齉爩鱻麤") == []


async def test_an_elided_article_makes_a_word_no_rarer(engine: EngineUnderTest):
    collection = Collection(engine.database)
    for number in range(6):
        await collection.add(
            f"La mairie donne son accord pour le pont numéro {number}.", name=f"{number}.pdf"
        )
    await collection.add("L'accord sur l'accord est signé par la mairie de la ville.", name="article.pdf")
    await collection.add("Les parents des élèves donnent leur accord par écrit.", name="parents.pdf")
    assert (await found(collection, "faut-il l'accord des parents ?"))[0] == "parents"
    assert (await found(collection, "l'accord"))[0] == "article"


async def test_a_question_may_quote_words_that_its_answer_has_not(collection: Collection):
    question = 'who writes the level into the book when the "boat keeper" of the lock sleeps'
    assert (await found(collection, question))[0] == "long"
    assert (await found(collection, 'where is the "level of the water" and the keeper of the boat'))[:2] == [
        "long",
        "boat",
    ]
    # Without function words beside it, the phrase is required.
    assert await found(collection, '"level of the water" lock boat pay code') == ["long"]


async def test_a_file_is_found_by_its_name(collection: Collection):
    await collection.add("It says nothing.", name="Lease_Agreement-2024 (final).pdf")
    for query in ("Lease_Agreement-2024 (final).pdf", "lease agreement 2024", "leaseagreement2024final.pdf"):
        assert (await collection.hits(query))[0].document_name == "Lease_Agreement-2024 (final).pdf", query


async def test_an_explanation_has_both_scores_and_the_matched_words(collection: Collection):
    query = Query(DEFAULT_ORG_ID, "lock keeper", explain=True)
    best = (await collection.searcher.search(query)).hits[0]
    assert best.explanation is not None
    assert best.explanation.word_score > 0
    assert best.explanation.word_score_normalised == pytest.approx(1.0)
    assert best.explanation.similarity is not None
    assert best.explanation.coverage == pytest.approx(1.0)
    assert set(best.explanation.matched_words) == {"lock", "keeper"}
    assert best.matched_by in ("words", "both")
    assert (await collection.hits("lock keeper"))[0].explanation is None


async def test_the_order_is_the_same_after_segments_are_merged(collection: Collection):
    ledger = SqlLedger(collection.database)
    before = {query: await collection.hits(query, "text") for query in EXPECTED}
    merged = 0
    while await ledger.merge_words():
        merged += 1
    assert merged
    assert {query: await collection.hits(query, "text") for query in EXPECTED} == before


async def test_a_removed_document_no_longer_counts(collection: Collection):
    hits = await collection.hits("boat", "text")
    scope = Scope(DEFAULT_ORG_ID)

    def frequency() -> int:
        index = collection.searcher.index
        return collection.database.transact(
            lambda tx: index.term_statistics(tx, DEFAULT_ORG_ID, ["boat"]).frequencies["boat"], read=True
        )

    assert frequency() == 1
    await collection.database.run(lambda tx: remove_from_index(tx, DEFAULT_ORG_ID, hits[0].document_id))
    assert frequency() == 0
    assert scope.filters == Filters()


async def test_chunks_are_found_by_their_terms_without_those_of_a_document(collection: Collection):
    index = collection.searcher.index
    own = (await collection.hits("twice.pdf", "text"))[0].document_id

    def similar(tx: Transaction, excluded: str | None, depth: int) -> list[list[RankedChunk]]:
        return index.chunks_by_terms(
            tx, DEFAULT_ORG_ID, [["lock", "boat"], [], ["boat"], ["unheard"], ["lock"]], depth, excluded
        )

    run = collection.database.run
    both, no_terms, boats, unknown, locks = await run(lambda tx: similar(tx, own, 10), read=True)
    assert len(both) == 3
    assert both == sorted(both, key=lambda ranked: -ranked.score)
    # The chunk with the rarer term is best, and the only one of the passage that has no other term.
    assert [ranked.chunk_rowid for ranked in boats] == [both[0].chunk_rowid]
    assert no_terms == unknown == []
    # The best chunk for "lock" is that of the excluded document: it takes no place of the others.
    assert (await run(lambda tx: similar(tx, own, 1), read=True))[-1] == locks[:1] != []
    assert len((await run(lambda tx: similar(tx, None, 10), read=True))[0]) == 4


async def test_chunks_by_terms_have_the_scores_of_the_word_search(collection: Collection):
    index = collection.searcher.index
    matches, similar = await collection.database.run(
        lambda tx: (
            index.by_words(tx, Scope(DEFAULT_ORG_ID), parse_query("lock keeper"), 10),
            index.chunks_by_terms(tx, DEFAULT_ORG_ID, [["lock", "keeper"]], 10)[0],
        ),
        read=True,
    )
    assert [ranked.chunk_rowid for ranked in similar] == [ranked.chunk_rowid for ranked in matches.ranked]
    assert [ranked.score for ranked in similar] == pytest.approx([ranked.score for ranked in matches.ranked])
