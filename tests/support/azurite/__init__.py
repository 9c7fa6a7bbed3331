"""Runs a real Azurite (Azure Blob Storage, in memory) in its own process and on its own port.

It comes from npm with the versions in `package-lock.json`; `make azurite` installs it into `.cache/`.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from build_page import find_npm
from tests.support.ports import free_port
from tests.support.timeouts import PROCESS_SECONDS

HERE = Path(__file__).parent
PLACE = HERE.parents[2] / ".cache" / "azurite"
PROGRAM = PLACE / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"

#: The account that every Azurite has, with the key that its documentation prints.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def connection_string(port: int, key: str = KEY) -> str:
    return (
        f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={key};"
        f"BlobEndpoint=http://127.0.0.1:{port}/{ACCOUNT};"
    )


@contextmanager
def running_azurite(folder: Path, *more_flags: str) -> Generator[int]:
    """Azurite on a free port; gives the port. What it says goes to a log in ``folder``."""
    if not PROGRAM.exists():
        raise RuntimeError("The tests of Azure Blob Storage need Azurite: run `make azurite`.")
    port = free_port()
    _, path = find_npm()
    node = shutil.which("node", path=path) or "node"
    # The SDK speaks a newer version of the protocol than Azurite knows by name.
    flags = ("--inMemoryPersistence", "--skipApiVersionCheck", "--silent", "--disableTelemetry")
    command = [node, str(PROGRAM), "--blobHost", "127.0.0.1", "--blobPort", str(port), *flags, *more_flags]
    log = folder / "azurite.log"
    with log.open("wb") as said:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
    try:
        _wait_until_it_answers(port, process, log)
        yield port
    finally:
        process.kill()
        process.wait()


def _wait_until_it_answers(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PROCESS_SECONDS
    while True:
        try:
            # It answers with TLS if it was started with a certificate.
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                said = log.read_text("utf-8", "replace")[-2000:]
                raise RuntimeError(f"Azurite did not start:\n{said}") from None
            time.sleep(0.05)
