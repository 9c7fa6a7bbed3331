"""Opens the job queue that the settings name: the ledger's database, or BullMQ on Redis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec

from towpath.clock import Clock
from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.job_queue.contract import JobQueue
from towpath.job_queue.database import DatabaseQueue
from towpath.ledger.contract.ledger import Ledger
from towpath.notify.contract import Notifier

#: Offers in Redis for each job slot of a worker: enough that no slot waits for the next pass.
OFFERS_PER_SLOT = 8


def require_queue(settings: Settings) -> None:
    """Refuse a queue whose packages are not installed, before anything is opened."""
    if settings.queue == "bullmq" and (find_spec("bullmq") is None or find_spec("redis") is None):
        raise ConfigError("The setting `queue = bullmq` needs more packages: pip install 'towpath[bullmq]'.")


def open_job_queue(
    settings: Settings,
    ledger: Ledger,
    notifier: Notifier,
    clock: Clock,
    stages: Sequence[str],
    follow_ups: Sequence[str] = (),
    queue_class: Callable[..., JobQueue] | None = None,
) -> JobQueue:
    """The queue of a worker that knows ``stages``. A test passes a ``queue_class`` with a planted bug."""
    if settings.queue == "database" or settings.redis_url is None:
        return DatabaseQueue(ledger, notifier)
    # The import takes 0.4 s, so it happens only when needed.
    from towpath.job_queue.bullmq import LOCK_SECONDS, BullMqQueue
    from towpath.job_queue.bullmq_client import BullMqClient

    own = claimed_stages(settings, stages)
    served = [stage for stage in stages if own is None or stage in own]
    external = [stage for stage in settings.external_stages if stage not in served]
    client = BullMqClient(settings.redis_url, [*served, *external], lock_seconds=LOCK_SECONDS)
    return (queue_class or BullMqQueue)(
        client,
        ledger,
        notifier,
        clock,
        served,
        lease_seconds=settings.lease_seconds,
        window=OFFERS_PER_SLOT * settings.worker_concurrency,
        external_stages=external,
        follow_ups=follow_ups,
    )


def claimed_stages(settings: Settings, stages: Sequence[str]) -> tuple[str, ...] | None:
    """The stages that a worker of this program claims; None is every stage."""
    if settings.worker_stages:
        return settings.worker_stages
    if not settings.external_stages:
        return None
    return tuple(stage for stage in stages if stage not in settings.external_stages)
