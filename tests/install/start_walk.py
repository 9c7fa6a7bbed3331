"""Follows docs/start.md literally: two clean shells with a new home folder, in a network namespace of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.support.timeouts import COMMAND_SECONDS, PROCESS_SECONDS, wait_until

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Run the commands of the first terminal up to `towpath serve`, then those of the second; print what they print."""
    home = Path(sys.argv[1])
    blocks = _BLOCK.findall((ROOT / "docs" / "start.md").read_text("utf-8"))
    serving = next(number for number, block in enumerate(blocks) if "towpath serve\n" in block)
    first, second = "".join(blocks[: serving + 1]), "".join(blocks[serving + 1 :])
    environment = {"HOME": str(home), "PATH": f"{_programs(home)}:/usr/bin:/bin"}
    log = home / "first-terminal.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            ["bash", "-ec", first],
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )

    def is_running() -> bool:
        text = log.read_text("utf-8", "replace")
        assert server.poll() is None, text
        return "Towpath is running at http://127.0.0.1:8000" in text

    try:
        wait_until(is_running, "the server to print its address", PROCESS_SECONDS)
        # A login shell, as in a new terminal: it reads ~/.profile.
        ended = subprocess.run(
            ["bash", "-lexc", second],
            cwd=home,
            env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        server.wait(PROCESS_SECONDS)
    print(ended.stdout)
    if ended.returncode:
        raise SystemExit(ended.stderr)


def _programs(home: Path) -> Path:
    """A folder with a `make` that takes the virtual environment of this checkout as it is: tests install nothing."""
    folder = home / "programs"
    folder.mkdir()
    make = folder / "make"
    make.write_text('#!/bin/sh\nexec /usr/bin/make -o .venv/run.stamp "$@"\n')
    make.chmod(0o755)
    return folder


if __name__ == "__main__":
    main()
