"""Signs one message as Standard Webhooks says and posts it to its receiver.

httpx and standardwebhooks are imported with the first message: a server without webhooks does not need them.
"""

from __future__ import annotations

import functools
import ssl
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from towpath import __version__
from towpath.model.webhook import AttemptResult, ClaimedDelivery
from towpath.webhooks.address_policy import AddressPolicy, AddressRefused

if TYPE_CHECKING:
    import httpx

#: Seconds for one attempt, from the resolution of the name to the status of the answer.
ATTEMPT_SECONDS = 15.0


class Sender(Protocol):
    async def send(self, delivery: ClaimedDelivery, now: datetime) -> AttemptResult: ...


class HttpSender:
    """Posts messages to checked addresses. Redirects are not followed, and proxies of the environment not used."""

    def __init__(self, policy: AddressPolicy, *, seconds: float = ATTEMPT_SECONDS) -> None:
        self._policy = policy
        self._seconds = seconds

    async def send(self, delivery: ClaimedDelivery, now: datetime) -> AttemptResult:
        """Make one attempt. Every failure is a result, so that it is recorded."""
        import httpx

        started = time.monotonic()
        status: int | None = None
        error: str | None = None
        retry_after: float | None = None
        try:
            response = await self._post(delivery, now)
        except AddressRefused as refused:
            error = str(refused)
        except httpx.TimeoutException:
            error = f"The receiver did not answer within {self._seconds:g} s."
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as failure:
            error = f"The connection failed: {str(failure)[:200] or type(failure).__name__}."
        else:
            status = response.status_code
            retry_after = _seconds(response.headers.get("retry-after"))
            if not response.is_success:
                error = f"The receiver answered {status}."
        return AttemptResult(status, error, round((time.monotonic() - started) * 1000), retry_after)

    async def _post(self, delivery: ClaimedDelivery, now: datetime) -> httpx.Response:
        import httpx

        receiver = await self._policy.check(delivery.url)
        headers = {"Host": receiver.authority, **signed_headers(delivery, now)}
        extensions = {"sni_hostname": receiver.host} if receiver.is_https else {}
        async with (
            httpx.AsyncClient(
                verify=_tls_context(), timeout=self._seconds, follow_redirects=False, trust_env=False
            ) as client,
            # The body of the answer is not read: it is not needed, and it could be large.
            client.stream(
                "POST",
                receiver.pinned_url,
                content=delivery.body.encode(),
                headers=headers,
                extensions=extensions,
            ) as response,
        ):
            return response


@functools.cache
def _tls_context() -> ssl.SSLContext:
    """The certificates that receivers are checked with, loaded once: that takes 20 ms of CPU time."""
    import httpx

    return httpx.create_ssl_context(trust_env=False)


def signed_headers(delivery: ClaimedDelivery, now: datetime) -> dict[str, str]:
    """The headers of one attempt, with one signature for each secret."""
    from standardwebhooks.webhooks import Webhook

    # The library reads the fields of the time as UTC.
    moment = now.astimezone(UTC).replace(microsecond=0)
    signatures = [
        Webhook(secret).sign(delivery.message_id, moment, delivery.body) for secret in delivery.secrets
    ]
    return {
        "content-type": "application/json",
        "user-agent": f"towpath/{__version__}",
        "webhook-id": delivery.message_id,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _seconds(retry_after: str | None) -> float | None:
    """Retry-After in seconds; a date is ignored."""
    return float(retry_after) if retry_after is not None and retry_after.isdecimal() else None
