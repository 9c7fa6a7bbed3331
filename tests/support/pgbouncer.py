"""Starts pgbouncer in transaction mode in front of a private Postgres and stops it by its pid."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import psycopg

from tests.support.databases import PostgresServer
from tests.support.timeouts import PROCESS_SECONDS

_PORT = 6432

# Few server connections for many clients, so that clients do not keep a session.
_SETTINGS = """
[databases]
* = host={server} port=5432

[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = 12
max_client_conn = 400
server_login_retry = 1
logfile = {folder}/pgbouncer.log
"""


def find_pgbouncer() -> str | None:
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@contextlib.contextmanager
def pooled(server: PostgresServer, user: str = "postgres") -> Generator[Path]:
    """Start a pooler for ``server`` and yield the folder of its socket; it connects as ``user``."""
    program = find_pgbouncer()
    if program is None:
        raise RuntimeError("The tests need pgbouncer: `make pgbouncer` installs it.")
    # Like Postgres, pgbouncer refuses to run as root.
    owner = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="towpath-pool-", dir="/tmp"))
    settings = _SETTINGS.replace("port=5432", f"port=5432 user={user}")
    file = folder / "pgbouncer.ini"
    file.write_text(settings.format(server=server.folder, folder=folder, port=_PORT), "utf-8")
    if owner is not None:
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    process = subprocess.Popen(
        [program, "-q", str(file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        user=owner and owner.pw_uid,
        group=owner and owner.pw_gid,
    )
    try:
        _wait_until_ready(process, folder)
        yield folder
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PROCESS_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


def pooled_dsn(folder: Path, dsn: str, server: PostgresServer) -> str:
    """Return the dsn of the same database through the pooler."""
    return dsn.replace(f"host={server.folder}", f"host={folder}&port={_PORT}")


def _wait_until_ready(process: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + PROCESS_SECONDS
    while True:
        try:
            psycopg.connect(f"postgresql://postgres@/postgres?host={folder}&port={_PORT}").close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                log = folder / "pgbouncer.log"
                log_tail = log.read_text("utf-8", "replace")[-2000:] if log.exists() else "nothing"
                raise RuntimeError(f"pgbouncer did not start:\n{log_tail}") from None
            time.sleep(0.05)
