"""Requests as bytes over a socket: tests of what a client may send that no HTTP library would."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from tests.support.timeouts import REQUEST_SECONDS


@dataclass(frozen=True, slots=True)
class RawResponse:
    status: int
    headers: dict[str, str]
    body: bytes


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), REQUEST_SECONDS)


def send(port: int, method: str, path: str, *headers: str, body: bytes = b"") -> RawResponse:
    """Send one request with exactly these headers; Host and Content-Length are not added."""
    lines = [f"{method} {path} HTTP/1.1", *headers, "Connection: close", f"Content-Length: {len(body)}"]
    with connect(port) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        return read_response(connection)


def read_response(connection: socket.socket) -> RawResponse:
    """Read until the server closes the connection."""
    received = b""
    while part := connection.recv(65_536):
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return RawResponse(int(first.split()[1]), headers, body)
