"""Documents are rewritten and deleted without pause while `connect` runs on their neighbours.

`python -m tests.crash.connection_storm --minutes 10 --engine postgres` is the long one; `make test` has a short
one. At the end everything is connected once more in peace, from nothing, and must come out the same.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import delete, event

from bench.quality.texts import CHAPTERS
from tests.integration.connecting import Bookshelf, a_shelf
from tests.support.databases import (
    CARELESS,
    EngineUnderTest,
    migrated_sqlite,
    postgres_engine,
    private_postgres,
    sqlite_engine,
)
from tests.support.factories import a_document
from towpath.errors import DatabaseUnavailable, NotFound
from towpath.ledger.tables import connections
from towpath.model.ids import HOME_ORG, document_id

DOCUMENTS = 8
_PASSAGES = [text for chapter in CHAPTERS for text in (chapter.first, chapter.second, chapter.retold)]


@dataclass(slots=True)
class Weather:
    """What came up while it stormed: errors of the database that somebody had to see or to try again."""

    rewritten: int = 0
    deleted: int = 0
    #: Requests to a database that did not answer, as happens on a machine with too much to do.
    away: int = 0
    foreign_keys: list[str] = field(default_factory=list[str])
    complaints: list[str] = field(default_factory=list[str])
    #: Conflicts of locks that the database's door tried again by itself, so that nobody heard of them.
    settled: int = 0

    @property
    def deadlocks(self) -> list[str]:
        """Those that came to the surface."""
        return [complaint for complaint in self.complaints if "deadlock" in complaint.lower()]


class _Listener(logging.Handler):
    def __init__(self, weather: Weather) -> None:
        super().__init__(logging.WARNING)
        self._weather = weather

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else ""
        self._weather.complaints.append(f"{record.getMessage()} {error}".strip())


def watch(engine: EngineUnderTest, weather: Weather) -> None:
    """Every error the database raises is looked at, also one that is tried again and never surfaces."""

    def look(context: object) -> None:
        said = str(getattr(context, "original_exception", "")).lower()
        if "foreign key" in said:
            weather.foreign_keys.append(said)
        weather.settled += "deadlock" in said

    event.listen(engine.database.engine, "handle_error", look)


async def storm(engine: EngineUnderTest, seconds: float, seed: int) -> Weather:
    luck = random.Random(seed)
    weather = Weather()
    watch(engine, weather)
    listener = _Listener(weather)
    logging.getLogger("towpath").addHandler(listener)
    shelf = a_shelf(engine)
    try:
        async with shelf.working(), asyncio.TaskGroup() as people:
            for number in range(DOCUMENTS):
                people.create_task(_meddle(shelf, number, seconds, weather, random.Random(luck.random())))
        async with shelf.working():
            await shelf.settled()
            found = await shelf.stored()
            await _connect_afresh(shelf)
            assert found == await shelf.stored(), "the connections differ from a calm recomputation"
            assert found, "the storm left nothing that could be compared"
    finally:
        logging.getLogger("towpath").removeHandler(listener)
    return weather


async def _meddle(
    shelf: Bookshelf, number: int, seconds: float, weather: Weather, luck: random.Random
) -> None:
    """One person with one document: files it, rewrites it, now and then deletes it."""
    name = f"document {number}"
    mine = document_id(HOME_ORG, a_document(name).sha256)
    await _filed(shelf, name, weather, luck)
    # From here on, so that a slow start does not take the storm away.
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        try:
            if luck.random() < 0.2:
                await shelf.delete(mine)
                weather.deleted += 1
                await _filed(shelf, name, weather, luck)
            else:
                await shelf.rewrite(mine, *luck.sample(_PASSAGES, luck.randint(3, 8)))
                weather.rewritten += 1
        except NotFound:
            await _filed(shelf, name, weather, luck)
        except DatabaseUnavailable:
            weather.away += 1
        await asyncio.sleep(luck.random() * 0.05)


async def _filed(shelf: Bookshelf, name: str, weather: Weather, luck: random.Random) -> None:
    """The document is there; a database that was away for a moment is asked again, as any client would."""
    while True:
        try:
            await shelf.file(name, *luck.sample(_PASSAGES, 6))
            return
        except DatabaseUnavailable:
            weather.away += 1


async def _connect_afresh(shelf: Bookshelf) -> None:
    """Every connection is forgotten, and every document's last `connect` is done again, one by one."""
    await shelf.ledger.database.run(lambda tx: tx.connection.execute(delete(connections)))
    for number in range(DOCUMENTS):
        await shelf.connect_again(document_id(HOME_ORG, a_document(f"document {number}").sha256))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--engine", choices=["sqlite", "postgres"], required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    given = parser.parse_args()
    print(f"{given.engine}, {given.minutes} minutes, seed {given.seed}", flush=True)
    if given.engine == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            template = migrated_sqlite(Path(folder) / "template.db")
            with sqlite_engine(Path(folder) / "ledger.db", template) as engine:
                weather = asyncio.run(storm(engine, given.minutes * 60, given.seed))
    else:
        with private_postgres(CARELESS) as server, postgres_engine(server.create_migrated()) as engine:
            weather = asyncio.run(storm(engine, given.minutes * 60, given.seed))
    print(f"{weather.rewritten} rewritten, {weather.deleted} deleted, the connections are as in peace")
    print(f"foreign-key errors {len(weather.foreign_keys)}, deadlocks {len(weather.deadlocks)}, ", end="")
    print(f"tried again unseen {weather.settled}, without an answer {weather.away}")
    print("\n".join(weather.complaints[:20]))
    return 1 if weather.foreign_keys or weather.deadlocks else 0


if __name__ == "__main__":
    sys.exit(main())
