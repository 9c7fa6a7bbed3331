"""Long scans: killed servers and deadlines lose at most the batch of pages in progress."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from tests.crash.scan_drill import run_scan_drill
from tests.support import pdfs
from tests.support.api_client import ApiClient, open_api_client
from tests.support.timeouts import WAIT_SECONDS, async_wait_until
from towpath.bootstrap import open_database
from towpath.ledger.tables import processing_runs, provider_calls
from towpath.readers.ocr.settings import OcrSettings, find_language_data

pytestmark = pytest.mark.skipif(
    find_language_data(OcrSettings("tesseract")) is None,
    reason="needs language data: pip install 'towpath[ocr]'",
)


@pytest.mark.parametrize(("pages", "kills"), [(9, 1), pytest.param(12, 2, marks=pytest.mark.long)])
def test_a_killed_server_recognizes_no_page_twice(tmp_path: Path, pages: int, kills: int) -> None:
    """`make drill-scan` does it with 300 pages, the default deadline and five kills."""
    report = run_scan_drill(
        tmp_path, pages, kills, {"TOWPATH_RUN_DEADLINE_SECONDS": "none", "TOWPATH_OCR": "tesseract"}
    )

    assert (report.status, report.kills, report.recognized) == ("COMPLETED", kills, pages)
    assert report.repeated <= report.kills
    assert report.statuses == {"PROCESSING", "COMPLETED"}


async def test_a_scan_that_reaches_its_deadline_twice_is_completed_by_itself(tmp_path: Path) -> None:
    images = [pdfs.picture([f"Page {number}", pdfs.LOREM[0]]) for number in range(1, 13)]
    scan = pdfs.scan(tmp_path / "scan.pdf", images).read_bytes()
    async with open_api_client(
        tmp_path / "data", run_deadline_seconds=10 * WAIT_SECONDS, ocr="tesseract"
    ) as client:
        document_id = (await client.upload("scan.pdf", scan))["id"]
        for pages in (4, 8):
            await _recognized(client, pages)
            assert await _reach_deadline(client) == (1, 1)
            assert (await client.get(f"/documents/{document_id}/status"))["status"] == "PROCESSING"

        status = await client.wait_until_finished(document_id)
        runs = await client.get(f"/documents/{document_id}/runs")
        overview = await client.get("/operations")

    assert status["status"] == "COMPLETED"
    assert [(run["state"], run["reason"], run["error"]) for run in runs] == [
        ("TIMED_OUT", "submitted", None),
        ("TIMED_OUT", "continued", None),
        ("COMPLETED", "continued", None),
    ]
    assert sum(bar["failed"] for bar in overview["throughput"]) == 0
    assert status["error"] is None


async def _recognized(client: ApiClient, pages: int) -> None:
    """Wait until this number of pages is stored."""
    units = func.json_extract(provider_calls.c.units, "$.pages")
    query = select(func.coalesce(func.sum(units), 0))

    async def stored() -> bool:
        return await asyncio.to_thread(_execute, client, query) >= pages

    await async_wait_until(stored, f"{pages} pages to be stored", every=0.05)


async def _reach_deadline(client: ApiClient) -> tuple[int, int]:
    """Let the deadline of the running run be over, and sweep; how many runs timed out and are continued."""
    services = client.runtime.services
    past = services.clock.now() - timedelta(seconds=1)
    running = update(processing_runs).where(processing_runs.c.state == "RUNNING").values(deadline_at=past)
    await asyncio.to_thread(_execute, client, running)
    swept = await services.ledger.sweep(services.clock.now())
    return swept.timed_out, swept.continued


def _execute(client: ApiClient, statement: Any) -> Any:
    database = open_database(client.runtime.settings)
    try:
        return database.transact(
            lambda tx: (result := tx.connection.execute(statement)).returns_rows and result.scalar_one()
        )
    finally:
        database.close()
