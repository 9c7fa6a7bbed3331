"""Heartbeats, from a thread that no stage can block, and the self-fence of a worker that cannot renew.

A lease is trusted for less time than the ledger grants it. A worker that was stopped, or cut off from
the database, therefore falls silent before anybody else can own its job.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from towpath.clock import Clock
from towpath.errors import DatabaseUnavailable, LeaseLost
from towpath.ledger.contract import Ledger
from towpath.model.work import Lease

log = logging.getLogger(__name__)


class Held:
    """A lease in this worker's hands. Ask ``check`` before every write and every call."""

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

    def hand_over(self) -> None:
        """The stage is done: from here its settlement learns from the ledger whether the lease still holds.

        A heartbeat that comes just after the settlement's commit is refused too, and must harm nobody.
        """
        self._settling = True

    def lose(self) -> None:
        if not self._lost and not self._settling:
            self._lost = True
            self._on_lost()


class Pulse:
    """Renews every lease this worker holds, a third of a lease apart."""

    def __init__(self, ledger: Ledger, clock: Clock, lease_seconds: float, every: float) -> None:
        self._ledger = ledger
        self._clock = clock
        self._lease_seconds = lease_seconds
        self._every = min(every, lease_seconds / 3)
        self._held: dict[str, Held] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="heartbeat", daemon=True)
        self.missed = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(timeout=5.0)

    def hold(self, lease: Lease, asked_at: float, on_lost: Callable[[], None]) -> Held:
        """Take a lease under care. ``asked_at`` is the monotonic time just before it was asked for."""
        held = Held(lease, asked_at + self._trusted_seconds, on_lost)
        with self._lock:
            self._held[lease.job_id] = held
        return held

    def drop(self, held: Held) -> None:
        with self._lock:
            self._held.pop(held.lease.job_id, None)

    @property
    def _trusted_seconds(self) -> float:
        # A fifth is kept back for a last write that is under way when trust ends.
        return self._lease_seconds * 0.8

    def _loop(self) -> None:
        wait = self._every
        while not self._stopping.wait(wait):
            wait = self._every if self._beat() else min(1.0, self._every)

    def _beat(self) -> bool:
        with self._lock:
            held = list(self._held.values())
        if not held:
            return True
        for item in held:
            if not item.alive:
                item.lose()
        living = [item for item in held if item.alive]
        asked_at = time.monotonic()
        try:
            kept = self._ledger.heartbeat(
                [item.lease for item in living], self._lease_seconds, self._clock.now()
            )
        except DatabaseUnavailable as error:
            self.missed += 1
            log.warning("a heartbeat did not get through: %s", error)
            return False
        except Exception:
            self.missed += 1
            log.exception("a heartbeat failed")
            return False
        for item in living:
            if item.lease.job_id in kept:
                item.renew(asked_at + self._trusted_seconds)
            elif self._is_held(item):
                item.lose()
        return True

    def _is_held(self, item: Held) -> bool:
        """A job that was settled while its heartbeat was under way is not a lost one."""
        with self._lock:
            return self._held.get(item.lease.job_id) is item
