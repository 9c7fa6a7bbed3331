"""The binary format of a segment of the word index: which chunks contain which terms, how often and where.

A publication writes one segment with all chunks of its document; a background task merges small segments. The
format is the same on both engines: a header with one entry per chunk, and pages with the postings of some terms in
alphabetical order. Integers are little-endian.
"""

from __future__ import annotations

import struct
import uuid
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from towpath.model.writes import EncodedSegment
from towpath.text.analyzer import tokens
from towpath.text.index_markers import CONTENTS, WRITTEN, name_markers, written_words
from towpath.text.tables_of_contents import is_contents_page

#: Up to this many chunks of a segment their places are 16-bit integers; merging stops below it.
MAX_SMALL_PLACES = 65_535
#: Bytes of postings after which a page ends; a very frequent term has a page of its own.
PAGE_BYTES = 16_384
MAX_COUNT = 255
MAX_POSITION = 65_535
#: Between the text of a chunk and its headings and file name, so that no phrase reaches across.
FIELD_GAP = 100

Integers = npt.NDArray[np.int64]
Places = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
Positions = npt.NDArray[np.uint16]
Counts = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class ChunkText:
    """What is indexed of a chunk: its text, the headings above it, and names that belong to it."""

    number: int
    document_id: str
    text: str
    headings: Sequence[str] = ()
    #: The title and the file name of the document, for its first chunk.
    names: Sequence[str] = ()
    language: str | None = None
    #: Values of the document's fields that its text does not have, for its first chunk.
    fields: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """One entry per chunk, ordered by number, and the first term of every page."""

    numbers: Integers
    lengths: npt.NDArray[np.uint16]
    documents: tuple[str, ...]
    document_of: npt.NDArray[np.uint32]
    languages: tuple[str, ...]
    language_of: npt.NDArray[np.uint8]
    first_terms: tuple[str, ...]
    _place_of: dict[str, int] | None = field(default=None, init=False, repr=False, compare=False)
    _chunks_of_document: Integers | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def place_of(self) -> Mapping[str, int]:
        """The place of each document in ``documents``; made when it is first asked for."""
        place_of = self._place_of
        if place_of is None:
            place_of = dict(zip(self.documents, range(len(self.documents)), strict=True))
            object.__setattr__(self, "_place_of", place_of)
        return place_of

    @property
    def chunks_of_document(self) -> Integers:
        """The number of chunks of each document; made when it is first asked for."""
        found = self._chunks_of_document
        if found is None:
            found = np.bincount(self.document_of, minlength=len(self.documents))
            object.__setattr__(self, "_chunks_of_document", found)
        return found

    def page_of(self, term: str) -> int | None:
        """The number of the page that has the term if any page has it."""
        page = bisect_right(self.first_terms, term) - 1
        return page if page >= 0 else None

    def encode(self) -> bytes:
        documents = b"".join(uuid.UUID(document).bytes for document in self.documents)
        parts = (
            self.numbers.astype("<i8").tobytes(),
            self.lengths.astype("<u2").tobytes(),
            documents,
            self.document_of.astype("<u4").tobytes(),
            "\n".join(self.languages).encode(),
            self.language_of.astype("u1").tobytes(),
            "\n".join(self.first_terms).encode(),
        )
        return struct.pack(f"<{len(parts)}I", *map(len, parts)) + b"".join(parts)

    @classmethod
    def decode(cls, data: bytes) -> Header:
        sizes = struct.unpack_from("<7I", data)
        parts: list[bytes] = []
        offset = 28
        for size in sizes:
            parts.append(data[offset : offset + size])
            offset += size
        ids = parts[2]
        return cls(
            np.frombuffer(parts[0], "<i8"),
            np.frombuffer(parts[1], "<u2"),
            tuple(str(uuid.UUID(bytes=ids[at : at + 16])) for at in range(0, len(ids), 16)),
            np.frombuffer(parts[3], "<u4"),
            tuple(parts[4].decode().split("\n")) if sizes[0] else (),
            np.frombuffer(parts[5], "u1"),
            tuple(parts[6].decode().split("\n")) if parts[6] else (),
        )


@dataclass(frozen=True, slots=True)
class Postings:
    """The places (indexes into the header) of the chunks with a term, in order, and its count in each."""

    places: Places
    counts: Counts


@dataclass(frozen=True, slots=True)
class Page:
    """The postings of some terms, and the positions of each posting one after the other."""

    terms: Sequence[str]
    starts: Integers
    places: Places
    counts: Counts
    index: Mapping[str, int]

    def postings(self, term: str) -> Postings | None:
        at = self.index.get(term)
        if at is None:
            return None
        rows = slice(self.starts[at], self.starts[at + 1])
        return Postings(self.places[rows], self.counts[rows])

    def frequency(self, term: str) -> int:
        """The number of chunks with the term."""
        at = self.index.get(term)
        return 0 if at is None else int(self.starts[at + 1] - self.starts[at])

    def positions(self, term: str, positions: Positions) -> Positions:
        """The positions of the term; ``positions`` are those of the whole page."""
        at = self.index[term]
        before = int(self.counts[: self.starts[at]].sum(dtype=np.int64))
        mine = int(self.counts[self.starts[at] : self.starts[at + 1]].sum(dtype=np.int64))
        return positions[before : before + mine]

    @classmethod
    def decode(cls, data: bytes) -> Page:
        term_count, text_bytes, rows, width = struct.unpack_from("<IIII", data)
        offset = 16
        terms = data[offset : offset + text_bytes].decode().split("\n")
        offset += text_bytes
        frequencies = np.frombuffer(data, "<u4", term_count, offset)
        offset += 4 * term_count
        places = np.frombuffer(data, f"<u{width}", rows, offset)
        counts = np.frombuffer(data, "u1", rows, offset + width * rows)
        starts = starts_of(frequencies)
        return cls(terms, starts, places, counts, {term: at for at, term in enumerate(terms)})


@dataclass(frozen=True, slots=True)
class PostingsBlock:
    """Terms in order with their postings and positions one after the other, to be written."""

    terms: Sequence[str]
    #: The number of postings of each term.
    frequencies: Integers
    places: Integers
    counts: Counts
    positions: Positions


def build_segment(chunks: Iterable[ChunkText]) -> EncodedSegment:
    """Analyze chunks into a segment."""
    ordered = sorted(chunks, key=lambda chunk: chunk.number)
    postings: dict[str, dict[int, list[int]]] = {}
    lengths: list[int] = []
    words_of_document: dict[str, set[str]] = {}
    for place, chunk in enumerate(ordered):
        lengths.append(_add_chunk(postings, place, chunk))
        _add_markers(postings, place, chunk, words_of_document.setdefault(chunk.document_id, set()))
    return encode_segment(
        [chunk.number for chunk in ordered],
        lengths,
        [chunk.document_id for chunk in ordered],
        [chunk.language or "" for chunk in ordered],
        [_block(postings)],
    )


def _add_chunk(postings: dict[str, dict[int, list[int]]], place: int, chunk: ChunkText) -> int:
    length = offset = 0
    counted = 1 + len(chunk.headings) + len(chunk.names)
    for number, text in enumerate((chunk.text, *chunk.headings, *chunk.names, *chunk.fields)):
        last = 0
        for token in tokens(text, chunk.language):
            last = token.position
            position = min(offset + last, MAX_POSITION)
            postings.setdefault(token.term, {}).setdefault(place, []).append(position)
            length += not token.alternative and number < counted
        offset += last + FIELD_GAP
    return min(length, MAX_POSITION)


def _add_markers(
    postings: dict[str, dict[int, list[int]]], place: int, chunk: ChunkText, known: set[str]
) -> None:
    """Add the terms that are no words of the text; ``known`` are the written words of the document so far."""
    # A name without separators is a joined file name, which nobody means as a word.
    names = [name for name in chunk.names if not name.isalnum()]
    new = written_words((chunk.text, *chunk.headings, *names), chunk.language) - known
    known |= new
    markers = {WRITTEN + word for word in new}
    markers.update(name_markers(chunk.names))
    if is_contents_page(chunk.text, chunk.headings):
        markers.add(CONTENTS)
    for marker in markers:
        postings.setdefault(marker, {})[place] = [0]


def _block(postings: Mapping[str, Mapping[int, list[int]]]) -> PostingsBlock:
    terms = sorted(postings)
    kept = [sorted(positions)[:MAX_COUNT] for term in terms for positions in postings[term].values()]
    return PostingsBlock(
        terms,
        np.fromiter((len(postings[term]) for term in terms), np.int64, len(terms)),
        np.fromiter((place for term in terms for place in postings[term]), np.int64, len(kept)),
        np.fromiter(map(len, kept), np.uint8, len(kept)),
        np.fromiter((position for positions in kept for position in positions), np.uint16),
    )


def encode_segment(
    numbers: Sequence[int],
    lengths: Sequence[int],
    document_ids: Sequence[str],
    languages: Sequence[str],
    blocks: Iterable[PostingsBlock],
    removed: Sequence[str] = (),
) -> EncodedSegment:
    """Encode a segment. ``numbers`` and all terms must be in order; ``removed`` documents have no chunks."""
    documents = list(dict.fromkeys((*document_ids, *removed)))
    document_places = {document: place for place, document in enumerate(documents)}
    codes = list(dict.fromkeys(languages))
    code_places = {code: place for place, code in enumerate(codes)}
    width = 2 if len(numbers) <= MAX_SMALL_PLACES else 4
    first_terms: list[str] = []
    pages: list[tuple[bytes, bytes]] = []
    for block in blocks:
        for first_term, *page in _encode_pages(block, width):
            first_terms.append(first_term)
            pages.append((page[0], page[1]))
    header = Header(
        np.asarray(numbers, np.int64),
        np.asarray(lengths, np.uint16),
        tuple(documents),
        np.asarray([document_places[document] for document in document_ids], np.uint32),
        tuple(codes),
        np.asarray([code_places[code] for code in languages], np.uint8),
        tuple(first_terms),
    )
    return EncodedSegment(len(numbers), int(sum(lengths)), header.encode(), pages)


def _encode_pages(block: PostingsBlock, width: int) -> Iterator[tuple[str, bytes, bytes]]:
    """Each page with its first term: the postings, and the positions."""
    rows = starts_of(block.frequencies)
    positions = starts_of(block.counts)
    for first, last in _page_ranges(block):
        row, end = int(rows[first]), int(rows[last])
        text = "\n".join(block.terms[first:last]).encode()
        body = (
            struct.pack("<IIII", last - first, len(text), end - row, width)
            + text
            + block.frequencies[first:last].astype("<u4").tobytes()
            + block.places[row:end].astype(f"<u{width}").tobytes()
            + block.counts[row:end].tobytes()
        )
        yield (
            block.terms[first],
            body,
            block.positions[positions[row] : positions[end]].astype("<u2").tobytes(),
        )


def _page_ranges(block: PostingsBlock) -> Iterator[tuple[int, int]]:
    """The terms of each page, as ranges of their indexes."""
    first = size = 0
    for at, (term, frequency) in enumerate(zip(block.terms, block.frequencies.tolist(), strict=True)):
        bytes_of_term = 3 * frequency + len(term) + 5
        if at > first and size + bytes_of_term > PAGE_BYTES:
            yield first, at
            first, size = at, 0
        size += bytes_of_term
    if block.terms:
        yield first, len(block.terms)


def starts_of(lengths: npt.NDArray[np.integer[Any]]) -> Integers:
    """Where each part begins if parts of these lengths follow one another, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts
