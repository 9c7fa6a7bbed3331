"""Time limits of connections: a client that sends headers or a body too slowly, or reads nothing, is disconnected.

uvicorn limits only the idle time between two requests. Without these limits a few hundred connections that send one
byte every few seconds stay open for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

#: A body must bring this many bytes per second, measured over `body_timeout_seconds`.
MIN_BODY_RATE = 500
MAX_HEADER_BYTES = 65_536


def limited_protocol(header_seconds: float, body_seconds: float) -> type[HttpToolsProtocol]:
    """The protocol class for uvicorn with these time limits."""
    limits = {"header_seconds": header_seconds, "body_seconds": body_seconds}
    return type("LimitedHttpProtocol", (_LimitedHttpProtocol,), limits)


class _LimitedHttpProtocol(HttpToolsProtocol):
    header_seconds = 20.0
    body_seconds = 30.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        #: When the headers must be complete; None while no headers are being read.
        self._headers_due: float | None = None
        self._header_bytes = 0
        self._parsed_header_bytes = 0
        self._reading_body = False
        self._body_bytes = 0
        self._written = 0
        self._window_end = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._headers_due = self.loop.time() + self.header_seconds
        self._window_end = self.loop.time() + self.body_seconds
        self._schedule()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._headers_due is None and not self._reading_body and self._is_idle():
            self._headers_due = self.loop.time() + self.header_seconds
        self._body_bytes += len(data)
        self._header_bytes += len(data)
        super().data_received(data)
        if self._headers_due is not None and self._header_bytes > MAX_HEADER_BYTES:
            self._close_with(b"431 Request Header Fields Too Large")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._header_bytes = 0
        self._parsed_header_bytes = 0
        if self._headers_due is None:
            self._headers_due = self.loop.time() + self.header_seconds

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        # Headers that arrive at once are complete before their bytes are counted in `data_received`.
        self._parsed_header_bytes += len(name) + len(value)
        if self._parsed_header_bytes > MAX_HEADER_BYTES:
            raise ValueError("The headers are too large.")

    def send_400_response(self, msg: str) -> None:
        if self._parsed_header_bytes > MAX_HEADER_BYTES:
            self._close_with(b"431 Request Header Fields Too Large")
        else:
            super().send_400_response(msg)

    def on_headers_complete(self) -> None:
        self._headers_due = None
        self._reading_body = True
        self._start_window()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._reading_body = False
        super().on_message_complete()

    def _is_idle(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or cycle.response_complete

    def _schedule(self) -> None:
        interval = min(5.0, self.header_seconds / 4, self.body_seconds / 4)
        self._timer = self.loop.call_later(max(0.05, interval), self._check)

    def _check(self) -> None:
        if self.transport.is_closing():
            # A client that reads nothing keeps a closing connection open.
            if self.loop.time() >= self._window_end:
                self.transport.abort()
                return
        elif self._headers_due is not None and self.loop.time() >= self._headers_due:
            self._close_with(b"408 Request Timeout")
        elif self.loop.time() >= self._window_end:
            if self._is_too_slow():
                self.transport.abort()
                return
            self._start_window()
        elif self._is_waiting_for_server():
            self._start_window()
        self._schedule()

    def _is_too_slow(self) -> bool:
        if self.flow.write_paused:
            return self.transport.get_write_buffer_size() >= self._written > 0
        return self._reading_body and self._body_bytes < MIN_BODY_RATE * self.body_seconds

    def _is_waiting_for_server(self) -> bool:
        """True if the next step is the server's: there are bytes of the body that it has not processed.

        A body that goes on after its response, such as a refusal, is never processed.
        """
        if self.flow.write_paused or self._is_idle():
            return False
        return self._reading_body and (self.flow.read_paused or bool(self.cycle and self.cycle.body))

    def _start_window(self) -> None:
        self._window_end = self.loop.time() + self.body_seconds
        self._body_bytes = 0
        self._written = self.transport.get_write_buffer_size()

    def _close_with(self, status: bytes) -> None:
        if not self.transport.is_closing():
            head = b"HTTP/1.1 " + status + b"\r\n"
            self.transport.write(head + b"content-length: 0\r\nconnection: close\r\n\r\n")
            self.transport.close()
