"""Tables of the word index."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, LargeBinary, Table

from towpath.ledger.columns import Id, Serial
from towpath.ledger.tables.metadata import metadata

# The word index: immutable segments, each with the postings of some chunks (`text/word_index_segment.py`).
# A document is in the segment with the highest generation that names it.
word_segments = Table(
    "word_segments",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("org_id", Id, nullable=False, index=True),
    # A merged segment has the highest generation of its sources, any other its id.
    Column("generation", BigInteger),
    Column("chunks", Integer, nullable=False),
    Column("length", BigInteger, nullable=False),
    Column("header", LargeBinary, nullable=False),
    # An id is never used again: segments are cached by their id, and the order of ids is that of writing.
    sqlite_autoincrement=True,
)

word_pages = Table(
    "word_pages",
    metadata,
    Column("segment_id", BigInteger, ForeignKey("word_segments.id", ondelete="CASCADE"), primary_key=True),
    Column("page", Integer, primary_key=True),
    Column("org_id", Id, nullable=False),
    Column("postings", LargeBinary, nullable=False),
    Column("positions", LargeBinary, nullable=False),
)
