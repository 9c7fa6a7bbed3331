"""What a hostile file might do in a child process. The functions return what succeeded."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path


def environment() -> dict[str, str]:
    return dict(os.environ)


def open_sockets() -> list[str]:
    opened: list[str] = []
    for name in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"):
        try:
            with socket.socket(getattr(socket, name), socket.SOCK_DGRAM):
                opened.append(name)
        except OSError:
            continue
    return opened


def process_status() -> dict[str, str]:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def run_program() -> bool:
    try:
        return subprocess.run([sys.executable, "-c", ""], check=False).returncode == 0
    except OSError:
        return False


def signal_process(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def signal_thread(pid: int) -> bool:
    """Signal the main thread of a process with the calls that `kill` does not use: tgkill, tkill, rt_sigqueueinfo."""
    libc = ctypes.CDLL(None, use_errno=True)
    return any(
        libc.syscall(*call) == 0 for call in ((234, pid, pid, 0), (200, pid, 0), (129, pid, 0, bytes(128)))
    )


def limit_process(pid: int) -> bool:
    """Change a limit of another process, which could then open no more files."""
    try:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, resource.prlimit(pid, resource.RLIMIT_NOFILE))
    except OSError:
        return False
    return True


def own_limits_and_signals() -> bool:
    """What libraries need: limits of the process itself, and signals to itself."""
    resource.prlimit(0, resource.RLIMIT_CORE)
    resource.prlimit(os.getpid(), resource.RLIMIT_CORE)
    signal.raise_signal(signal.SIGTERM)  # ignored by child processes
    return True


def limits() -> dict[str, int]:
    names = ("CORE", "CPU", "FSIZE", "DATA", "AS")
    return {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0] for name in names}


def readable(paths: list[str]) -> list[str]:
    found: list[str] = []
    for path in paths:
        try:
            os.listdir(path) if os.path.isdir(path) else Path(path).read_bytes()
        except OSError:
            continue
        found.append(path)
    return found


def writable(paths: list[str]) -> list[str]:
    found: list[str] = []
    for path in paths:
        try:
            Path(path).write_bytes(b"x")
        except OSError:
            continue
        found.append(path)
    return found


def use_input(path: str) -> tuple[bytes, bool, list[str]]:
    """The content, whether it could be changed, and the names of other files that are handed over."""
    content = Path(path).read_bytes()
    changed = bool(writable([path]))
    folder = Path(os.readlink(path).removesuffix(" (deleted)")).parent
    try:
        names = os.listdir(folder)
    except OSError:
        names = []
    return content, changed, names


def write_output(path: str, content: bytes) -> None:
    Path(path).write_bytes(content)


def fail_after_writing(path: str) -> None:
    Path(path).write_bytes(b"half")
    raise RuntimeError("failed")


class _Code:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("/tmp/towpath-was-here",)


def answer_with_code() -> object:
    return _Code()
