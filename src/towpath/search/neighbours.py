"""The nearest vectors on Postgres: by the HNSW index of their length, or one by one where they are few."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import TextClause, text

from towpath.ledger.database import Transaction
from towpath.providers.contract import Vectors
from towpath.search.contract import Passage, Ranked, Scope, Space
from towpath.search.passages import COLUMNS, passage

#: Lengths that have an index, and the type it is made of (see migration 0002).
INDEXED = dict.fromkeys((256, 384, 512, 768, 1024, 1536), "vector") | {3072: "halfvec"}
#: Recall@10 over 200,000 chunks is 0.99, with 100 it is 0.96; pgvector's own 40 suits smaller collections.
EF_SEARCH = 200
#: With a filter the index gives on, nearest first, until there are enough or it has seen so many.
MOST_SCANNED = 40_000
#: Up to here comparing all takes no longer than that, and misses nothing.
FEW = 5_000


@dataclass(frozen=True, slots=True)
class Neighbours:
    scope: Scope
    space: Space
    vector: Vectors
    depth: int
    ef_search: int
    exact: bool

    def look(self, tx: Transaction) -> list[Ranked]:
        rows = tx.connection.execute(_parsed(self.statement()), self.values())
        return [Ranked(int(number), 1.0 - float(distance)) for number, distance in rows]

    def read(self, tx: Transaction) -> list[tuple[Ranked, Passage]]:
        """The nearest and what they say."""
        statement = f"""
            select near.distance, {COLUMNS}
            from ({self.statement()}) as near
            join chunks on chunks.number = near.number join documents on documents.id = chunks.document_id
            order by near.distance, near.number
        """
        rows = tx.connection.execute(_parsed(statement), self.values())
        return [
            (Ranked(int(number), 1.0 - float(distance)), passage(number, *rest))
            for distance, number, *rest in rows
        ]

    def statement(self) -> str:
        kind = INDEXED.get(self.space.dimension)
        return self._one_by_one() if self.exact or kind is None else self._by_index(kind)

    def values(self) -> dict[str, str]:
        return {
            "vector": _written(self.vector),
            "model": self.space.model,
            "ef_search": str(min(1_000, self.ef_search)),
            "most_scanned": str(MOST_SCANNED),
            **scope_values(self.scope),
        }

    def _by_index(self, kind: str) -> str:
        # One statement is one trip to the server, and its own transaction, for which the settings hold. They
        # are a condition of the inner query, so that they are made before the index is read. Whole numbers
        # are written out: for a parameter the planner would not choose the index.
        column = f"(vector::{kind}({self.space.dimension}))"
        given = f"cast(:vector as {kind}({self.space.dimension}))"
        return f"""
            with settings as materialized (
              select set_config('hnsw.ef_search', :ef_search, true)
                  || set_config('hnsw.iterative_scan', 'relaxed_order', true)
                  || set_config('hnsw.max_scan_tuples', :most_scanned, true) as made
            )
            select near.number, near.distance from settings, lateral (
              select number, {column} <=> {given} as distance from chunks
              where settings.made <> '' and {self._conditions()}
              order by {column} <=> {given} limit {self.depth}
            ) as near
            order by near.distance, near.number
        """

    def _one_by_one(self) -> str:
        return f"""
            with few as materialized (select number, vector from chunks where {self._conditions()})
            select number, vector <=> cast(:vector as vector) as distance from few
            order by distance, number limit {self.depth}
        """

    def _conditions(self) -> str:
        # pgvector keeps several models in one index: `dimension` chooses it, the rest is filtered.
        return f"dimension = {self.space.dimension} and model = :model and {scope_conditions(self.scope)}"


@lru_cache(maxsize=256)
def _parsed(statement: str) -> TextClause:
    return text(statement)


def _written(vector: Vectors) -> str:
    # Eight digits are what a float32 has; as a Python float it would be written with twice as many.
    return f"[{','.join([format(number, '.8g') for number in vector.tolist()])}]"


def count_at_most(tx: Transaction, scope: Scope, most: int) -> int:
    statement = (
        f"select count(*) from (select 1 from chunks where {scope_conditions(scope)} limit {most}) as counted"
    )
    return int(tx.connection.execute(text(statement), scope_values(scope)).scalar_one())


def scope_conditions(scope: Scope) -> str:
    # Written out and not a parameter: a plan made for any organization takes each for an average one, and
    # reads a large one row by row. An id is safe to write: it was read as a uuid before.
    conditions = f"org_id = '{uuid.UUID(scope.org_id)}'"
    if scope.document_id is not None:
        conditions += " and document_id = cast(:document as uuid)"
    if scope.without_document_id is not None:
        conditions += " and document_id <> cast(:without as uuid)"
    if scope.kind is not None:
        of_kind = f"select id from documents where org_id = '{uuid.UUID(scope.org_id)}' and kind = :kind"
        conditions += f" and document_id in ({of_kind})"
    return conditions


def scope_values(scope: Scope) -> dict[str, str]:
    values = {"document": scope.document_id, "kind": scope.kind, "without": scope.without_document_id}
    return {name: value for name, value in values.items() if value is not None}
