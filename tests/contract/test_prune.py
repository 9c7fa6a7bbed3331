"""Old history goes, a batch at a time, and nothing that a document still needs goes with it."""

from __future__ import annotations

from datetime import timedelta

from tests.contract.story import Story
from tests.support.factories import a_call, a_plan
from towpath.ledger.contract import CallAnswer, Pruned
from towpath.model.ids import HOME_ORG
from towpath.worker.housekeeping import Housekeeper, Keep

DAY = 86_400.0
ONE_STAGE = a_plan(("only",))


class Shelf:
    """A blob store of which only deleting is asked."""

    def __init__(self) -> None:
        self.deleted: list[str] = []

    async def delete(self, key: str) -> None:
        self.deleted.append(key)


def _keeper(story: Story, shelf: Shelf | None = None, **days: float) -> Housekeeper:
    keep = Keep(**{name: timedelta(days=number) for name, number in days.items()})
    return Housekeeper(story.ledger, shelf or Shelf(), story.clock, keep)  # pyright: ignore[reportArgumentType]  (only delete is asked)


async def _worked(story: Story, run_id: str | None, *, publish: bool = True) -> None:
    """Work a run of one stage to its end."""
    claimed = await story.claim_one()
    assert claimed.run_id == run_id
    await story.finish(claimed.lease)
    if publish:
        story.sql(
            "update documents set published_run_id = :run where id = :id", run=run_id, id=claimed.document_id
        )


async def test_old_runs_go_with_their_jobs_and_events_but_not_the_published_one(story: Story) -> None:
    submitted = await story.submit("a book", stages=("only",))
    await _worked(story, submitted.run_id)
    again = [await story.reprocess(submitted.document_id, ONE_STAGE) for _ in range(3)]
    for run_id in again:
        await _worked(story, run_id)
    story.clock.advance(100 * DAY)

    pruned = await _keeper(story, history=90).clean(limit=2)

    assert (pruned.runs, pruned.jobs) == (3, 3)
    assert [run.id for run in await story.runs(submitted.document_id)] == [again[-1]]
    assert await story.events(again[0]) == []
    assert [job.status for job in await story.jobs(again[-1])] == ["COMPLETED"]


async def test_young_history_stays(story: Story) -> None:
    submitted = await story.submit(stages=("only",))
    await _worked(story, submitted.run_id)
    await _worked(story, await story.reprocess(submitted.document_id, ONE_STAGE))
    before = story.contents()
    story.clock.advance(89 * DAY)

    assert await _keeper(story, history=90, answers=90).clean() == Pruned()
    assert story.contents() == before


async def test_the_last_run_of_a_document_that_never_succeeded_stays(story: Story) -> None:
    submitted = await story.submit(stages=("only",))
    claimed = await story.claim_one()
    await story.fail(claimed.lease, final=True)
    story.clock.advance(400 * DAY)

    pruned = await _keeper(story, history=90).clean()

    assert pruned.runs == 0
    assert await story.states(submitted.document_id) == ["FAILED"]


async def test_a_run_whose_follow_up_still_waits_stays_with_its_events(story: Story) -> None:
    submitted = await story.submit(stages=("only",))
    claimed = await story.claim_one()
    await story.finish(claimed.lease, follow_ups=("connect",))
    newer = await story.reprocess(submitted.document_id, ONE_STAGE)
    story.clock.advance(400 * DAY)

    await _keeper(story, history=90).clean()

    assert [run.id for run in await story.runs(submitted.document_id)] == [submitted.run_id, newer]
    assert [event.kind for event in await story.events(newer)] == ["RUN_QUEUED"]


async def test_events_of_a_run_that_is_kept_go_when_they_are_old(story: Story) -> None:
    submitted = await story.submit(stages=("only",))
    await _worked(story, submitted.run_id)
    story.clock.advance(100 * DAY)

    pruned = await _keeper(story, history=90).clean(limit=2)

    assert pruned.events > 0
    assert await story.events(str(submitted.run_id)) == []
    assert (await story.run(str(submitted.run_id))).state == "COMPLETED"


async def test_answers_stay_while_a_document_that_asked_for_them_exists(story: Story) -> None:
    submitted = await story.submit(stages=("only",))
    claimed = await story.claim_one()
    for name in ("kept for ever", "of use to another"):
        await story.ledger.call_begin(claimed.lease, a_call(name), story.now)
        answer = CallAnswer(artifact=f"orgs/x/answers/{name.split()[0]}")
        await story.ledger.call_answer(claimed.lease, a_call(name).key, answer, story.now)
    other = await story.submit(stages=("only",))
    second = await story.claim_one("bea")
    await story.ledger.call_begin(second.lease, a_call("of use to another"), story.now)
    for lease in (claimed.lease, second.lease):
        await story.finish(lease)
    story.clock.advance(400 * DAY)
    shelf = Shelf()
    keeper = _keeper(story, shelf, answers=30)

    assert (await keeper.clean()).answers == 0

    story.sql("delete from documents where id = :id", id=submitted.document_id)
    pruned = await keeper.clean(limit=1)

    assert pruned.answers == 1
    assert shelf.deleted == ["orgs/x/answers/kept"]
    [row] = story.sql("select key from provider_calls")
    assert row.key == a_call("of use to another").key
    assert (await story.runs(other.document_id))[0].org_id == HOME_ORG


async def test_a_call_that_was_begun_and_never_answered_stays_as_evidence(story: Story) -> None:
    submitted = await story.submit(stages=("only",))
    claimed = await story.claim_one()
    await story.ledger.call_begin(claimed.lease, a_call(), story.now)
    story.sql("delete from documents where id = :id", id=submitted.document_id)
    story.clock.advance(400 * DAY)

    assert (await _keeper(story, answers=30).clean()).answers == 0


async def test_without_a_rule_everything_is_kept(story: Story) -> None:
    submitted = await story.submit(stages=("only",))
    await _worked(story, submitted.run_id)
    story.clock.advance(4000 * DAY)
    before = story.contents()

    assert await _keeper(story).clean() == Pruned()
    assert story.contents() == before
