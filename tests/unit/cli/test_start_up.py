"""The version, the help and completion load no heavy package; completion works in bash, zsh and fish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from tests.support.timeouts import COMMAND_SECONDS

HEAVY = (
    "alembic",
    "asyncio",
    "fastapi",
    "httpx",
    "numpy",
    "onnxruntime",
    "pydantic",
    "rich",
    "sqlalchemy",
    "uvicorn",
)
_REPORT = f"""
import atexit, sys
atexit.register(lambda: print("HEAVY", *sorted(set({HEAVY}) & set(sys.modules))))
from towpath.cli import main
main()
"""


def run(
    *arguments: str, variables: Mapping[str, str] | None = None, program: str = "-m towpath"
) -> subprocess.CompletedProcess[str]:
    command = ["-c", program] if "\n" in program else program.split()
    return subprocess.run(
        [sys.executable, *command, *arguments],
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
        env={**os.environ, **(variables or {})},
    )


def completing(shell: str, line: str) -> dict[str, str]:
    """The variables with which a shell's completion script calls the program; the last word is being completed."""
    words = line.split(" ")
    variables = {
        "_TOWPATH_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    # fish passes the word that is being completed.
    return variables | ({"COMP_CWORD": words[-1]} if shell == "fish" else {})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["--version"], {}),
        (["--help"], {}),
        (["submit", "--help"], {}),
        (["config", "--example"], {}),
        ([], completing("bash", "towpath se")),
        ([], completing("bash", "towpath submit --")),
        ([], completing("bash", "towpath keys c")),
        ([], completing("fish", "towpath jobs --status P")),
    ],
    ids=[
        "version",
        "help",
        "submit",
        "config",
        "complete-command",
        "complete-option",
        "complete-keys",
        "complete-choice",
    ],
)
def test_nothing_heavy_is_loaded(arguments: list[str], variables: dict[str, str]) -> None:
    completed = run(*arguments, variables=variables, program=_REPORT)

    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.splitlines()[-1].split() == ["HEAVY"]


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_offers_commands_options_and_choices(shell: str) -> None:
    def offers(line: str) -> list[str]:
        output = run(variables=completing(shell, line)).stdout
        if shell == "zsh":
            # Three lines per offer: type, value, help.
            return output.splitlines()[1::3]
        return [line.split(",", 1)[1].split("\t")[0].split("\\t")[0] for line in output.splitlines()]

    assert offers("towpath se") == ["search", "serve"]
    assert "--wait" in offers("towpath submit --")
    assert offers("towpath keys c") == ["create"]
    assert offers("towpath jobs --status P") == ["PENDING", "PROCESSING"]
    assert "--server" in offers("towpath --s")
    assert "submit" in offers("towpath sumbit ")


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_accepted_by_its_shell(shell: str, tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(run("completion", shell).stdout)

    assert "_TOWPATH_COMPLETE" in script.read_text()
    if (program := shutil.which(shell)) is not None:
        subprocess.run([program, "-n", str(script)], check=True, timeout=COMMAND_SECONDS)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_after_the_script_was_sourced(tmp_path: Path) -> None:
    program = tmp_path / "towpath"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m towpath "$@"\n')
    program.chmod(0o755)
    lines = f"""
        PATH="{tmp_path}:$PATH"
        source <(towpath completion bash)
        COMP_WORDS=(towpath tran) COMP_CWORD=1
        $(complete -p towpath | sed 's/.*-F \\([^ ]*\\).*/\\1/') towpath tran towpath
        echo "${{COMPREPLY[@]}}"
    """
    completed = subprocess.run(
        ["bash", "-c", lines], capture_output=True, text=True, timeout=COMMAND_SECONDS, check=True
    )

    assert completed.stdout.split() == ["transcript"], completed.stderr


@pytest.mark.timed
@pytest.mark.parametrize(
    "variables", [{}, completing("bash", "towpath submit --")], ids=["version", "completion"]
)
def test_version_and_completion_take_a_quarter_of_a_second_of_cpu(variables: dict[str, str]) -> None:
    def cpu_seconds() -> float:
        times = psutil.Process().cpu_times()
        return times.children_user + times.children_system

    measured: list[float] = []
    for _ in range(5):
        before = cpu_seconds()
        run(*([] if variables else ["--version"]), variables=variables)
        measured.append(cpu_seconds() - before)

    assert min(measured) <= 0.25
