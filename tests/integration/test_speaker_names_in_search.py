"""A search hit in a call shows the name that a person gave to the speaker of its chunk, on both engines."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from tests.support.databases import EngineUnderTest
from tests.support.search_collection import CREATED_AT, Collection
from towpath.chunking.transcript_chunker import chunk_transcript
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks
from towpath.model.audit import COMMAND_LINE
from towpath.model.codec import anchor_json
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.model.transcript import Segment, Transcript
from towpath.providers.token_counter import estimate
from towpath.queries.document_organizer import SqlDocumentOrganizer
from towpath.search.contract import Query

ADA, KEEPER = "Speaker 1", "Speaker 2"
BARRELS = "The barrels were delivered to the wharf below the mill and nobody was there to count them. " * 2
GATE = "I opened the upper gate at six because the water stood two hands above the mark on the wall. " * 2
TURNS = ((ADA, BARRELS), (KEEPER, GATE), (ADA, "Which lantern?"), (KEEPER, "The lantern of the boat."))


@pytest.fixture
def collection(engine: EngineUnderTest) -> Collection:
    return Collection(engine.database)


async def _add_call(collection: Collection) -> str:
    """A call with a chunk of each speaker and one of both; its id."""
    transcript = Transcript(
        tuple(Segment(text, speaker, n * 5.0, n * 5.0 + 4) for n, (speaker, text) in enumerate(TURNS))
    )
    made = chunk_transcript(new_id(), transcript, estimate)
    assert [chunk.anchor.speaker for chunk in made] == [ADA, KEEPER, None]
    document_id = await collection.add(*(chunk.text for chunk in made), kind="call", media_type="audio/wav")

    def set_anchors(tx: Transaction) -> None:
        for chunk in made:
            tx.connection.execute(
                update(chunks)
                .where(chunks.c.document_id == document_id, chunks.c.ordinal == chunk.ordinal)
                .values(anchor=anchor_json(chunk.anchor))
            )

    await collection.database.run(set_anchors)
    return document_id


async def _speaker_of(collection: Collection, words: str) -> object:
    results = await collection.searcher.search(Query(DEFAULT_ORG_ID, words, mode="text"))
    (hit,) = results.hits
    assert "seconds_start" in hit.anchor
    return hit.anchor.get("speaker")


async def test_a_hit_has_the_name_of_its_one_speaker(collection: Collection) -> None:
    call = await _add_call(collection)
    organizer = SqlDocumentOrganizer(collection.database)
    assert await _speaker_of(collection, "barrels") == ADA

    await organizer.name_speakers(DEFAULT_ORG_ID, call, {KEEPER: "Ada Thorne"}, COMMAND_LINE, CREATED_AT)

    assert await _speaker_of(collection, "water") == "Ada Thorne"
    # The other speaker has no name, and a chunk of both belongs to neither.
    assert await _speaker_of(collection, "barrels") == ADA
    assert await _speaker_of(collection, "lantern") is None

    await organizer.name_speakers(DEFAULT_ORG_ID, call, {KEEPER: None}, COMMAND_LINE, CREATED_AT)
    assert await _speaker_of(collection, "water") == KEEPER
