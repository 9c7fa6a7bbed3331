"""The searcher: looks by words and by meaning at once, and makes one list of hits out of what is found."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from towpath.errors import ConfigError, ProviderError
from towpath.providers.contract import Embedder, Vectors
from towpath.search.contract import Hit, Index, Passage, Query, Ranked, Scope, Space
from towpath.search.fusion import fuse
from towpath.search.query import Wish, read
from towpath.search.snippet import cut

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
        found = await self._find(query, scope, wish)
        page = found[query.offset : query.offset + query.limit]
        passages = await self._index.passages(scope, [ranked.number for ranked in page])
        return await asyncio.to_thread(_hits, page, passages, wish)

    async def _find(self, query: Query, scope: Scope, wish: Wish) -> list[Ranked]:
        depth = query.offset + query.limit
        if query.mode == "vector":
            return await self._by_vector(scope, wish, depth)
        if query.mode == "text":
            # By places, since the scores of «all words» and «some words» are not one scale.
            return fuse([await self._by_words(scope, wish, depth)])
        by_words, by_vector = await asyncio.gather(
            self._by_words(scope, wish, DEPTH), self._by_vector_if_possible(scope, wish, DEPTH)
        )
        if wish.phrases:
            # Who quotes wants these words: meaning then only orders the passages that have them.
            having = {ranked.number for ranked in by_words}
            by_vector = [ranked for ranked in by_vector if ranked.number in having]
        return fuse([by_words, by_vector])

    async def _by_words(self, scope: Scope, wish: Wish, depth: int) -> list[Ranked]:
        return await self._index.by_words(scope, wish, depth, min(ENOUGH, depth)) if wish.terms else []

    async def _by_vector_if_possible(self, scope: Scope, wish: Wish, depth: int) -> list[Ranked]:
        try:
            return await self._by_vector(scope, wish, depth)
        except (ProviderError, ConfigError) as error:
            log.warning("Searching by words only, since the embedder does not answer: %s", error)
            return []

    async def _by_vector(self, scope: Scope, wish: Wish, depth: int) -> list[Ranked]:
        vector = self._vectors.get(wish.text)
        if vector is None:
            vector = np.asarray((await self._embedder.embed([wish.text])).vectors[0], np.float32)
            self._vectors[wish.text] = vector
            if len(self._vectors) > REMEMBERED:
                self._vectors.popitem(last=False)
        return await self._index.by_vector(scope, self._space, vector, depth)


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


def _hits(page: Sequence[Ranked], passages: dict[int, Passage], wish: Wish) -> list[Hit]:
    hits: list[Hit] = []
    for ranked in page:
        passage = passages.get(ranked.number)
        if passage is None:
            continue  # its document was removed or replaced since it was found
        snippet = cut(passage.text, wish)
        hits.append(
            Hit(
                passage.chunk_id,
                passage.document_id,
                passage.document_name,
                passage.document_kind,
                ranked.score,
                snippet.text,
                snippet.highlights,
                passage.anchor,
                passage.ordinal,
            )
        )
    return hits
