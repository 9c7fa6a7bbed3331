"""Uploads one by one: progress, cancelling, pasting, folders, and what happens when the server goes away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.watching import Reader, reading
from tests.support.servers import Client, Server


def slow_down(reader: Reader, bytes_a_second: int) -> Callable[[], None]:
    """A slow line for uploads; the answer makes it fast again."""
    devtools = reader.page.context.new_cdp_session(reader.page)

    def limit(rate: int) -> None:
        line = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": rate}
        devtools.send("Network.emulateNetworkConditions", line)

    devtools.send("Network.enable")
    limit(bytes_a_second)
    return lambda: limit(-1)


def test_a_slow_upload_shows_its_progress_and_can_be_cancelled(reader: Reader, tmp_path: Path) -> None:
    large, small = tmp_path / "Large.txt", tmp_path / "Small.txt"
    large.write_bytes(b"so many words " * 300_000)
    small.write_bytes(b"few words")
    reader.open()
    slow_down(reader, 400_000)
    reader.drop(large, small)
    tray = reader.page.get_by_role("region", name="Uploads")
    expect(tray.get_by_text("% of 4.2 MB")).to_be_visible()
    expect(tray.get_by_role("listitem").filter(has_text="Small.txt")).to_contain_text("Stored")
    tray.get_by_role("button", name="Cancel Large.txt").click()
    expect(tray.get_by_role("listitem").filter(has_text="Large.txt")).to_contain_text("Cancelled")
    expect(reader.row("Small.txt")).to_be_visible()
    assert reader.row("Large.txt").count() == 0
    assert Client(reader.home).get("/documents", q="Large.txt")["total"] == 0


def test_folders_are_walked_and_leavings_of_file_managers_left(reader: Reader, tmp_path: Path) -> None:
    folder = tmp_path / "Archive"
    (folder / "1921" / "spring").mkdir(parents=True)
    (folder / "1921" / "spring" / "Deep letter.txt").write_text("From the bottom of a folder.")
    (folder / "Top letter.txt").write_text("From the top of a folder.")
    (folder / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    reader.open()
    reader.drop(folder)
    for name in ("Deep letter.txt", "Top letter.txt"):
        expect(reader.row(name)).to_have_attribute("data-status", "COMPLETED")
    expect(reader.page.get_by_text("2 files stored")).to_be_visible()


def test_a_pasted_file_is_uploaded_and_a_chosen_one_too(reader: Reader, tmp_path: Path) -> None:
    reader.open()
    expect(reader.page.get_by_role("heading", name="Library")).to_be_visible()
    reader.page.evaluate(
        """() => {
            const clipboard = new DataTransfer()
            clipboard.items.add(new File(['pasted words'], 'Pasted.txt', {type: 'text/plain'}))
            document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: clipboard, bubbles: true}))
        }"""
    )
    expect(reader.row("Pasted.txt")).to_have_attribute("data-status", "COMPLETED")
    chosen = tmp_path / "Chosen.txt"
    chosen.write_text("chosen words")
    with reader.page.expect_file_chooser() as chooser:
        reader.page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(chosen)
    expect(reader.row("Chosen.txt")).to_have_attribute("data-status", "COMPLETED")


def test_a_refused_file_says_why(onlooker: Reader, tmp_path: Path) -> None:
    path = tmp_path / "Too large.txt"
    path.write_bytes(b"x" * 1_000_001)
    onlooker.open()
    onlooker.drop(path)
    expect(onlooker.page.get_by_role("region", name="Uploads")).to_contain_text("max_upload_bytes")


def test_an_upload_that_broke_off_is_sent_again_once_when_the_server_is_back(
    browser: Browser, tmp_path: Path, built_page: None
) -> None:
    path = tmp_path / "Interrupted.txt"
    path.write_bytes(b"so many words " * 100_000)
    first = Server(tmp_path / "data").wait_until_ready()
    with reading(browser, first.url) as reader:
        reader.open()
        speed_up = slow_down(reader, 300_000)
        reader.drop(path)
        tray = reader.page.get_by_role("region", name="Uploads")
        expect(tray).to_contain_text("% of 1.4 MB")
        first.kill()
        expect(tray).to_contain_text("The server went silent")
        speed_up()
        with Server(tmp_path / "data", port=first.port) as second:
            expect(tray).to_contain_text("Stored")
            expect(reader.row("Interrupted.txt")).to_have_attribute("data-status", "COMPLETED")
            assert Client(second.url).get("/documents")["total"] == 1
