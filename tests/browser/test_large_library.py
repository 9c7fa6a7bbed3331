"""A library of ten thousand documents: first paint, scrolling and polling."""

from __future__ import annotations

import hashlib
import itertools
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.document_states import IDLE_WORKER
from tests.browser.page_driver import PageDriver, open_page
from tests.support.servers import Client, Server
from towpath.ledger.columns import to_text
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.pipelines.document_pipeline import STAGES

MANY = 10_000
#: Every fortieth document is being processed.
PROCESSING_EVERY = 40


@pytest.fixture(scope="module")
def large_library(built_page: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("large_library") / "data"
    with Server(data, settings=IDLE_WORKER) as server:
        fill(data / "towpath.db")
        yield server


@pytest.fixture
def driver(browser: Browser, large_library: Server) -> Iterator[PageDriver]:
    with open_page(browser, large_library.url) as opened:
        yield opened


def fill(file: Path) -> None:
    """Inserts documents with their runs and jobs, as the ledger writes them."""
    first_created = datetime.now(UTC) - timedelta(days=30)
    documents: list[tuple[object, ...]] = []
    runs: list[tuple[object, ...]] = []
    jobs: list[tuple[object, ...]] = []
    for number in range(MANY):
        document_id, run_id = new_id(), new_id()
        at = to_text(first_created + timedelta(minutes=4 * number))
        processing = number % PROCESSING_EVERY == 0
        digest = hashlib.sha256(str(number).encode()).hexdigest()
        name = f"Bill of lading {number:05d}.pdf"
        status, state = ("PROCESSING", "QUEUED") if processing else ("COMPLETED", "COMPLETED")
        kind = ("document", name, "application/pdf", 20_000 + number, digest, f"blobs/{digest}")
        documents.append(
            (document_id, DEFAULT_ORG_ID, *kind, status, None if processing else run_id, "{}", at, at)
        )
        runs.append((run_id, DEFAULT_ORG_ID, document_id, "document", 1, state, "{}", at))
        for stage in STAGES[: 1 if processing else None]:
            job = (
                new_id(),
                DEFAULT_ORG_ID,
                document_id,
                run_id,
                stage,
                "PENDING" if processing else "COMPLETED",
            )
            jobs.append((*job, "{}", 2, at, at, at))
    with closing(sqlite3.connect(file)) as database, database:
        insert(
            database,
            "documents",
            "id org_id kind name media_type size sha256 blob_key status published_run_id summary created_at"
            " updated_at",
            documents,
        )
        insert(
            database,
            "processing_runs",
            "id org_id document_id pipeline pipeline_version state options created_at",
            runs,
        )
        insert(
            database,
            "document_processing_jobs",
            "id org_id document_id run_id stage status payload max_attempts available_at created_at"
            " updated_at",
            jobs,
        )


def insert(database: sqlite3.Connection, table: str, columns: str, rows: list[tuple[object, ...]]) -> None:
    names = columns.split()
    marks = ", ".join("?" * len(names))
    database.executemany(f"insert into {table} ({', '.join(names)}) values ({marks})", rows)


@pytest.mark.timed
def test_the_first_row_is_drawn_within_1_5_seconds(driver: PageDriver) -> None:
    def seconds_to_first_row() -> float:
        driver.page.goto("about:blank")
        driver.open()
        driver.page.locator(".row[data-id]").first.wait_for()
        return driver.page.evaluate("performance.now()") / 1000

    # The best of three: the machine may be busy.
    times = [seconds_to_first_row() for _ in range(3)]
    assert min(times) < 1.5, times
    expect(driver.page.get_by_text("10,000 documents")).to_be_visible()


def test_scrolling_to_the_end_draws_few_rows(driver: PageDriver) -> None:
    driver.open()
    grid = driver.page.locator(".grid")
    expect(driver.row("Bill of lading 09999.pdf")).to_be_visible()
    for share in (0.1, 0.5, 0.9):
        grid.evaluate("(grid, share) => grid.scrollTo(0, grid.scrollHeight * share)", share)
        expect(driver.page.locator(".row[data-id]").first).to_be_visible()
        assert driver.page.locator(".row").count() < 60
    grid.evaluate("grid => grid.scrollTo(0, grid.scrollHeight)")
    expect(driver.row("Bill of lading 00000.pdf")).to_be_visible()


@pytest.mark.timed
def test_scrolling_keeps_its_frame_rate(driver: PageDriver) -> None:
    driver.open()
    expect(driver.row("Bill of lading 09999.pdf")).to_be_visible()
    frames = driver.page.evaluate(
        """() => new Promise(resolve => {
            const grid = document.querySelector('.grid')
            const times = []
            const step = now => {
                times.push(now)
                grid.scrollBy(0, 60)
                times.length < 90 ? requestAnimationFrame(step) : resolve(times)
            }
            requestAnimationFrame(step)
        })"""
    )
    gaps = sorted(later - earlier for earlier, later in itertools.pairwise(frames))
    # The median frame takes at most two frames of a 60 Hz screen, also on a busy machine.
    assert gaps[len(gaps) // 2] < 34, gaps[-10:]


def test_only_visible_processing_rows_are_polled(driver: PageDriver) -> None:
    driver.open()
    expect(driver.row("Bill of lading 09999.pdf")).to_be_visible()
    driver.page.locator(".grid").evaluate("grid => grid.scrollTo(0, 36 * 64)")
    expect(driver.row("Bill of lading 09960.pdf").locator(".badge")).to_have_text("Queued")
    expect(driver.row("Bill of lading 09959.pdf").locator(".stage-bar")).to_be_visible()
    driver.requests.clear()
    for _ in range(3):
        with driver.page.expect_request(lambda request: "/documents/status" in request.url):
            pass
    polls = [
        parse_qs(urlsplit(poll).query)["ids"][0].split(",")
        for poll in driver.requested_urls("/documents/status")
    ]
    processing_id = driver.row("Bill of lading 09960.pdf").get_attribute("data-id")
    # 250 of the 10,000 documents are processing; each poll asks only for the visible one.
    assert polls == [[processing_id]] * len(polls)
    assert len(polls) + len(driver.requested_urls("/changes")) == len(driver.requests)


def test_a_hidden_tab_sends_no_requests(driver: PageDriver) -> None:
    driver.open("#/?status=PROCESSING")
    expect(driver.row("Bill of lading 09960.pdf")).to_be_visible()
    expect(driver.row("Bill of lading 09960.pdf").locator(".badge")).to_have_text("Queued")
    hide = """hidden => {
        for (const [name, value] of [['hidden', hidden], ['visibilityState', hidden ? 'hidden' : 'visible']])
            Object.defineProperty(document, name, {value, configurable: true})
        document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))
    }"""
    driver.page.evaluate(hide, True)
    driver.page.wait_for_timeout(500)
    driver.requests.clear()
    driver.page.wait_for_timeout(3_000)
    assert driver.requests == []
    with driver.page.expect_request(lambda request: "/documents/status" in request.url):
        driver.page.evaluate(hide, False)


def test_the_name_filter_is_applied_while_typing_and_kept_by_the_back_button(driver: PageDriver) -> None:
    driver.open()
    driver.page.get_by_role("button", name="Completed").click()
    driver.page.get_by_role("searchbox", name="Filter by name").press_sequentially("lading 0077")
    expect(driver.page.get_by_text("10 documents", exact=True)).to_be_visible()
    expect(driver.row("Bill of lading 00771.pdf")).to_be_visible()
    driver.row("Bill of lading 00771.pdf").get_by_role("link").click()
    expect(driver.page.get_by_role("heading", name="Bill of lading 00771.pdf")).to_be_visible()
    driver.page.go_back()
    expect(driver.page.get_by_role("searchbox", name="Filter by name")).to_have_value("lading 0077")
    expect(driver.row("Bill of lading 00771.pdf")).to_be_visible()


def test_documents_of_other_clients_appear_when_the_tab_becomes_visible(
    driver: PageDriver, large_library: Server
) -> None:
    driver.open()
    expect(driver.row("Bill of lading 09999.pdf")).to_be_visible()
    driver.page.wait_for_timeout(2_100)
    Client(large_library.url).upload("Other client.txt", b"Uploaded by another client.")
    driver.page.evaluate("document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))")
    expect(driver.row("Other client.txt")).to_be_visible()
