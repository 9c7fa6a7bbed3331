"""`towpath new` writes a package whose own test passes and whose entry point Towpath finds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.own_package import install
from tests.support.timeouts import COMMAND_SECONDS
from towpath.cli.main import main


def _new(folder: Path, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["new", *arguments, "--folder", str(folder)])
    return result.exit_code, result.output


def test_the_test_of_a_new_package_passes(tmp_path: Path) -> None:
    code, output = _new(tmp_path / "acme", "acme-summary")
    assert code == 0, output
    assert "wrote" in output

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", str(tmp_path / "acme")],
        cwd=tmp_path / "acme",
        env={**os.environ, "PYTHONPATH": str(tmp_path / "acme")},
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


def test_towpath_finds_the_stage_of_a_new_package_when_it_is_installed(tmp_path: Path) -> None:
    _new(tmp_path / "acme", "acme-summary")
    site = install(tmp_path / "acme", tmp_path / "site")
    done = subprocess.run(
        [sys.executable, "-m", "towpath", "stages"],
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )

    assert "acme_summary      Acme summary" in done.stdout, done.stdout + done.stderr
    assert "acme-summary" in done.stdout


@pytest.mark.parametrize("name", ["Acme", "1st", "a b", "../up"])
def test_a_name_that_is_no_package_is_refused(tmp_path: Path, name: str) -> None:
    code, output = _new(tmp_path / "package", name)

    assert code == 2
    assert "The name of a package is" in output
    assert not (tmp_path / "package").exists()


def test_files_that_exist_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    code, output = _new(tmp_path, "acme")

    assert code == 2
    assert "is not empty" in output
    assert (tmp_path / "README.md").read_text() == "mine"
