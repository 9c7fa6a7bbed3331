"""A person corrects a file: replaces it, sees what changed, and updates a folder."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.page_driver import PageDriver
from tests.support.servers import Client, Server

TEXT = "# Report\n\nThe keeper passed forty boats.\n\n# Locks\n\nThe gate of lock seven was repaired.\n"


def test_a_file_is_replaced_and_the_difference_is_shown(
    driver: PageDriver, server: Server, tmp_path: Path
) -> None:
    client = Client(server.url)
    document_id = client.upload("report.md", TEXT.encode())["id"]
    client.wait_until_finished(document_id)
    corrected = tmp_path / "report-corrected.md"
    corrected.write_text(TEXT.replace("forty", "fifty"), "utf-8")
    driver.open(f"#/documents/{document_id}")
    page = driver.page
    expect(page.get_by_role("tab", name="Versions")).to_have_count(0)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Replace file…").click()
    chooser.value.set_files(corrected)
    expect(page.get_by_role("heading", name="report-corrected.md")).to_be_visible()

    page.get_by_role("tab", name="Versions").click()
    listed = page.get_by_role("list", name="Versions, newest first").get_by_role("listitem")
    expect(listed).to_have_count(2)
    expect(listed.first).to_contain_text("Version 2")
    expect(listed.first).to_contain_text("1 chunk added, 1 chunk removed, 1 unchanged")
    difference = page.get_by_role("region", name="Differences between version 1 and version 2")
    expect(difference.locator(".removed")).to_contain_text("The keeper passed forty boats.")
    expect(difference.locator(".added")).to_contain_text("The keeper passed fifty boats.")
    # The sign before a line is one character.
    for kind, sign in (("added", "+"), ("removed", "\u2212"), ("same", "\u00a0")):
        line = difference.locator(f".diff-line.{kind}").first
        assert line.evaluate("line => getComputedStyle(line, '::before').content") == f'"{sign}"'
    with page.expect_download() as download:
        page.get_by_role("button", name="Download version 1").click()
    assert Path(download.value.path()).read_text("utf-8") == TEXT
    # A link to the first version's document still opens.
    driver.open(f"#/documents/{document_id}?tab=text")
    expect(page.get_by_text("The keeper passed fifty boats.")).to_be_visible()
    assert driver.errors == []


def test_a_folder_that_is_uploaded_again_as_versions_updates_its_documents(
    driver: PageDriver, server: Server, tmp_path: Path
) -> None:
    folder = tmp_path / "Handbook"
    (folder / "locks").mkdir(parents=True)
    chapter = folder / "locks" / "foxton.md"
    chapter.write_text("# Foxton\n\nTen locks in two staircases.\n", "utf-8")
    driver.open()
    page = driver.page
    page.get_by_role("checkbox", name="as versions").check()
    picker = page.locator("input[data-picks=folder]")
    picker.set_input_files(folder)
    expect(page.get_by_label("Uploads").get_by_text("1 file stored")).to_be_visible()
    chapter.write_text("# Foxton\n\nTen locks in two staircases of five.\n", "utf-8")
    picker.set_input_files(folder)

    expect(page.get_by_label("Uploads").get_by_text("Stored as version 2")).to_be_visible()
    expect(driver.row("foxton.md")).to_have_count(1)
    found = [
        document
        for document in Client(server.url).get("/documents", q="foxton")["documents"]
        if document["key"] == "Handbook/locks/foxton.md"
    ]
    assert len(found) == 1
    page.get_by_role("checkbox", name="as versions").uncheck()
    assert driver.errors == []
