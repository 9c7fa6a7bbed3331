"""The inside of a child process: runs one function after another, under caps, until its parent is gone."""

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
    # Terminals and service managers signal a whole group at once; when this one ends is its parent's to say.
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
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _portable(error: Exception) -> Exception:
    """The error itself, or its words where it would not survive the journey."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _send(channel: Connection, answer: tuple[str, object]) -> None:
    try:
        channel.send(answer)
    except BrokenPipeError:
        return  # Nobody is there any more, and the next word from there is that it has ended.
    except MemoryError:
        channel.send(("memory", None))
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        channel.send(("raised", RuntimeError(f"the answer could not be sent back: {error}")))


def _cap(kind: int, limit: int) -> None:
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _die_with_parent(lifeline: int) -> None:
    """The kernel itself sends SIGIO, which kills, when the parent's end of this pipe closes."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)


if __name__ == "__main__":
    main()
