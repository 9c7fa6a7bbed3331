"""The code blocks of a guide, and a shell that runs its commands with this checkout's `towpath`."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.support.timeouts import COMMAND_SECONDS

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def guide_blocks(name: str, language: str = "console") -> list[str]:
    """The blocks of this language in the guide ``name``, in their order."""
    page = (GUIDES / f"{name}.md").read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def run_shell(folder: Path, commands: str) -> str:
    """What the commands print. A command that fails ends the test with its output."""
    towpath = f'towpath() {{ {shlex.quote(sys.executable)} -m towpath "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-ec", towpath + commands],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
