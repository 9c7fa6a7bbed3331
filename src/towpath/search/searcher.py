"""The searcher: looks by words and by meaning at once, and makes one list of hits out of what is found."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial

import numpy as np

from towpath.errors import ConfigError, ProviderError
from towpath.ledger.database import Transaction
from towpath.providers.contract import Embedder, Vectors
from towpath.search.contract import Hit, Passage, Query, Ranked, Scope, Space
from towpath.search.fusion import fuse, lead
from towpath.search.index import Index
from towpath.search.moments import heard_at
from towpath.search.passages import read_passages, read_texts
from towpath.search.query import Wish, read
from towpath.search.snippet import cut, place

log = logging.getLogger(__name__)

#: How deep each list of a hybrid search is. The same for every page, so that pages fit together.
DEPTH = 200
#: With fewer passages than this that have all the words, those with some of them are taken in.
ENOUGH = 10
REMEMBERED = 1_000


class HybridSearcher:
    """Keeps the contract on whichever index it is given."""

    def __init__(self, index: Index, embedder: Embedder) -> None:
        self._index = index
        self._embedder = embedder
        self._space = Space(embedder.model, embedder.dimension)
        # The next page of a search, or the same search again, must not be paid for again.
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    async def search(self, query: Query) -> list[Hit]:
        wish = read(query.text)
        scope = _scope(query)
        if scope is None or not wish.text:
            return []
        match query.mode:
            case "text":
                return await self._text(query, scope, wish)
            case "vector":
                return await self._vector(query, scope, wish)
            case "hybrid":
                return await self._hybrid(query, scope, wish)

    async def _text(self, query: Query, scope: Scope, wish: Wish) -> list[Hit]:
        def look(tx: Transaction) -> list[Hit]:
            # By places, since the scores of «all words» and «some words» are not one scale.
            found = self._by_words(tx, scope, wish, _depth(query))
            return _hits(tx, query, scope, wish, lead(_verbatim(tx, wish, found), fuse([found])))

        return await self._index.database.run(look, read=True, org=scope.org_id)

    async def _vector(self, query: Query, scope: Scope, wish: Wish) -> list[Hit]:
        vector = await self._embedded(wish)
        if vector is None:
            return []

        def look(tx: Transaction) -> list[Hit]:
            found = self._index.passages_by_vector(tx, scope, self._space, vector, _depth(query))
            return [_hit(ranked, passage, wish) for ranked, passage in found[query.offset :]]

        # Every statement here may be a transaction of its own: two trips to the server less.
        return await self._index.database.run(look, read=True, single=True, org=scope.org_id)

    async def _hybrid(self, query: Query, scope: Scope, wish: Wish) -> list[Hit]:
        def look(tx: Transaction) -> tuple[list[Ranked], list[Ranked]]:
            found = self._by_words(tx, scope, wish, DEPTH)
            return found, _verbatim(tx, wish, found)

        (by_words, verbatim), by_vector = await asyncio.gather(
            self._index.database.run(look, read=True, org=scope.org_id),
            self._by_vector_if_possible(scope, wish),
        )
        if wish.phrases:
            # Who quotes wants these words: meaning then only orders the passages that have them.
            having = {ranked.number for ranked in by_words}
            by_vector = [ranked for ranked in by_vector if ranked.number in having]
        fused = lead(verbatim, fuse([by_words, by_vector]))
        return await self._index.database.run(
            lambda tx: _hits(tx, query, scope, wish, fused), read=True, single=True, org=scope.org_id
        )

    def _by_words(self, tx: Transaction, scope: Scope, wish: Wish, depth: int) -> list[Ranked]:
        return self._index.by_words(tx, scope, wish, depth, min(ENOUGH, depth)) if wish.terms else []

    async def _by_vector_if_possible(self, scope: Scope, wish: Wish) -> list[Ranked]:
        try:
            vector = await self._embedded(wish)
        except (ProviderError, ConfigError) as error:
            log.warning("Searching by words only, since the embedder does not answer: %s", error)
            return []
        if vector is None:
            return []
        return await self._index.database.run(
            lambda tx: self._index.by_vector(tx, scope, self._space, vector, DEPTH),
            read=True,
            single=True,
            org=scope.org_id,
        )

    async def _embedded(self, wish: Wish) -> Vectors | None:
        """Nothing where the text has no direction, as a few strange ones have for some models."""
        vector = self._vectors.get(wish.text)
        if vector is None:
            vector = np.asarray((await self._embedder.embed([wish.text])).vectors[0], np.float32)
            self._vectors[wish.text] = vector
            if len(self._vectors) > REMEMBERED:
                self._vectors.popitem(last=False)
        return vector if np.isfinite(vector).all() and vector.any() else None


def _verbatim(tx: Transaction, wish: Wish, found: Sequence[Ranked]) -> list[Ranked]:
    """Who pastes a sentence looks for the passages that have it, however common its words are."""
    sentence = wish.sentence
    if sentence is None:
        return []
    texts = read_texts(tx, [ranked.number for ranked in found])
    return [ranked for ranked in found if sentence.search(texts.get(ranked.number, ""))]


def _depth(query: Query) -> int:
    return query.offset + query.limit


def _scope(query: Query) -> Scope | None:
    """Nothing where an id is none, or a kind cannot be: there is nothing to be found there."""
    try:
        org_id = str(uuid.UUID(query.org_id))
        document_id = None if query.document_id is None else str(uuid.UUID(query.document_id))
    except ValueError:
        return None
    if query.kind is not None and not query.kind.isprintable():
        return None
    return Scope(org_id, query.kind, document_id)


def _hits(tx: Transaction, query: Query, scope: Scope, wish: Wish, found: Sequence[Ranked]) -> list[Hit]:
    page = found[query.offset : query.offset + query.limit]
    passages = read_passages(tx, scope, [ranked.number for ranked in page])
    # What is missing was removed or replaced since it was found.
    return [_hit(ranked, passages[ranked.number], wish) for ranked in page if ranked.number in passages]


def _hit(ranked: Ranked, passage: Passage, wish: Wish) -> Hit:
    snippet = cut(passage.text, wish)
    return Hit(
        passage.chunk_id,
        passage.document_id,
        passage.document_name,
        passage.document_kind,
        ranked.score,
        snippet.text,
        snippet.highlights,
        heard_at(passage.anchor, partial(place, passage.text, wish)),
        passage.ordinal,
    )
