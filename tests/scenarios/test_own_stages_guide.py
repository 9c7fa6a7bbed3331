"""The commands and settings of the guide for own stages work, with an emulator as the service."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.emulators.summaries import WORD, running_summaries
from tests.support.own_package import install
from tests.support.timeouts import COMMAND_SECONDS

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "own-stages.md").read_text("utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def _run(folder: Path, commands: str, *path: Path) -> str:
    python = shlex.quote(sys.executable)
    functions = "".join(f'{name}() {{ {python} -m {name} "$@"; }}\n' for name in ("towpath", "pytest"))
    done = subprocess.run(
        ["bash", "-ec", functions + commands],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_commands_of_the_guide_work(tmp_path: Path) -> None:
    package, use, _drill = _blocks("console")
    entry_point, settings, reader_entry_point = _blocks("toml")
    (tmp_path / "letter.txt").write_text("The barge of Braunston carries coal to the wharf of Tring.\n")
    site = tmp_path / "site"

    write, install_line, test = package.splitlines()
    assert install_line == "pip install -e ./acme-summary"
    _run(tmp_path, write)
    install(tmp_path / "acme-summary", site)
    assert "3 passed" in _run(tmp_path, f"{test} -p no:cacheprovider -n 0", site)
    assert entry_point in (tmp_path / "acme-summary" / "pyproject.toml").read_text("utf-8")
    assert reader_entry_point.startswith('[project.entry-points."towpath.readers"]')

    with running_summaries() as service:
        assert "http://127.0.0.1:9000" in settings
        (tmp_path / "towpath.toml").write_text(
            settings.replace("http://127.0.0.1:9000", service.endpoint), "utf-8"
        )
        output = _run(tmp_path, use, site)
        assert "acme_summary" in output
        assert "acme (settings)" in output
        assert "rule        acme if media_type application/pdf and department = fin*" in output
        assert "1 file: completed" in output
        assert re.search(r"Acme summary +COMPLETED", output)
        assert "letter.txt" in output
        assert service.bill.operations == 1


@pytest.mark.long
def test_the_drill_of_the_guide_is_green(tmp_path: Path) -> None:
    """The short form, with a package of the tests, is in `test_own_package.py`."""
    package, _use, drill = _blocks("console")
    _entry_point, settings, _reader_entry_point = _blocks("toml")
    site = tmp_path / "site"
    _run(tmp_path, package.splitlines()[0])
    install(tmp_path / "acme-summary", site)
    assert "--minutes 1" in drill
    shorter = drill.replace("--minutes 1", "--minutes 0.05 --documents 2 --seed 3")
    with running_summaries() as service:
        (tmp_path / "towpath.toml").write_text(
            settings.replace("http://127.0.0.1:9000", service.endpoint), "utf-8"
        )
        assert "GREEN" in _run(tmp_path, shorter, site)
        assert any(WORD in answer for answer in service.answers.values())


def test_the_python_of_the_guide_is_valid() -> None:
    for block in _blocks("python"):
        compile(block, "own-stages.md", "exec")
