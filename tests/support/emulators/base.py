"""The base class of all emulators: an HTTP server on loopback with a request log, a bill and control routes.

``GET /_control/state`` returns requests and bill, ``POST /_control/faults`` adds faults, and
``POST /_control/reset`` clears everything and may change the duration of operations.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self, cast

from aiohttp import web
from aiohttp.typedefs import Handler

from tests.support.emulators.faults import SILENT_KINDS, Fault, Faults

FAULT: web.RequestKey[Fault] = web.RequestKey("fault", Fault)
MAX_BODY = 600 * 1024 * 1024


@dataclass(slots=True)
class Bill:
    """What the vendor would bill, in total and by input content."""

    operations: int = 0
    units: dict[str, float] = field(default_factory=dict[str, float])
    by_content: Counter[str] = field(default_factory=Counter[str])

    def charge(self, *contents: bytes, **units: float) -> None:
        self.operations += 1
        for content in contents:
            self.by_content[hashlib.sha256(content).hexdigest()] += 1
        for name, amount in units.items():
            self.units[name] = self.units.get(name, 0.0) + amount


@dataclass(slots=True)
class Operation:
    """A long-running operation: when it was started and finished, and how often it was polled."""

    id: str
    content: bytes
    request: dict[str, Any]
    started: float = field(default_factory=time.monotonic)
    polls: int = 0
    failure: str | None = None
    finished_at: datetime | None = None


class Emulator:
    """One vendor on one port. Use ``async with`` in a test, or ``start`` and ``stop`` in a process."""

    name = "emulator"

    def __init__(self, *, key: str = "emulator-key", polls: int = 1, seconds: float = 0.0) -> None:
        self.key = key
        self.polls = polls
        self.seconds = seconds
        self.faults = Faults()
        self.bill = Bill()
        self.requests: list[dict[str, Any]] = []
        self.operations: dict[str, Operation] = {}
        self.url = ""
        self._release = asyncio.Event()
        self._runner: web.AppRunner | None = None

    def routes(self) -> list[web.RouteDef]:
        """The routes of the vendor. Each is named by the verb used in faults and in the request log."""
        raise NotImplementedError

    def error(self, status: int, fault: Fault | None = None) -> web.Response:
        """An error answer in the format of the vendor."""
        raise NotImplementedError

    def authorized(self, request: web.Request) -> bool:
        raise NotImplementedError

    async def start(self, port: int = 0) -> None:
        @web.middleware
        async def serve(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._serve(request, handler)

        app = web.Application(client_max_size=MAX_BODY, middlewares=[serve])
        app.add_routes(
            [
                *self.routes(),
                web.post("/_control/faults", self._add_faults),
                web.get("/_control/state", self._state),
                web.post("/_control/reset", self._reset),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        self._release.set()
        if self._runner:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def count(self, verb: str) -> int:
        """The number of requests with this verb."""
        return sum(request["verb"] == verb for request in self.requests)

    def still_running(self, operation: Operation, fault: Fault | None) -> bool:
        """Count a poll; whether the operation is still running."""
        operation.polls += 1
        if fault and fault.kind == "running":
            return True
        return operation.polls <= self.polls or time.monotonic() - operation.started < self.seconds

    async def _serve(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path.startswith("/_control/"):
            return await handler(request)
        verb = request.match_info.route.name or "unknown"
        body = await request.read()
        entry = {"verb": verb, "method": request.method, "path": request.path_qs, "bytes": len(body)}
        self.requests.append(entry)
        fault = self.faults.take(verb)
        if fault and fault.kind == "status":
            response: web.StreamResponse = self.error(fault.status, fault)
        elif not self.authorized(request):
            response = self.error(401)
        else:
            if fault:
                request[FAULT] = fault
            if fault and fault.kind in SILENT_KINDS:
                return await self._break(request, handler, fault)
            if fault and fault.kind == "slow":
                await asyncio.sleep(fault.seconds)
            response = await handler(request)
        entry["status"] = response.status
        return response

    async def _break(self, request: web.Request, handler: Handler, fault: Fault) -> web.StreamResponse:
        """Process the request if it is billed, but never answer."""
        if fault.billed:
            await handler(request)
        if fault.kind == "hang":
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._release.wait(), fault.seconds)
        if request.transport:
            request.transport.abort()
        return web.Response()

    async def _add_faults(self, request: web.Request) -> web.Response:
        body: Any = await request.json()
        orders = cast(list[Any], body) if isinstance(body, list) else [body]
        try:
            for order in orders:
                self.faults.add(Fault(**order))
        except (TypeError, ValueError) as error:
            return web.json_response({"error": str(error)}, status=400)
        return web.json_response(self.faults.as_json())

    async def _state(self, _: web.Request) -> web.Response:
        bill = {
            "operations": self.bill.operations,
            "units": self.bill.units,
            "by_content": dict(self.bill.by_content),
        }
        operations = {o.id: {"polls": o.polls, "failure": o.failure} for o in self.operations.values()}
        return web.json_response(
            {
                "billed": bill,
                "requests": self.requests,
                "operations": operations,
                "faults": self.faults.as_json(),
            }
        )

    async def _reset(self, request: web.Request) -> web.Response:
        settings: Any = await request.json() if request.can_read_body else {}
        self.polls = int(settings.get("polls", self.polls))
        self.seconds = float(settings.get("seconds", self.seconds))
        self._release.set()
        self._release = asyncio.Event()
        self.faults.clear()
        self.bill = Bill()
        self.requests.clear()
        self.operations.clear()
        return web.json_response({"polls": self.polls, "seconds": self.seconds})
