"""Segments keep every posting, and merging them gives the segment of all their chunks."""

from __future__ import annotations

import uuid

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from towpath.text.index_segment_merge import (
    StoredSegment,
    choose_merge,
    live_chunks,
    merge_segments,
)
from towpath.text.word_index_segment import ChunkText, Header, Page, build_segment, encode_segment

WORDS = ("lock", "boat", "water", "gate", "canal")
DOCUMENTS = tuple(str(uuid.UUID(int=number)) for number in range(1, 5))


def stored(chunks: list[ChunkText]) -> StoredSegment:
    segment = build_segment(chunks)
    return StoredSegment(Header.decode(segment.header), segment.pages)


def test_a_segment_has_the_chunks_and_counts_of_each_term():
    segment = build_segment(
        [
            ChunkText(7, DOCUMENTS[0], "water under water", ("Canals",), ("canal.pdf",), "en"),
            ChunkText(3, DOCUMENTS[1], "a gate", (), (), None),
        ]
    )
    header, page = Header.decode(segment.header), Page.decode(segment.pages[0][0])
    assert header.numbers.tolist() == [3, 7]
    assert header.lengths.tolist() == [2, 6]
    assert [header.documents[place] for place in header.document_of] == [DOCUMENTS[1], DOCUMENTS[0]]
    assert [header.languages[place] for place in header.language_of] == ["", "en"]
    water, canal = page.postings("water"), page.postings("canal")
    assert water is not None
    assert canal is not None
    assert (water.places.tolist(), water.counts.tolist()) == ([1], [2])
    assert (canal.places.tolist(), canal.counts.tolist()) == ([1], [2])
    assert page.postings("boat") is None
    positions = np.frombuffer(segment.pages[0][1], "<u2")
    assert page.positions("water", positions).tolist() == [0, 2]


_CHUNKS = st.lists(
    st.tuples(st.sampled_from(DOCUMENTS), st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)),
    min_size=1,
    max_size=8,
)


@given(_CHUNKS, _CHUNKS)
def test_merged_segments_are_the_segment_of_the_newest_documents(
    older: list[tuple[str, list[str]]], newer: list[tuple[str, list[str]]]
):
    def chunks(drawn: list[tuple[str, list[str]]], first: int) -> list[ChunkText]:
        return [
            ChunkText(first + at, document, " ".join(words), language="en")
            for at, (document, words) in enumerate(drawn)
        ]

    old, new = chunks(older, 100), chunks(newer, 1)
    sources = {1: stored(old), 2: stored(new)}
    live = live_chunks({number: (number, source.header) for number, source in sources.items()})
    merged = merge_segments([(sources[number], live[number]) for number in (1, 2)], [])
    replaced = {chunk.document_id for chunk in new}
    expected = build_segment([*new, *(chunk for chunk in old if chunk.document_id not in replaced)])
    assert [page for page, _ in merged.pages] == [page for page, _ in expected.pages]
    assert [positions for _, positions in merged.pages] == [positions for _, positions in expected.pages]
    assert Header.decode(merged.header).numbers.tolist() == Header.decode(expected.header).numbers.tolist()


def test_a_deleted_document_hides_its_chunks_in_older_segments():
    kept = stored([ChunkText(1, DOCUMENTS[0], "a lock"), ChunkText(2, DOCUMENTS[1], "a boat")])
    removal = encode_segment([], [], [], [], (), removed=[DOCUMENTS[1]])
    live = live_chunks({1: (1, kept.header), 2: (2, Header.decode(removal.header))})
    assert live[1].tolist() == [True, False]


def test_segments_are_merged_when_there_are_many_of_one_size():
    assert choose_merge({number: 10 for number in range(7)}) == []
    assert sorted(choose_merge({number: 10 for number in range(8)})) == list(range(8))
    assert 99 not in choose_merge({99: 50_000} | {number: 10 for number in range(8)})
