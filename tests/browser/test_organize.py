"""A person organizes a library: collections from folders, tags, order, filters, edits, export and deletion."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.document_states import LONG_DEADLINE
from tests.browser.page_driver import open_page
from tests.support.servers import Client, Server

INVOICES, LETTERS = 10, 4


@pytest.fixture(scope="module")
def own_server(built_page: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without the documents of other tests."""
    with Server(tmp_path_factory.mktemp("organize") / "data", settings=LONG_DEADLINE) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("post") / "Post"
    for name in ("invoices", "letters"):
        (folder / name).mkdir(parents=True)
    for number in range(1, INVOICES + 1):
        text = f"# Invoice {number}\n\nInvoice No: TP-{number:04}\n\nTimber for the lock gate, GBP {number}0.00.\n"
        (folder / "invoices" / f"Invoice {number:02}.md").write_text(text * (1 + number % 3), "utf-8")
    for number in range(1, LETTERS + 1):
        text = f"# Letter {number}\n\nThe keeper writes about boat number {number}.\n"
        (folder / "letters" / f"Letter {number}.md").write_text(text, "utf-8")
    (folder / "Contents.txt").write_text("Fourteen papers in two folders.", "utf-8")
    return folder


def test_a_folder_becomes_collections_and_ten_invoices_are_tagged_sorted_filtered_and_exported(
    browser: Browser, own_server: Server, folder: Path, tmp_path: Path
) -> None:
    with open_page(browser, own_server.url) as driver:
        driver.open()
        driver.drop(folder)
        page = driver.page
        collections = page.get_by_role("group", name="Filter by collection")
        expect(collections.get_by_role("button", name=f"invoices {INVOICES}")).to_be_visible()
        expect(collections.get_by_role("button", name=f"letters {LETTERS}")).to_be_visible()
        expect(collections.get_by_role("button", name="No collection 1")).to_be_visible()
        expect(page.get_by_role("button", name=f"Completed {INVOICES + LETTERS + 1}")).to_be_visible()

        collections.get_by_role("button", name="invoices").click()
        expect(page.get_by_text(f"{INVOICES} documents", exact=True)).to_be_visible()
        page.get_by_role("checkbox", name="Select Invoice 01.md").check()
        page.get_by_role("button", name=f"Select all {INVOICES} that match").click()
        page.get_by_role("button", name="Tag…").click()
        page.get_by_label("Tags, separated by commas").fill("audit")
        page.get_by_role("button", name="Add tags").click()
        expect(page.get_by_role("status").filter(has_text=f"{INVOICES} documents tagged")).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("button", name="Export CSV").click()
        rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8-sig"))))
        assert {row["tags"] for row in rows} == {"audit"}
        assert len(rows) == INVOICES
        assert any("TP-0001" in row.values() for row in rows)
        page.get_by_role("button", name="Clear selection").click()

        page.get_by_role("button", name="Clear filters").click()
        page.get_by_role("group", name="Filter by tag").get_by_role(
            "button", name=f"audit {INVOICES}"
        ).click()
        page.get_by_role("combobox", name="Sort by").select_option("name")
        expect(page.locator(".row-name").first).to_have_text("Invoice 01.md")
        page.get_by_role("combobox", name="Sort by").select_option("-name")
        expect(page.locator(".row-name").first).to_have_text(f"Invoice {INVOICES:02}.md")
        yesterday = (datetime.now(UTC) - timedelta(days=2)).date().isoformat()
        page.get_by_label("to", exact=True).fill(yesterday)
        expect(page.get_by_text("No document matches these filters.")).to_be_visible()
        page.get_by_label("to", exact=True).fill("")
        page.get_by_label("From").fill(yesterday)
        expect(page.get_by_text(f"{INVOICES} documents", exact=True)).to_be_visible()
        page.get_by_role("button", name="Save filter…").click()
        page.get_by_label("Name", exact=True).fill("For the audit")
        page.get_by_role("button", name="Save", exact=True).click()
        driver.open()
        page.reload()
        page.get_by_role("link", name="For the audit").click()
        expect(page.get_by_text(f"{INVOICES} documents", exact=True)).to_be_visible()
        assert driver.violations() == []
        driver.assert_no_errors()


def test_a_title_and_a_field_are_corrected_in_place(
    browser: Browser, own_server: Server, folder: Path
) -> None:
    client = Client(own_server.url)
    with open_page(browser, own_server.url) as driver:
        page = driver.page
        document = client.upload("Receipt.md", b"# Receipt\n\nInvoice No: TP-9999\n\nPaid in full.\n")
        driver.open(f"#/documents/{document['id']}")
        page.get_by_role("button", name="Edit title").click()
        page.get_by_label("Title", exact=True).fill("Receipt for timber")
        page.get_by_label("Title", exact=True).press("Enter")
        expect(page.get_by_text("Receipt for timber")).to_be_visible()
        # A server without keys knows nobody by name.
        expect(page.get_by_text(re.compile(r"^edited \w+ \d"))).to_be_visible()
        page.get_by_role("button", name="Add tag").click()
        page.get_by_label("New tags").fill("paid")
        page.get_by_label("New tags").press("Enter")
        expect(page.get_by_role("link", name="paid", exact=True)).to_be_visible()
        page.get_by_role("button", name="Add to a collection").click()
        page.get_by_label("Collection", exact=True).fill("receipts")
        page.get_by_label("Collection", exact=True).press("Enter")
        expect(page.get_by_role("link", name="receipts", exact=True)).to_be_visible()
        page.get_by_role("tab", name="Fields").click()
        edit = page.get_by_role("button", name="Edit Invoice number: TP-9999")
        edit.click()
        editor = page.get_by_label("Value of")
        editor.fill("TP-1000")
        editor.press("Enter")
        expect(page.get_by_text("extracted: TP-9999")).to_be_visible()
        assert driver.violations() == []
        driver.assert_no_errors()
    saved = client.get(f"/documents/{document['id']}")
    assert (saved["title"], saved["tags"], saved["collection"]) == (
        "Receipt for timber",
        ["paid"],
        "receipts",
    )
    values = {field["value"] for field in client.get(f"/documents/{document['id']}/fields")}
    assert "TP-1000" in values


def test_a_phone_shows_the_filters_and_letters_are_run_again_and_deleted(
    browser: Browser, own_server: Server, folder: Path
) -> None:
    with open_page(browser, own_server.url, width=390, height=844) as driver:
        page = driver.page
        driver.open()
        letters = page.get_by_role("group", name="Filter by collection").get_by_role("button", name="letters")
        more = page.get_by_role("button", name="Filters", exact=True)
        expect(more).to_be_visible()
        expect(letters).to_be_hidden()
        more.click()
        letters.click()
        expect(page.get_by_text(f"{LETTERS} documents", exact=True)).to_be_visible()
        page.get_by_role("checkbox", name="Select Letter 1.md").check()
        assert driver.overflow() <= 0
        page.get_by_role("button", name=f"Select all {LETTERS} that match").click()
        # A document that is unchecked is not selected, and other filters do not extend the selection.
        expect(page.get_by_role("checkbox", name="Select Letter 2.md")).to_be_checked()
        page.get_by_role("checkbox", name="Select Letter 2.md").uncheck()
        expect(page.get_by_role("toolbar")).to_contain_text(f"{LETTERS - 1} selected")
        page.get_by_role("button", name=f"Select all {LETTERS} that match").click()
        page.get_by_role("button", name="Clear filters").click()
        expect(page.get_by_role("toolbar")).not_to_contain_text(f"{LETTERS} selected")
        letters.click()
        page.get_by_role("checkbox", name="Select Letter 1.md").check()
        page.get_by_role("button", name=f"Select all {LETTERS} that match").click()
        page.get_by_role("button", name="Run again…").click()
        dialog = page.get_by_role("dialog", name=f"Run {LETTERS} documents again?")
        expect(dialog).to_contain_text("Costs nothing with unchanged settings")
        assert driver.violations() == []
        dialog.get_by_role("button", name="Run again").click()
        expect(
            page.get_by_role("status").filter(has_text=f"{LETTERS} documents queued again")
        ).to_be_visible()
        expect(page.get_by_role("button", name=f"Completed {LETTERS}")).to_be_visible()
        page.get_by_role("checkbox", name="Select Letter 1.md").check()
        page.get_by_role("button", name=f"Select all {LETTERS} that match").click()
        page.get_by_role("toolbar").get_by_role("button", name="Delete").click()
        dialog = page.get_by_role("dialog", name=f"Delete {LETTERS} documents?")
        dialog.get_by_role("button", name="Delete").click()
        expect(page.get_by_text("No document matches these filters.")).to_be_visible()
        assert driver.overflow() <= 0
        driver.assert_no_errors()
