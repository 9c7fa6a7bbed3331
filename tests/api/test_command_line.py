"""The commands, as a person or a script runs them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.servers import Server

ROOT = Path(__file__).parents[2]


class Shell:
    """A terminal in an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str, expect: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "towpath", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={name: value for name, value in os.environ.items() if not name.startswith("TOWPATH_")},
        )
        assert done.returncode == expect, done.stderr
        return done.stdout if expect == 0 else done.stdout + done.stderr

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json"))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_a_folder_is_submitted_watched_and_searched_without_a_server(shell: Shell) -> None:
    files = shell.folder / "files"
    files.mkdir()
    (files / "lock.md").write_text("# Locks\n\nA staircase of five locks climbs the hill at Bingley.\n")
    (files / "boat.txt").write_text("The narrow boat carries coal and one dog.\n")
    (files / "broken.pdf").write_bytes(b"%PDF-1.7\nnot much more")

    told = shell.run("submit", "files", "--wait", expect=1)
    hits = shell.json("search", "staircase of five locks")["hits"]

    assert "3 files: 2 completed, 1 failed" in told
    assert "REJECTED" in told
    assert hits[0]["document_name"] == "lock.md"


def test_status_runs_jobs_and_delete(shell: Shell) -> None:
    (shell.folder / "note.txt").write_text("A note for the lock keeper.\n")
    sent = shell.json("submit", "note.txt", "--wait")

    assert "COMPLETED" in shell.run("status", sent["id"])
    assert "RUN_COMPLETED" in shell.run("runs", sent["id"])
    assert {job["stage"] for job in shell.json("jobs")} == {
        "extract",
        "save_markdown",
        "chunk",
        "embed",
        "publish",
        "connect",
    }
    assert "removed note.txt" in shell.run("delete", sent["id"], "--yes")
    assert "There is no document" in shell.run("status", sent["id"], expect=2)


def test_commands_talk_to_the_server_of_the_folder(shell: Shell) -> None:
    (shell.folder / "note.txt").write_text("A note for the running server.\n")
    with Server(shell.folder / "towpath-data"):
        told = shell.run("submit", "note.txt", "--wait")
        again = shell.run("submit", "note.txt", "--wait")

    assert "1 files: 1 completed" in told
    assert "1 were here already" in again


def test_keys_are_made_listed_and_revoked(shell: Shell) -> None:
    made = shell.json("keys", "create", "laptop", "--organization", "wharf")
    [listed] = shell.json("keys", "list")

    assert made["secret"].startswith("tp_")
    assert listed["name"] == "laptop"
    assert made["secret"] not in json.dumps(listed)
    assert "revoked" in shell.run("keys", "revoke", made["id"])
    assert "no living key" in shell.run("keys", "revoke", made["id"], expect=2)


def test_check_tells_every_setting_and_its_source(shell: Shell) -> None:
    (shell.folder / "towpath.toml").write_text("port = 8123\n")

    told = shell.json("check")

    assert told["settings"]["port"] == {"value": 8123, "source": "file towpath.toml"}
    assert told["settings"]["lease_seconds"]["source"] == "default"


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("prot = 1\n", "There is no setting `prot`"),
        ('port = "many"\n', "cannot be 'many'"),
        ("lease_seconds = 5\n", "heartbeat_seconds"),
        ('reader = "azure"\n', "needs `document_intelligence_endpoint`"),
        ("port = = 1\n", "not valid TOML"),
        ('recovery = "pray"\n', "must be one of resume, fail"),
    ],
)
def test_a_wrong_setting_is_told_in_a_sentence(shell: Shell, file: str, sentence: str) -> None:
    (shell.folder / "towpath.toml").write_text(file)

    told = shell.run("check", expect=2)

    assert sentence in told
    assert "Traceback" not in told


def test_the_commands_of_the_first_page_work(shell: Shell) -> None:
    """Every `towpath` line of docs/start.md, in order."""
    (shell.folder / "README.md").write_text((ROOT / "README.md").read_text("utf-8"))
    lines = (ROOT / "docs" / "start.md").read_text("utf-8").splitlines()
    commands = [line.removeprefix("towpath ") for line in lines if line.startswith("towpath ")]

    assert len(commands) >= 4
    for command in commands:
        shell.run(*shlex.split(command))
