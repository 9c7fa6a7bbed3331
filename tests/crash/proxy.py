"""A proxy between workers and Postgres whose connections can hang or be refused."""

from __future__ import annotations

import contextlib
import shutil
import socket
import tempfile
import threading
from collections.abc import Generator
from pathlib import Path

_NAME = ".s.PGSQL.5432"


class Proxy:
    """Forwards a Unix socket to the server's socket in both directions, until it hangs or refuses."""

    def __init__(self, folder: Path, server: Path) -> None:
        self._server = server / _NAME
        self._flowing = threading.Event()
        self._flowing.set()
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / _NAME))
        self._listener.listen()
        self._refusing = False
        threading.Thread(target=self._accept, daemon=True).start()

    def hang(self) -> None:
        """Forward nothing any more, without closing connections."""
        self._flowing.clear()

    def refuse(self) -> None:
        """Close every connection and accept no new one."""
        self._refusing = True
        for end in self._open:
            _close(end)
        self._open.clear()

    def restore(self) -> None:
        self._refusing = False
        self._flowing.set()

    def close(self) -> None:
        _close(self._listener)
        self.refuse()
        self._flowing.set()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._refusing:
                _close(client)
                continue
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self._server))
            self._open += [client, server]
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, target), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._flowing.wait()
                target.sendall(data)
        _close(source)
        _close(target)


def _close(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Wakes a thread that waits in recv or accept; close alone would not.
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextlib.contextmanager
def proxied(server: Path) -> Generator[tuple[Proxy, Path]]:
    """Start a proxy for the Postgres whose socket is in ``server``; yield it and the folder of its socket."""
    # A short path, because the name of a Unix socket must fit in 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="towpath-wire-"))
    proxy = Proxy(folder, server)
    try:
        yield proxy, folder
    finally:
        proxy.close()
        shutil.rmtree(folder, ignore_errors=True)
