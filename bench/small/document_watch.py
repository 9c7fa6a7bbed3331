"""Watches the documents of a library in its database, so that watching costs the server nothing."""

from __future__ import annotations

import sqlite3
import time

import psycopg

from towpath.config import Settings

POLL_SECONDS = 0.1

_PROCESSING = "select count(*) from documents where status = 'PROCESSING'"
_FAILED = "select count(*) from documents where status = 'FAILED'"
_UNFINISHED = "select count(*) from document_processing_jobs where status in ('PENDING', 'PROCESSING')"


class DocumentWatch:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def wait_until_searchable(self) -> None:
        while self._count(_PROCESSING):
            time.sleep(POLL_SECONDS)
        assert not self._count(_FAILED)

    def wait_until_connected(self) -> None:
        """Wait until no job is due or running: all follow-ups are done."""
        self.wait_until_searchable()
        while self._count(_UNFINISHED):
            time.sleep(POLL_SECONDS)

    def _count(self, query: str) -> int:
        if self._settings.database is not None:
            with psycopg.connect(self._settings.database) as connection:
                row = connection.execute(query.encode()).fetchone()
        else:
            connection = sqlite3.connect(self._settings.sqlite_file)
            row = connection.execute(query).fetchone()
            connection.close()
        assert row is not None
        return int(row[0])
