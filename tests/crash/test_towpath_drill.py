"""`towpath drill` as a sceptic runs it: green on both engines, and red when the program is made to fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from psycopg import sql

from tests.support.databases import PostgresServer
from towpath.drill.papers import papers
from towpath.drill.picture import Paper, Picture, differences

_SMALL = ("--seed", "7", "--documents", "8")


def _drill(tmp_path: Path, *flags: str, fault: str = "") -> tuple[int, dict[str, Any]]:
    report = tmp_path / "report.json"
    environment = {**os.environ, "TOWPATH_DRILL_FAULT": fault, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "towpath", "drill", *_SMALL, "--report", str(report), *flags],
        capture_output=True,
        text=True,
        timeout=280,
        env=environment,
        check=False,
    )
    assert report.exists(), done.stderr
    return done.returncode, json.loads(report.read_text("utf-8"))


def _databases(server: PostgresServer) -> list[tuple[object, ...]]:
    return server.command(sql.SQL("select datname from pg_database order by 1").format())


def test_a_short_drill_on_postgres_is_green(tmp_path: Path, postgres_server: PostgresServer) -> None:
    before = _databases(postgres_server)
    code, report = _drill(tmp_path, "--minutes", "0.15", "--database", postgres_server.dsn())

    assert report["findings"] == []
    assert (code, report["verdict"]) == (0, "green")
    assert report["kills"] > 0
    assert report["documents"] >= 8
    assert report["chunks"] == report["vectors"] > 0
    assert report["calls_made_again"] <= report["open_windows"]
    assert _databases(postgres_server) == before


def test_a_drill_on_somebodys_own_files_reads_them_in_child_processes(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for name, body in papers(3, 0, 3):
        (folder / name).write_bytes(body)
    code, report = _drill(tmp_path, "--minutes", "0.05", "--folder", str(folder))

    assert (code, report["findings"]) == (0, [])
    assert report["documents"] == 3
    assert f"--folder {folder}" in report["replay"]


def test_a_drill_turns_red_when_content_is_published_in_pieces(tmp_path: Path) -> None:
    code, report = _drill(tmp_path, "--minutes", "1", fault="publish")

    assert (code, report["verdict"]) == (1, "red")
    assert any("half a document was visible" in finding for finding in report["findings"])
    assert Path(report["kept"]).is_dir()


def test_an_unknown_fault_is_refused(tmp_path: Path) -> None:
    refused = subprocess.run(
        [sys.executable, "-m", "towpath", "drill"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "TOWPATH_DRILL_FAULT": "weather"},
        check=False,
    )
    assert refused.returncode == 2
    assert "must be one of fence, checkpoint, publish" in refused.stderr


def test_the_same_seed_gives_the_same_papers() -> None:
    assert papers(4, 1, 6) == papers(4, 1, 6)
    assert papers(4, 1, 6) != papers(5, 1, 6)


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        ({"chunks": {"a": "x"}}, "a.md has 1 chunks instead of 2: 1 missing"),
        ({"fields": []}, "a.md has 0 fields instead of 1"),
        ({"artifacts": {}}, "a.md has no vectors"),
        ({"status": "FAILED"}, "a.md is FAILED instead of COMPLETED"),
        ({"connections": ["c and d"]}, "a.md has 0 connections missing and 1 strange ones"),
    ],
)
def test_every_difference_is_named(damaged: dict[str, Any], words: str) -> None:
    whole = Paper("a.md", "COMPLETED", {"a": "x", "b": "y"}, {}, ["f"], {"vectors": "1"})
    [told] = differences(Picture({"1": whole}, 2), Picture({"1": replace(whole, **damaged)}, 2))
    assert words in told
