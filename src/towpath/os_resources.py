"""File locks and resource limits of the operating system, the only module that imports `fcntl` and `resource`.

On a system without them a lock is always granted and a limit is not set; `HAS_LOCKS` and `HAS_LIMITS` say so.
"""

from __future__ import annotations

import contextlib
import os
import signal

try:
    import fcntl
except ImportError:  # pragma: no cover  (Windows)
    fcntl = None
try:
    import resource
except ImportError:  # pragma: no cover  (Windows)
    resource = None

HAS_LOCKS = fcntl is not None
HAS_LIMITS = resource is not None


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an open file or folder; False if another process holds the lock. It ends with the descriptor."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def set_limit(name: str, limit: int) -> None:
    """Set the soft limit ``name``, such as ``AS`` or ``CPU``, to at most its hard limit."""
    if resource is None:
        return
    kind = getattr(resource, f"RLIMIT_{name}", None)
    if kind is None:
        return
    _, hard = resource.getrlimit(kind)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def cpu_seconds() -> float:
    """Seconds of CPU that this process has used."""
    if resource is None:
        return 0.0
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def cpu_seconds_of(pid: int) -> float:
    """Seconds of CPU that another process has used; 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name of the program, in parentheses, may contain blanks.
            fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


def cpu_wait_seconds_of(pid: int) -> float:
    """Seconds that a thread of another process was ready and got no CPU, of the thread that waited most.

    0 where the system does not say.
    """
    waits = [0.0]
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
                waits.append(int(file.read().split()[1]) / 1e9)
    except (OSError, ValueError, IndexError):
        pass  # A thread has ended meanwhile.
    return max(waits)


def resident_bytes_of(pid: int) -> int:
    """Resident memory of another process in bytes; 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def die_with_parent(pipe_reader: int) -> None:
    """Let the kernel kill this process with SIGIO when the parent's end of the pipe closes."""
    if fcntl is None:
        return
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(pipe_reader, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(pipe_reader, fcntl.F_GETFL)
    fcntl.fcntl(pipe_reader, fcntl.F_SETFL, flags | os.O_ASYNC)
