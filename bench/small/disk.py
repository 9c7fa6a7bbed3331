"""The disk space of a library on SQLite, by part."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from towpath.config import Settings

#: The tables whose content is the text of the documents and what search finds it by.
INDEX_TABLES = ("chunks", "word_segments", "word_pages", "document_fields", "chunk_profiles", "connections")


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes on disk: uploaded files, other blobs, the tables of text and index, the other tables."""

    originals: int
    artifacts: int
    index: int
    tables: int


def measure_disk(settings: Settings) -> Disk:
    """Measure after the server has stopped; blobs count as the blocks that they occupy."""
    originals = artifacts = index = tables = 0
    for path in (settings.data / "blobs").rglob("*"):
        size = path.stat().st_blocks * 512
        if "originals" in path.parts:
            originals += size
        else:
            artifacts += size
    with sqlite3.connect(settings.sqlite_file) as connection:
        owners = dict(connection.execute("select name, tbl_name from sqlite_schema"))
        for name, size in connection.execute("select name, sum(pgsize) from dbstat group by name"):
            if owners.get(name, name) in INDEX_TABLES:
                index += size
            else:
                tables += size
    return Disk(originals, artifacts, index, tables)
