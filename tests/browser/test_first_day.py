"""The tasks of a person on the first day: a folder of 60 files is dropped, organized, exported and asked about.

Reading a long document is in `test_reading.py`.
"""

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
from tests.browser.sample_files import twenty_files
from tests.support.servers import Server

FILES, INVOICES = 60, 10
QUESTION = "What does the lintian command check?"


@pytest.fixture(scope="module")
def own_server(built_page: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without the documents of other tests."""
    with Server(tmp_path_factory.mktemp("first_day") / "data", settings=LONG_DEADLINE) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sixty files of many formats in three sub-folders."""
    folder = tmp_path / "Office"
    twenty_files(folder / "papers")
    (folder / "invoices").mkdir()
    for number in range(1, INVOICES + 1):
        text = f"# Invoice {number}\n\nInvoice No: TP-{number:04}\n\nTimber for the lock gate, GBP {number}0.00.\n"
        (folder / "invoices" / f"Invoice {number:02}.md").write_text(text, "utf-8")
    (folder / "notes").mkdir()
    answer = "# Packages\n\nThe lintian command checks a Debian package for violations of the policy.\n"
    (folder / "notes" / "Packages.md").write_text(answer, "utf-8")
    for number in range(FILES - 20 - INVOICES - 1):
        suffix, text = (("txt", "{}"), ("html", "<h1>Note</h1><p>{}</p>"), ("csv", "day,text\n1,{}\n"))[
            number % 3
        ]
        line = f"On day {number} the keeper counted {number + 3} boats."
        (folder / "notes" / f"Note {number:02}.{suffix}").write_text(text.format(line), "utf-8")
    return folder


def test_sixty_files_are_dropped_organized_exported_and_asked_about(
    browser: Browser, own_server: Server, folder: Path
) -> None:
    assert len([path for path in folder.rglob("*") if path.is_file()]) == FILES
    with open_page(browser, own_server.url) as driver:
        page = driver.page

        # Drop the folder and watch the batch.
        driver.open()
        driver.drop(folder)
        tray = page.get_by_role("region", name="Uploads")
        expect(tray).to_contain_text(re.compile(rf"\d+ of {FILES} processed"))
        expect(tray).to_contain_text(f"{FILES} files stored")

        # Find the collections that were made from its sub-folders.
        collections = page.get_by_role("group", name="Filter by collection")
        for name, count in (("papers", 20), ("invoices", INVOICES), ("notes", FILES - 20 - INVOICES)):
            expect(collections.get_by_role("button", name=f"{name} {count}")).to_be_visible()
        expect(page.get_by_role("button", name=f"Completed {FILES}")).to_be_visible()
        page.get_by_role("button", name="Close uploads").click()

        # Tag ten invoices and export their fields.
        collections.get_by_role("button", name="invoices").click()
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
        assert {f"TP-{number:04}" for number in range(1, INVOICES + 1)} <= {
            value for row in rows for value in row.values()
        }
        page.get_by_role("button", name="Clear selection").click()

        # Filter by tag and date, and sort.
        page.get_by_role("button", name="Clear filters").click()
        page.get_by_role("group", name="Filter by tag").get_by_role(
            "button", name=f"audit {INVOICES}"
        ).click()
        day = (datetime.now(UTC) - timedelta(days=2)).date().isoformat()
        page.get_by_label("From").fill(day)
        expect(page.get_by_text(f"{INVOICES} documents", exact=True)).to_be_visible()
        page.get_by_role("combobox", name="Sort by").select_option("-name")
        expect(page.locator(".row-name").first).to_have_text(f"Invoice {INVOICES:02}.md")

        # Open the first one and edit its title.
        page.locator(".row-name").first.click()
        page.get_by_role("button", name="Edit title").click()
        page.get_by_label("Title", exact=True).fill("Timber for the lock gate")
        page.get_by_label("Title", exact=True).press("Enter")
        expect(page.locator(".document-own-title")).to_contain_text("Timber for the lock gate")

        # Ask a question and land on the cited passage.
        driver.open("#/ask")
        page.get_by_role("textbox", name="Question").fill(QUESTION)
        page.get_by_role("textbox", name="Question").press("Enter")
        answer = page.locator(".turn").last
        expect(answer).to_contain_text("violations of the policy")
        answer.get_by_role("link", name=re.compile("^Source 1: Packages.md")).first.click()
        mark = page.locator(".document-text mark").first
        expect(mark).to_be_in_viewport()
        expect(page.locator(".document-text")).to_contain_text("violations of the policy")
        driver.assert_no_errors()
