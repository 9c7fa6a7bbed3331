"""The main program of a child process of the pool: runs one function after another until its parent ends."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from towpath.os_resources import cpu_seconds, die_with_parent, set_limit
from towpath.process_sandbox import MAX_CPU_SECONDS, SandboxPaths, enter_sandbox
from towpath.worker.file_handover import received_files
from towpath.worker.safe_pickle import is_portable

#: Memory that libraries may allocate beyond the limit of resident memory, because they do not use all of it.
RESERVED_MEMORY_MARGIN = 2 << 30
#: Address space beyond the memory limit: libraries, mapped files, and space that is reserved but not used.
ADDRESS_SPACE_MARGIN = 4 << 30


def main() -> None:
    channel = Connection(int(sys.argv[1]))
    handover = socket.socket(fileno=os.dup(int(sys.argv[1])))
    die_with_parent(int(sys.argv[2]))
    os.nice(int(sys.argv[3]))
    # Files of libraries, such as caches, are as private as the data.
    os.umask(0o077)
    # Terminals and service managers signal the whole process group; the parent decides when this process ends.
    for shared in (signal.SIGINT, signal.SIGTERM):
        signal.signal(shared, signal.SIG_IGN)
    sandboxed, paths = _decode_sandbox(sys.argv[4])
    if sandboxed:
        enter_sandbox(paths)
    while True:
        try:
            module, name, arguments, memory_bytes, wants_progress = channel.recv()
        except EOFError:
            return
        _limit_job(memory_bytes, sandboxed)
        try:
            function = _find(module, name)
            options = {"progress": partial(_report, channel)} if wants_progress else {}
            with received_files(handover, arguments) as files:
                answer = ("done", function(*files, **options))
        except MemoryError:
            answer = ("memory", None)
        except Exception as error:
            answer = ("raised", _portable(error, sandboxed))
        _send(channel, answer)


def _report(channel: Connection, done: int, total: int) -> None:
    channel.send(("progress", (done, total)))


def _find(module: str, name: str) -> Callable[..., Any]:
    target: Any = importlib.import_module(module)
    for part in name.split("."):
        target = getattr(target, part)
    return target


def _portable(error: Exception, sandboxed: bool) -> Exception:
    """The error itself, or a RuntimeError with its text if it cannot be pickled or would not be accepted."""
    if sandboxed:
        portable = is_portable(error)
    else:
        try:
            pickle.loads(pickle.dumps(error))
            portable = True
        except Exception:
            portable = False
    return error if portable else RuntimeError(f"{type(error).__name__}: {error}")


def _send(channel: Connection, answer: tuple[str, object]) -> None:
    try:
        channel.send(answer)
    except BrokenPipeError:
        return  # The parent is gone; the next recv raises EOFError.
    except MemoryError:
        channel.send(("memory", None))
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        channel.send(("raised", RuntimeError(f"the result could not be pickled: {error}")))


def _limit_job(memory_bytes: int, sandboxed: bool) -> None:
    """Limit the memory of the next job, and its CPU time.

    The parent kills a child process whose resident memory exceeds ``memory_bytes``. The limits here stop a single
    large allocation before it is used. They are wider, because runtimes of models reserve more than they use.
    """
    set_limit("DATA", min(memory_bytes + RESERVED_MEMORY_MARGIN, sys.maxsize))
    set_limit("AS", min(memory_bytes + ADDRESS_SPACE_MARGIN, sys.maxsize))
    if sandboxed:
        set_limit("CPU", int(cpu_seconds()) + MAX_CPU_SECONDS)


def encode_sandbox(sandboxed: bool, paths: SandboxPaths | None) -> str:
    """The argument that tells a child process about its sandbox."""
    folders = paths and [
        str(paths.scratch),
        str(paths.temporary),
        [*map(str, paths.readable)],
        [*map(str, paths.writable)],
    ]
    return json.dumps([sandboxed, folders])


def _decode_sandbox(text: str) -> tuple[bool, SandboxPaths | None]:
    sandboxed, folders = json.loads(text)
    if folders is None:
        return sandboxed, None
    scratch, temporary, readable, writable = folders
    return sandboxed, SandboxPaths(
        Path(scratch), Path(temporary), [*map(Path, readable)], [*map(Path, writable)]
    )


if __name__ == "__main__":
    main()
