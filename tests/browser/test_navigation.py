"""Moving through the page: back to the row that was opened, and tooltips of controls without a text."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.page_driver import PageDriver, open_page
from tests.browser.sample_files import agreement
from tests.support.servers import Client, Server


def test_back_focuses_the_row_that_was_opened(driver: PageDriver, server: Server) -> None:
    client = Client(server.url)
    ids = [client.upload(f"row {n:02}.txt", f"Row number {n}.".encode())["id"] for n in range(40)]
    client.wait_until_finished(*ids)
    driver.open("#/?sort=name&q=row")
    first = driver.row("row 00.txt").get_by_role("link")
    expect(first).to_be_visible()
    # The row is not drawn before the list is scrolled.
    expect(driver.row("row 35.txt")).to_have_count(0)
    first.focus()
    driver.page.keyboard.press("End")
    last = driver.row("row 39.txt").get_by_role("link")
    expect(last).to_be_focused()
    driver.row("row 35.txt").get_by_role("link").click()
    expect(driver.page.get_by_role("heading", level=1, name="row 35.txt")).to_be_visible()

    driver.page.get_by_role("link", name="Back to the library").click()

    row = driver.row("row 35.txt").get_by_role("link")
    expect(row).to_be_focused()
    expect(row).to_be_in_viewport()
    driver.page.keyboard.press("j")
    expect(driver.row("row 36.txt").get_by_role("link")).to_be_focused()
    # A reload of the list is no return to it.
    driver.page.reload()
    expect(first).to_be_visible()
    expect(driver.row("row 35.txt")).to_have_count(0)


#: Visible controls that show an icon or one character only and have no tooltip.
_WITHOUT_TOOLTIP = """() => [...document.querySelectorAll('button, a, summary')]
  .filter((control) => control.checkVisibility() && control.innerText.trim().length <= 1 && !control.title)
  .map((control) => control.outerHTML.slice(0, 200))"""


def test_every_control_without_a_text_has_a_tooltip(
    driver: PageDriver, server: Server, tmp_path: Path
) -> None:
    client = Client(server.url)
    page = driver.page
    pdf = agreement(tmp_path / "Agreement.pdf", "tooltips")
    (document,) = client.wait_until_finished(client.upload(pdf.name, pdf.read_bytes())["id"])
    path = f"/documents/{document['document_id']}"
    client.http.patch(path, json={"add_tags": ["lease"]}).raise_for_status()

    def check(place: str) -> None:
        assert page.evaluate(_WITHOUT_TOOLTIP) == [], place

    driver.open("#/?tag=lease")
    row = driver.row(pdf.name)
    expect(row).to_be_visible()
    row.get_by_role("checkbox").check()
    page.get_by_role("button", name="Save filter…").click()
    page.get_by_label("Name", exact=True).fill("Leases")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Delete the filter Leases")).to_be_visible()
    check("library")
    driver.drop(_note(tmp_path))
    expect(page.get_by_role("button", name="Close uploads")).to_be_visible()
    check("uploads")
    driver.open(f"#{path}")
    expect(page.locator(".pdf-pages canvas").first).to_be_visible()
    for tab in ("Fields", "Chunks", "History", "Text"):
        page.get_by_role("tab", name=tab).click()
        check(tab)
    page.keyboard.press("Control+f")
    expect(page.get_by_role("button", name="Close find")).to_be_visible()
    check("find")
    driver.open("#/operations")
    expect(page.get_by_role("region", name="Workers")).to_be_visible()
    check("operations")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_long_name_leaves_the_actions_in_the_window(browser: Browser, server: Server, width: int) -> None:
    client = Client(server.url)
    names = (
        " ".join(["Minutes of the meeting about the roof and the stairwells"] * 4) + ".md",
        "minutes" * 28 + ".md",
    )
    for name in names:
        document = client.upload(name, f"# {name[:7]}\n\nThe roof is renovated.".encode())
        client.wait_until_finished(document["id"])
        with open_page(browser, server.url, width=width, height=844) as driver:
            driver.open(f"#/documents/{document['id']}")
            page = driver.page
            for control in ("Run again…", "Replace file…", "Delete…"):
                expect(page.get_by_role("button", name=control)).to_be_in_viewport(ratio=1)
            # On a phone the tabs scroll beside the tools.
            expect(page.get_by_role("button", name="Find", exact=True)).to_be_in_viewport(ratio=1)
            assert driver.overflow() <= 0


def test_a_request_that_failed_can_be_sent_again(driver: PageDriver, server: Server) -> None:
    client = Client(server.url)
    client.wait_until_finished(
        client.upload("Windlass.txt", b"The windlass of the weir turns to the left.")["id"]
    )
    page = driver.page
    problem = '{"title": "Service Unavailable", "status": 503, "detail": "The database does not answer."}'
    page.route(
        "**/search?*",
        lambda route: route.fulfill(status=503, content_type="application/problem+json", body=problem),
    )
    driver.open("#/search?q=windlass")
    error = page.get_by_role("alert").filter(has_text="The database does not answer.")
    expect(error).to_be_visible()
    page.unroute("**/search?*")
    error.get_by_role("button", name="Try again").click()
    expect(page.locator(".hit-link").first).to_be_visible()
    expect(error).to_have_count(0)


def _note(folder: Path) -> Path:
    path = folder / "A note.txt"
    path.write_text("A note about the lease.")
    return path
