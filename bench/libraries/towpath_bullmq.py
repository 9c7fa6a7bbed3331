"""Towpath with `queue = "bullmq"`: the ledger is on Postgres, jobs reach the workers by BullMQ on the same Redis."""

from __future__ import annotations

from bench.libraries.contract import RedisDsn
from bench.libraries.counters import WorkerCounters
from bench.libraries.towpath import CONCURRENCY, STAGES, Towpath
from towpath.bootstrap.job_queue import OFFERS_PER_SLOT
from towpath.clock import Clock
from towpath.job_queue.bullmq import LOCK_SECONDS, BullMqQueue
from towpath.job_queue.bullmq_client import BullMqClient
from towpath.job_queue.contract import JobQueue
from towpath.ledger.contract.ledger import Ledger
from towpath.notify.contract import Notifier
from towpath.worker.settings import WorkerSettings


class TowpathBullMq(Towpath):
    def __init__(self) -> None:
        super().__init__(
            "towpath_bullmq",
            "redis",
            {
                "million": "measured on Postgres",
                "idle": "measured on Postgres",
                "kill": "measured on Postgres",
            },
        )
        self.label = "Towpath with queue = bullmq"
        self.settings += (
            ", durable commits of Postgres beside the same Redis; submit is the commit in Postgres"
        )
        self._redis_url = ""

    async def setup(self, dsn: str) -> None:
        await super().setup(RedisDsn.parse(dsn).postgres)

    async def connect(self, dsn: str) -> None:
        await super().connect(RedisDsn.parse(dsn).postgres)

    def work(self, dsn: str, counters: WorkerCounters) -> None:
        address = RedisDsn.parse(dsn)
        self._redis_url = address.url
        super().work(address.postgres, counters)

    def open_queue(
        self, ledger: Ledger, notifier: Notifier, clock: Clock, settings: WorkerSettings
    ) -> JobQueue:
        """As `bootstrap` opens it."""
        client = BullMqClient(self._redis_url, STAGES, lock_seconds=LOCK_SECONDS)
        return BullMqQueue(
            client,
            ledger,
            notifier,
            clock,
            STAGES,
            lease_seconds=settings.lease_seconds,
            window=OFFERS_PER_SLOT * CONCURRENCY,
        )


LIBRARIES = (TowpathBullMq(),)
