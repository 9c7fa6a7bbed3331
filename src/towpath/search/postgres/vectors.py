"""Nearest-neighbour queries on Postgres: by the HNSW index of the dimension, or by an exact scan.

Vectors of a large document that was just published are not in the index yet; they are always compared exactly.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sqlalchemy import TextClause, text
from sqlalchemy.dialects import postgresql

from towpath.ledger.database import Transaction
from towpath.providers.contract import Vectors
from towpath.search.allowed_documents import allowed_documents
from towpath.search.chunk_rows import COLUMNS, to_chunk_row
from towpath.search.contract import ChunkRow, EmbeddingSpace, RankedChunk, Scope

#: The dimensions that have an HNSW index, and the type of the index (see migration 0002).
INDEX_TYPE_BY_DIMENSION = dict.fromkeys((256, 384, 512, 768, 1024, 1536), "vector") | {3072: "halfvec"}
#: Recall@10 over 200,000 chunks is 0.99 with 200 and 0.96 with 100; pgvector's default of 40 is for fewer rows.
EF_SEARCH = 200
#: With a filter, the index scan continues until it has enough rows or has visited this many.
MAX_SCAN_TUPLES = 40_000
#: Up to this many vectors an exact scan takes no longer, and has full recall.
MAX_EXACT = 5_000


_DIALECT = postgresql.dialect(paramstyle="named")  # pyright: ignore[reportCallIssue]  (the stub lacks the parameter)

_CAST_PARAMETER = re.compile(r":(\w+)::(\w+(?: \w+ TIME ZONE)?)")

_SIMILARITIES = text("""
    select number, 1 - (vector <=> cast(:vector as vector)) from chunks
    where number = any(:numbers) and model = :model and vector_dims(vector) = :dimension
""")


# The binary form of pgvector: two integers of 16 bits, then the numbers. As text, each would be parsed.
_VECTORS = text("""
    select number, vector_send(vector) from chunks
    where number = any(:numbers) and model = :model and vector_dims(vector) = :dimension
""")
_HEADER_BYTES = 4


@dataclass(frozen=True, slots=True)
class NearestNeighbourQuery:
    """The SQL statement and parameters that find the ``depth`` chunks nearest to a vector."""

    scope: Scope
    space: EmbeddingSpace
    vector: Vectors
    depth: int
    ef_search: int
    exact: bool

    def rank(self, tx: Transaction) -> list[RankedChunk]:
        rows = tx.connection.execute(_cached_text(self.statement()), self.parameters())
        return [RankedChunk(int(number), 1.0 - float(distance)) for number, distance in rows]

    def rank_with_rows(self, tx: Transaction) -> list[tuple[RankedChunk, ChunkRow]]:
        """The nearest chunks with their rows, in one statement."""
        statement = f"""
            select near.distance, {COLUMNS}
            from ({self.statement()}) as near
            join chunks on chunks.number = near.number join documents on documents.id = chunks.document_id
            order by near.distance, near.number
        """
        rows = tx.connection.execute(_cached_text(statement), self.parameters())
        return [
            (RankedChunk(int(number), 1.0 - float(distance)), to_chunk_row(number, *rest))
            for distance, number, *rest in rows
        ]

    def statement(self) -> str:
        kind = INDEX_TYPE_BY_DIMENSION.get(self.space.dimension)
        return self._exact_statement() if self.exact or kind is None else self._hnsw_statement(kind)

    def parameters(self) -> dict[str, object]:
        return {
            "vector": _vector_literal(self.vector),
            "model": self.space.model,
            "ef_search": str(min(1_000, self.ef_search)),
            "most_scanned": str(MAX_SCAN_TUPLES),
            **scope_conditions(self.scope)[1],
        }

    def _hnsw_statement(self, kind: str) -> str:
        # One statement is one round trip and its own transaction, in which the settings hold. The inner query
        # depends on them, so that they are set before the index is read. Integers are literals: with
        # parameters the planner would not choose the index.
        column = f"(vector::{kind}({self.space.dimension}))"
        given = f"cast(:vector as {kind}({self.space.dimension}))"
        return f"""
            with settings as materialized (
              select set_config('hnsw.ef_search', :ef_search, true)
                  || set_config('hnsw.iterative_scan', 'relaxed_order', true)
                  || set_config('hnsw.max_scan_tuples', :most_scanned, true) as made
            ),
            unindexed as materialized (
              select number, vector from chunks where {self._unindexed()} and {self._conditions()}
            )
            select near.number as number, near.distance as distance from settings, lateral (
              select number, {column} <=> {given} as distance from chunks
              where settings.made <> '' and {self._indexed()} and {self._conditions()}
              order by {column} <=> {given} limit {self.depth}
            ) as near
            union all
            select number, vector <=> cast(:vector as vector) from unindexed
            order by distance, number limit {self.depth}
        """

    def _exact_statement(self) -> str:
        # The inner query returns distances: vectors would fill `work_mem` and be written to disk. It is
        # materialized, or the planner would read the HNSW index for the order.
        return f"""
            with few as materialized (
              select number, vector <=> cast(:vector as vector) as distance from chunks
              where ({self._indexed()} or {self._unindexed()}) and {self._conditions(sorted_ids=True)}
            )
            select number, distance from few order by distance, number limit {self.depth}
        """

    def _indexed(self) -> str:
        # One index holds the vectors of several models: `dimension` selects the index, the rest filters.
        return f"dimension = {self.space.dimension}"

    def _unindexed(self) -> str:
        return f"(dimension is null and vector is not null and vector_dims(vector) = {self.space.dimension})"

    def _conditions(self, *, sorted_ids: bool = False) -> str:
        return f"model = :model and {scope_conditions(self.scope, sorted_ids=sorted_ids)[0]}"


def similarities(
    tx: Transaction, space: EmbeddingSpace, vector: Vectors, chunk_rowids: Sequence[int]
) -> dict[int, float]:
    """The cosines of these chunks."""
    rows = tx.connection.execute(
        _SIMILARITIES,
        {
            "vector": _vector_literal(vector),
            "numbers": list(chunk_rowids),
            "model": space.model,
            "dimension": space.dimension,
        },
    )
    return {int(number): float(cosine) for number, cosine in rows}


def read_vectors(tx: Transaction, space: EmbeddingSpace, chunk_rowids: Sequence[int]) -> dict[int, Vectors]:
    """The vectors of these chunks."""
    rows = tx.connection.execute(
        _VECTORS, {"numbers": list(chunk_rowids), "model": space.model, "dimension": space.dimension}
    )
    return {
        int(number): np.frombuffer(bytes(sent), ">f4", offset=_HEADER_BYTES).astype(np.float32)
        for number, sent in rows
    }


@lru_cache(maxsize=256)
def _cached_text(statement: str) -> TextClause:
    return text(statement)


def _vector_literal(vector: Vectors) -> str:
    # A float32 needs 8 significant digits; Python would write a float with 17.
    return f"[{','.join([format(number, '.8g') for number in vector.tolist()])}]"


def count_at_most(tx: Transaction, scope: Scope, limit: int) -> int:
    conditions, parameters = scope_conditions(scope)
    statement = f"select count(*) from (select 1 from chunks where {conditions} limit {limit}) as counted"
    return int(tx.connection.execute(text(statement), parameters).scalar_one())


def scope_conditions(scope: Scope, *, sorted_ids: bool = False) -> tuple[str, dict[str, object]]:
    """The conditions of a scope on the table of chunks, and their parameters.

    With ``sorted_ids`` the documents are an array: Postgres sorts it and reads the index in one pass. Without,
    they are a subquery, which the planner may turn into a hash for a few rows of many.
    """
    # A literal, not a parameter: a generic plan assumes an average organization and reads a large one row by
    # row. This is safe because the id was parsed as a UUID.
    conditions = f"org_id = '{uuid.UUID(scope.org_id)}'"
    selected = allowed_documents(scope)
    if selected is None:
        return conditions, {}
    compiled = selected.compile(dialect=_DIALECT, compile_kwargs={"render_postcompile": True})
    # `:name::type` is no parameter for `text`.
    statement = _CAST_PARAMETER.sub(r"cast(:\1 as \2)", str(compiled))
    condition = f"= any(array({statement}))" if sorted_ids else f"in ({statement})"
    return f"{conditions} and document_id {condition}", dict(compiled.params)
