"""Reads the chunks of search hits with their whole texts."""

from __future__ import annotations

from collections.abc import Sequence

from towpath.ledger.database import Database
from towpath.model.ids import chunk_rowid
from towpath.model.passage import Passage
from towpath.search.chunk_rows import read_chunk_rows
from towpath.search.contract import Hit, Scope


class SqlPassageReader:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, org_id: str, hits: Sequence[Hit]) -> list[Passage]:
        """The passages of the hits in their order. A chunk that was deleted meanwhile is left out."""
        rowids = {hit.chunk_id: chunk_rowid(hit.chunk_id) for hit in hits}
        rows = await self._database.run(
            lambda tx: read_chunk_rows(tx, Scope(org_id), list(rowids.values())),
            read=True,
            single=True,
            org=org_id,
        )
        passages: list[Passage] = []
        for hit in hits:
            row = rows.get(rowids[hit.chunk_id])
            if row is not None:
                # The anchor of the hit: in a call it has the second of the match.
                passages.append(
                    Passage(
                        row.chunk_id,
                        row.document_id,
                        row.document_name,
                        row.document_kind,
                        row.ordinal,
                        row.text,
                        hit.anchor,
                    )
                )
        return passages
