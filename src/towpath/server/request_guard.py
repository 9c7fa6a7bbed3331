"""ASGI middleware before all routes: credentials, Host and Origin, limits, and the security headers of responses."""

from __future__ import annotations

import asyncio
import hashlib
import math

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from towpath.access.contract import ALL_SCOPES, Identity
from towpath.errors import TowpathError
from towpath.model.audit import Actor
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.server import problems
from towpath.server.cross_site_check import HostAllowList, foreign_write_reason
from towpath.server.deps import Services
from towpath.server.request_limits import LimitExceeded, RequestLimits, RequestPolicy

#: Paths for probes, which use an address as Host.
PROBES = frozenset({"/health", "/ready"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_CSP = (
    "default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_CACHE_ONE_YEAR = "public, max-age=31536000, immutable"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": _CSP,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


class _Refused(Exception):
    """A request that gets no further. ``challenge``: the response asks for a key."""

    def __init__(
        self, status: int, code: str, title: str, detail: str, action: str, retry_after: float | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.title, self.detail, self.action = status, code, title, detail, action
        self.retry_after = retry_after


_STOPPING = _Refused(
    503, "server-stopping", "The server stops", "The request was ended.", "Try again in a moment.", 5.0
)


class RequestGuard:
    """Refuses requests before they reach a route, and puts the identity of the others into their state."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self._app = app
        self._services = services
        policy = services.request_policy if services else RequestPolicy()
        self._hosts = HostAllowList(policy.bind_host, policy.allowed_hosts)
        self._limits = RequestLimits(policy.limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _with_headers(scope, send)
        has_response = False

        async def noted(message: Message) -> None:
            nonlocal has_response
            has_response = True
            await send(message)

        try:
            client = await self._admit(scope)
            with self._limits.count_bytes(client, _announced_bytes(scope)) as add_bytes:

                async def counted() -> Message:
                    message = await receive()
                    add_bytes(len(message.get("body", b"")))
                    return message

                await self._app(scope, counted, noted)
        except asyncio.CancelledError:
            # The server stops, and this request took longer than the grace period. uvicorn would answer 500.
            if not has_response:
                await _refuse(scope, receive, send, _STOPPING)
            raise
        except LimitExceeded as limit:
            await _refuse(
                scope,
                receive,
                send,
                _Refused(
                    429,
                    limit.code,
                    "A limit was reached",
                    limit.detail,
                    "Wait for the time in Retry-After and try again.",
                    limit.retry_after,
                ),
            )
        except _Refused as refused:
            await _refuse(scope, receive, send, refused)
        except TowpathError as error:
            # The database does not answer, so no credential can be checked.
            await problems.towpath_problem(error)(scope, receive, send)

    async def _admit(self, scope: Scope) -> str:
        """Check the request and store its identity in its state. Returns the client whose limits it uses."""
        headers = Headers(scope=scope)
        now = self._services.clock.now()
        address = _address(scope)
        self._limits.check_request(f"address {address}", now)
        client = f"address {address}"
        identity = await self._key_identity(headers, address)
        if identity is not None:
            client = f"key {identity.actor.key_id}"
            self._limits.check_request(client, now)
        elif not self._services.key_required:
            if self._hosts.allows(headers.get("host")) and len(headers.getlist("host")) == 1:
                identity = Identity(DEFAULT_ORG_ID, ALL_SCOPES, Actor("local", address=address))
            elif scope["path"] not in PROBES:
                raise _Refused(
                    403,
                    "host-not-allowed",
                    "Not allowed",
                    "The Host header does not name this server.",
                    "Use localhost or the address of the server, send an API key, or add the name to the setting "
                    "`allowed_hosts`.",
                )
        if scope["method"] not in _SAFE_METHODS:
            reason = foreign_write_reason(
                headers.get("host"),
                _joined(headers, "origin"),
                _joined(headers, "sec-fetch-site"),
                self._hosts,
            )
            if reason is not None:
                raise _Refused(
                    403, "forbidden", "Not allowed", reason, "Call the API from its own origin or a program."
                )
        scope.setdefault("state", {})["identity"] = identity
        return client

    async def _key_identity(self, headers: Headers, address: str) -> Identity | None:
        """The identity of the request's key; None if it has no credential. A bad credential raises."""
        values = headers.getlist("authorization")
        if not values:
            return None
        now = self._services.clock.now()
        scheme, _, secret = values[0].partition(" ")
        secret = secret.strip()
        digest = hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
        self._limits.check_failures(address, digest, now)
        if len(values) == 1 and scheme.lower() == "bearer" and secret:
            key = await self._services.keys.authenticate(secret, now)
            if key is not None:
                self._limits.add_valid_key(digest)
                actor = Actor("key", key.name, key.id, address)
                return Identity(key.org_id, key.scopes, actor, key.stages)
        self._limits.add_failure(address, now)
        raise _Refused(
            401,
            "unauthorized",
            "The API key is not valid",
            "This API key is unknown, expired or revoked, or it was not sent as `Bearer <key>`.",
            "Send `Authorization: Bearer <key>` with a valid key, or no such header.",
        )


async def _refuse(scope: Scope, receive: Receive, send: Send, refused: _Refused) -> None:
    response = problems.problem(refused.status, refused.code, refused.title, refused.detail, refused.action)
    if refused.status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if refused.retry_after is not None:
        response.headers["Retry-After"] = str(max(1, math.ceil(min(refused.retry_after, 3600))))
    await response(scope, receive, send)


def _joined(headers: Headers, name: str) -> str | None:
    """The value of a header; the values of a repeated one together, which is no valid Origin or Sec-Fetch-Site."""
    return ", ".join(headers.getlist(name)) if name in headers else None


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def _announced_bytes(scope: Scope) -> int:
    value = Headers(scope=scope).get("content-length", "0")
    return int(value) if value.isascii() and value.isdigit() else 0


def _with_headers(scope: Scope, send: Send) -> Send:
    async def add_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if scope["path"].startswith("/assets/") and message["status"] == 200:
                # The file names contain a hash of the content; the HTML that names them is not cached.
                headers.setdefault("Cache-Control", _CACHE_ONE_YEAR)
            elif headers.get("content-type", "").startswith("text/html"):
                headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return add_headers
