"""`towpath drill` is green on both engines, and red with a planted bug."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from psycopg import sql

from tests.crash.planted_bugs import OfferOnceEver, PublishInTwoParts
from tests.support.databases import PostgresServer
from tests.support.timeouts import COMMAND_SECONDS
from towpath.drill import chaos, run
from towpath.drill.run import DrillOptions, drill
from towpath.drill.sample_documents import sample_documents
from towpath.drill.snapshot import DocumentSnapshot, Snapshot, differences
from towpath.errors import UserError

_SMALL = ("--seed", "7", "--documents", "4")


def _drill(tmp_path: Path, *flags: str) -> tuple[int, dict[str, Any]]:
    report = tmp_path / "report.json"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "towpath", "drill", *_SMALL, "--report", str(report), *flags],
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        env=environment,
        check=False,
    )
    assert report.exists(), done.stderr
    return done.returncode, json.loads(report.read_text("utf-8"))


def _databases(server: PostgresServer) -> list[tuple[object, ...]]:
    return server.command(sql.SQL("select datname from pg_database order by 1").format())


def test_a_short_drill_on_postgres_is_green(tmp_path: Path, postgres_server: PostgresServer) -> None:
    before = _databases(postgres_server)
    code, report = _drill(tmp_path, "--minutes", "0.05", "--database", postgres_server.dsn())

    assert report["findings"] == []
    assert (code, report["verdict"]) == (0, "green")
    assert report["kills"] > 0
    assert report["documents"] >= 4
    assert report["chunks"] == report["vectors"] > 0
    assert report["calls_repeated"] <= report["open_windows"]
    assert _databases(postgres_server) == before


def test_a_drill_on_a_given_folder_reads_its_files_in_child_processes(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for name, body in sample_documents(3, 0, 3):
        (folder / name).write_bytes(body)
    code, report = _drill(tmp_path, "--minutes", "0.05", "--folder", str(folder))

    assert (code, report["findings"]) == (0, [])
    assert report["documents"] == 3
    assert f"--folder {folder}" in report["replay"]


@pytest.mark.long
def test_a_drill_turns_red_when_content_is_published_in_two_parts() -> None:
    """The short form, with the bug at a chosen moment, is in `test_drill_faults.py`."""
    options = DrillOptions(minutes=1.0, seed=7, documents=8)
    report = asyncio.run(drill(options, lambda _line: None, PublishInTwoParts))

    assert not report.green
    assert any("a part of a document was visible" in finding for finding in report.findings)
    assert report.kept_folder is not None
    shutil.rmtree(report.kept_folder)


def test_a_short_drill_with_bullmq_is_green(tmp_path: Path, postgres_server: PostgresServer) -> None:
    code, report = _drill(
        tmp_path, "--minutes", "0.1", "--queue", "bullmq", "--database", postgres_server.dsn()
    )

    assert (code, report["findings"]) == (0, [])
    assert report["engine"] == "Postgres with BullMQ"
    assert report["kills"] > 0
    assert "--queue bullmq" in report["replay"]


def test_a_drill_with_bullmq_turns_red_when_lost_offers_are_not_made_again(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough that Redis is emptied while it holds offers, also where workers start slowly.
    monkeypatch.setattr(run, "SHORTEST_BATCH", 30.0)
    monkeypatch.setattr(chaos, "STALL_SECONDS", 20.0)
    monkeypatch.setattr(chaos, "STALL_CHECKS", 100)
    monkeypatch.setattr(chaos, "_REDIS_WEIGHTS", {"flush redis": 100})
    options = DrillOptions(minutes=0.3, seed=7, documents=40, database=postgres_server.dsn(), queue="bullmq")
    report = asyncio.run(drill(options, lambda _line: None, queue_class=OfferOnceEver))

    assert report.restarts["times Redis was emptied"] > 0
    assert "the work does not end without faults" in report.findings[0], report.findings
    assert report.kept_folder is not None
    shutil.rmtree(report.kept_folder)


def test_the_drill_of_bullmq_needs_postgres() -> None:
    with pytest.raises(UserError, match="needs Postgres"):
        asyncio.run(drill(DrillOptions(queue="bullmq"), lambda _line: None))


def test_the_same_seed_gives_the_same_documents() -> None:
    assert sample_documents(4, 1, 6) == sample_documents(4, 1, 6)
    assert sample_documents(4, 1, 6) != sample_documents(5, 1, 6)


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        ({"chunks": {"a": "x"}}, "a.md has 1 chunks instead of 2: 1 missing"),
        ({"fields": []}, "a.md has 0 fields instead of 1"),
        ({"artifacts": {}}, "a.md has no vectors"),
        ({"status": "FAILED"}, "a.md is FAILED instead of COMPLETED"),
        ({"connections": ["c and d"]}, "a.md has 0 connections missing and 1 unexpected"),
    ],
)
def test_every_difference_is_named(damaged: dict[str, Any], words: str) -> None:
    whole = DocumentSnapshot("a.md", "COMPLETED", {"a": "x", "b": "y"}, {}, ["f"], {"vectors": "1"})
    [finding] = differences(Snapshot({"1": whole}, 2), Snapshot({"1": replace(whole, **damaged)}, 2))
    assert words in finding
