"""`python -m bench documents`: pages per second from upload to searchable, and from the library alone."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import httpx
import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

from bench.documents.library import make
from bench.machine import describe_machine
from bench.page import write_section
from towpath import app
from towpath.config import Settings
from towpath.server.api import create_app

SUMMARY = "pages per second, end to end, against the extraction library alone"
PROCESSES = 2
ROUNDS = 3
#: Seconds between looks whether all is done.
LOOKING = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="fewer pages; for trying only")
    parser.add_argument("--folder", type=Path, help="PDFs of your own instead of generated ones")
    parser.add_argument("--embedder", choices=("fast", "minilm"), default="fast")


def run(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="bench-documents-") as name:
        folder = Path(name)
        files = (
            sorted(arguments.folder.glob("*.pdf"))
            if arguments.folder
            else _generated(folder, arguments.quick)
        )
        pages = sum(len(pypdfium2.PdfDocument(path)) for path in files)
        # In turns, so that whatever else the machine does disturbs both alike.
        rounds = [
            (
                pages / _library_alone(files),
                pages / asyncio.run(_end_to_end(folder / f"data-{number}", files, arguments.embedder)),
            )
            for number in range(1 if arguments.quick else ROUNDS)
        ]
    alone, ours = (median(rates) for rates in zip(*rounds, strict=True))
    text = "\n".join(
        [
            "## Documents, end to end",
            "",
            f"{pages} pages in {len(files)} PDFs, {PROCESSES} processes each, the median of {len(rounds)} turns. "
            f"{describe_machine()}",
            "",
            "| | pages/s | ratio |",
            "|---|---:|---:|",
            f"| liteparse alone, markdown | {alone:,.0f} | 1.00 |",
            f"| Towpath, upload to searchable, `{arguments.embedder}` | {ours:,.0f} | {ours / alone:.2f} |",
        ]
    )
    print(text)
    if not arguments.quick and arguments.folder is None:
        write_section("documents", text)
    return 0


def _generated(folder: Path, quick: bool) -> list[Path]:
    books = folder / "books"
    books.mkdir()
    return make(books, files=4 if quick else 12, pages=60 if quick else 250)


def _library_alone(files: Sequence[Path]) -> float:
    """Seconds for the library to make markdown of all files, in as many processes as Towpath gets."""
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        list(pool.map(_warm, range(PROCESSES * 2)))
        started = time.perf_counter()
        list(pool.map(parse, files))
        return time.perf_counter() - started


def _warm(_: int) -> None:
    import liteparse  # noqa: F401  # pyright: ignore[reportUnusedImport]  (the import is what is paid for here)


def parse(path: Path) -> int:
    from liteparse.parser import LiteParse

    parser = LiteParse(quiet=True, output_format="markdown", max_pages=100_000, ocr_enabled=False)
    return len(parser.parse(path).text)


async def _end_to_end(data: Path, files: Sequence[Path], embedder: str) -> float:
    """Seconds from the first upload to the last document being searchable, through the API."""
    settings = replace(
        Settings(data=data), embedder=embedder, child_processes=PROCESSES, run_deadline_seconds=None
    )
    async with app.opened(settings, work=True) as towpath:
        transport = httpx.ASGITransport(create_app(towpath.services, None))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=None) as http:
            await _warm_children(http)
            started = datetime.now(UTC)
            uploaded: list[str] = []
            for path in files:
                with path.open("rb") as file:
                    answer = (
                        await http.post("/documents", files={"file": (path.name, file)})
                    ).raise_for_status()
                uploaded.append(answer.json()["run_id"])
            await _all_over(http)
            done = (await http.get("/documents", params={"status": "COMPLETED"})).json()["total"]
            assert done == len(files) + PROCESSES, f"{done} of {len(files) + PROCESSES} completed"
            # By what is on record: somebody who looked more often would see it sooner, and keep the server from work.
            runs = [(await http.get(f"/runs/{run}")).raise_for_status().json() for run in uploaded]
            ended = max(datetime.fromisoformat(run["ended_at"]) for run in runs)
            return (ended - started).total_seconds()


async def _warm_children(http: httpx.AsyncClient) -> None:
    """The reference starts warm, and so does Towpath: its children have imported and loaded before."""
    for number in range(PROCESSES):
        body = f"# Warm {number}\n\nA first text, so that everything is loaded.\n".encode()
        await http.post("/documents", files={"file": (f"warm-{number}.md", body)})
    await _all_over(http)


async def _all_over(http: httpx.AsyncClient) -> None:
    while True:
        page = await http.get("/documents", params={"status": "PROCESSING", "limit": 1})
        if not page.json()["total"]:
            return
        await asyncio.sleep(LOOKING)
