"""Operations in the page: failures with links, pausing and resuming, and the filters of runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.page_driver import PageDriver, open_page
from tests.support.servers import Client, Server
from tests.support.timeouts import wait_until


@pytest.fixture
def own_server(built_page: None, tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "data") as running:
        yield running


@pytest.fixture
def own_driver(browser: Browser, own_server: Server) -> Iterator[PageDriver]:
    with open_page(browser, own_server.url) as opened:
        yield opened


def test_a_failure_lists_its_documents_and_offers_no_useless_retry(
    own_driver: PageDriver, own_server: Server
) -> None:
    client = Client(own_server.url)
    broken = client.upload("Broken scan.pdf", b"%PDF-1.7 nothing else")
    good = client.upload("Good note.txt", b"The lock on the canal opens at six.")
    client.wait_until_finished(broken["id"], good["id"])
    own_driver.open("#/operations")
    failures = own_driver.page.get_by_role("region", name="Failures")
    expect(failures.get_by_role("link", name="Broken scan.pdf")).to_be_visible()
    expect(failures.get_by_text("Retrying won’t help")).to_be_visible()
    expect(failures.get_by_role("button", name="Retry")).to_have_count(0)

    runs = own_driver.page.get_by_role("region", name="Runs", exact=True)
    expect(runs.get_by_role("link", name="Good note.txt")).to_be_visible()
    own_driver.page.get_by_label("Name of the document").fill("broken")
    expect(runs.get_by_role("link", name="Good note.txt")).to_have_count(0)
    expect(runs.get_by_role("link", name="Broken scan.pdf")).to_be_visible()
    own_driver.page.get_by_label("State of the run").select_option("COMPLETED")
    expect(runs.get_by_text("No run matches.")).to_be_visible()

    expect(own_driver.page.get_by_role("region", name="Stage times")).to_be_visible()
    assert own_driver.violations() == []
    own_driver.page.set_viewport_size({"width": 390, "height": 800})
    assert own_driver.overflow() <= 0

    failures.get_by_role("link", name="Broken scan.pdf").click()
    expect(own_driver.page.get_by_role("heading", name="Broken scan.pdf")).to_be_visible()
    client.http.delete(f"/documents/{broken['id']}").raise_for_status()
    own_driver.open("#/operations")
    expect(failures.get_by_text("No failures.")).to_be_visible()
    own_driver.assert_no_errors()


def test_a_stage_is_paused_and_resumed_by_hand(own_driver: PageDriver, own_server: Server) -> None:
    client = Client(own_server.url)
    own_driver.open("#/operations")
    own_driver.page.get_by_label("Stage or provider").select_option(label="Stage Embed")
    own_driver.page.get_by_role("button", name="Pause", exact=True).click()
    resume = own_driver.page.get_by_role("button", name="Resume Stage Embed")
    expect(resume).to_be_visible()
    uploaded = client.upload("Paused note.txt", b"The lock on the canal opens at six.")
    wait_until(
        lambda: client.get(f"/documents/{uploaded['id']}/status")["waiting_reason"] == "paused",
        "the document to wait",
    )
    own_driver.open("#/")
    expect(own_driver.row("Paused note.txt")).to_contain_text("paused by an operator")
    own_driver.open("#/operations")
    resume.click()
    expect(resume).to_have_count(0)
    [status] = client.wait_until_finished(uploaded["id"])
    assert status["status"] == "COMPLETED"
    own_driver.assert_no_errors()


def test_the_question_mark_shows_the_keys(driver: PageDriver) -> None:
    driver.open()
    expect(driver.page.get_by_role("heading", name="Library")).to_be_visible()
    driver.page.keyboard.press("?")
    dialog = driver.page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("search, from anywhere")
    assert driver.violations() == []
    driver.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    # In an input, `?` is a character.
    driver.open("#/search")
    box = driver.page.get_by_label("Search all documents")
    expect(box).to_be_focused()
    driver.page.keyboard.press("?")
    expect(box).to_have_value("?")
    driver.page.get_by_role("button", name="Keys").click()
    expect(dialog).to_be_visible()


def test_back_focuses_the_result_that_was_opened(own_driver: PageDriver, own_server: Server) -> None:
    client = Client(own_server.url)
    texts = (
        "The lock keeper opens the gate.",
        "A lock raises boats on the canal.",
        "Each lock has two gates.",
    )
    ids = [client.upload(f"lock {n}.txt", text.encode())["id"] for n, text in enumerate(texts)]
    client.wait_until_finished(*ids)
    own_driver.open("#/search?q=lock")
    links = own_driver.page.locator(".hit-link")
    expect(links).to_have_count(3)
    own_driver.page.keyboard.press("ArrowDown")
    own_driver.page.keyboard.press("j")
    expect(links.nth(1)).to_be_focused()
    own_driver.page.keyboard.press("Enter")
    expect(own_driver.page.locator(".hit-link")).to_have_count(0)
    own_driver.page.go_back()
    expect(links.nth(1)).to_be_focused()
    # A reload of the document keeps the way back.
    links.nth(2).click()
    back = own_driver.page.get_by_role("link", name="Back to the search")
    expect(back).to_be_visible()
    own_driver.page.reload()
    back.click()
    expect(links.nth(2)).to_be_focused()


def test_a_folder_is_chosen_and_the_kind_filter_is_there_on_a_phone(
    own_driver: PageDriver, tmp_path: Path
) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "letter.txt").write_text("A letter in a folder.")
    own_driver.open()
    own_driver.page.locator("input[data-picks=folder]").set_input_files(folder)
    expect(own_driver.row("letter.txt")).to_be_visible()
    own_driver.page.set_viewport_size({"width": 390, "height": 800})
    own_driver.open("#/?kind=call")
    expect(own_driver.row("letter.txt")).to_have_count(0)
    assert own_driver.overflow() <= 0
    own_driver.page.get_by_label("Filter by kind").get_by_role("button", name="Calls").click()
    expect(own_driver.row("letter.txt")).to_be_visible()
