"""The commands of `towpath`, each run as a process."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.emulators.process import emulator_process, order_fault
from tests.support.forked_command import run_towpath
from tests.support.servers import Server
from tests.support.timeouts import COMMAND_SECONDS, REQUEST_SECONDS

ROOT = Path(__file__).parents[2]


class Shell:
    """Runs commands in an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str, expect: int = 0) -> str:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TOWPATH_")}
        completed = run_towpath(*arguments, environment=clean, folder=self.folder)
        assert completed.returncode == expect, completed.stderr
        return completed.stdout if expect == 0 else completed.stdout + completed.stderr

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json"))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    # The fast model is loaded sooner, and no test here is about the quality of search.
    (tmp_path / "towpath.toml").write_text('embedder = "fast"\n')
    return Shell(tmp_path)


def test_a_folder_is_submitted_and_searched_without_a_server(shell: Shell) -> None:
    files = shell.folder / "files"
    files.mkdir()
    (files / "lock.md").write_text("# Locks\n\nA staircase of five locks climbs the hill at Bingley.\n")
    (files / "boat.txt").write_text("The narrow boat carries coal and one dog.\n")
    (files / "broken.pdf").write_bytes(b"%PDF-1.7\nnot much more")

    output = shell.run("submit", "files", "--wait", "--create", expect=1)
    hits = shell.json("search", "staircase of five locks")["hits"]

    assert "3 files: 2 completed, 1 failed" in output
    assert "REJECTED" in output
    assert hits[0]["document_name"] == "lock.md"


def test_what_cannot_be_read_in_a_folder_is_named_with_the_reason(shell: Shell) -> None:
    files = shell.folder / "files"
    files.mkdir()
    (files / "boat.txt").write_text("The narrow boat carries coal and one dog.\n")
    (files / "gone.txt").symlink_to(files / "nowhere.txt")

    output = shell.run("submit", "files", "--create", expect=1)

    assert re.search(r"-  +files/gone.txt  REFUSED  It cannot be read: No such file or directory\.", output)
    assert "2 files: 1 processing, 1 refused" in output


def test_a_folder_to_import_that_does_not_exist_is_named(shell: Shell) -> None:
    assert "There is no folder nowhere." in shell.run("import", "nowhere", expect=2)


def test_status_runs_jobs_and_delete(shell: Shell) -> None:
    (shell.folder / "note.txt").write_text("A note for the lock keeper.\n")
    sent = shell.json("submit", "note.txt", "--wait", "--create")

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
    assert "Deleted note.txt." in shell.run("delete", sent["id"], "--yes")
    assert "There is no document" in shell.run("status", sent["id"], expect=2)


def test_a_stage_is_paused_and_resumed(shell: Shell) -> None:
    (shell.folder / "note.txt").write_text("A note for the lock keeper.\n")
    shell.run("submit", "note.txt", "--create")

    assert "is paused" in shell.run("pause", "stage", "embed")
    assert "is resumed" in shell.run("resume", "stage", "embed")
    assert "is not paused" in shell.run("resume", "stage", "embed", expect=2)


def test_the_folder_above_the_library_is_recognized(shell: Shell) -> None:
    (shell.folder / "note.txt").write_text("A note for the lock keeper.\n")
    shell.run("submit", "note.txt", "--create")

    output = shell.run("list", "--data", str(shell.folder), expect=2)

    assert f"Use --data {shell.folder / 'towpath-data'}" in output


def test_commands_talk_to_the_server_of_the_folder(shell: Shell) -> None:
    (shell.folder / "note.txt").write_text("A note for the running server.\n")
    with Server(shell.folder / "towpath-data"):
        output = shell.run("submit", "note.txt", "--wait")
        repeated = shell.run("submit", "note.txt", "--wait")

    assert "1 file: completed" in output
    assert "1 file: completed (already in the library)" in repeated


def test_keys_are_created_listed_and_revoked(shell: Shell) -> None:
    made = shell.json("keys", "create", "laptop", "--organization", "wharf")
    [listed] = shell.json("keys", "list")

    assert made["secret"].startswith("tp_")
    assert listed["name"] == "laptop"
    assert made["secret"] not in json.dumps(listed)
    shell.run("keys", "create", "phone")
    assert shell.run("keys", "list").splitlines()[0].split()[:2] == ["ID", "NAME"]
    assert "Revoked." in shell.run("keys", "revoke", made["id"])
    assert "No active key" in shell.run("keys", "revoke", made["id"], expect=2)
    assert "Revoked." in shell.run("keys", "revoke", "phone")


def test_check_shows_every_setting_and_its_source(shell: Shell) -> None:
    (shell.folder / "towpath.toml").write_text("port = 8123\n")

    shell.run("migrate")

    output = shell.json("check")

    assert output["settings"]["port"] == {"value": 8123, "source": "file towpath.toml"}
    assert output["settings"]["lease_seconds"]["source"] == "default"


def test_check_lists_the_profiles_and_marks_the_chosen_one(shell: Shell) -> None:
    (shell.folder / "towpath.toml").write_text('profile = "checkpointed"\n')

    output = shell.json("check")

    assert output["settings"]["lease_seconds"] == {"value": 1800.0, "source": "profile checkpointed"}
    assert output["profiles"]["single-process"]["recovery"] == "fail"
    assert "* checkpointed: " in shell.run("check")


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("prot = 1\n", "There is no setting `prot` (file towpath.toml). Did you mean `port`?"),
        ('port = "many"\n', "The setting `port` (file towpath.toml) must be a whole number, not 'many'."),
        ('traces = "maybe"\n', "must be true or false, not 'maybe'"),
        ("lease_seconds = 5\n", "heartbeat_seconds"),
        ('reader = "azure"\n', "needs `document_intelligence_endpoint`"),
        ("port = = 1\n", "not valid TOML"),
        ('recovery = "pray"\n', "must be one of resume, fail"),
    ],
)
def test_a_wrong_setting_is_reported_as_a_sentence(shell: Shell, file: str, sentence: str) -> None:
    (shell.folder / "towpath.toml").write_text(file)

    output = shell.run("serve", expect=2)

    assert sentence in output
    assert "Traceback" not in output


def test_a_port_in_use_is_reported_with_advice(shell: Shell) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        output = shell.run("serve", "--port", str(port), expect=2)

    assert f"Port {port} of 127.0.0.1 is in use by another program." in output
    assert "--port 0 for a free one" in output
    assert "Traceback" not in output
    assert "is running at" not in output
    assert not (shell.folder / "towpath-data").exists()


def test_a_second_server_of_the_same_folder_names_the_first(shell: Shell) -> None:
    with Server(shell.folder / "towpath-data") as server:
        same_port = shell.run("serve", "--port", str(server.port), expect=2)
        other_port = shell.run("serve", "--port", "0", expect=2)

    assert f"already running at {server.url}" in same_port
    assert f"in use by {server.url}" in other_port


def test_the_address_is_printed_once_the_server_listens(shell: Shell) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "towpath", "serve", "--port", "0"],
        cwd=shell.folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "is running at" in line)
        url = line.split()[-1]

        assert httpx.get(f"{url}/health", timeout=REQUEST_SECONDS).status_code == 200
    finally:
        process.terminate()
        process.communicate(timeout=COMMAND_SECONDS)


def test_a_live_check_asks_each_provider_once_and_names_the_one_that_refuses(shell: Shell) -> None:
    with emulator_process() as emulators:
        settings = [
            f'{name.removeprefix("TOWPATH_").lower()} = "{value}"'
            for name, value in emulators.settings.items()
        ]
        providers = (
            'reader = "azure"',
            'embedder = "openai"',
            'transcriber = "speechkit"',
            'call_analyzer = "openai"',
        )
        file = shell.folder / "towpath.toml"
        file.write_text("\n".join([*settings, *providers]))
        probes = shell.json("check", "--live")["providers"]
        order_fault(emulators.openai, on="chat", kind="status", status=401)
        output = shell.run("check", "--live", expect=2)
    names = [line.replace('"', "") for line in providers]
    assert {probe["name"]: probe["error"] for probe in probes} == dict.fromkeys(names)
    assert "call_analyzer = openai: OpenAI refused the key" in output
    assert "The live check failed: call_analyzer = openai." in output


def test_a_live_check_without_providers_says_so(shell: Shell) -> None:
    assert "No provider is configured" in shell.run("check", "--live")
