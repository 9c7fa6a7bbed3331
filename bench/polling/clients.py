"""Clients of one process that poll statuses over connections they keep, without parsing the answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

SECONDS = 120.0


async def poll(port: int, ids_of_clients: Sequence[Sequence[str]], rounds: int, pause: float) -> list[float]:
    """The seconds of each answer. All clients begin at the same moment; each pauses after an answer."""
    start = asyncio.Event()
    clients = [
        asyncio.create_task(_client(port, ids, rounds, pause, start, number))
        for number, ids in enumerate(ids_of_clients)
    ]
    await asyncio.sleep(1.0)
    start.set()
    return [seconds for times in await asyncio.gather(*clients) for seconds in times]


async def _client(
    port: int, ids: Sequence[str], rounds: int, pause: float, start: asyncio.Event, number: int
) -> list[float]:
    await asyncio.sleep(number * 0.001)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    request = f"GET /documents/status?ids={','.join(ids)} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    times: list[float] = []
    await start.wait()
    for _ in range(rounds):
        started = time.perf_counter()
        async with asyncio.timeout(SECONDS):
            writer.write(request)
            body = await _answer(reader)
        times.append(time.perf_counter() - started)
        if body.count(b'"document_id"') != len(ids):
            raise RuntimeError(f"the answer has not all {len(ids)} documents: {body[:200]!r}")
        await asyncio.sleep(pause)
    writer.close()
    return times


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode())
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    return await reader.readexactly(int(length.partition(b":")[2]))
