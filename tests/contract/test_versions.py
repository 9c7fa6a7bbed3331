"""Documents with keys: new bytes under the same key are the next version of the same document; the newest one wins."""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sqlalchemy.exc import IntegrityError

from tests.contract.ledger_driver import LedgerDriver
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_document, a_plan, add_organizations, organization_id
from towpath.clock import ManualClock
from towpath.errors import IllegalTransition, KeyConflict, LeaseLost, NotFound
from towpath.ledger.contract.ledger import Submission, Submitted
from towpath.ledger.contract.settlements import Finish
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.verbs.apply_write import apply_write
from towpath.model.audit import Actor
from towpath.model.content import Anchor, Chunk
from towpath.model.document import Document
from towpath.model.document_version import DocumentVersion, version_of
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import Lease
from towpath.model.writes import Publish
from towpath.queries.documents import SqlDocumentQueries

KEY = "reports/2026/annual.md"


@pytest.fixture
def driver(engine: EngineUnderTest, clock: ManualClock) -> LedgerDriver:
    """A driver whose ledger publishes chunks."""
    driver = LedgerDriver(engine, clock)
    driver.ledger = SqlLedger(engine.database, apply_write=apply_write)
    return driver


async def submit(
    driver: LedgerDriver, content: str, key: str | None = KEY, *, org_id: str = DEFAULT_ORG_ID, **more: Any
) -> Submitted:
    """Each upload has its own blob."""
    document = replace(a_document(content, org_id=org_id), key=key, blob_key=f"blobs/{uuid.uuid4()}")
    properties = {"name": document.name, "sha256": document.sha256, "blob_key": document.blob_key}
    plan = a_plan(("publish",), options={"document": properties})
    return await driver.ledger.submit(Submission(document, plan, **more), driver.now)


def finish(lease: Lease, document_id: str, *texts: str) -> Finish:
    """The settlement that publishes these texts, one chunk each."""
    chunks = [
        Chunk(str(uuid.uuid5(uuid.UUID(document_id), text)), ordinal, text, 1, Anchor(0, 1))
        for ordinal, text in enumerate(texts)
    ]
    vectors = np.ones((len(chunks), 4), dtype="<f4")
    return Finish(lease, writes=[Publish(chunks, vectors, "test", ())])


async def publish(driver: LedgerDriver, document_id: str, *texts: str) -> None:
    job = await driver.claim_one()
    assert job.document_id == document_id
    await driver.settle(finish(job.lease, document_id, *texts))


def queries(driver: LedgerDriver) -> SqlDocumentQueries:
    return SqlDocumentQueries(driver.database, {})


async def document(driver: LedgerDriver, document_id: str) -> Document:
    return await queries(driver).document(DEFAULT_ORG_ID, document_id)


async def versions(driver: LedgerDriver, document_id: str) -> list[DocumentVersion]:
    return await queries(driver).versions(DEFAULT_ORG_ID, document_id)


def sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


async def test_new_bytes_under_a_key_are_the_next_version_of_the_same_document(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    await publish(driver, first.document_id, "title", "one")
    second = await submit(driver, "two")

    assert (second.document_id, second.version, second.duplicate) == (first.document_id, 2, False)
    assert second.run_id != first.run_id
    # The old content answers until the new one is published.
    before = await document(driver, first.document_id)
    assert (before.name, before.sha256, before.version) == ("one.txt", sha256("one"), 1)
    assert (before.searchable, before.status) == (True, "PROCESSING")
    await publish(driver, first.document_id, "title", "two")
    after = await document(driver, first.document_id)
    assert (after.name, after.sha256, after.version, after.key) == ("two.txt", sha256("two"), 2, KEY)
    old, new = await versions(driver, first.document_id)
    assert (old.number, old.status, old.run_id) == (1, "COMPLETED", first.run_id)
    assert (old.chunks_added, old.chunks_removed, old.chunks_kept) == (2, 0, 0)
    assert (new.number, new.status, new.run_id) == (2, "COMPLETED", second.run_id)
    assert (new.chunks_added, new.chunks_removed, new.chunks_kept) == (1, 1, 1)
    assert [version_of(run.options) for run in await driver.runs(first.document_id)] == [1, 2]


async def test_the_same_bytes_under_the_same_key_are_a_duplicate(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    again = await submit(driver, "one")

    assert (again.document_id, again.run_id, again.duplicate) == (first.document_id, first.run_id, True)
    assert len(await versions(driver, first.document_id)) == 1


async def test_the_same_bytes_under_a_second_key_are_a_second_document_with_the_same_blob(
    driver: LedgerDriver,
) -> None:
    first = await submit(driver, "one")
    second = await submit(driver, "one", "copy.md")
    without_key = await submit(driver, "one", None)

    assert len({first.document_id, second.document_id, without_key.document_id}) == 3
    assert (second.duplicate, without_key.duplicate) == (False, False)
    blobs = {(await document(driver, item.document_id)).blob_key for item in (first, second)}
    assert blobs == {second.known_blob_key}
    run = await driver.run(str(second.run_id))
    assert run.options["document"] == {
        "name": "one.txt",
        "sha256": sha256("one"),
        "blob_key": second.known_blob_key,
    }


async def test_a_shared_blob_is_removed_with_the_last_document(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    second = await submit(driver, "one", "copy.md")
    changed = await submit(driver, "two", "copy.md")
    blob = (await versions(driver, first.document_id))[0].blob_key
    new_blob = (await versions(driver, changed.document_id))[1].blob_key

    async def delete(document_id: str) -> list[str]:
        return await queries(driver).delete(DEFAULT_ORG_ID, document_id, Actor("local"), driver.now)

    assert await delete(first.document_id) == []
    assert await queries(driver).blob_keys() == {blob, new_blob}
    assert await delete(second.document_id) == sorted([blob, new_blob])
    assert driver.sql("select count(*) from document_versions")[0][0] == 0


async def test_uploads_without_a_key_are_as_before(driver: LedgerDriver) -> None:
    first = await submit(driver, "one", None)
    again = await submit(driver, "one", None)

    assert (again.document_id, again.duplicate, again.version) == (first.document_id, True, 1)
    assert driver.sql("select count(*) from document_versions")[0][0] == 0
    with pytest.raises(IntegrityError):
        driver.sql("update documents set id = :id, key = null", id=str(uuid.uuid4()))


async def test_the_database_allows_one_document_per_key_and_organization(driver: LedgerDriver) -> None:
    other = organization_id(7)
    add_organizations(driver.database, other)
    first = await submit(driver, "one")
    foreign = await submit(driver, "one", org_id=other)

    assert foreign.document_id != first.document_id
    assert foreign.known_blob_key == "", "organizations share nothing"
    await submit(driver, "two", "second.md")
    with pytest.raises(IntegrityError):
        driver.sql("update documents set key = :key where org_id = :org", key=KEY, org=DEFAULT_ORG_ID)


async def test_a_newer_version_cancels_the_run_of_the_older_one(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    old_job = await driver.claim_one()
    second = await submit(driver, "two")

    assert await driver.states(first.document_id) == ["CANCELLED", "QUEUED"]
    refused = await driver.try_settle(finish(old_job.lease, first.document_id, "one"))
    assert isinstance(refused, LeaseLost)
    assert driver.sql("select count(*) from chunks")[0][0] == 0
    assert driver.document_status(first.document_id) == "PROCESSING"
    new_job = await driver.claim_one("berta")
    assert new_job.run_id == second.run_id
    await driver.settle(finish(new_job.lease, first.document_id, "two"))
    assert isinstance(await driver.try_settle(finish(old_job.lease, first.document_id, "one")), LeaseLost)
    assert [row[0] for row in driver.sql("select text from chunks")] == ["two"]
    assert [item.status for item in await versions(driver, first.document_id)] == ["CANCELLED", "COMPLETED"]
    (event,) = [item for item in await driver.events(old_job.run_id) if item.kind == "RUN_CANCELLED"]
    assert event.detail == {"reason": "newer_version", "version": 2}


async def test_waiting_runs_of_older_versions_are_cancelled_too(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    await driver.claim_one()
    await driver.reprocess(first.document_id)
    await submit(driver, "two")

    assert await driver.states(first.document_id) == ["CANCELLED", "CANCELLED", "QUEUED"]
    assert [version_of(job.options) for job in await driver.claim()] == [2]


async def test_a_run_of_an_older_version_is_neither_retried_nor_queued_again(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    job = await driver.claim_one()
    await driver.fail(job.lease, final=True)
    await submit(driver, "two")

    with pytest.raises(IllegalTransition):
        await driver.ledger.retry(job.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
    with pytest.raises(IllegalTransition):
        await driver.reprocess(first.document_id, a_plan(("publish",)))
    assert (await versions(driver, first.document_id))[0].status == "FAILED"


async def test_a_run_after_the_death_of_the_server_is_of_the_newest_version(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    await driver.claim_one()
    await submit(driver, "two")
    await driver.claim_one()
    recovered = await driver.ledger.recover(driver.now)

    assert recovered.resumed == 1
    (job,) = await driver.claim()
    assert version_of(job.options) == 2
    await driver.settle(finish(job.lease, first.document_id, "two"))
    assert (await document(driver, first.document_id)).version == 2


async def test_a_version_that_fails_leaves_the_published_one(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    await publish(driver, first.document_id, "one")
    await submit(driver, "two")
    job = await driver.claim_one()
    await driver.fail(job.lease, final=True)

    shown = await document(driver, first.document_id)
    assert (shown.version, shown.status, shown.searchable) == (1, "FAILED", True)
    newest = await queries(driver).newest_version(DEFAULT_ORG_ID, first.document_id)
    assert (newest.version, newest.sha256) == (2, sha256("two"))
    # The same bytes again: a new run of the same version with the blob of the new upload.
    again = await submit(driver, "two")
    assert (again.version, again.duplicate, again.adopted) == (2, True, True)
    await publish(driver, first.document_id, "two")
    assert (await document(driver, first.document_id)).version == 2


async def test_a_document_whose_first_version_failed_shows_the_next_one(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    await driver.fail((await driver.claim_one()).lease, final=True)
    await submit(driver, "two")

    shown = await document(driver, first.document_id)
    assert (shown.name, shown.version, shown.searchable) == ("two.txt", 2, False)


async def test_bytes_of_an_earlier_version_are_a_new_version_with_its_blob(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    await submit(driver, "two")
    third = await submit(driver, "one")

    assert (third.document_id, third.version, third.duplicate) == (first.document_id, 3, False)
    old, _, new = await versions(driver, first.document_id)
    assert (new.blob_key, new.sha256) == (old.blob_key, old.sha256)


async def test_a_document_without_a_key_can_get_a_next_version(driver: LedgerDriver) -> None:
    first = await submit(driver, "one", None)
    await publish(driver, first.document_id, "title", "one")
    second = await submit(driver, "two", None, replaces=first.document_id)
    await publish(driver, first.document_id, "title", "two")

    assert (second.document_id, second.version) == (first.document_id, 2)
    shown = await document(driver, first.document_id)
    assert (shown.key, shown.version, shown.sha256) == (first.document_id, 2, sha256("two"))
    old, new = await versions(driver, first.document_id)
    assert (old.sha256, old.status, old.chunks_added) == (sha256("one"), "COMPLETED", 2)
    assert (new.chunks_added, new.chunks_removed, new.chunks_kept) == (1, 1, 1)
    # Its first bytes are now those of no document without a key.
    other = await submit(driver, "one", None)
    assert (other.duplicate, other.document_id == first.document_id) == (False, False)
    assert (await submit(driver, "one", None)).document_id == other.document_id
    with pytest.raises(NotFound):
        await submit(driver, "three", None, replaces=str(uuid.uuid4()))


async def test_an_idempotency_key_belongs_to_one_version(driver: LedgerDriver) -> None:
    first = await submit(driver, "one", idempotency_key="upload-1")
    second = await submit(driver, "two", idempotency_key="upload-2")
    retried = await submit(driver, "one", idempotency_key="upload-1")

    assert (retried.document_id, retried.version, retried.duplicate) == (first.document_id, 1, True)
    assert retried.run_id == first.run_id
    assert len(await versions(driver, first.document_id)) == 2
    for content, key in (("three", KEY), ("one", "other.md")):
        with pytest.raises(KeyConflict):
            await submit(driver, content, key, idempotency_key="upload-1")
    assert (await submit(driver, "two", idempotency_key="upload-2")).run_id == second.run_id


async def test_uploads_under_one_key_at_the_same_time_are_all_versions(driver: LedgerDriver) -> None:
    answers = await asyncio.gather(*(submit(driver, f"text {number}") for number in range(6)))

    assert len({answer.document_id for answer in answers}) == 1
    assert sorted(answer.version for answer in answers) == [1, 2, 3, 4, 5, 6]
    states = await driver.states(answers[0].document_id)
    assert sorted(states) == ["CANCELLED"] * 5 + ["QUEUED"]
    (job,) = await driver.claim()
    assert version_of(job.options) == 6


async def test_of_a_publication_and_a_newer_version_at_the_same_time_the_newer_one_wins(
    driver: LedgerDriver,
) -> None:
    for number in range(8):
        key = f"{number}.md"
        first = await submit(driver, f"{number} one", key)
        job = await driver.claim_one()
        await asyncio.gather(
            driver.try_settle(finish(job.lease, first.document_id, f"{number} one")),
            submit(driver, f"{number} two", key),
        )
        new_job = await driver.claim_one()
        await driver.settle(finish(new_job.lease, first.document_id, f"{number} two"))
        assert (await document(driver, first.document_id)).version == 2
    texts = {row[0] for row in driver.sql("select text from chunks")}
    assert texts == {f"{number} two" for number in range(8)}


async def test_old_versions_survive_the_pruning_of_runs(driver: LedgerDriver) -> None:
    first = await submit(driver, "one")
    await publish(driver, first.document_id, "one")
    await submit(driver, "two")
    await publish(driver, first.document_id, "two")
    driver.clock.advance(90 * 86_400)
    pruned = await driver.ledger.prune("runs", driver.now)

    assert pruned.runs == 1
    old, new = await versions(driver, first.document_id)
    assert (old.status, old.chunks_added, new.chunks_kept) == ("COMPLETED", 1, 0)
