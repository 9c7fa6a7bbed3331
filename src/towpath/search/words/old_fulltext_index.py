"""Searches the full-text index of earlier versions, for documents that are not in the word index yet."""

from __future__ import annotations

from sqlalchemy import select, text

from towpath.ledger.database import Transaction
from towpath.ledger.tables import documents
from towpath.ledger.verbs.old_fulltext_index import has_old_index
from towpath.search.allowed_documents import allowed_ids
from towpath.search.contract import RankedChunk, Scope
from towpath.search.query_parser import ParsedQuery
from towpath.text.stemming import lower_case
from towpath.text.word_tokenizer import words

MAX_WORDS = 64

_SQLITE = text("""
    select search_words.rowid as number, -bm25(search_words, 1.5, 1.0) as score, chunks.document_id
    from search_words
    cross join chunks on chunks.number = search_words.rowid
    cross join documents on documents.id = chunks.document_id
    where search_words match :match and chunks.org_id = :org and documents.words_version is null
    order by score desc, number limit :depth
""")
_POSTGRES = text("""
    select chunks.number, ts_rank('{0.6, 0.6, 1, 0.6}', search_words, query, 1) as score, chunks.document_id
    from chunks
    join documents on documents.id = chunks.document_id and documents.words_version is null,
    cast(replace(cast(plainto_tsquery('search_stems', search_plain(search_in_pairs(:match))) as text), '&', '|')
      as tsquery) as query
    where chunks.org_id = cast(:org as uuid) and search_words @@ query
    order by score desc, number limit :depth
""")


class OldIndex:
    """Remembers the organizations whose documents are all in the word index: they never need the old one again."""

    def __init__(self) -> None:
        self._complete: set[str] = set()

    def search(self, tx: Transaction, scope: Scope, parsed: ParsedQuery, depth: int) -> list[RankedChunk]:
        """The best chunks of documents that are not in the word index yet."""
        if not self._is_needed(tx, scope.org_id):
            return []
        found = [lower_case(word) for word, _, _ in words(parsed.text)][:MAX_WORDS]
        if not found:
            return []
        match = " OR ".join(f'"{word}"' for word in found) if tx.dialect == "sqlite" else " ".join(found)
        rows = tx.connection.execute(
            _SQLITE if tx.dialect == "sqlite" else _POSTGRES,
            {"match": match, "org": scope.org_id, "depth": depth},
        ).all()
        allowed = allowed_ids(tx, scope)
        return [
            RankedChunk(int(number), float(score))
            for number, score, document in rows
            if allowed is None or str(document) in allowed
        ]

    def _is_needed(self, tx: Transaction, org_id: str) -> bool:
        if org_id in self._complete:
            return False
        c = documents.c
        missing = (
            select(c.id)
            .where(c.org_id == org_id, c.published_run_id.is_not(None), c.words_version.is_(None))
            .limit(1)
        )
        if tx.connection.execute(missing).first() is None:
            self._complete.add(org_id)
            return False
        return has_old_index(tx)
