"""Main program of a child process of the pool: runs one function after another until its parent ends."""

from __future__ import annotations

import fcntl
import importlib
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from typing import Any


def main() -> None:
    channel = Connection(int(sys.argv[1]))
    _die_with_parent(int(sys.argv[2]))
    os.nice(int(sys.argv[3]))
    # Terminals and service managers signal the whole process group; the parent decides when this process ends.
    for shared in (signal.SIGINT, signal.SIGTERM):
        signal.signal(shared, signal.SIG_IGN)
    while True:
        try:
            module, name, arguments, memory_bytes, wants_progress = channel.recv()
        except EOFError:
            return
        _cap(resource.RLIMIT_AS, memory_bytes)
        try:
            function = _find(module, name)
            reporting = partial(_report, channel)
            answer = ("done", function(*arguments, **({"progress": reporting} if wants_progress else {})))
        except MemoryError:
            answer = ("memory", None)
        except Exception as error:
            answer = ("raised", _portable(error))
        _send(channel, answer)


def _report(channel: Connection, done: int, total: int) -> None:
    channel.send(("progress", (done, total)))


def _find(module: str, name: str) -> Callable[..., Any]:
    target: Any = importlib.import_module(module)
    for part in name.split("."):
        target = getattr(target, part)
    return target


def _portable(error: Exception) -> Exception:
    """The error itself, or a RuntimeError with its text if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _send(channel: Connection, answer: tuple[str, object]) -> None:
    try:
        channel.send(answer)
    except BrokenPipeError:
        return  # The parent is gone; the next recv raises EOFError.
    except MemoryError:
        channel.send(("memory", None))
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        channel.send(("raised", RuntimeError(f"the result could not be pickled: {error}")))


def _cap(kind: int, limit: int) -> None:
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _die_with_parent(pipe_reader: int) -> None:
    """Let the kernel kill this process with SIGIO when the parent's end of the pipe closes."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(pipe_reader, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(pipe_reader, fcntl.F_GETFL)
    fcntl.fcntl(pipe_reader, fcntl.F_SETFL, flags | os.O_ASYNC)


if __name__ == "__main__":
    main()
