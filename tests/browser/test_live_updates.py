"""Live updates: two clients of one library, and how many requests an idle page sends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.document_states import IDLE_WORKER
from tests.browser.page_driver import PageDriver, open_page
from tests.support.servers import Client, Server


@pytest.fixture
def other(server: Server) -> Client:
    """A second client of the server."""
    return Client(server.url)


@pytest.fixture
def idle_server(built_page: None, tmp_path: Path) -> Iterator[Server]:
    """A server whose worker claims nothing, so that nothing changes by itself."""
    with Server(tmp_path / "data", settings=IDLE_WORKER) as running:
        yield running


def test_rows_of_another_client_appear_and_disappear_without_a_reload(
    driver: PageDriver, other: Client
) -> None:
    driver.open()
    expect(driver.page.get_by_role("heading", name="Library")).to_be_visible()
    with driver.page.expect_response("**/changes?*"):
        pass
    uploaded = other.upload("From the other client.txt", b"The other client stored this text.")
    expect(driver.row("From the other client.txt")).to_have_attribute("data-status", "COMPLETED")
    other.http.delete(f"/documents/{uploaded['id']}").raise_for_status()
    expect(driver.row("From the other client.txt")).to_have_count(0)
    driver.assert_no_errors()


def test_an_upload_in_one_page_appears_in_another(browser: Browser, server: Server, tmp_path: Path) -> None:
    file = tmp_path / "Shared by a page.txt"
    file.write_text("Both pages show this document.")
    with open_page(browser, server.url) as first, open_page(browser, server.url) as second:
        first.open()
        second.open()
        expect(second.page.get_by_role("heading", name="Library")).to_be_visible()
        first.page.locator("input[type=file]:not([webkitdirectory])").first.set_input_files(file)
        expect(second.row(file.name)).to_be_visible()


def test_an_idle_page_sends_at_most_twelve_cheap_requests_a_minute(
    browser: Browser, idle_server: Server
) -> None:
    client = Client(idle_server.url)
    uploaded = client.upload("cancelled.txt", b"The run of this document is cancelled.")
    client.http.post(f"/runs/{uploaded['run_id']}/cancel").raise_for_status()
    with open_page(browser, idle_server.url) as driver:
        driver.open()
        expect(driver.row("cancelled.txt").locator(".stage-bar")).to_be_visible()
        driver.page.wait_for_timeout(3_000)
        driver.requests.clear()
        started = time.monotonic()
        driver.page.wait_for_timeout(60_000)
        a_minute = len(driver.requests) * 60.0 / (time.monotonic() - started)
        assert 0 < a_minute <= 12, [request.url for request in driver.requests]
        assert {request.url.split("?")[0].rsplit("/", 1)[1] for request in driver.requests} == {"changes"}


def test_documents_that_wait_are_counted_above_the_list_whatever_the_filter(
    browser: Browser, idle_server: Server
) -> None:
    client = Client(idle_server.url)
    for number in range(3):
        client.upload(f"waiting {number}.txt", f"Document {number} waits.".encode())
    with open_page(browser, idle_server.url) as driver:
        driver.open("#/?status=COMPLETED")
        expect(driver.page.get_by_text("3 documents waiting")).to_be_visible()
        assert driver.violations() == []
        driver.page.set_viewport_size({"width": 390, "height": 800})
        assert driver.overflow() <= 0


def test_a_batch_of_uploads_shows_how_far_it_is(driver: PageDriver, tmp_path: Path) -> None:
    files = [tmp_path / f"batch {number}.txt" for number in range(8)]
    for number, file in enumerate(files):
        file.write_text(f"Text of file {number} of the batch, which is processed.")
    driver.open()
    driver.page.locator("input[type=file]:not([webkitdirectory])").first.set_input_files(files)
    expect(driver.page.locator(".tray-batch")).to_have_text("8 of 8 processed")
    driver.assert_no_errors()
