"""Reads the word index of an organization and keeps what it read: segments never change, so they are cached."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from sqlalchemy import bindparam, select, tuple_

from towpath.ledger.database import Transaction
from towpath.ledger.tables import word_pages, word_segments
from towpath.text.index_segment_merge import Mask, live_chunks
from towpath.text.word_index_segment import Header, Page, Positions

# Built once: building a statement takes SQLAlchemy longer than SQLite takes to run it.
_SEGMENTS = (
    select(word_segments.c.id, word_segments.c.generation)
    .where(word_segments.c.org_id == bindparam("org"))
    .order_by(word_segments.c.id)
)

PageKey = tuple[int, int]
T = TypeVar("T")
V = TypeVar("V")

#: Bytes of postings and positions kept in memory, for all organizations.
CACHE_BYTES = 256 << 20
#: Organizations whose segment headers are kept: about 16 bytes per chunk.
MAX_LIBRARIES = 64
_PAGES_PER_STATEMENT = 500


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """A segment and which of its chunks count: those of documents that no newer segment names."""

    segment_id: int
    generation: int
    header: Header
    #: None if all chunks count.
    live: Mask | None
    chunks: int
    length: int


@dataclass(frozen=True, slots=True)
class IndexSnapshot:
    """The word index of one organization at one moment."""

    segments: tuple[LiveSegment, ...]
    chunks: int
    length: int
    #: The languages of its chunks, most frequent first.
    languages: tuple[str, ...]
    #: Whether there are chunks whose language is not known.
    has_unknown_language: bool = False

    @property
    def mean_length(self) -> float:
        return self.length / self.chunks if self.chunks else 1.0


_EMPTY = IndexSnapshot((), 0, 0, ())


class SegmentCache:
    """Segments and pages of all organizations, cached by segment. Thread-safe."""

    def __init__(self, cache_bytes: int = CACHE_BYTES) -> None:
        self._lock = threading.Lock()
        self._views: OrderedDict[str, tuple[tuple[int, ...], IndexSnapshot]] = OrderedDict()
        self._postings = _ByteCache[Page](cache_bytes)
        self._positions = _ByteCache[Positions](cache_bytes // 2)

    def view(self, tx: Transaction, org_id: str) -> IndexSnapshot:
        """The segments of the organization as this transaction sees them."""
        c = word_segments.c
        listed = tx.fetch(_SEGMENTS, org=org_id)
        key = tuple(int(row.id) for row in listed)
        with self._lock:
            known_key, known = self._views.get(org_id, ((), _EMPTY))
            if known_key == key:
                if key:
                    self._views.move_to_end(org_id)
                return known
        headers = {view.segment_id: view.header for view in known.segments}
        missing = [segment_id for segment_id in key if segment_id not in headers]
        for start in range(0, len(missing), _PAGES_PER_STATEMENT):
            batch = missing[start : start + _PAGES_PER_STATEMENT]
            for row in tx.connection.execute(select(c.id, c.header).where(c.id.in_(batch))):
                headers[int(row.id)] = Header.decode(bytes(row.header))
        generations = {int(row.id): int(row.generation or row.id) for row in listed}
        view = make_view(
            {number: (generations[number], headers[number]) for number in key if number in headers}
        )
        with self._lock:
            self._views[org_id] = key, view
            self._views.move_to_end(org_id)
            while len(self._views) > MAX_LIBRARIES:
                self._views.popitem(last=False)
        return view

    def pages(self, tx: Transaction, keys: Iterable[PageKey]) -> Mapping[PageKey, Page]:
        """The postings of pages, given as segment and page number."""
        return self._postings.read(keys, lambda missing: _read(tx, "postings", missing, Page.decode))

    def positions(self, tx: Transaction, keys: Iterable[PageKey]) -> Mapping[PageKey, Positions]:
        """The positions of pages."""
        return self._positions.read(keys, lambda missing: _read(tx, "positions", missing, _decode_positions))


def make_view(headers: Mapping[int, tuple[int, Header]]) -> IndexSnapshot:
    """Count the chunks, their lengths and their languages, without those that newer segments replace."""
    views: list[LiveSegment] = []
    languages: dict[str, int] = {}
    for segment_id, live in live_chunks(headers).items():
        generation, header = headers[segment_id]
        for code, count in zip(
            header.languages,
            np.bincount(header.language_of[live], minlength=len(header.languages)),
            strict=True,
        ):
            if count:
                languages[code] = languages.get(code, 0) + int(count)
        lengths = header.lengths[live]
        views.append(
            LiveSegment(
                segment_id,
                generation,
                header,
                None if len(lengths) == len(live) else live,
                len(lengths),
                int(lengths.sum(dtype=np.int64)),
            )
        )
    unknown = languages.pop("", 0)
    return IndexSnapshot(
        tuple(views),
        sum(view.chunks for view in views),
        sum(view.length for view in views),
        tuple(sorted(languages, key=lambda code: (-languages[code], code))),
        bool(unknown),
    )


def _decode_positions(data: bytes) -> Positions:
    return np.frombuffer(data, "<u2")


def _read(
    tx: Transaction, column: str, keys: Sequence[PageKey], decode: Callable[[bytes], T]
) -> dict[PageKey, tuple[T, int]]:
    c = word_pages.c
    found: dict[PageKey, tuple[T, int]] = {}
    for start in range(0, len(keys), _PAGES_PER_STATEMENT):
        batch = keys[start : start + _PAGES_PER_STATEMENT]
        query = select(c.segment_id, c.page, c[column]).where(tuple_(c.segment_id, c.page).in_(batch))
        for segment_id, page, data in tx.connection.execute(query):
            found[int(segment_id), int(page)] = decode(bytes(data)), 2 * len(data)
    return found


class _ByteCache(Generic[V]):
    """A cache bounded in bytes; the entry used last is evicted last."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._lock = threading.Lock()
        self._entries: OrderedDict[PageKey, tuple[V, int]] = OrderedDict()

    def read(
        self, keys: Iterable[PageKey], load: Callable[[Sequence[PageKey]], Mapping[PageKey, tuple[V, int]]]
    ) -> dict[PageKey, V]:
        found: dict[PageKey, V] = {}
        missing: list[PageKey] = []
        with self._lock:
            for key in keys:
                if (entry := self._entries.get(key)) is not None:
                    self._entries.move_to_end(key)
                    found[key] = entry[0]
                else:
                    missing.append(key)
        if missing:
            loaded = load(missing)
            found |= {key: value for key, (value, _) in loaded.items()}
            with self._lock:
                for key, entry in loaded.items():
                    if key not in self._entries:
                        self._entries[key] = entry
                        self._bytes += entry[1]
                while self._bytes > self._max_bytes and self._entries:
                    _, (_, size) = self._entries.popitem(last=False)
                    self._bytes -= size
        return found
