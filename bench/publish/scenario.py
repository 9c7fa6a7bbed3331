"""`python -m bench publish`: seconds of the transaction that publishes a book of 2,000 chunks on Postgres."""

from __future__ import annotations

import argparse
import random
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import insert

from bench.benchmarks_page import write_section
from bench.machine import describe_machine
from bench.postgres import private_postgres
from towpath.ledger import migrate
from towpath.ledger.database import Database, Transaction
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.tables import chunks, documents
from towpath.ledger.verbs.replace_chunks import index_vectors, replace_chunks
from towpath.model.codec import anchor_json
from towpath.model.content import Anchor, Chunk
from towpath.model.ids import DEFAULT_ORG_ID, chunk_rowid
from towpath.model.writes import Publish
from towpath.worker.vector_indexer import BATCH

SUMMARY = "the transaction that publishes a large document on Postgres, and indexing its vectors afterwards"
CHUNKS = 2_000
DIMENSION = 1_536
ROUNDS = 2
MODEL = "text-embedding-3-small"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="200 chunks, one round, for a trial")


def run(arguments: argparse.Namespace) -> int:
    count, rounds = (200, 1) if arguments.quick else (CHUNKS, ROUNDS)
    plain: list[float] = []
    publish: list[float] = []
    index: list[float] = []
    with private_postgres() as server:
        database = PostgresDatabase(server.create_database("publish"))
        migrate.upgrade(database.engine)
        # Alternate, so that other load on the machine affects both equally.
        for number in range(rounds):
            plain.append(_timed(database, _new_document(database), _book(count, 2 * number), _insert_rows))
            book = _book(count, 2 * number + 1)
            publish.append(_timed(database, _new_document(database), book, _publish))
            started = time.perf_counter()
            while database.transact(lambda tx: index_vectors(tx, BATCH), single=True):
                pass
            index.append(time.perf_counter() - started)
        database.close()
    text = _section(count, rounds, plain, publish, index)
    print(text)
    if not arguments.quick:
        write_section("publish", text)
    return 0


def _section(count: int, rounds: int, plain: list[float], publish: list[float], index: list[float]) -> str:
    # Sums, not medians: each round finds a larger index.
    slow, fast, later = sum(plain) / rounds, sum(publish) / rounds, sum(index) / rounds
    return "\n".join(
        [
            "## Publishing a large document on Postgres",
            "",
            f"A book of {count:,} chunks with vectors of {DIMENSION:,} numbers, the mean of {rounds} rounds that "
            f"alternate. {describe_machine()}",
            "",
            "| | seconds | ratio |",
            "|---|---:|---:|",
            f"| plain: 500 rows per INSERT, vectors as text, indexed in the transaction | {slow:.1f} | 1.00 |",
            f"| Towpath: the publishing transaction | {fast:.1f} | {fast / slow:.2f} |",
            f"| Towpath: indexing the vectors afterwards, {BATCH} per transaction | {later:.1f} | {later / slow:.2f} |",
        ]
    )


Write = Callable[[Transaction, str, Publish], object]


def _timed(database: Database, document_id: str, book: Publish, write: Write) -> float:
    started = time.perf_counter()
    database.transact(lambda tx: write(tx, document_id, book))
    return time.perf_counter() - started


def _publish(tx: Transaction, document_id: str, book: Publish) -> None:
    replace_chunks(tx, DEFAULT_ORG_ID, document_id, book)


def _insert_rows(tx: Transaction, document_id: str, book: Publish) -> None:
    """Insert the chunks with their vectors into the indexes, as version 0.1.0 did."""
    rows = [
        {
            "id": chunk.id,
            "number": chunk_rowid(chunk.id),
            "org_id": DEFAULT_ORG_ID,
            "document_id": document_id,
            "ordinal": chunk.ordinal,
            "text": chunk.text,
            "tokens": chunk.tokens,
            "anchor": anchor_json(chunk.anchor),
            "vector": vector,
            "model": MODEL,
            "dimension": DIMENSION,
        }
        for chunk, vector in zip(book.chunks, book.vectors, strict=True)
    ]
    for start in range(0, len(rows), 500):
        tx.connection.execute(insert(chunks), rows[start : start + 500])


def _book(count: int, seed: int) -> Publish:
    words = _vocabulary()
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    vectors = numbers.standard_normal((count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    book = [
        Chunk(
            str(uuid.uuid4()), ordinal, " ".join(rng.choices(words, k=165)), 200, Anchor(0, 1, page=ordinal)
        )
        for ordinal in range(count)
    ]
    return Publish(book, vectors, MODEL, ())


def _vocabulary() -> list[str]:
    rng = random.Random(0)
    return ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(20_000)]


def _new_document(database: Database) -> str:
    document_id, now = str(uuid.uuid4()), datetime.now(UTC)
    row = {
        "id": document_id,
        "org_id": DEFAULT_ORG_ID,
        "kind": "document",
        "name": "book",
        "media_type": "text/plain",
        "size": 1,
        "sha256": document_id,
        "blob_key": document_id,
        "status": "COMPLETED",
        "created_at": now,
        "updated_at": now,
    }
    database.transact(lambda tx: tx.connection.execute(insert(documents).values(row)))
    return document_id
