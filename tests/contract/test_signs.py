"""Signs of life: who works and who could, told by the workers themselves."""

from __future__ import annotations

from typing import Any

from tests.contract.story import Story
from towpath.catalogue.sql import SqlCatalogue
from towpath.ledger.contract import SignOfLife
from towpath.model.ids import HOME_ORG


async def _sign(story: Story, name: str, stages: tuple[str, ...] = ()) -> None:
    await story.ledger.sign(SignOfLife(name, "quay", 7, 8, stages, story.now), story.now)


async def _workers(story: Story) -> list[dict[str, Any]]:
    seen = await SqlCatalogue(story.database, {}).overview(HOME_ORG, story.now)
    return [dict(worker) for worker in seen.workers]


async def test_a_worker_with_nothing_to_do_is_known_by_its_sign(story: Story) -> None:
    came = story.now
    await _sign(story, "anna", ("embed", "connect"))
    story.clock.advance(30)
    await _sign(story, "anna", ("embed", "connect"))
    assert await _workers(story) == [
        {
            "worker": "anna",
            "host": "quay",
            "pid": 7,
            "slots": 8,
            "stages": ["embed", "connect"],
            "started_at": came,
            "seen_at": story.now,
            "jobs": [],
        }
    ]


async def test_a_worker_at_work_says_on_what_since_when_and_how_far_it_is(story: Story) -> None:
    await _sign(story, "anna")
    await _sign(story, "boris")
    sent = await story.submit("A bill.")
    job = await story.claim_one("anna")
    began = story.now
    story.clock.advance(12)
    await story.ledger.progress(job.lease, 3, 20, story.now)
    anna, boris = await _workers(story)
    assert (anna["worker"], anna["seen_at"]) == ("anna", story.now), "progress is a sign of life as well"
    (held,) = anna["jobs"]
    assert held.pop("document_name")
    assert held == {
        "document_id": sent.document_id,
        "stage": job.stage,
        "since": began,
        "done": 3,
        "total": 20,
    }
    assert boris["jobs"] == []


async def test_whoever_is_silent_for_two_minutes_is_taken_for_dead_and_forgotten(story: Story) -> None:
    await _sign(story, "anna")
    story.clock.advance(119)
    assert len(await _workers(story)) == 1
    story.clock.advance(2)
    assert await _workers(story) == []
    await _sign(story, "boris")
    assert [row.id for row in story.sql("select id from workers")] == ["boris"]


async def test_whoever_stops_is_gone_at_once(story: Story) -> None:
    await _sign(story, "anna")
    await _sign(story, "boris")
    await story.ledger.leave("anna")
    assert [worker["worker"] for worker in await _workers(story)] == ["boris"]


async def test_one_who_holds_a_job_is_told_of_even_before_its_first_sign(story: Story) -> None:
    await story.submit()
    await story.claim_one("carl")
    (carl,) = await _workers(story)
    assert (carl["worker"], carl["seen_at"], len(carl["jobs"])) == ("carl", story.now, 1)


async def test_after_a_crash_of_the_embedded_server_its_worker_is_not_taken_for_alive(story: Story) -> None:
    await _sign(story, "anna")
    await story.ledger.recover(story.now)
    assert await _workers(story) == []
