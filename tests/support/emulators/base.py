"""What all emulators share: a real HTTP server on loopback with a memory, a bill and a control door.

``GET /_control/state`` tells what was asked and billed, ``POST /_control/faults`` orders faults,
``POST /_control/reset`` forgets everything and may change how long operations take.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Self, cast

from aiohttp import web
from aiohttp.typedefs import Handler

from tests.support.emulators.faults import SILENT_KINDS, Fault, Faults

FAULT: web.RequestKey[Fault] = web.RequestKey("fault", Fault)
MAX_BODY = 600 * 1024 * 1024


@dataclass(slots=True)
class Bill:
    """What the vendor would charge for, also by the content it was done to."""

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
    """A long-running operation: when it was started and how often it was asked for."""

    id: str
    content: bytes
    request: dict[str, Any]
    started: float = field(default_factory=time.monotonic)
    polls: int = 0
    failure: str | None = None


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
        """The vendor's own routes; each is named by the verb that faults and the log speak of."""
        raise NotImplementedError

    def error(self, status: int, fault: Fault | None = None) -> web.Response:
        """An error answer in the vendor's own shape."""
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
                web.post("/_control/faults", self._order_faults),
                web.get("/_control/state", self._tell_state),
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
        """How many requests of this verb have arrived."""
        return sum(request["verb"] == verb for request in self.requests)

    def still_running(self, operation: Operation, fault: Fault | None) -> bool:
        """Whether an operation that is asked for now has more work to do."""
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
        """Do the work (if it shall be billed) and never say so."""
        if fault.billed:
            await handler(request)
        if fault.kind == "hang":
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._release.wait(), fault.seconds)
        if request.transport:
            request.transport.abort()
        return web.Response()

    async def _order_faults(self, request: web.Request) -> web.Response:
        body: Any = await request.json()
        orders = cast(list[Any], body) if isinstance(body, list) else [body]
        try:
            for order in orders:
                self.faults.add(Fault(**order))
        except (TypeError, ValueError) as error:
            return web.json_response({"error": str(error)}, status=400)
        return web.json_response(self.faults.as_json())

    async def _tell_state(self, _: web.Request) -> web.Response:
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
