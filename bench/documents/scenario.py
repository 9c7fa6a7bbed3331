"""`python -m bench documents`: pages per second from upload to searchable, and of the extraction library alone."""

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

from bench.benchmarks_page import write_section
from bench.documents.library import make
from bench.machine import describe_machine
from towpath import bootstrap
from towpath.config import Settings
from towpath.server.app import create_app

SUMMARY = "pages per second from upload to searchable, compared with the extraction library alone"
PROCESSES = 2
ROUNDS = 3
#: Seconds between two checks whether all documents are processed.
POLL_SECONDS = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="fewer pages, for a trial")
    parser.add_argument(
        "--folder", type=Path, help="measure the PDFs in this folder instead of generated ones"
    )
    parser.add_argument("--embedder", choices=("multilingual", "english", "fast"), default="multilingual")


def run(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="bench-documents-") as name:
        folder = Path(name)
        files = (
            sorted(arguments.folder.glob("*.pdf"))
            if arguments.folder
            else _generated(folder, arguments.quick)
        )
        pages = sum(len(pypdfium2.PdfDocument(path)) for path in files)
        # Alternate, so that other load on the machine affects both equally.
        rounds = [
            (
                pages / _library_alone(files),
                pages / asyncio.run(_end_to_end(folder / f"data-{number}", files, arguments.embedder)),
            )
            for number in range(1 if arguments.quick else ROUNDS)
        ]
    library_rate, towpath_rate = (median(rates) for rates in zip(*rounds, strict=True))
    ratio = towpath_rate / library_rate
    text = "\n".join(
        [
            "## Documents, end to end",
            "",
            f"{pages} pages in {len(files)} PDFs, {PROCESSES} processes each, the median of {len(rounds)} rounds. "
            f"{describe_machine()}",
            "",
            "| | pages/s | ratio |",
            "|---|---:|---:|",
            f"| liteparse alone, markdown | {library_rate:,.0f} | 1.00 |",
            f"| Towpath, upload to searchable, `{arguments.embedder}` | {towpath_rate:,.0f} | {ratio:.2f} |",
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
    """Seconds in which the library makes markdown of all files, in as many processes as Towpath has."""
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        list(pool.map(_warm, range(PROCESSES * 2)))
        started = time.perf_counter()
        list(pool.map(parse, files))
        return time.perf_counter() - started


def _warm(_: int) -> None:
    import liteparse  # noqa: F401  # pyright: ignore[reportUnusedImport]  (the import itself takes the time)


def parse(path: Path) -> int:
    from liteparse.parser import LiteParse

    parser = LiteParse(quiet=True, output_format="markdown", max_pages=100_000, ocr_enabled=False)
    return len(parser.parse(path).text)


async def _end_to_end(data: Path, files: Sequence[Path], embedder: str) -> float:
    """Seconds from the first upload to the last document being searchable, through the API."""
    settings = replace(
        Settings(data=data), embedder=embedder, child_processes=PROCESSES, run_deadline_seconds=None
    )
    async with bootstrap.open_runtime(settings, with_worker=True) as towpath:
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
            await _wait_until_processed(http)
            done = (await http.get("/documents", params={"status": "COMPLETED"})).json()["total"]
            assert done == len(files) + PROCESSES, f"{done} of {len(files) + PROCESSES} completed"
            # Use the stored end times: polling more often would slow the server down.
            runs = [(await http.get(f"/runs/{run}")).raise_for_status().json() for run in uploaded]
            ended = max(datetime.fromisoformat(run["ended_at"]) for run in runs)
            return (ended - started).total_seconds()


async def _warm_children(http: httpx.AsyncClient) -> None:
    """Make the child processes import and load everything before the measurement, as in the reference."""
    for number in range(PROCESSES):
        body = f"# Warm {number}\n\nA first text, so that everything is loaded.\n".encode()
        await http.post("/documents", files={"file": (f"warm-{number}.md", body)})
    await _wait_until_processed(http)


async def _wait_until_processed(http: httpx.AsyncClient) -> None:
    while True:
        page = await http.get("/documents", params={"status": "PROCESSING", "limit": 1})
        if not page.json()["total"]:
            return
        await asyncio.sleep(POLL_SECONDS)
