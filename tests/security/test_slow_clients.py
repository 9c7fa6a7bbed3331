"""Clients that send or read slowly are disconnected, and meanwhile the server answers everybody else."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.support.raw_http import connect, send
from tests.support.servers import Client, Server
from tests.support.timeouts import WAIT_SECONDS, wait_until

CONNECTIONS = 300
LIMITS = {"TOWPATH_HEADER_TIMEOUT_SECONDS": "3", "TOWPATH_BODY_TIMEOUT_SECONDS": "3"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "data", settings=LIMITS) as process:
        yield process


def _drip(connections: list[socket.socket], data: bytes, stop: threading.Event) -> None:
    """Send one byte on every connection, again and again."""
    position = 0
    while not stop.wait(0.2):
        position += 1
        for connection in connections:
            try:
                connection.send(data[position % len(data)].to_bytes(1, "big"))
            except OSError:
                continue


def _is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        while connection.recv(4096):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


@pytest.mark.parametrize(
    ("start", "drip"),
    [
        (b"GET /documents HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"aaaa"),
        (b"", b"\r\n"),
        (b"POST /documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n", b"abc"),
        (
            b"POST /jobs/retry HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"1\r\nx\r\n",
        ),
    ],
    ids=["headers", "empty-lines", "body", "chunked-body"],
)
def test_three_hundred_slow_connections_are_closed(server: Server, start: bytes, drip: bytes) -> None:
    stop = threading.Event()
    with ExitStack() as stack:
        connections = [stack.enter_context(connect(server.port)) for _ in range(CONNECTIONS)]
        for connection in connections:
            # On a busy machine the first are closed before the last are opened.
            with suppress(OSError):
                connection.sendall(start)
        sender = threading.Thread(target=_drip, args=(connections, drip, stop))
        sender.start()
        stack.callback(sender.join)
        stack.callback(stop.set)
        # The server answers others all the time.
        client = Client(server.url)
        assert client.get("/documents")["total"] == 0
        waiting = list(connections)

        def all_closed() -> bool:
            waiting[:] = [connection for connection in waiting if not _is_closed(connection)]
            assert client.http.get("/health").status_code == 200
            return not waiting

        wait_until(all_closed, "every slow connection to be closed", every=0.2)


def test_a_client_that_reads_nothing_is_disconnected(server: Server) -> None:
    client = Client(server.url)
    document = client.upload("big.txt", b"A long line of text. \n" * 2_000_000)
    with connect(server.port) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(
            f"GET /documents/{document['id']}/original HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        )
        deadline = time.monotonic() + WAIT_SECONDS

        def is_reset() -> bool:
            # Sending on a connection that the server has reset fails.
            try:
                connection.send(b"\r\n")
            except OSError:
                return True
            return time.monotonic() > deadline

        wait_until(is_reset, "the server to close the connection", every=0.5)
        assert time.monotonic() < deadline


@pytest.mark.parametrize("count", [1, 100])
def test_headers_of_more_than_64_kb_are_refused_if_they_arrive_at_once(server: Server, count: int) -> None:
    def status(size: int) -> int:
        headers = [f"X-{number}: {'a' * (size // count)}" for number in range(count)]
        return send(server.port, "GET", "/documents", f"Host: 127.0.0.1:{server.port}", *headers).status

    assert (status(60_000), status(70_000)) == (200, 431)


def test_long_headers_are_refused(server: Server) -> None:
    with connect(server.port) as connection:
        # The server may close the connection before it has read everything.
        with suppress(OSError):
            connection.sendall(b"GET /documents HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"a" * 200_000)
        try:
            answer = connection.recv(4096)
        except OSError:
            answer = b""
    assert not answer or b" 431 " in answer
    assert Client(server.url).get("/documents")["total"] == 0
