"""Runs a Towpath with API and worker in a process of its own, which counts what it does."""

from __future__ import annotations

import asyncio
import multiprocessing
import socket
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, cast

import uvicorn

from bench.small import counters
from towpath import bootstrap
from towpath.cli.process_tuning import tune_latency
from towpath.config import Settings
from towpath.ledger import migrate
from towpath.server.app import create_app

START_SECONDS = 600.0


class ServerProcess:
    """The other end of a running server: its port, and its counts on request."""

    def __init__(self, channel: Connection) -> None:
        self._channel = channel
        if not channel.poll(START_SECONDS):
            raise TimeoutError("the server did not start")
        self.port = cast("int", channel.recv())

    def snapshot(self) -> dict[str, float]:
        self._channel.send("snapshot")
        return self._channel.recv()


@contextmanager
def serve(settings: Settings, *, with_worker: bool = True) -> Generator[ServerProcess]:
    parent, child = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_main, args=(settings, child, with_worker))
    process.start()
    child.close()
    try:
        yield ServerProcess(parent)
    finally:
        parent.close()
        process.join(60)
        if process.is_alive():
            process.kill()


def _main(settings: Settings, channel: Connection, with_worker: bool) -> None:
    counters.install()
    asyncio.run(_serve(settings, channel, with_worker))


async def _serve(settings: Settings, channel: Connection, with_worker: bool) -> None:
    if settings.database is not None:
        database = bootstrap.open_database(settings)
        migrate.upgrade(database.engine)
        database.close()
    async with bootstrap.open_runtime(settings, with_worker=with_worker) as towpath:
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(create_app(towpath.services, None), log_config=None, access_log=False)
        server = cast("Any", uvicorn.Server(config))
        server.install_signal_handlers = lambda: None
        tune_latency()
        serving = asyncio.create_task(server.serve([listener]))
        channel.send(listener.getsockname()[1])
        try:
            while await asyncio.to_thread(channel.recv):
                channel.send(counters.snapshot())
        except EOFError:
            server.should_exit = True
        await serving
