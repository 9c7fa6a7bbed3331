"""Webhooks: events are queued with the end of a run and delivered at least once, on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_plan
from tests.support.webhook_receiver import WebhookReceiver
from towpath.clock import ManualClock
from towpath.errors import NotFound, UserError
from towpath.ledger.sql_webhooks import SqlWebhooks
from towpath.ledger.verbs.webhook_endpoints import MAX_ENDPOINTS
from towpath.lifecycle.webhook_backoff import MAX_ATTEMPTS
from towpath.model.audit import COMMAND_LINE
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.webhook import AttemptResult, DeliveryStatus, WebhookEvent
from towpath.webhooks.address_policy import AddressPolicy
from towpath.webhooks.deliverer import CLAIM_SECONDS, PER_ENDPOINT, Deliverer
from towpath.webhooks.sender import HttpSender

ONE_STAGE = a_plan(("only",))
ACCEPTED = AttemptResult(204, None, 3)


@pytest.fixture
def clock() -> ManualClock:
    """The library verifies times against the machine's clock."""
    return ManualClock(datetime.now(UTC))


@pytest.fixture
def webhooks(engine: EngineUnderTest) -> SqlWebhooks:
    return SqlWebhooks(engine.database)


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with WebhookReceiver() as running:
        yield running


@pytest.fixture
def deliverer(webhooks: SqlWebhooks, clock: ManualClock) -> Deliverer:
    return Deliverer(webhooks, HttpSender(AddressPolicy(["127.0.0.0/8"])), clock)


async def _create(
    webhooks: SqlWebhooks, driver: LedgerDriver, url: str, *events: WebhookEvent
) -> tuple[str, str]:
    endpoint, secret = await webhooks.create(
        DEFAULT_ORG_ID, url, events or tuple(WebhookEvent), "", driver.now, COMMAND_LINE
    )
    return endpoint.id, secret


async def _complete(driver: LedgerDriver, content: str) -> str:
    """Process one document; its run."""
    run_id = await driver.submitted_run(content, plan=ONE_STAGE)
    await driver.finish((await driver.claim_one()).lease)
    return run_id


async def test_a_completed_document_is_delivered_and_its_signature_verifies(
    driver: LedgerDriver, webhooks: SqlWebhooks, receiver: WebhookReceiver, deliverer: Deliverer
) -> None:
    endpoint_id, secret = await _create(webhooks, driver, receiver.url)
    run_id = await _complete(driver, "a book")

    assert await deliverer.deliver_due() == 1

    [message] = receiver.messages
    body = message.verify(secret)
    assert body["type"] == "document.completed"
    assert body["data"]["run_id"] == run_id
    assert body["data"]["status"] == "COMPLETED"
    assert message.path == "/hooks/towpath?tenant=a"
    assert message.headers["host"] == receiver.url.split("/")[2]
    [delivery] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert (delivery.status, delivery.attempts, delivery.message_id) == (
        DeliveryStatus.DELIVERED,
        1,
        message.id,
    )
    assert await deliverer.deliver_due() == 0


async def test_a_receiver_that_is_down_for_a_minute_gets_every_event_once_it_is_back(
    driver: LedgerDriver,
    webhooks: SqlWebhooks,
    receiver: WebhookReceiver,
    deliverer: Deliverer,
    clock: ManualClock,
) -> None:
    endpoint_id, secret = await _create(webhooks, driver, receiver.url)
    receiver.status = 503
    back_at = clock.now().timestamp() + 60
    runs: list[str] = []
    while clock.now().timestamp() < back_at:
        if len(runs) < 10:
            runs.append(await _complete(driver, f"book {len(runs)}"))
        await deliverer.deliver_due()
        clock.advance(1)
    assert {delivery.status for delivery in await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)} == {
        DeliveryStatus.PENDING
    }
    receiver.messages.clear()
    receiver.status = 204
    for _ in range(200):
        clock.advance(1)
        await deliverer.deliver_due()

    assert sorted(message.verify(secret)["data"]["run_id"] for message in receiver.messages) == sorted(runs)
    deliveries = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert {delivery.status for delivery in deliveries} == {DeliveryStatus.DELIVERED}
    for delivery in deliveries:
        *failed, last = delivery.history
        assert [attempt["http_status"] for attempt in failed] == [503] * len(failed)
        assert (last["http_status"], last["error"]) == (204, None)


async def test_a_delivery_whose_worker_died_is_made_again_with_the_same_id(
    driver: LedgerDriver, webhooks: SqlWebhooks, clock: ManualClock
) -> None:
    await _create(webhooks, driver, "https://example.com/")
    await _complete(driver, "a book")
    [first] = await webhooks.claim(clock.now(), seconds=CLAIM_SECONDS, limit=10, per_endpoint=10)
    assert await webhooks.claim(clock.now(), seconds=CLAIM_SECONDS, limit=10, per_endpoint=10) == []

    clock.advance(CLAIM_SECONDS + 1)
    [second] = await webhooks.claim(clock.now(), seconds=CLAIM_SECONDS, limit=10, per_endpoint=10)

    assert (second.id, second.message_id, second.body) == (first.id, first.message_id, first.body)
    assert not await webhooks.settle(first, ACCEPTED, clock.now(), next_at=None), "its claim has ended"
    assert await webhooks.settle(second, ACCEPTED, clock.now(), next_at=None)


async def test_failed_documents_are_told_once_and_never_while_another_run_is_queued(
    driver: LedgerDriver, webhooks: SqlWebhooks
) -> None:
    endpoint_id, _ = await _create(webhooks, driver, "https://example.com/", WebhookEvent.DOCUMENT_FAILED)
    submitted = await driver.submit("a book", plan=ONE_STAGE)
    job = await driver.claim_one()
    await driver.reprocess(submitted.document_id, ONE_STAGE)
    await driver.fail(job.lease, final=True)
    assert await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id) == []

    await driver.fail((await driver.claim_one()).lease, final=True)
    [delivery] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert delivery.event is WebhookEvent.DOCUMENT_FAILED
    assert '"error":"it broke"' in delivery.body
    await _complete(driver, "another book")
    assert len(await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)) == 1, "only failures were asked for"


async def test_a_run_that_is_resumed_after_a_crash_is_no_failure(
    driver: LedgerDriver, webhooks: SqlWebhooks, clock: ManualClock
) -> None:
    endpoint_id, _ = await _create(webhooks, driver, "https://example.com/")
    await driver.submit("a book", plan=ONE_STAGE)
    await driver.claim_one()
    await driver.ledger.recover(clock.now())
    assert await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id) == []

    await driver.claim_one()
    await driver.ledger.recover(clock.now(), resume_runs=False)
    [delivery] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert delivery.event is WebhookEvent.DOCUMENT_FAILED


async def test_a_run_past_its_deadline_is_a_failure(
    driver: LedgerDriver, webhooks: SqlWebhooks, clock: ManualClock
) -> None:
    endpoint_id, _ = await _create(webhooks, driver, "https://example.com/")
    await driver.submit("a book", stages=("only",), deadline_seconds=10.0)
    await driver.claim_one()
    clock.advance(11)
    await driver.ledger.sweep(clock.now())
    [delivery] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert delivery.event is WebhookEvent.DOCUMENT_FAILED
    assert '"status":"TIMED_OUT"' in delivery.body


async def test_attempts_end_and_a_replay_starts_them_again_with_the_same_id(
    driver: LedgerDriver,
    webhooks: SqlWebhooks,
    receiver: WebhookReceiver,
    deliverer: Deliverer,
    clock: ManualClock,
) -> None:
    endpoint_id, _ = await _create(webhooks, driver, receiver.url)
    receiver.status = 500
    await _complete(driver, "a book")
    for _ in range(MAX_ATTEMPTS):
        assert await deliverer.deliver_due() == 1
        clock.advance(6 * 3600 + 1)
    assert await deliverer.deliver_due() == 0
    [failed] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id, status=DeliveryStatus.FAILED)

    receiver.status = 200
    assert await webhooks.replay(DEFAULT_ORG_ID, endpoint_id, clock.now(), COMMAND_LINE) == 1
    assert await deliverer.deliver_due() == 1
    assert set(receiver.ids) == {failed.message_id}
    [delivered] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert delivered.status is DeliveryStatus.DELIVERED
    assert len(delivered.history) == MAX_ATTEMPTS + 1

    named = await webhooks.replay(
        DEFAULT_ORG_ID, endpoint_id, clock.now(), COMMAND_LINE, delivery_ids=[delivered.id]
    )
    assert named == 1, "a delivered message can be sent again by its id"


async def test_a_replay_does_not_wait_for_the_next_attempt(
    driver: LedgerDriver,
    webhooks: SqlWebhooks,
    receiver: WebhookReceiver,
    deliverer: Deliverer,
    clock: ManualClock,
) -> None:
    endpoint_id, _ = await _create(webhooks, driver, receiver.url)
    await _complete(driver, "a book")
    assert await webhooks.replay(DEFAULT_ORG_ID, endpoint_id, clock.now(), COMMAND_LINE) == 0, "not yet tried"
    receiver.status = 500
    await deliverer.deliver_due()
    receiver.status = 200
    assert await deliverer.deliver_due() == 0, "the next attempt is later"

    assert await webhooks.replay(DEFAULT_ORG_ID, endpoint_id, clock.now(), COMMAND_LINE) == 1
    assert await deliverer.deliver_due() == 1

    [delivered] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert delivered.status is DeliveryStatus.DELIVERED
    assert await webhooks.replay(DEFAULT_ORG_ID, endpoint_id, clock.now(), COMMAND_LINE) == 0


async def test_a_receiver_that_is_gone_gets_no_further_attempt(
    driver: LedgerDriver, webhooks: SqlWebhooks, receiver: WebhookReceiver, deliverer: Deliverer
) -> None:
    endpoint_id, _ = await _create(webhooks, driver, receiver.url)
    receiver.status = 410
    await _complete(driver, "a book")
    await deliverer.deliver_due()
    [delivery] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert (delivery.status, delivery.attempts) == (DeliveryStatus.FAILED, 1)


async def test_a_redirect_is_not_followed(
    driver: LedgerDriver, webhooks: SqlWebhooks, receiver: WebhookReceiver, deliverer: Deliverer
) -> None:
    endpoint_id, _ = await _create(webhooks, driver, receiver.url)
    with WebhookReceiver() as inside:
        receiver.status, receiver.headers = 307, {"location": inside.url}
        await _complete(driver, "a book")
        await deliverer.deliver_due()
        assert inside.messages == []
    [delivery] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert (delivery.status, delivery.history[0]["http_status"]) == (DeliveryStatus.PENDING, 307)


async def test_an_address_that_became_private_is_not_called(
    driver: LedgerDriver, webhooks: SqlWebhooks, receiver: WebhookReceiver, clock: ManualClock
) -> None:
    """The name was public when the endpoint was created; the address is checked again in each attempt."""
    endpoint_id, _ = await _create(webhooks, driver, receiver.url)
    await _complete(driver, "a book")
    await Deliverer(webhooks, HttpSender(AddressPolicy()), clock).deliver_due()
    assert receiver.messages == []
    [delivery] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert "not public" in str(delivery.history[0]["error"])


async def test_both_secrets_sign_for_a_day_after_a_rotation(
    driver: LedgerDriver,
    webhooks: SqlWebhooks,
    receiver: WebhookReceiver,
    deliverer: Deliverer,
    clock: ManualClock,
) -> None:
    endpoint_id, old = await _create(webhooks, driver, receiver.url)
    new = await webhooks.rotate_secret(DEFAULT_ORG_ID, endpoint_id, driver.now, COMMAND_LINE)
    await _complete(driver, "a book")
    await deliverer.deliver_due()
    receiver.messages[0].verify(old)
    receiver.messages[0].verify(new)

    await _complete(driver, "another book")
    day_later = clock.advance(25 * 3600)
    [claimed] = await webhooks.claim(day_later, seconds=1, limit=1, per_endpoint=1)
    assert claimed.secrets == (new,)


async def test_a_dead_receiver_does_not_delay_another(
    driver: LedgerDriver, webhooks: SqlWebhooks, clock: ManualClock
) -> None:
    dead, _ = await _create(webhooks, driver, "https://example.com/dead")
    for number in range(20):
        await _complete(driver, f"book {number}")
    living, _ = await _create(webhooks, driver, "https://example.com/living")
    await _complete(driver, "the last book")

    claimed = await webhooks.claim(clock.now(), seconds=30, limit=16, per_endpoint=PER_ENDPOINT)
    assert [item.endpoint_id for item in claimed].count(dead) == PER_ENDPOINT
    assert [item.endpoint_id for item in claimed].count(living) == 1
    assert (
        await webhooks.claim(clock.now(), seconds=30, limit=16, per_endpoint=PER_ENDPOINT, busy=[dead]) == []
    )


async def test_endpoints_belong_to_one_organization(
    driver: LedgerDriver, webhooks: SqlWebhooks, clock: ManualClock
) -> None:
    endpoint_id, _ = await _create(webhooks, driver, "https://example.com/")
    stranger = "b0000000-0000-0000-0000-000000000002"
    assert await webhooks.endpoints(stranger) == []
    with pytest.raises(NotFound):
        await webhooks.deliveries(stranger, endpoint_id)
    with pytest.raises(NotFound):
        await webhooks.delete(stranger, endpoint_id, clock.now(), COMMAND_LINE)
    await _complete(driver, "a book")
    await webhooks.delete(DEFAULT_ORG_ID, endpoint_id, clock.now(), COMMAND_LINE)
    assert await webhooks.next_due() is None, "its deliveries are deleted with it"


async def test_the_number_of_endpoints_is_bounded(driver: LedgerDriver, webhooks: SqlWebhooks) -> None:
    for number in range(MAX_ENDPOINTS):
        await _create(webhooks, driver, f"https://example.com/{number}")
    with pytest.raises(UserError, match="at most"):
        await _create(webhooks, driver, "https://example.com/more")


async def test_old_deliveries_are_pruned_but_not_pending_ones(
    driver: LedgerDriver,
    webhooks: SqlWebhooks,
    receiver: WebhookReceiver,
    deliverer: Deliverer,
    clock: ManualClock,
) -> None:
    endpoint_id, _ = await _create(webhooks, driver, receiver.url)
    await _complete(driver, "a book")
    await deliverer.deliver_due()
    await _complete(driver, "another book")
    pruned = await driver.ledger.prune("deliveries", clock.advance(86_400), limit=10)
    assert pruned.deliveries == 1
    [kept] = await webhooks.deliveries(DEFAULT_ORG_ID, endpoint_id)
    assert kept.status is DeliveryStatus.PENDING
