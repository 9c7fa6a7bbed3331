"""prune: removes old history in batches and keeps what a document needs."""

from __future__ import annotations

from datetime import timedelta

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_call, a_plan
from towpath.ledger.contract.ledger import PruneResult
from towpath.ledger.contract.provider_calls import CallAnswer
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.worker.retention import Pruner, RetentionPolicy

DAY = 86_400.0
ONE_STAGE = a_plan(("only",))


class ArtifactFolder:
    """A blob store that implements delete only."""

    def __init__(self) -> None:
        self.deleted: list[str] = []

    async def delete(self, key: str) -> None:
        self.deleted.append(key)


def _pruner(driver: LedgerDriver, artifacts: ArtifactFolder | None = None, **days: float) -> Pruner:
    keep = RetentionPolicy(**{name: timedelta(days=number) for name, number in days.items()})
    return Pruner(driver.ledger, artifacts or ArtifactFolder(), driver.clock, keep)  # pyright: ignore[reportArgumentType]  (only delete is asked)


async def _process(driver: LedgerDriver, run_id: str | None, *, publish: bool = True) -> None:
    """Run one stage to its end."""
    claimed = await driver.claim_one()
    assert claimed.run_id == run_id
    await driver.finish(claimed.lease)
    if publish:
        driver.sql(
            "update documents set published_run_id = :run where id = :id", run=run_id, id=claimed.document_id
        )


async def test_old_runs_are_pruned_with_jobs_and_events_except_the_published_run(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit("a book", stages=("only",))
    await _process(driver, submitted.run_id)
    again = [await driver.reprocess(submitted.document_id, ONE_STAGE) for _ in range(3)]
    for run_id in again:
        await _process(driver, run_id)
    driver.clock.advance(100 * DAY)

    pruned = await _pruner(driver, history=90).prune_all(limit=2)

    assert (pruned.runs, pruned.jobs) == (3, 3)
    assert [run.id for run in await driver.runs(submitted.document_id)] == [again[-1]]
    assert await driver.events(again[0]) == []
    assert [job.status for job in await driver.jobs(again[-1])] == ["COMPLETED"]


async def test_recent_history_is_kept(driver: LedgerDriver) -> None:
    submitted = await driver.submit(stages=("only",))
    await _process(driver, submitted.run_id)
    await _process(driver, await driver.reprocess(submitted.document_id, ONE_STAGE))
    before = driver.contents()
    driver.clock.advance(89 * DAY)

    assert await _pruner(driver, history=90, answers=90).prune_all() == PruneResult()
    assert driver.contents() == before


async def test_the_last_run_of_a_failed_document_is_kept(driver: LedgerDriver) -> None:
    submitted = await driver.submit(stages=("only",))
    claimed = await driver.claim_one()
    await driver.fail(claimed.lease, final=True)
    driver.clock.advance(400 * DAY)

    pruned = await _pruner(driver, history=90).prune_all()

    assert pruned.runs == 0
    assert await driver.states(submitted.document_id) == ["FAILED"]


async def test_a_run_with_a_pending_follow_up_is_kept_with_its_events(driver: LedgerDriver) -> None:
    submitted = await driver.submit(stages=("only",))
    claimed = await driver.claim_one()
    await driver.finish(claimed.lease, follow_ups=("connect",))
    newer = await driver.reprocess(submitted.document_id, ONE_STAGE)
    driver.clock.advance(400 * DAY)

    await _pruner(driver, history=90).prune_all()

    assert [run.id for run in await driver.runs(submitted.document_id)] == [submitted.run_id, newer]
    assert [event.kind for event in await driver.events(newer)] == ["RUN_QUEUED"]


async def test_old_events_of_a_kept_run_are_pruned(driver: LedgerDriver) -> None:
    submitted = await driver.submit(stages=("only",))
    await _process(driver, submitted.run_id)
    driver.clock.advance(100 * DAY)

    pruned = await _pruner(driver, history=90).prune_all(limit=2)

    assert pruned.events > 0
    assert await driver.events(str(submitted.run_id)) == []
    assert (await driver.run(str(submitted.run_id))).state == "COMPLETED"


async def test_answers_of_existing_documents_are_kept(driver: LedgerDriver) -> None:
    submitted = await driver.submit(stages=("only",))
    claimed = await driver.claim_one()
    for name in ("kept for ever", "of use to another"):
        await driver.ledger.begin_call(claimed.lease, a_call(name), driver.now)
        answer = CallAnswer(artifact=f"orgs/x/answers/{name.split()[0]}")
        await driver.ledger.save_answer(claimed.lease, a_call(name).key, answer, driver.now)
    other = await driver.submit(stages=("only",))
    second = await driver.claim_one("bea")
    await driver.ledger.begin_call(second.lease, a_call("of use to another"), driver.now)
    for lease in (claimed.lease, second.lease):
        await driver.finish(lease)
    driver.clock.advance(400 * DAY)
    artifacts = ArtifactFolder()
    pruner = _pruner(driver, artifacts, answers=30)

    assert (await pruner.prune_all()).answers == 0

    driver.sql("delete from documents where id = :id", id=submitted.document_id)
    pruned = await pruner.prune_all(limit=1)

    assert pruned.answers == 1
    assert artifacts.deleted == ["orgs/x/answers/kept"]
    [row] = driver.sql("select key from provider_calls")
    assert row.key == a_call("of use to another").key
    assert (await driver.runs(other.document_id))[0].org_id == DEFAULT_ORG_ID


async def test_a_call_without_answer_is_kept(driver: LedgerDriver) -> None:
    submitted = await driver.submit(stages=("only",))
    claimed = await driver.claim_one()
    await driver.ledger.begin_call(claimed.lease, a_call(), driver.now)
    driver.sql("delete from documents where id = :id", id=submitted.document_id)
    driver.clock.advance(400 * DAY)

    assert (await _pruner(driver, answers=30).prune_all()).answers == 0


async def test_without_a_retention_policy_everything_is_kept(driver: LedgerDriver) -> None:
    submitted = await driver.submit(stages=("only",))
    await _process(driver, submitted.run_id)
    driver.clock.advance(4000 * DAY)
    before = driver.contents()

    assert await _pruner(driver).prune_all() == PruneResult()
    assert driver.contents() == before
