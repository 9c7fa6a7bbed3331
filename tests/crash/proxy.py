"""A wire between workers and Postgres that can be cut: silently, as networks do, or loudly."""

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
    """Forwards a Unix socket to a server's, both ways, for as long as it is allowed to."""

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
        """Nothing arrives any more, and nobody is told."""
        self._flowing.clear()

    def refuse(self) -> None:
        """Every connection breaks, and no new one is made."""
        self._refusing = True
        for end in self._open:
            _close(end)
        self._open.clear()

    def mend(self) -> None:
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
            for here, there in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(here, there), daemon=True).start()

    def _pump(self, here: socket.socket, there: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := here.recv(65536):
                self._flowing.wait()
                there.sendall(data)
        _close(here)
        _close(there)


def _close(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Wakes whoever waits in recv or accept; close alone would not.
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextlib.contextmanager
def proxied(server: Path) -> Generator[tuple[Proxy, Path]]:
    """A proxy before the Postgres whose socket lies in ``server``, and the folder of its own socket."""
    # A short path of its own: the name of a Unix socket must fit in 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="towpath-wire-"))
    proxy = Proxy(folder, server)
    try:
        yield proxy, folder
    finally:
        proxy.close()
        shutil.rmtree(folder, ignore_errors=True)
