"""Times the same searches in this version and in an older checkout, one after the other, in one run."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.postgres import private_postgres
from bench.search.corpus import sentence_pool
from bench.search.figures import Times, describe_load, table
from bench.search.model_vectors import vectors_of
from bench.search.queries import mixed

HERE = Path(__file__).parents[2]
#: Searches that are not counted: the first ones load the index.
WARM_UP = 20
#: Filters that both versions know.
FILTERS: Mapping[str, Mapping[str, object]] = {
    "hybrid": {},
    "hybrid, filter by kind": {"kind": "document"},
    "hybrid, filter by document": {"document": 0},
}
MEGABYTE = 1 << 20


class Version:
    """A process that answers searches with one version."""

    def __init__(self, checkout: Path, engine: str, place: str, count: int, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(HERE / "bench/search/version_server.py"), engine, place, str(count), folder],
            env=os.environ | {"PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout}"},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        self.built = self._read()

    def search(self, text: str, filters: Mapping[str, object]) -> dict[str, float]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"text": text, "filters": filters}) + "\n")
        self._process.stdin.flush()
        return self._read()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("A version ended; its message is above.")
        return json.loads(line)


def compare(checkout: Path, engine: str, count: int, searches: int) -> str:
    pool = sentence_pool()
    queries = list(dict.fromkeys(mixed(WARM_UP + searches, pool, seed=400)))
    with _folder(pool, queries) as folder, _places(engine, folder) as places:
        old, new = (
            Version(path, engine, place, count, folder)
            for path, place in zip((checkout, HERE), places, strict=True)
        )
        try:
            if old.built["digest"] != new.built["digest"]:
                raise SystemExit("The two versions generate different collections.")
            rows = [_compare_searches(name, old, new, queries) for name in FILTERS]
        finally:
            old.close()
            new.close()
    headings = ["", "p50 before", "now", "p95 before", "now", "p95 ratio", "CPU before", "now"]
    return (
        f"### {engine}, {count:,} chunks, {len(queries) - WARM_UP} queries, milliseconds\n\n{table(headings, rows)}\n\n"
        f"{_built('Before', old.built)} {_built('Now', new.built)} {describe_load()}"
    )


def _compare_searches(name: str, old: Version, new: Version, queries: Sequence[str]) -> list[str]:
    times: tuple[list[dict[str, float]], list[dict[str, float]]] = [], []
    for text in queries:
        # Alternating, so that other load on the machine affects both equally.
        for version, found in zip((old, new), times, strict=True):
            found.append(version.search(text, FILTERS[name]))
    before, now = (Times(name, tuple(item["milliseconds"] for item in found[WARM_UP:])) for found in times)
    cpu = [float(np.mean([item["cpu_milliseconds"] for item in found[WARM_UP:]])) for found in times]
    figures = [before.percentile(50), now.percentile(50), before.percentile(95), now.percentile(95)]
    ratio = now.percentile(95) / before.percentile(95)
    return [
        name, *(f"{figure:.1f}" for figure in figures), f"{ratio:.2f}", *(f"{figure:.1f}" for figure in cpu)
    ]  # fmt: skip


def _built(name: str, built: Mapping[str, float]) -> str:
    return (
        f"{name}: {built['bytes'] / MEGABYTE:,.0f} MB, filled in {built['seconds']:,.0f} s "
        f"({built['cpu_seconds']:,.0f} s of CPU in the client)."
    )


@contextlib.contextmanager
def _folder(pool: Sequence[str], queries: Sequence[str]) -> Generator[Path]:
    """The sentences and queries with their vectors, for both processes."""
    with tempfile.TemporaryDirectory(prefix="towpath-bench-against-") as name:
        folder = Path(name)
        for part, texts in (("pool", pool), ("queries", queries)):
            (folder / f"{part}.json").write_text(json.dumps(texts))
            np.save(folder / f"{part}.npy", vectors_of(texts))
        yield folder


@contextlib.contextmanager
def _places(engine: str, folder: Path) -> Generator[tuple[str, str]]:
    if engine == "sqlite":
        yield str(folder / "old.db"), str(folder / "new.db")
        return
    with private_postgres() as server:
        yield server.create_database("old"), server.create_database("new")
