"""Runs the emulators in their own process, so that they survive workers that a test kills."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class EmulatorProcess:
    """Where the emulators listen: the environment for Towpath, and their control doors."""

    settings: dict[str, str]
    pid: int

    @property
    def document_intelligence(self) -> str:
        return self.settings["TOWPATH_DOCUMENT_INTELLIGENCE_ENDPOINT"]

    @property
    def openai(self) -> str:
        return self.settings["TOWPATH_OPENAI_BASE_URL"].removesuffix("/v1")

    @property
    def speechkit(self) -> str:
        return self.settings["TOWPATH_SPEECHKIT_STT_URL"]


@contextmanager
def emulator_process(*arguments: str) -> Generator[EmulatorProcess]:
    """Start all emulators on free ports; they are stopped at the end."""
    ports = [f"--{name}-port=0" for name in ("document-intelligence", "openai", "speechkit")]
    command = [sys.executable, "-m", "tests.support.emulators", "--json", *ports, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield EmulatorProcess(json.loads(process.stdout.readline()), process.pid)
        finally:
            process.terminate()


def state(url: str) -> dict[str, Any]:
    """What the emulator at this address was asked for, and what it billed."""
    with urlopen(f"{url}/_control/state") as answer:
        return json.load(answer)


def order_fault(url: str, **fault: Any) -> None:
    """Let the emulator at this address answer with a fault; see ``Fault`` for the arguments."""
    _post(f"{url}/_control/faults", fault)


def reset(url: str, **pace: float) -> None:
    """Delete the emulator's state; ``polls`` and ``seconds`` set how long its operations take."""
    _post(f"{url}/_control/reset", pace)


def _post(url: str, body: dict[str, Any]) -> None:
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request) as answer:
        answer.read()
