"""Merges small segments of the word index: reads them, and replaces them by one in a short transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select

from towpath.ledger.database import Transaction
from towpath.ledger.tables import word_pages, word_segments
from towpath.ledger.verbs.index_words import delete_segments, write_segment
from towpath.model.writes import EncodedSegment
from towpath.text.index_segment_merge import (
    MERGE_FACTOR,
    Mask,
    StoredSegment,
    choose_merge,
    live_chunks,
    merge_segments,
)
from towpath.text.word_index_segment import Header

_s, _p = word_segments.c, word_pages.c


@dataclass(frozen=True, slots=True)
class MergePlan:
    """Segments to merge, as they were read."""

    org_id: str
    segment_ids: Sequence[int]
    generation: int
    sources: Sequence[tuple[StoredSegment, Mask]]
    #: Deleted documents that segments outside of the plan still name.
    removed: Sequence[str]

    def merge(self) -> EncodedSegment:
        """Slow for large segments: runs outside of any transaction."""
        return merge_segments(self.sources, self.removed)


def read_merge(tx: Transaction) -> MergePlan | None:
    """The next segments to merge of any organization; None if there are none."""
    many = select(_s.org_id).group_by(_s.org_id).having(func.count() >= MERGE_FACTOR).order_by(_s.org_id)
    for org_id in tx.connection.scalars(many).all():
        sizes = {
            int(row.id): int(row.chunks)
            for row in tx.connection.execute(select(_s.id, _s.chunks).where(_s.org_id == org_id))
        }
        chosen = choose_merge(sizes)
        if chosen:
            return _plan(tx, str(org_id), chosen)
    return None


def _plan(tx: Transaction, org_id: str, chosen: Sequence[int]) -> MergePlan:
    query = select(_s.id, _s.generation, _s.header).where(_s.org_id == org_id)
    headers = {
        int(row.id): (int(row.generation or row.id), Header.decode(bytes(row.header)))
        for row in tx.connection.execute(query)
    }
    live = live_chunks(headers)
    named_elsewhere = {
        document
        for segment_id, (_, header) in headers.items()
        if segment_id not in chosen
        for document in header.documents
    }
    # Documents without chunks are those that were deleted or have lost all their text.
    removed = {
        document
        for segment_id in chosen
        for place, document in enumerate(headers[segment_id][1].documents)
        if document in named_elsewhere and not (headers[segment_id][1].document_of == place).any()
    }
    sources = [
        (StoredSegment(headers[segment_id][1], _pages(tx, segment_id)), live[segment_id])
        for segment_id in chosen
    ]
    generation = max(headers[segment_id][0] for segment_id in chosen)
    return MergePlan(org_id, chosen, generation, sources, sorted(removed))


def _pages(tx: Transaction, segment_id: int) -> list[tuple[bytes, bytes]]:
    query = select(_p.postings, _p.positions).where(_p.segment_id == segment_id).order_by(_p.page)
    return [(bytes(postings), bytes(positions)) for postings, positions in tx.connection.execute(query)]


def write_merged(tx: Transaction, plan: MergePlan, merged: EncodedSegment) -> bool:
    """Replace the segments of the plan; False if another worker replaced one of them first."""
    if delete_segments(tx, plan.segment_ids) != len(plan.segment_ids):
        return False
    write_segment(tx, plan.org_id, merged, plan.generation)
    return True
