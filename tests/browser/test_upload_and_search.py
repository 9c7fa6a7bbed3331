"""Uploading, processing, searching and opening documents, also while the server is killed and restarted."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.document_states import LONG_DEADLINE
from tests.browser.page_driver import PageDriver, names, open_page
from tests.browser.sample_files import PHRASE, agreement, twenty_files
from tests.support.servers import Client, Server


def test_dropped_files_are_processed_and_a_phrase_is_found_on_its_page(
    driver: PageDriver, tmp_path: Path, screenshots: Path
) -> None:
    files = twenty_files(tmp_path / "files")
    assert len(files) == 20
    # A tall window, so that all twenty rows are visible.
    driver.page.set_viewport_size({"width": 1280, "height": 1700})
    driver.open()
    driver.drop(tmp_path / "files")
    for name in names(files):
        expect(driver.row(name)).to_have_attribute("data-status", "COMPLETED")
    expect(driver.page.get_by_text("20 files stored")).to_be_visible()
    driver.page.get_by_role("button", name="Close uploads").click()
    driver.page.set_viewport_size({"width": 1280, "height": 800})
    driver.screenshot("library", screenshots)

    driver.page.get_by_role("link", name="Search").click()
    box = driver.page.get_by_role("combobox", name="Search all documents")
    box.fill(PHRASE)
    first = driver.page.locator(".hit").first
    expect(first.locator(".hit-link")).to_have_text("Mooring agreement 2026.pdf")
    expect(first.locator("mark").first).to_be_visible()
    driver.screenshot("search", screenshots)
    box.press("Enter")

    frame = driver.page.get_by_test_id("highlight-box")
    expect(frame).to_be_in_viewport()
    assert "page=2" in driver.page.url
    page = driver.page.locator("[data-page='2']")
    expect(page).to_have_attribute("data-drawn", "yes")
    line = page.get_by_text(PHRASE)
    expect(line).to_be_in_viewport()
    words, around = line.bounding_box(), frame.bounding_box()
    assert words is not None
    assert around is not None
    assert around["y"] - 6 <= words["y"] <= around["y"] + around["height"] + 6
    assert around["x"] - 6 <= words["x"] <= around["x"] + around["width"] + 6
    expect(driver.page.locator(".document-text mark").first).to_be_in_viewport()
    driver.screenshot("document", screenshots)
    driver.page.get_by_role("link", name="Back to the search").click()
    expect(box).to_have_value(PHRASE)
    expect(first.locator(".hit-link"), "the result that was opened").to_be_focused()
    driver.page.go_back()
    expect(frame).to_be_in_viewport()
    driver.page.go_back()
    expect(first.locator(".hit-link")).to_be_focused()
    driver.assert_no_errors()


def test_a_field_links_to_its_position_and_the_link_survives_a_reload(
    driver: PageDriver, tmp_path: Path
) -> None:
    client = Client(driver.home)
    document = client.upload("Mooring agreement 2026.pdf", agreement(tmp_path / "a.pdf").read_bytes())
    client.wait_until_finished(document["id"])
    driver.open(f"#/documents/{document['id']}?tab=fields")
    driver.page.get_by_role("link", name=re.compile("office@halden")).click()
    expect(driver.page.locator(".document-text mark").first).to_contain_text("office@halden-canal.example")
    expect(driver.page.locator("[data-page='3']")).to_be_in_viewport()
    span = re.search(r"span=\d+-\d+", driver.page.url)
    assert span
    driver.page.reload()
    # The page may add the place where one reads.
    expect(driver.page).to_have_url(re.compile(re.escape(span[0])))
    expect(driver.page.locator(".document-text mark").first).to_be_in_viewport()
    driver.page.go_back()
    expect(driver.page.get_by_role("tab", name="Fields")).to_have_attribute("aria-selected", "true")


def test_a_right_to_left_title_does_not_change_the_direction_of_its_line(driver: PageDriver) -> None:
    client = Client(driver.home)
    title = "שומר התעלה of 1921"
    document = client.upload("Keeper.md", f"# {title}\n\nספינה אחת בכל שעה.\n".encode())
    client.wait_until_finished(document["id"])
    driver.open()
    expect(driver.row("Keeper.md").locator("bdi")).to_have_text(title)
    driver.open(f"#/documents/{document['id']}")
    line = driver.page.locator(".document-own-title")
    expect(line).to_have_css("direction", "ltr")
    expect(line).to_contain_text(title)
    expect(line.locator("bdi")).to_have_text(title)
    expect(driver.page.locator(".document-name p.quiet")).to_contain_text("Markdown · ")


def test_a_duplicate_upload_links_to_the_existing_document(driver: PageDriver, tmp_path: Path) -> None:
    client = Client(driver.home)
    body = b"A toll of four pence for each lock.\n"
    known = client.upload("Tolls.txt", body)
    client.wait_until_finished(known["id"])
    duplicate = tmp_path / "Copy of tolls.txt"
    duplicate.write_bytes(body)
    driver.open()
    driver.drop(duplicate)
    tray = driver.page.get_by_role("region", name="Uploads")
    expect(tray).to_contain_text("Duplicate of “Tolls.txt”")
    tray.get_by_role("link", name="Duplicate of “Tolls.txt”").click()
    expect(driver.page.get_by_role("heading", name="Tolls.txt", level=1)).to_be_visible()


def test_a_reload_during_processing_loses_nothing(driver: PageDriver, tmp_path: Path) -> None:
    paths = [agreement(tmp_path / f"Report {number}.pdf", str(number)) for number in range(3)]
    driver.open()
    driver.drop(*paths)
    expect(driver.page.get_by_text("3 files stored")).to_be_visible()
    driver.page.reload()
    for name in names(paths):
        expect(driver.row(name)).to_have_attribute("data-status", "COMPLETED")


def test_a_killed_server_is_shown_and_processing_continues_after_a_restart(
    browser: Browser, tmp_path: Path, screenshots: Path, built_page: None
) -> None:
    files = [path for path in twenty_files(tmp_path / "files") if path.suffix == ".pdf"]
    first = Server(tmp_path / "data", settings=LONG_DEADLINE).wait_until_ready()
    with open_page(browser, first.url) as driver:
        driver.open()
        driver.drop(*files)
        expect(driver.page.get_by_text(f"{len(files)} files stored")).to_be_visible()
        first.kill()
        banner = driver.page.get_by_role("alert")
        expect(banner).to_contain_text("Reconnecting")
        expect(banner).to_contain_text("Stored files are safe")
        expect(driver.row(files[0].name)).to_be_visible()
        driver.screenshot("reconnecting", screenshots)
        with Server(tmp_path / "data", port=first.port, settings=LONG_DEADLINE):
            expect(banner).to_have_count(0)
            for name in names(files):
                expect(driver.row(name)).to_have_attribute("data-status", "COMPLETED")
        driver.assert_no_errors()
