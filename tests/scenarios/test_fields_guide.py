"""The commands of the guide for fields work: with the emulator, the shipped schemas and an own one."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.emulators.process import EmulatorProcess, reset, state
from tests.support.ports import free_port
from tests.support.servers import Client
from tests.support.timeouts import COMMAND_SECONDS, PROCESS_SECONDS, wait_until

ROOT = Path(__file__).parents[2]


def _blocks() -> list[str]:
    page = (ROOT / "docs" / "guides" / "fields.md").read_text("utf-8")
    return re.findall(r"```console\n(.*?)```", page, re.DOTALL)


def _bash(commands: str) -> list[str]:
    towpath = f'towpath() {{ {shlex.quote(sys.executable)} -m towpath "$@"; }}\n'
    return ["bash", "-ec", towpath + commands]


def _run(folder: Path, commands: str) -> str:
    done = subprocess.run(
        _bash(commands),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def _serving(folder: Path, commands: str) -> Generator[Client]:
    """Run the commands that end with `towpath serve`, on a free port."""
    port = free_port()
    serve = commands.replace(
        "towpath serve", f"exec {shlex.quote(sys.executable)} -m towpath serve --port {port}"
    )
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(["bash", "-ec", serve], cwd=folder, stdout=log, stderr=log)
    client = Client(f"http://127.0.0.1:{port}")

    def is_ready() -> bool:
        assert process.poll() is None, (folder / "server.log").read_text()
        try:
            return client.http.get("/ready").status_code == 200
        except httpx.TransportError:
            return False

    try:
        wait_until(is_ready, "the server to be ready")
        yield client
    finally:
        process.terminate()
        process.wait(PROCESS_SECONDS)


def _wait_for_calls(client: Client, emulators: EmulatorProcess, calls: int) -> None:
    """Wait until the model was called so often, and no job is left."""

    def is_done() -> bool:
        [document] = client.get("/documents")["documents"]
        stages = client.get(f"/documents/{document['id']}/status")["stages"]
        done = any(stage["name"] == "extract_fields" and stage["status"] == "COMPLETED" for stage in stages)
        return done and state(emulators.openai)["billed"]["operations"] == calls

    wait_until(is_done, "the fields of the document", every=0.2)


def test_the_commands_of_the_guide_work(emulators: EmulatorProcess, tmp_path: Path) -> None:
    reset(emulators.openai)
    exports = [f"export {name}={value}" for name, value in emulators.settings.items()]
    (tmp_path / "emulators.env").write_text("\n".join(exports))
    shutil.copy(ROOT / "tests" / "data" / "walkthrough" / "invoice.txt", tmp_path)
    serve, submit, show, put, own = _blocks()

    with _serving(tmp_path, serve) as client:
        _run(tmp_path, submit)
        _wait_for_calls(client, emulators, 1)
        shown = _run(tmp_path, show)
        assert "Schema invoice:" in shown
        assert re.search(r"^total +2928\.00 +money +yes", shown, re.MULTILINE)
        assert re.search(r"^iban +GB33BUKB20201555555555 +iban +unverified", shown, re.MULTILINE)
        assert re.search(r"^receipt +shipped ", shown, re.MULTILINE)
        assert json.loads(shown[shown.index("\n{") :])["title"] == "Invoice"

        stored = _run(tmp_path, put)
        assert "supplier, total, line_items[].description, line_items[].amount" in stored
        _wait_for_calls(client, emulators, 2)
        listed = _run(tmp_path, own)
        fields = json.loads(listed[: listed.rindex("]") + 1])
        values = {field["name"]: field["value"] for field in fields if field["schema"] == "invoice"}
        assert values == {
            "supplier": "Wharf & Sons Ltd",
            "total": "2928.00",
            "line_items[0].description": "Lock gate, oak",
            "line_items[0].amount": "1800.00",
            "line_items[1].description": "Paddle gear",
            "line_items[1].amount": "640.00",
        }
        assert "Schema invoice is deleted." in listed
        assert [entry["source"] for entry in client.get("/schemas")] == ["shipped", "shipped"]
