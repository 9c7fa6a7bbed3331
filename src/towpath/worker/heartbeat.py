"""Renews the leases of running jobs in a separate thread, so that a blocking stage cannot delay it.

The worker uses a lease for 80 % of the time that the ledger grants, measured by the monotonic clock. A worker that was
paused, or that cannot reach the database, therefore stops before another worker rescues its job, if the wall clocks of
the two machines differ by less than the other 20 %. If they differ more, the epoch still refuses its late writes.

The embedded server is the only worker of its data folder. Its leases are extended when a locked database answers again,
however long that took.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence

from towpath.clock import Clock
from towpath.errors import DatabaseUnavailable, LeaseLost
from towpath.ledger.contract.ledger import Ledger
from towpath.model.job import Lease

log = logging.getLogger(__name__)


class HeldLease:
    """A lease that this worker holds. Call ``check`` before every write and every provider call."""

    def __init__(self, lease: Lease, trusted_until: float, on_lost: Callable[[], None]) -> None:
        self.lease = lease
        self._trusted_until = trusted_until
        self._lost = False
        self._settling = False
        self._on_lost = on_lost

    @property
    def alive(self) -> bool:
        return not self._lost and time.monotonic() < self._trusted_until

    def check(self) -> None:
        if not self.alive:
            raise LeaseLost(f"Job {self.lease.job_id} is no longer held with epoch {self.lease.epoch}.")

    def renew(self, trusted_until: float) -> None:
        self._trusted_until = trusted_until

    def mark_settling(self) -> None:
        """Ignore refused heartbeats from now on: the settlement itself learns whether the lease is still valid.

        A heartbeat just after the commit of the settlement is refused as well, which is no error.
        """
        self._settling = True

    def mark_lost(self) -> None:
        if not self._lost and not self._settling:
            self._lost = True
            self._on_lost()


class Heartbeater:
    """Renews all leases of this worker every ``every`` seconds, at least three times per lease."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        lease_seconds: float,
        every: float,
        *,
        sole_worker: bool = False,
        on_renewed: Callable[[Sequence[Lease]], None] | None = None,
    ) -> None:
        """``on_renewed`` is called in the thread of the heartbeat with the leases that were renewed."""
        self._sole_worker = sole_worker
        self._on_renewed = on_renewed
        self._ledger = ledger
        self._clock = clock
        self._lease_seconds = lease_seconds
        self._every = min(every, lease_seconds / 3)
        self._held: dict[str, HeldLease] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(timeout=5.0)

    def hold(self, lease: Lease, asked_at: float, on_lost: Callable[[], None]) -> HeldLease:
        """Start renewing a lease. ``asked_at`` is the monotonic time just before it was requested."""
        held = HeldLease(lease, asked_at + self._local_lease_seconds, on_lost)
        with self._lock:
            self._held[lease.job_id] = held
        return held

    def drop(self, held: HeldLease) -> None:
        with self._lock:
            self._held.pop(held.lease.job_id, None)

    @property
    def _local_lease_seconds(self) -> float:
        if self._sole_worker:
            # No other worker can take the job. Only a refused heartbeat ends the lease: the run was ended.
            return math.inf
        # The last 20 % are left for a write that is in progress when the local lease ends.
        return self._lease_seconds * 0.8

    def _loop(self) -> None:
        wait = self._every
        while not self._stopping.wait(wait):
            wait = self._every if self.renew_all() else min(1.0, self._every)

    def any_lease(self) -> Lease | None:
        """A lease that this worker holds, if there is one."""
        with self._lock:
            return next((held.lease for held in self._held.values() if held.alive), None)

    def renew_all(self) -> bool:
        """Renew all leases once; False if the ledger could not be asked."""
        with self._lock:
            held = list(self._held.values())
        if not held:
            return True
        for item in held:
            if not item.alive:
                item.mark_lost()
        valid = [item for item in held if item.alive]
        asked_at = time.monotonic()
        try:
            renewed_ids = self._ledger.heartbeat(
                [item.lease for item in valid], self._lease_seconds, self._clock.now()
            )
        except DatabaseUnavailable as error:
            log.warning("heartbeat: the database is unavailable, retrying: %s", error)
            return False
        except Exception:
            log.exception("heartbeat failed")
            return False
        for item in valid:
            if item.lease.job_id in renewed_ids:
                item.renew(asked_at + self._local_lease_seconds)
            elif self._is_held(item):
                item.mark_lost()
        if self._on_renewed is not None:
            self._on_renewed([item.lease for item in valid if item.lease.job_id in renewed_ids])
        return True

    def _is_held(self, item: HeldLease) -> bool:
        """Whether the job is still running: one that was settled during the heartbeat is not lost."""
        with self._lock:
            return self._held.get(item.lease.job_id) is item
