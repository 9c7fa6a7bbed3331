"""Kills of the embedded server: no document is lost, processed twice or paid twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forked_command import run_towpath
from tests.support.servers import Client, Server
from tests.support.timeouts import COMMAND_SECONDS, wait_until


def _book(chapter: int) -> bytes:
    rng = random.Random(chapter)
    sentence = "The boat {} rose with the water of lock {} while the keeper counted {} barrels."
    lines = [f"# Chapter {chapter}\n"]
    lines += [
        sentence.format(rng.choice(("Ann", "Hope", "Swift")), rng.randrange(99), rng.randrange(999))
        for _ in range(400)
    ]
    return "\n\n".join(lines).encode()


def test_a_second_server_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as first:
        second = run_towpath("serve", "--data", str(tmp_path / "data"), "--port", "1")

        assert second.returncode == 2
        assert f"in use by {first.url}" in second.stderr
        assert Client(first.url).get("/health")["status"] == "ok"


def test_serving_beyond_loopback_without_a_key_is_refused(tmp_path: Path) -> None:
    refused = subprocess.run(
        [
            sys.executable,
            "-m",
            "towpath",
            "serve",
            "--data",
            str(tmp_path),
            "--host",
            "0.0.0.0",
            "--port",
            "1",
        ],
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )

    assert refused.returncode == 2
    assert "towpath keys create" in refused.stderr


def test_with_json_logs_every_line_of_the_server_log_is_json(tmp_path: Path) -> None:
    with Server(tmp_path / "data", settings={"TOWPATH_LOG_FORMAT": "json"}) as server:
        client = Client(server.url)
        client.wait_until_finished(client.upload("book.md", _book(1))["id"])
        server.stop()

        lines = [json.loads(line) for line in server.log.read_text().splitlines()]

    assert all({"at", "level", "logger", "message"} <= line.keys() for line in lines)


@pytest.mark.parametrize(("documents", "kills"), [(3, 2), pytest.param(6, 4, marks=pytest.mark.long)])
def test_a_restarted_server_resumes_where_the_killed_one_was(
    tmp_path: Path, documents: int, kills: int
) -> None:
    books = {f"book-{number}.md": _book(number) for number in range(documents)}
    with Server(tmp_path / "calm" / "data") as calm:
        client = Client(calm.url)
        undisturbed = {name: client.upload(name, body)["id"] for name, body in books.items()}
        client.wait_until_finished(*undisturbed.values())
        texts = {name: _texts(client, undisturbed[name]) for name in books}

    data = tmp_path / "stormy" / "data"
    ids: dict[str, str] = {}
    rng = random.Random(7)
    for number in range(kills):
        # All kills may hit the same stage of the same document, which must not be quarantined.
        server = Server(data, settings={"TOWPATH_MAX_CRASHES": "1"}).wait_until_ready()
        client = Client(server.url)
        for name, body in books.items():
            ids[name] = client.upload(name, body)["id"]
        stages_to_complete = number + 1
        wait_until(
            lambda client=client, stages_to_complete=stages_to_complete: (
                _stages_done(client) >= stages_to_complete
            ),
            "some stages to be done",
        )
        wait_until(lambda: rng.random() < 0.3, "a moment of rng")
        server.kill()

    with Server(data, settings={"TOWPATH_MAX_CRASHES": "1"}) as server:
        client = Client(server.url)
        statuses = client.wait_until_finished(*ids.values())
        assert {status["status"] for status in statuses} == {"COMPLETED"}
        for name in books:
            assert _texts(client, ids[name]) == texts[name]
        costs = [client.get(f"/documents/{document}/costs") for document in ids.values()]
        embedded = sum(cost["units"]["texts"] for cost in costs)
        assert embedded == sum(len(chunks) for chunks in texts.values()), (
            "every chunk was embedded exactly once"
        )

    repaired = run_towpath("check", "--repair", "--data", str(data))
    repaired.check_returncode()
    assert "0 missing" in repaired.stdout


def _texts(client: Client, document_id: str) -> list[tuple[str, str]]:
    chunks = client.get(f"/documents/{document_id}/chunks", limit=1000)
    assert len({chunk["id"] for chunk in chunks}) == len(chunks)
    return [(chunk["id"], chunk["text"]) for chunk in chunks]


def _stages_done(client: Client) -> int:
    jobs = client.get("/jobs", status="COMPLETED", limit=500)
    return len({(job["document_id"], job["stage"]) for job in jobs})


@pytest.mark.parametrize("megabytes", [300])
def test_a_large_upload_does_not_grow_the_server(tmp_path: Path, megabytes: int) -> None:
    big = tmp_path / "big.bin"
    with big.open("wb") as file:
        for _ in range(megabytes):
            file.write(random.randbytes(1 << 20))

    with Server(tmp_path / "data") as server:
        before = server.memory()
        with big.open("rb") as file:
            answer = Client(server.url).http.post("/documents", files={"file": ("big.bin", file)})
        grown = server.memory() - before

        assert answer.status_code == 200
        assert answer.json()["size"] == megabytes << 20
        assert grown < 40 << 20, f"grew by {grown >> 20} MB"
