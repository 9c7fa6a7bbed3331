"""Fields of schemas on both engines: what replaces what, and the schemas of organizations."""

from __future__ import annotations

import asyncio

import numpy as np
from sqlalchemy import select

from tests.integration.worker_harness import WorkerHarness, do_nothing
from tests.support.databases import EngineUnderTest
from tests.support.timeouts import async_wait_until
from towpath.clock import SystemClock
from towpath.ledger.contract.ledger import Submitted
from towpath.ledger.database import Transaction
from towpath.ledger.sql_field_schemas import SqlFieldSchemas
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.tables import document_fields
from towpath.ledger.verbs.apply_write import apply_write
from towpath.model.content import Anchor, Box, Chunk, Field
from towpath.model.field_schema import SchemaField, parse_schema
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.model.job import JobStatus
from towpath.model.outcome import Done, Outcome
from towpath.model.writes import Publish, StoreSchemaFields, Write
from towpath.stages.contract import Context, Stage

INVOICE = (
    SchemaField("total", "10.00", "money", True, "Total 10", 2, 5, 13, Box(0.1, 0.2, 0.3, 0.4)),
    # A model may write characters that Postgres cannot store.
    SchemaField("iban", "DE\x001", "iban", False, "IBAN\x00 \ud800DE1"),
)
_c = document_fields.c


def _ledger(engine: EngineUnderTest) -> SqlLedger:
    """A ledger that applies the writes of stages."""
    return SqlLedger(engine.database, apply_write=apply_write)


def _writing(*writes: Write) -> Stage:
    async def stage(_context: Context) -> Outcome:
        return Done(writes=list(writes))

    return stage


def _publish(*fields: Field) -> Stage:
    vectors = np.ones((1, 384), np.float32) / np.float32(np.sqrt(384))
    return _writing(Publish([Chunk(new_id(), 0, "a text", 2, Anchor(0, 6))], vectors, "test", fields))


async def _stored(engine: EngineUnderTest) -> list[tuple[str | None, str, str, bool | None]]:
    def read(tx: Transaction) -> list[tuple[str | None, str, str, bool | None]]:
        query = select(_c.schema, _c.name, _c.value, _c.verified).order_by(_c.id)
        return [
            (schema, name, value, verified) for schema, name, value, verified in tx.connection.execute(query)
        ]

    return await engine.database.run(read, read=True)


async def test_publish_and_each_schema_replace_only_their_own_fields(engine: EngineUnderTest) -> None:
    harness = WorkerHarness(engine)
    stages = {
        "first": _publish(Field("total", "9"), Field("date", "today")),
        "second": _writing(StoreSchemaFields("invoice", INVOICE, ("invoice", "receipt"))),
        "third": _writing(StoreSchemaFields("lease", (SchemaField("rent", "5", "money", True),), ("lease",))),
        "fourth": _writing(StoreSchemaFields("note", (SchemaField("text", "a", "text", True),), ("note",))),
        "fifth": _publish(Field("total", "10")),
        # The document has no schema any more
        "sixth": _writing(StoreSchemaFields(None, (), ("note",))),
    }
    async with harness.run_worker(stages, ledger=_ledger(engine)):
        await harness.wait_until_ended(await harness.submit(*stages, content="one"))
    assert await _stored(engine) == [
        ("invoice", "total", "10.00", True),
        ("invoice", "iban", "DE\ufffd1", False),
        ("lease", "rent", "5", True),
        (None, "total", "10", None),
    ]

    def anchors(tx: Transaction) -> list[object]:
        query = select(_c.anchor).where(_c.schema == "invoice").order_by(_c.id)
        return list(tx.connection.execute(query).scalars())

    box = {"x0": 0.1, "y0": 0.2, "x1": 0.3, "y1": 0.4}
    assert await engine.database.run(anchors, read=True) == [
        {"page": 2, "start": 5, "end": 13, "box": box, "quote": "Total 10"},
        {"quote": "IBAN\ufffd \ufffdDE1"},
    ]


async def _wait_for_follow_up(harness: WorkerHarness, submitted: Submitted) -> None:
    async def is_done() -> bool:
        jobs = await harness.jobs(submitted)
        return any(job.stage == "extract_fields" and job.status is JobStatus.COMPLETED for job in jobs)

    await async_wait_until(is_done, "the follow-up")


async def test_a_follow_up_of_a_run_that_is_not_published_writes_nothing(engine: EngineUnderTest) -> None:
    harness = WorkerHarness(engine)
    follow_up = _writing(StoreSchemaFields("invoice", INVOICE, ("invoice",)))
    async with harness.run_worker(
        {"first": do_nothing}, follow_ups={"extract_fields": follow_up}, ledger=_ledger(engine)
    ):
        submitted = await harness.submit("first")
        await harness.wait_until_ended(submitted)
        await _wait_for_follow_up(harness, submitted)
    assert await _stored(engine) == []
    async with harness.run_worker(
        {"first": _publish()}, follow_ups={"extract_fields": follow_up}, ledger=_ledger(engine)
    ):
        submitted = await harness.submit("first", content="published")
        await harness.wait_until_ended(submitted)
        await _wait_for_follow_up(harness, submitted)
    assert [row[1] for row in await _stored(engine)] == ["total", "iban"]


async def test_schemas_are_stored_replaced_listed_and_deleted(engine: EngineUnderTest) -> None:
    schemas, now = SqlFieldSchemas(engine.database), SystemClock().now()

    def lease(value: str) -> dict[str, object]:
        return {"type": "object", "properties": {value: {"type": "string"}}}

    stored = await asyncio.gather(
        *(schemas.put(DEFAULT_ORG_ID, parse_schema("lease", lease(f"v{n}")), now) for n in range(5))
    )
    assert sorted(stored) == [False] * 4 + [True], "one is new, the others replace it"
    assert not await schemas.put(DEFAULT_ORG_ID, parse_schema("lease", lease("rent")), now)
    assert await schemas.put(DEFAULT_ORG_ID, parse_schema("bill", lease("total")), now)
    found = await schemas.get(DEFAULT_ORG_ID, "lease")
    assert found is not None
    assert found.document == lease("rent")
    assert [schema.name for schema in await schemas.list(DEFAULT_ORG_ID)] == ["bill", "lease"]
    assert await schemas.list(new_id()) == []
    assert await schemas.get(new_id(), "lease") is None
    assert await schemas.delete(DEFAULT_ORG_ID, "lease")
    assert not await schemas.delete(DEFAULT_ORG_ID, "lease")
    assert await schemas.get(DEFAULT_ORG_ID, "lease") is None
