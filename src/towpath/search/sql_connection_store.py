"""Finds similar chunks for connections: reads documents and chunks, and looks up candidates in the search index."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from sqlalchemy import Row, Select, bindparam, or_, select, union_all

from towpath.connections.features import TermCounts
from towpath.connections.passage_text import PassageText, analyze
from towpath.connections.store import Candidates, ConnectionMark, DocumentChunks
from towpath.ledger.columns import dump
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunk_profiles, chunks, connection_marks, connections, documents
from towpath.model.writes import ChunkProfile, DocumentPublication
from towpath.search.contract import EmbeddingSpace, Filters, Scope
from towpath.search.index_contract import SearchIndex
from towpath.text.analyzer import term_of
from towpath.text.language_detection import detect_language

#: The rarest terms of a chunk that are searched for.
RARE_TERMS = 6
#: The nearest neighbours of a chunk that are compared with it; the others tell how dense its neighbourhood is.
CLOSEST = 6
#: A term in more chunks is not searched for: it would match half the library.
MAX_TERM_CHUNKS = 2_000
_BATCH = 1_000

_c = chunks.c
_Row = Row[Any]


def _chunk_query() -> Select[Any]:
    profile = chunk_profiles.c
    return (
        select(_c.document_id, documents.c.published_run_id, _c.id, _c.number, _c.text, _c.vector, _c.model)
        .add_columns(profile.neighbour_similarity, profile.term_norm, profile.copies)
        .join_from(chunks, documents, documents.c.id == _c.document_id)
        .outerjoin(chunk_profiles, profile.chunk_id == _c.id)
        .where(documents.c.org_id == bindparam("org"), _c.vector.is_not(None))
        .order_by(_c.document_id, _c.id)
    )


def _connected_chunks_query() -> Any:
    c = connections.c
    sides = (
        (c.a_document_id, c.a_chunk_id, c.b_chunk_id, c.b_document_id),
        (c.b_document_id, c.b_chunk_id, c.a_chunk_id, c.a_document_id),
    )
    return union_all(
        *(
            select(own_id.label("own"), other_id.label("chunk"), other.label("other")).where(
                document == bindparam("document"), c.org_id == bindparam("org")
            )
            for document, own_id, other_id, other in sides
        )
    )


# Built once: building a statement takes SQLAlchemy longer than SQLite takes to run it.
_OF_DOCUMENT = _chunk_query().where(_c.document_id == bindparam("document"))
_OF_OTHERS = _chunk_query().where(_c.model == bindparam("model"), _c.document_id != bindparam("document"))
_BY_NUMBER = _OF_OTHERS.where(_c.number.in_(bindparam("keys", expanding=True)))
_BY_ID = _OF_OTHERS.where(_c.id.in_(bindparam("keys", expanding=True)))
_CONNECTED_CHUNKS = _connected_chunks_query()
_m = connection_marks.c
_MARKS = (
    select(_m.id, _m.a_document_id, _m.b_document_id, _m.a_chunk_id, _m.b_chunk_id, _m.a_text, _m.b_text)
    .where(
        _m.org_id == bindparam("org"),
        or_(_m.a_document_id == bindparam("document"), _m.b_document_id == bindparam("document")),
        or_(_m.pinned, _m.hidden),
    )
    .order_by(_m.id)
)


class SqlConnectionStore:
    """Implements `ConnectionStore` on the search index of either engine."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index

    async def document(self, org_id: str, document_id: str) -> DocumentChunks | None:
        # One statement, so that the chunks belong to the version that is read with them.
        def read(tx: Transaction) -> DocumentChunks | None:
            rows = tx.fetch(_OF_DOCUMENT, org=org_id, document=document_id)
            # Publishing leaves chunks of one model only.
            return _to_document_chunks([row for row in rows if row.model == rows[0].model]) if rows else None

        return await self._index.database.run(read, read=True)

    async def candidates(
        self, org_id: str, document: DocumentChunks, nearest: int, by_terms: int
    ) -> Candidates:
        excluded = Filters(excluded_document_ids=(document.document_id,))
        space = EmbeddingSpace(document.model, document.vectors.shape[1])

        def read(tx: Transaction) -> Candidates:
            texts = list(map(analyze, document.texts))
            index_terms = _index_terms(document, texts)
            neighbours = self._index.by_vectors(tx, Scope(org_id, excluded), space, document.vectors, nearest)
            forms = list(chain.from_iterable(index_terms.values()))
            statistics = self._index.term_statistics(tx, org_id, forms)
            counts = {
                term: sum(statistics.frequencies[form] for form in forms)
                for term, forms in index_terms.items()
            }
            own = Counter(term for text in texts for term in text.terms)
            matches = self._index.chunks_by_terms(
                tx,
                org_id,
                [
                    [form for term in _rare_terms(text, own, counts) for form in index_terms[term]]
                    for text in texts
                ],
                by_terms,
                document.document_id,
            )
            numbers = [
                frozenset(ranked.chunk_rowid for ranked in near[:CLOSEST])
                | frozenset(ranked.chunk_rowid for ranked in found)
                for near, found in zip(neighbours, matches, strict=True)
            ]
            similarities = [[ranked.score for ranked in near] for near in neighbours]
            return Candidates(numbers, similarities, TermCounts(statistics.chunks, counts))

        return await self._index.database.run(read, read=True, single=True)

    async def chunks(
        self,
        org_id: str,
        document: DocumentChunks,
        numbers: Sequence[int],
        chunk_ids: Sequence[str],
    ) -> tuple[list[DocumentChunks], dict[int, str]]:
        scope = {"org": org_id, "model": document.model, "document": document.document_id}

        def read(tx: Transaction) -> tuple[list[DocumentChunks], dict[int, str]]:
            rows_by_document: dict[str, dict[str, _Row]] = {}
            for query, keys in ((_BY_NUMBER, numbers), (_BY_ID, chunk_ids)):
                for start in range(0, len(keys), _BATCH):
                    batch = keys[start : start + _BATCH]
                    for row in tx.connection.execute(query, {**scope, "keys": batch}):
                        rows_by_document.setdefault(str(row.document_id), {})[str(row.id)] = row
            found = [_to_document_chunks(list(rows.values())) for rows in rows_by_document.values()]
            ids = {
                int(row.number): str(row.id) for rows in rows_by_document.values() for row in rows.values()
            }
            return found, ids

        return await self._index.database.run(read, read=True)

    async def texts(self, org_id: str, document_ids: Sequence[str]) -> dict[str, list[str]]:
        query = (
            select(_c.document_id, _c.text)
            .where(_c.org_id == org_id, _c.document_id.in_(list(document_ids)))
            .order_by(_c.document_id, _c.ordinal)
        )

        def read(tx: Transaction) -> dict[str, list[str]]:
            texts: dict[str, list[str]] = {}
            for document_id, text in tx.connection.execute(query):
                texts.setdefault(str(document_id), []).append(text)
            return texts

        return await self._index.database.run(read, read=True, single=True)

    async def connected_chunks(self, org_id: str, document_id: str) -> list[tuple[str, str, str]]:
        return await self._index.database.run(
            lambda tx: [
                (str(row.own), str(row.chunk), str(row.other))
                for row in tx.fetch(_CONNECTED_CHUNKS, org=org_id, document=document_id)
            ],
            read=True,
        )

    async def republished(self, org_id: str, versions: Sequence[DocumentPublication]) -> list[str]:
        compared = {version.document_id: version.run_id for version in versions}

        def read(tx: Transaction) -> list[str]:
            published = {
                str(row.id): None if row.published_run_id is None else str(row.published_run_id)
                for row in tx.run("published_runs", documents=dump(sorted(compared)), org_id=org_id)
            }
            return [
                document_id
                for document_id in compared
                if published.get(document_id, compared[document_id]) != compared[document_id]
            ]

        return await self._index.database.run(read, read=True, single=True)

    async def marks(self, org_id: str, document_id: str) -> list[ConnectionMark]:
        return await self._index.database.run(
            lambda tx: [
                ConnectionMark(*map(str, row)) for row in tx.fetch(_MARKS, org=org_id, document=document_id)
            ],
            read=True,
        )


def _to_document_chunks(rows: Sequence[_Row]) -> DocumentChunks:
    run_id = rows[0].published_run_id
    return DocumentChunks(
        DocumentPublication(str(rows[0].document_id), None if run_id is None else str(run_id)),
        str(rows[0].model),
        [str(row.id) for row in rows],
        [str(row.text) for row in rows],
        np.stack([np.asarray(row.vector, np.float32) for row in rows]),
        {
            str(row.id): ChunkProfile(row.neighbour_similarity, row.term_norm, row.copies)
            for row in rows
            if row.term_norm is not None
        },
    )


def _index_terms(document: DocumentChunks, texts: Sequence[PassageText]) -> dict[str, Sequence[str]]:
    """The forms of each term in the word index, which stems by the language of a passage.

    They are the form of the document's language and that of the script's most frequent language: an English passage
    in a German document is stemmed as English.
    """
    guess = detect_language(" ".join(document.texts[:8]))
    language = None if guess is None else guess.code
    return {
        term: tuple(dict.fromkeys((term_of(word), term_of(word, language))))
        for text in texts
        for term, word in text.spellings.items()
    }


def _rare_terms(text: PassageText, own: Counter[str], counts: dict[str, int]) -> list[str]:
    """The rarest terms of a chunk that other documents have too."""
    shared = [term for term in text.terms if own[term] < counts[term] <= MAX_TERM_CHUNKS]
    return heapq.nsmallest(RARE_TERMS, shared, key=lambda term: (counts[term], term))
