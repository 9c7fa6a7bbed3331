"""Decides which chunks of a set of segments count, and merges segments into one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from towpath.model.writes import EncodedSegment
from towpath.text.word_index_segment import (
    MAX_SMALL_PLACES,
    Header,
    Integers,
    Page,
    PostingsBlock,
    encode_segment,
    starts_of,
)

Mask = npt.NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)
#: The postings of some terms of one source, with the new places; the place of a chunk that does not count is -1.
_Part = PostingsBlock

#: Segments of about the same size are merged when there are this many of them, so that each chunk is written again
#: only when the library has grown by this factor.
MERGE_FACTOR = 8
_SMALLEST_TIER = 8
#: Pages of all sources that are merged at a time: about 16 MB of postings, which need about 150 MB to be put in order.
PAGES_PER_BLOCK = 256


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """A segment as it is stored, with the postings and positions of its pages."""

    header: Header
    pages: Sequence[tuple[bytes, bytes]]


def live_chunks(headers: Mapping[int, tuple[int, Header]]) -> dict[int, Mask]:
    """The chunks that count, by segment id: each document is taken from the newest segment that names it.

    ``headers`` gives the generation and the header of every segment of the organization.
    """
    newest: dict[str, tuple[int, int]] = {}
    for segment_id, (generation, header) in headers.items():
        for document in header.documents:
            if newest.get(document, (0, 0)) < (generation, segment_id):
                newest[document] = generation, segment_id
    masks: dict[int, Mask] = {}
    for segment_id, (generation, header) in headers.items():
        current = np.fromiter(
            (newest[document] == (generation, segment_id) for document in header.documents),
            np.bool_,
            len(header.documents),
        )
        masks[segment_id] = current[header.document_of]
    return masks


def choose_merge(sizes: Mapping[int, int]) -> list[int]:
    """The ids of the segments to merge next, given the chunks of each; the empty list if there are few."""
    tiers: dict[int, list[int]] = {}
    for segment_id, chunks in sizes.items():
        tiers.setdefault(_tier(chunks), []).append(segment_id)
    for tier in sorted(tiers):
        if len(tiers[tier]) < MERGE_FACTOR:
            continue
        chosen: list[int] = []
        total = 0
        for segment_id in sorted(
            (item for smaller in tiers if smaller <= tier for item in tiers[smaller]),
            key=lambda item: sizes[item],
        ):
            total += sizes[segment_id]
            if total > MAX_SMALL_PLACES:
                break
            chosen.append(segment_id)
        if len(chosen) > 1:
            return chosen
    return []


def _tier(chunks: int) -> int:
    tier, size = 0, _SMALLEST_TIER
    while chunks > size:
        tier, size = tier + 1, size * MERGE_FACTOR
    return tier


def merge_segments(sources: Sequence[tuple[StoredSegment, Mask]], removed: Sequence[str]) -> EncodedSegment:
    """One segment with the chunks that count of several; ``removed`` are documents to name without chunks."""
    numbers: Integers = np.concatenate([source.header.numbers[mask] for source, mask in sources])
    order = np.argsort(numbers, kind="stable")
    new_place = np.empty(len(order), np.int64)
    new_place[order] = np.arange(len(order))
    places: list[Integers] = []
    start = 0
    for source, mask in sources:
        mapped = np.full(len(source.header.numbers), -1, np.int64)
        kept = int(mask.sum())
        mapped[mask] = new_place[start : start + kept]
        places.append(mapped)
        start += kept
    lengths = np.concatenate([source.header.lengths[mask] for source, mask in sources])[order]
    document_ids: list[str] = [
        source.header.documents[int(at)] for source, mask in sources for at in source.header.document_of[mask]
    ]
    languages: list[str] = [
        source.header.languages[int(at)] for source, mask in sources for at in source.header.language_of[mask]
    ]
    return encode_segment(
        numbers[order].tolist(),
        lengths.tolist(),
        [document_ids[int(at)] for at in order],
        [languages[int(at)] for at in order],
        _merged_blocks([source for source, _ in sources], places),
        removed,
    )


def _merged_blocks(sources: Sequence[StoredSegment], places: Sequence[Integers]) -> Iterator[PostingsBlock]:
    """The postings of all sources with their new places, in blocks that need little memory."""
    for first, end in pairwise(_block_bounds(sources)):
        parts = [
            part
            for source, mapped in zip(sources, places, strict=True)
            for part in _parts(source, mapped, first, end)
        ]
        block = _merged_block(parts)
        if block.terms:
            yield block


def _block_bounds(sources: Sequence[StoredSegment]) -> list[str | None]:
    """The terms at which blocks begin, in order; the first block has no lower bound and the last no upper one."""
    page_count = sum(len(source.pages) for source in sources)
    block_count = -(-page_count // PAGES_PER_BLOCK)
    firsts = sorted({term for source in sources for term in source.header.first_terms})
    inner = [firsts[len(firsts) * number // block_count] for number in range(1, block_count)]
    return [None, *dict.fromkeys(inner), None]


def _parts(source: StoredSegment, mapped: Integers, first: str | None, end: str | None) -> Iterator[_Part]:
    """The postings of a source for the terms from ``first`` to before ``end``, page by page."""
    page_firsts = source.header.first_terms
    low = 0 if first is None else max(0, bisect_right(page_firsts, first) - 1)
    high = len(page_firsts) if end is None else bisect_left(page_firsts, end)
    for postings, positions in source.pages[low:high]:
        page = Page.decode(postings)
        start = 0 if first is None else bisect_left(page.terms, first)
        stop = len(page.terms) if end is None else bisect_left(page.terms, end)
        rows = slice(int(page.starts[start]), int(page.starts[stop]))
        before = int(page.counts[: rows.start].sum(dtype=np.int64))
        counts = page.counts[rows]
        mine = int(counts.sum(dtype=np.int64))
        yield _Part(
            page.terms[start:stop],
            np.diff(page.starts[start : stop + 1]),
            mapped[page.places[rows]],
            counts,
            np.frombuffer(positions, "<u2", mine, 2 * before),
        )


def _merged_block(parts: Sequence[_Part]) -> PostingsBlock:
    """One block of the parts, ordered by term and place, without the chunks that do not count."""
    terms = sorted({term for part in parts for term in part.terms})
    number_of = {term: number for number, term in enumerate(terms)}
    numbers = np.fromiter((number_of[term] for part in parts for term in part.terms), np.int64)
    term_of = np.repeat(numbers, _joined([part.frequencies for part in parts], np.int64))
    places = _joined([part.places for part in parts], np.int64)
    counts = _joined([part.counts for part in parts], np.uint8)
    positions = _joined([part.positions for part in parts], np.uint16)
    starts = starts_of(counts)[:-1]
    kept = np.flatnonzero(places >= 0)
    order = kept[np.lexsort((places[kept], term_of[kept]))]
    counts = counts[order]
    # For each position its index before the postings were put in order.
    new_starts = starts_of(counts)
    moved: Integers = np.repeat(starts[order] - new_starts[:-1], counts) + np.arange(int(new_starts[-1]))
    frequencies = np.bincount(term_of[order], minlength=len(terms))
    present = np.flatnonzero(frequencies)
    return PostingsBlock(
        [terms[number] for number in present.tolist()],
        frequencies[present],
        places[order],
        counts,
        positions[moved],
    )


def _joined(arrays: Sequence[npt.NDArray[Any]], dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    return np.concatenate(arrays).astype(dtype) if arrays else np.zeros(0, dtype)
