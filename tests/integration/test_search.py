"""Search on both engines: matching, ranking, scopes, paging and updates."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.databases import EngineUnderTest
from tests.support.factories import add_organizations, organization_id
from tests.support.search_collection import BagOfWordsEmbedder, Collection
from towpath.errors import Throttled
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.search.contract import Mode

LEASE = "The tenant pays the rent on the first of the month. The notice period is three months, in writing."
CARGO = "The vessel was unloaded in the harbour. Customs cleared forty containers of coffee before noon."
ORBIT = "The comet returns every seventy years; its orbit was calculated from two observations."

MODES: tuple[Mode, ...] = ("hybrid", "text", "vector")
every_mode = pytest.mark.parametrize("mode", MODES)


@pytest.fixture
def collection(engine: EngineUnderTest) -> Collection:
    return Collection(engine.database)


@every_mode
async def test_a_passage_is_found_by_a_sentence_from_its_middle(collection: Collection, mode: Mode):
    await collection.add(ORBIT, CARGO)
    lease = await collection.add(ORBIT, LEASE, CARGO, name="flat.pdf", headings=("Lease", "Terms"))
    hit = (await collection.hits("The notice period is three months", mode))[0]
    assert (hit.document_id, hit.document_name, hit.document_kind, hit.ordinal) == (
        lease,
        "flat.pdf",
        "document",
        1,
    )
    assert hit.anchor["heading_path"] == ["Lease", "Terms"]
    assert hit.anchor["page"] == 2
    assert "notice" in [hit.snippet[start:end] for start, end in hit.highlights]


@pytest.mark.parametrize("mode", ["hybrid", "text"])
async def test_a_verbatim_sentence_comes_before_chunks_with_the_same_words(
    collection: Collection, mode: Mode
):
    words = "barge lock toll wharf horse coal bridge".split()
    jumbled = [" ".join(words[at:] + words[:at]) + f" and clay {at}" for at in range(len(words))]
    await collection.add(*[f"{text}. {text} again, {text} once more." for text in jumbled[1:]])
    query = " ".join(words)
    await collection.add(f"Of lock and toll and coal: {query}.")
    assert (await collection.snippets(query, mode))[0] == f"Of lock and toll and coal: {query}."


async def test_words_are_found_in_other_forms_cases_and_accents(collection: Collection):
    await collection.add(LEASE, CARGO, "Le café de l'été, à côté.", "Подписание договора аренды. Ёлка стоит.")
    for query_text, answer in {
        "NOTICES": LEASE,
        "container": CARGO,
        "unloading": CARGO,
        "cafe": "Le café de l'été, à côté.",
        "ÉTÉ": "Le café de l'été, à côté.",
        "договору": "Подписание договора аренды. Ёлка стоит.",
        "елка": "Подписание договора аренды. Ёлка стоит.",
    }.items():
        assert await collection.snippets(query_text, "text") == [answer], query_text


@pytest.mark.parametrize(
    ("passage", "matching", "not_matching"),
    [
        (
            "東京都の契約は三ヶ月前に解除できます。",
            ["東京", "東京都", "契約", "解除", "都", "三ヶ月前に解除できます"],
            ["京契", "大阪"],
        ),
        ("本合同的通知期为三个月。", ["合同", "通知期", "月", "通知期为三个月"], ["知合", "租金"]),
        ("계약의 통지 기간은 삼 개월입니다.", ["계약", "통지", "기간"], ["보증"]),
        ("ระยะเวลาแจ้งล่วงหน้าคือสามเดือน", ["สามเดือน", "ล่วงหน้า"], ["ค่าเช่า"]),
        ("नोटिस की अवधि तीन महीने है।", ["अवधि", "महीने"], ["अव"]),
        ("مدة الإشعار ثلاثة أشهر", ["الإشعار"], ["إيجار"]),
    ],
    ids=["Japanese", "Chinese", "Korean", "Thai", "Hindi", "Arabic"],
)
async def test_text_in_every_script_is_found(
    collection: Collection, passage: str, matching: list[str], not_matching: list[str]
):
    await collection.add(LEASE, passage, CARGO)
    for query_text in matching:
        assert await collection.snippets(query_text, "text") == [passage], query_text
    for query_text in not_matching:
        assert await collection.snippets(query_text, "text") == [], query_text


async def test_a_chunk_is_found_by_the_heading_above_it(collection: Collection):
    await collection.add("It is three months.", headings=("Contract", "Termination 解約"))
    await collection.add("It is forty pages.", headings=("Length",))
    assert await collection.snippets("termination", "text") == ["It is three months."]
    assert await collection.snippets("解約", "text") == ["It is three months."]


async def test_chunks_with_all_terms_come_before_chunks_with_some(collection: Collection):
    both = "A harbour with a comet above it."
    await collection.add(LEASE, CARGO, ORBIT, both)
    assert await collection.snippets("comet harbour", "text") == [
        both,
        ORBIT,
        CARGO,
    ] or await collection.snippets("comet harbour", "text") == [both, CARGO, ORBIT]


async def test_a_quoted_phrase_must_match_word_for_word(collection: Collection):
    apart = "The period of the notice is unknown; a notice is no period."
    await collection.add(LEASE, apart, CARGO)
    for mode in ("text", "hybrid"):
        assert await collection.snippets('"notice period"', mode) == [LEASE]
        assert await collection.snippets("“notice period” comet", mode) == [LEASE]
        assert await collection.snippets('"period notice" tenant', mode) == []
    assert set(await collection.snippets("notice period", "text")) == {LEASE, apart}


@every_mode
async def test_only_the_organization_of_the_query_is_searched(collection: Collection, mode: Mode):
    other_org = organization_id(7)
    add_organizations(collection.database, other_org)
    own = await collection.add(LEASE)
    other = await collection.add(LEASE, CARGO, org_id=other_org)
    assert {hit.document_id for hit in await collection.hits("notice period", mode)} == {own}
    assert {hit.document_id for hit in await collection.hits("notice period", mode, org_id=other_org)} == {
        other
    }
    assert await collection.hits("notice period", mode, org_id=organization_id(8)) == []


@every_mode
async def test_a_search_can_be_narrowed_to_a_kind_or_a_document(collection: Collection, mode: Mode):
    paper = await collection.add(LEASE)
    call = await collection.add(LEASE, kind="call")
    assert {hit.document_id for hit in await collection.hits("notice", mode)} == {paper, call}
    assert {hit.document_id for hit in await collection.hits("notice", mode, kind="call")} == {call}
    assert {hit.document_id for hit in await collection.hits("notice", mode, document_id=paper)} == {paper}
    assert await collection.hits("notice", mode, document_id=paper, kind="call") == []
    assert await collection.hits("notice", mode, kind="film") == []


@every_mode
async def test_new_content_replaces_the_old_at_once(collection: Collection, mode: Mode):
    document = await collection.add(LEASE, CARGO)
    assert (await collection.hits("notice period", mode))[0].snippet == LEASE
    await collection.replace(document, ORBIT, LEASE.replace("three", "six"))
    shown = {hit.snippet for hit in await collection.hits("notice period three months containers", mode)}
    assert shown <= {ORBIT, LEASE.replace("three", "six")}
    assert LEASE.replace("three", "six") in shown


@every_mode
async def test_a_deleted_document_is_not_found(collection: Collection, mode: Mode):
    gone = await collection.add(LEASE, CARGO)
    remaining = await collection.add(LEASE)
    assert len(await collection.hits("notice period", mode)) >= 2
    await collection.remove(gone)
    assert {hit.document_id for hit in await collection.hits("notice period cargo", mode)} == {remaining}


async def test_vectors_of_another_model_are_never_compared(collection: Collection):
    await collection.add(LEASE, embedder=BagOfWordsEmbedder(model="older", dimension=384))
    await collection.add(LEASE, embedder=BagOfWordsEmbedder(model="meaning-1", dimension=256))
    assert await collection.hits(LEASE, "vector") == []
    assert len(await collection.hits(LEASE, "hybrid")) == 2


async def test_a_vector_hit_scores_its_cosine(collection: Collection):
    await collection.add(LEASE, CARGO)
    best, second = await collection.hits(LEASE, "vector")
    assert best.score == pytest.approx(1.0, abs=1e-4)
    assert -1 <= second.score < best.score


async def test_pages_of_hits_do_not_overlap(collection: Collection):
    await collection.add(*(f"The tenant number {n} gave notice." for n in range(45)))
    for mode in MODES:
        whole = [hit.chunk_id for hit in await collection.hits("notice of the tenant", mode, limit=45)]
        assert len(set(whole)) == 45
        pages = [
            hit.chunk_id
            for offset in range(0, 60, 10)
            for hit in await collection.hits("notice of the tenant", mode, offset=offset)
        ]
        assert pages == whole
        assert await collection.hits("notice of the tenant", mode, offset=900) == []


async def test_the_same_query_is_embedded_once(collection: Collection):
    await collection.add(LEASE)
    for offset in (0, 10):
        await collection.hits("notice period", offset=offset)
    await collection.hits("notice period", "vector")
    assert collection.embedder.embedded_texts == ["notice period"]


async def test_without_the_embedder_hybrid_search_uses_words_only(collection: Collection):
    await collection.add(LEASE)
    collection.embedder.error = Throttled("come back later")
    assert await collection.snippets("notice period") == [LEASE]
    with pytest.raises(Throttled):
        await collection.hits("notice period", "vector")


async def test_a_query_with_a_zero_vector_has_no_vector_hits(collection: Collection):
    await collection.add(LEASE)
    for direction in (0.0, float("nan")):
        collection.embedder.fixed_vector = np.full(384, direction, np.float32)
        assert await collection.hits(f"tenant {direction}", "vector") == []
        assert await collection.snippets(f"tenant {direction}") == [LEASE]


@every_mode
async def test_malformed_ids_find_nothing(collection: Collection, mode: Mode):
    await collection.add(LEASE)
    assert await collection.hits("notice", mode, document_id="no such id") == []
    assert await collection.hits("notice", mode, org_id="'; drop table chunks") == []
    assert await collection.hits("notice", mode, kind="a\x00b") == []
    assert len(await collection.hits("notice", mode, org_id=DEFAULT_ORG_ID.upper())) == 1
