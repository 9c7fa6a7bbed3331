"""Ten thousand documents: painted at once, scrolled to the end, polled at the cost of what is in sight."""

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

from tests.browser.theatre import IDLE
from tests.browser.watching import Reader, reading
from tests.support.servers import Client, Server
from towpath.ledger.columns import to_text
from towpath.model.ids import HOME_ORG, new_id
from towpath.pipelines.document import STAGES

MANY = 10_000
#: Every fortieth of them is being processed.
GOING = 40


@pytest.fixture(scope="module")
def crowded(built_page: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("crowded") / "data"
    with Server(data, settings=IDLE) as server:
        fill(data / "towpath.db")
        yield server


@pytest.fixture
def visitor(browser: Browser, crowded: Server) -> Iterator[Reader]:
    with reading(browser, crowded.url) as one:
        yield one


def fill(file: Path) -> None:
    """Documents with their runs and jobs, as the ledger would have written them."""
    begun = datetime.now(UTC) - timedelta(days=30)
    documents: list[tuple[object, ...]] = []
    runs: list[tuple[object, ...]] = []
    jobs: list[tuple[object, ...]] = []
    for number in range(MANY):
        document_id, run_id = new_id(), new_id()
        at = to_text(begun + timedelta(minutes=4 * number))
        going = number % GOING == 0
        digest = hashlib.sha256(str(number).encode()).hexdigest()
        name = f"Bill of lading {number:05d}.pdf"
        status, state = ("PROCESSING", "QUEUED") if going else ("COMPLETED", "COMPLETED")
        kind = ("document", name, "application/pdf", 20_000 + number, digest, f"blobs/{digest}")
        documents.append((document_id, HOME_ORG, *kind, status, None if going else run_id, "{}", at, at))
        runs.append((run_id, HOME_ORG, document_id, "document", 1, state, "{}", at))
        for stage in STAGES[: 1 if going else None]:
            job = (new_id(), HOME_ORG, document_id, run_id, stage, "PENDING" if going else "COMPLETED")
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
def test_the_first_paint_comes_within_a_second_and_a_half(visitor: Reader) -> None:
    def seconds_to_first_row() -> float:
        visitor.page.goto("about:blank")
        visitor.open()
        visitor.page.locator(".row[data-id]").first.wait_for()
        return visitor.page.evaluate("performance.now()") / 1000

    # The machine may be busy with something else; the page is as fast as its best of three.
    times = [seconds_to_first_row() for _ in range(3)]
    assert min(times) < 1.5, times
    expect(visitor.page.get_by_text("10,000 documents")).to_be_visible()


def test_the_end_is_reached_with_few_rows_drawn_at_any_time(visitor: Reader) -> None:
    visitor.open()
    grid = visitor.page.locator(".grid")
    expect(visitor.row("Bill of lading 09999.pdf")).to_be_visible()
    for share in (0.1, 0.5, 0.9):
        grid.evaluate("(grid, share) => grid.scrollTo(0, grid.scrollHeight * share)", share)
        expect(visitor.page.locator(".row[data-id]").first).to_be_visible()
        assert visitor.page.locator(".row").count() < 60
    grid.evaluate("grid => grid.scrollTo(0, grid.scrollHeight)")
    expect(visitor.row("Bill of lading 00000.pdf")).to_be_visible()


@pytest.mark.timed
def test_scrolling_keeps_its_frames(visitor: Reader) -> None:
    visitor.open()
    expect(visitor.row("Bill of lading 09999.pdf")).to_be_visible()
    frames = visitor.page.evaluate(
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
    # Half of all frames within two of a screen's sixtieths of a second, also on a busy machine.
    assert gaps[len(gaps) // 2] < 34, gaps[-10:]


def test_polling_asks_about_the_rows_in_sight_that_move_and_nothing_else(visitor: Reader) -> None:
    visitor.open()
    expect(visitor.row("Bill of lading 09999.pdf")).to_be_visible()
    visitor.page.locator(".grid").evaluate("grid => grid.scrollTo(0, 36 * 64)")
    expect(visitor.row("Bill of lading 09960.pdf").locator(".badge")).to_have_text("Queued")
    expect(visitor.row("Bill of lading 09959.pdf").locator(".ladder")).to_be_visible()
    visitor.requests.clear()
    for _ in range(3):
        with visitor.page.expect_request(lambda request: "/documents/status" in request.url):
            pass
    polls = [
        parse_qs(urlsplit(poll).query)["ids"][0].split(",") for poll in visitor.asked("/documents/status")
    ]
    moving = visitor.row("Bill of lading 09960.pdf").get_attribute("data-id")
    # Of ten thousand documents, 250 of them on the move, each poll is about the one in sight.
    assert polls == [[moving]] * len(polls)
    assert len(polls) == len(visitor.requests)


def test_a_hidden_tab_asks_nothing_and_looks_again_when_it_is_seen(visitor: Reader) -> None:
    visitor.open("#/?status=PROCESSING")
    expect(visitor.row("Bill of lading 09960.pdf")).to_be_visible()
    expect(visitor.row("Bill of lading 09960.pdf").locator(".badge")).to_have_text("Queued")
    hide = """hidden => {
        for (const [name, value] of [['hidden', hidden], ['visibilityState', hidden ? 'hidden' : 'visible']])
            Object.defineProperty(document, name, {value, configurable: true})
        document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))
    }"""
    visitor.page.evaluate(hide, True)
    visitor.page.wait_for_timeout(500)
    visitor.requests.clear()
    visitor.page.wait_for_timeout(3_000)
    assert visitor.requests == []
    with visitor.page.expect_request(lambda request: "/documents/status" in request.url):
        visitor.page.evaluate(hide, False)


def test_names_are_found_while_they_are_typed_and_the_back_button_remembers(visitor: Reader) -> None:
    visitor.open()
    visitor.page.get_by_role("button", name="Ready").click()
    visitor.page.get_by_role("searchbox", name="Filter by name").press_sequentially("lading 0077")
    expect(visitor.page.get_by_text("10 documents", exact=True)).to_be_visible()
    expect(visitor.row("Bill of lading 00771.pdf")).to_be_visible()
    visitor.row("Bill of lading 00771.pdf").get_by_role("link").click()
    expect(visitor.page.get_by_role("heading", name="Bill of lading 00771.pdf")).to_be_visible()
    visitor.page.go_back()
    expect(visitor.page.get_by_role("searchbox", name="Filter by name")).to_have_value("lading 0077")
    expect(visitor.row("Bill of lading 00771.pdf")).to_be_visible()


def test_documents_that_come_from_elsewhere_appear_when_the_tab_is_looked_at(
    visitor: Reader, crowded: Server
) -> None:
    visitor.open()
    expect(visitor.row("Bill of lading 09999.pdf")).to_be_visible()
    visitor.page.wait_for_timeout(2_100)
    Client(crowded.url).upload("From elsewhere.txt", b"Sent by somebody else.")
    visitor.page.evaluate("document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))")
    expect(visitor.row("From elsewhere.txt")).to_be_visible()
