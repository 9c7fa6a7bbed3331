"""The command line as a real process, forked from the fork server: everything is imported, so that it starts in 0.2 s.

The process has its own environment, working folder, signals and log like one that a shell starts. What depends on a new
interpreter (settings of Python, the loader or libraries in the environment) is not for it: see `needs_interpreter`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from tests.support.fork_server import fork_server
from tests.support.timeouts import COMMAND_SECONDS

_AT_START = dict(os.environ)


class ForkedCommand:
    """A `towpath` command in its own process, with the methods of `subprocess.Popen` that tests use."""

    def __init__(
        self,
        arguments: Sequence[str],
        log: Path,
        environment: Mapping[str, str],
        *,
        errors: Path | None = None,
        folder: Path | None = None,
    ) -> None:
        """Both outputs are appended to ``log``, or the second one to ``errors``."""
        log.touch()
        given = (list(arguments), str(log), str(errors or log), str(folder or Path.cwd()), dict(environment))
        self._process: ForkServerProcess = fork_server.Process(target=_run, args=given, daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("towpath", timeout or 0)
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def run_towpath(
    *arguments: str, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in its own process, and return what it printed."""
    with tempfile.TemporaryDirectory() as place:
        output, errors = Path(place) / "output", Path(place) / "errors"
        command = ForkedCommand(
            arguments,
            output,
            os.environ if environment is None else environment,
            errors=errors,
            folder=folder,
        )
        try:
            code = command.wait(COMMAND_SECONDS)
        finally:
            command.kill()
        return subprocess.CompletedProcess(
            list(arguments), code, output.read_text("utf-8"), errors.read_text("utf-8")
        )


def needs_interpreter(environment: Mapping[str, str]) -> bool:
    """Whether variables have changed that may matter before Towpath reads its settings."""
    return any(
        _AT_START.get(name) != environment.get(name)
        for name in _AT_START.keys() | environment.keys()
        if not name.startswith(("TOWPATH_", "PYTEST_"))
    )


def _run(arguments: list[str], log: str, errors: str, folder: str, environment: dict[str, str]) -> None:
    from towpath.cli import main

    for descriptor, path in ((1, log), (2, errors)):
        with Path(path).open("ab") as file:
            os.dup2(file.fileno(), descriptor)
    os.chdir(folder)
    os.environ.clear()
    # The fork server has used the tokenizers; their threads do not survive a fork.
    os.environ |= {**environment, "TOKENIZERS_PARALLELISM": "false"}
    sys.argv = ["towpath", *arguments]
    main(arguments)
