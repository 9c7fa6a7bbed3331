"""The commands of the BullMQ guide work."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.scenarios.production_cluster import letter
from tests.support.databases import PostgresServer
from tests.support.redis_server import RedisServer
from tests.support.timeouts import COMMAND_SECONDS

ROOT = Path(__file__).parents[2]


def _commands() -> str:
    page = (ROOT / "docs" / "guides" / "bullmq.md").read_text("utf-8")
    return "\n".join(re.findall(r"```console\n(.*?)```", page, re.DOTALL))


def test_the_commands_of_the_guide_work(
    postgres_server: PostgresServer, own_redis: RedisServer, tmp_path: Path
) -> None:
    (tmp_path / "letter.pdf").write_bytes(letter(1))
    # A program and not a function of the shell, so that `kill` ends the worker itself.
    program = tmp_path / "bin" / "towpath"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m towpath "$@"\n')
    program.chmod(0o755)
    end_workers = "trap 'kill $(jobs -p); wait' EXIT\n"
    done = subprocess.run(
        ["bash", "-ec", end_workers + _commands()],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=COMMAND_SECONDS,
        env={
            **os.environ,
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "DATABASE": postgres_server.create(),
            "REDIS": own_redis.url,
        },
    )
    assert done.returncode == 0, done.stdout
    assert "COMPLETED" in done.stdout
    assert "claimed from the database" not in done.stdout
    assert own_redis.events("extract")["completed"] >= 1
