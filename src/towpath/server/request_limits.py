"""Limits of requests: rate and bytes in flight of each key and address, and failed keys of each address."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from towpath.lifecycle.rate_limit import TokenBucket

#: Clients that are remembered; the one that was quiet for the longest time is forgotten first.
MAX_CLIENTS = 10_000


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """None means no limit. All limits hold for one server process."""

    requests_per_second: float | None = None
    failed_keys_per_minute: float | None = None
    bytes_in_flight: int | None = None
    stored_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Which hosts a request without a key may name, and the limits of requests."""

    bind_host: str = "127.0.0.1"
    allowed_hosts: tuple[str, ...] = ()
    limits: LimitSettings = field(default_factory=LimitSettings)


class LimitExceeded(Exception):
    """A limit was reached. ``code`` is the type of the problem, ``retry_after`` is in seconds."""

    def __init__(self, code: str, detail: str, retry_after: float) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.retry_after = retry_after


class RequestLimits:
    """The limits of one server. Not thread-safe: used from the event loop only."""

    def __init__(self, settings: LimitSettings) -> None:
        self._settings = settings
        self._requests = _Buckets(
            None if settings.requests_per_second is None else settings.requests_per_second * 60
        )
        self._failures = _Buckets(settings.failed_keys_per_minute, burst=settings.failed_keys_per_minute)
        self._bytes: dict[str, int] = {}
        #: Ids of keys that were valid in this process: a limit of failed keys does not lock them out.
        self._valid_keys: OrderedDict[str, None] = OrderedDict()

    def check_request(self, client: str, now: datetime) -> None:
        """Count one request of a key or an address; raises LimitExceeded."""
        wait = self._requests.take(client, now)
        if wait > 0:
            rate = self._settings.requests_per_second
            raise LimitExceeded(
                "too-many-requests", f"More than {rate:g} requests per second were sent.", wait
            )

    def check_failures(self, address: str, key_hash: str, now: datetime) -> None:
        """Raises LimitExceeded if the address sent too many invalid keys, unless this key was valid before."""
        wait = self._failures.wait(address, now)
        if wait > 0 and key_hash not in self._valid_keys:
            raise LimitExceeded(
                "too-many-failed-keys",
                "Too many requests with an invalid API key came from this address.",
                wait,
            )

    def add_failure(self, address: str, now: datetime) -> None:
        self._failures.take(address, now)

    def add_valid_key(self, key_hash: str) -> None:
        self._valid_keys[key_hash] = None
        self._valid_keys.move_to_end(key_hash)
        if len(self._valid_keys) > MAX_CLIENTS:
            self._valid_keys.popitem(last=False)

    @contextmanager
    def count_bytes(self, client: str, announced: int) -> Generator[Callable[[int], None]]:
        """Reserve the announced bytes of a body until the context ends; the function adds bytes beyond them."""
        reserved = 0
        received = 0

        def reserve(amount: int) -> None:
            nonlocal reserved
            limit, used = self._settings.bytes_in_flight, self._bytes.get(client, 0)
            if limit is not None and used + amount > limit:
                raise LimitExceeded(
                    "too-many-bytes-in-flight",
                    f"The uploads of this client that are in progress have more than {limit:,} bytes together.",
                    1.0,
                )
            self._bytes[client] = used + amount
            reserved += amount

        def add(amount: int) -> None:
            nonlocal received
            received += amount
            if received > reserved:
                reserve(received - reserved)

        try:
            reserve(announced)
            yield add
        finally:
            rest = self._bytes.get(client, 0) - reserved
            if rest > 0:
                self._bytes[client] = rest
            else:
                self._bytes.pop(client, None)


class _Buckets:
    """One token bucket for each client; no limit if the rate is None."""

    def __init__(self, per_minute: float | None, burst: float | None = None) -> None:
        self._per_minute = per_minute
        self._burst = burst
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def wait(self, client: str, now: datetime) -> float:
        """Seconds until this client may take a token."""
        if self._per_minute is None:
            return 0.0
        bucket = self._buckets.get(client)
        return 0.0 if bucket is None else bucket.wait(1.0, now)

    def take(self, client: str, now: datetime) -> float:
        """Take a token if there is one; otherwise the seconds until then."""
        if self._per_minute is None:
            return 0.0
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = TokenBucket(self._per_minute, now, burst=self._burst)
            if len(self._buckets) > MAX_CLIENTS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(client)
        wait = bucket.wait(1.0, now)
        if wait <= 0:
            bucket.take(1.0)
        return wait
