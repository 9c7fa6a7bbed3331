"""Runs the commands of docs/guides/walkthrough.md and puts their output into the page.

``python -m tests.support.walkthrough`` writes the page. Each block has one line that begins with `$ `, the command.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.recordings import sample
from tests.support.servers import Server
from tests.support.timeouts import COMMAND_SECONDS, wait_until

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guides" / "walkthrough.md"
FILES = ROOT / "tests" / "data" / "walkthrough"
BLOCK = re.compile(r"^```console\n\$ (?P<command>.*)\n(?P<output>(?:.*\n)*?)```$", re.MULTILINE)


def outputs(page: str) -> dict[str, str]:
    """The output of each command as the page has it."""
    return {match["command"]: match["output"] for match in BLOCK.finditer(page)}


def run_commands(commands: list[str], folder: Path) -> dict[str, str]:
    """What the commands print, in order, in a folder with the files and a running server."""
    papers = folder / "papers"
    shutil.copytree(FILES, papers)
    (papers / "call.wav").write_bytes(sample("beckett.wav"))
    program = folder / "bin" / "towpath"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m towpath "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "COLUMNS": "110"}
    with Server(folder / "towpath-data"):
        return {command: _run_when_idle(command, folder, environment) for command in commands}


def _run_when_idle(command: str, folder: Path, environment: dict[str, str]) -> str:
    """Run a command; what shows the stages of a document is repeated until its follow-up is done."""

    def run() -> str | None:
        printed = _run(command, folder, environment)
        return printed if "  Connect " not in printed or "COMPLETED" in _line(printed, "  Connect ") else None

    return wait_until(run, "the follow-up to be done")


def _line(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(start))


def _run(command: str, folder: Path, environment: dict[str, str]) -> str:
    ended = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
    return "".join(f"{line.rstrip()}\n" for line in ended.stdout.splitlines())


def main() -> None:
    page = PAGE.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        printed = run_commands(list(outputs(page)), Path(folder))
    PAGE.write_text(
        BLOCK.sub(lambda match: f"```console\n$ {match['command']}\n{printed[match['command']]}```", page),
        "utf-8",
    )


if __name__ == "__main__":
    main()
