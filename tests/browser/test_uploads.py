"""Uploads: progress, cancelling, pasting, folders, refused files, and an interrupted connection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.page_driver import PageDriver, open_page
from tests.support.servers import Client, Server


def slow_down(driver: PageDriver, bytes_a_second: int) -> Callable[[], None]:
    """Limits the upload speed; the returned function removes the limit."""
    devtools = driver.page.context.new_cdp_session(driver.page)

    def limit(rate: int) -> None:
        conditions = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": rate}
        devtools.send("Network.emulateNetworkConditions", conditions)

    devtools.send("Network.enable")
    limit(bytes_a_second)
    return lambda: limit(-1)


def test_a_slow_upload_shows_its_progress_and_can_be_cancelled(driver: PageDriver, tmp_path: Path) -> None:
    large, small = tmp_path / "Large.txt", tmp_path / "Small.txt"
    large.write_bytes(b"so many words " * 300_000)
    small.write_bytes(b"few words")
    driver.open()
    slow_down(driver, 400_000)
    driver.drop(large, small)
    tray = driver.page.get_by_role("region", name="Uploads")
    expect(tray.get_by_text("% of 4.2 MB")).to_be_visible()
    expect(tray.get_by_role("listitem").filter(has_text="Small.txt")).to_contain_text("Stored")
    tray.get_by_role("button", name="Cancel Large.txt").click()
    expect(tray.get_by_role("listitem").filter(has_text="Large.txt")).to_contain_text("Cancelled")
    expect(driver.row("Small.txt")).to_be_visible()
    assert driver.row("Large.txt").count() == 0
    assert Client(driver.home).get("/documents", q="Large.txt")["total"] == 0


def test_folders_are_uploaded_without_system_files(driver: PageDriver, tmp_path: Path) -> None:
    folder = tmp_path / "Archive"
    (folder / "1921" / "spring").mkdir(parents=True)
    (folder / "1921" / "spring" / "Deep letter.txt").write_text("From the bottom of a folder.")
    (folder / "Top letter.txt").write_text("From the top of a folder.")
    (folder / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    driver.open()
    driver.drop(folder)
    for name in ("Deep letter.txt", "Top letter.txt"):
        expect(driver.row(name)).to_have_attribute("data-status", "COMPLETED")
    expect(driver.page.get_by_text("2 files stored")).to_be_visible()


def test_pasted_and_chosen_files_are_uploaded(driver: PageDriver, tmp_path: Path) -> None:
    driver.open()
    expect(driver.page.get_by_role("heading", name="Library")).to_be_visible()
    driver.page.evaluate(
        """() => {
            const clipboard = new DataTransfer()
            clipboard.items.add(new File(['pasted words'], 'Pasted.txt', {type: 'text/plain'}))
            document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: clipboard, bubbles: true}))
        }"""
    )
    expect(driver.row("Pasted.txt")).to_have_attribute("data-status", "COMPLETED")
    chosen = tmp_path / "Chosen.txt"
    chosen.write_text("chosen words")
    with driver.page.expect_file_chooser() as chooser:
        driver.page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(chosen)
    expect(driver.row("Chosen.txt")).to_have_attribute("data-status", "COMPLETED")


def test_a_refused_file_shows_the_reason(idle_driver: PageDriver, tmp_path: Path) -> None:
    path = tmp_path / "Too large.txt"
    path.write_bytes(b"x" * 1_000_001)
    idle_driver.open()
    idle_driver.drop(path)
    expect(idle_driver.page.get_by_role("region", name="Uploads")).to_contain_text("max_upload_bytes")


def test_an_interrupted_upload_is_sent_again_once(browser: Browser, tmp_path: Path, built_page: None) -> None:
    path = tmp_path / "Interrupted.txt"
    path.write_bytes(b"so many words " * 100_000)
    first = Server(tmp_path / "data").wait_until_ready()
    with open_page(browser, first.url) as driver:
        driver.open()
        speed_up = slow_down(driver, 60_000)
        driver.drop(path)
        tray = driver.page.get_by_role("region", name="Uploads")
        expect(tray).to_contain_text("% of 1.4 MB")
        first.kill()
        expect(tray).to_contain_text("The server does not answer")
        speed_up()
        with Server(tmp_path / "data", port=first.port) as second:
            expect(tray).to_contain_text("Stored")
            expect(driver.row("Interrupted.txt")).to_have_attribute("data-status", "COMPLETED")
            assert Client(second.url).get("/documents")["total"] == 1
