"""A person reads: finds a word in 400 pages, follows the outline, copies a link, a citation and a file, prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.long_documents import (
    LINK,
    PAGES,
    RARE_PAGES,
    RARE_WORD,
    RULES_PER_PAGE,
    handbook,
    wide_table,
)
from tests.browser.page_driver import PageDriver, open_page
from tests.browser.sample_files import twenty_files
from tests.support.servers import Client, Server
from tests.support.timeouts import wait_until

HANDBOOK = "Handbook of the navigation.pdf"


@pytest.fixture(scope="module")
def documents(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The ids of processed documents by file name, or by suffix."""
    folder = tmp_path_factory.mktemp("reading")
    client = Client(server.url)
    ids = {
        HANDBOOK: client.upload(HANDBOOK, handbook(folder / "handbook.pdf").read_bytes())["id"],
        "Accounts.md": client.upload("Accounts.md", wide_table())["id"],
    }
    for file in twenty_files(folder / "files"):
        if file.suffix in (".pptx", ".xlsx", ".epub"):
            ids[file.suffix] = client.upload(file.name, file.read_bytes())["id"]
    client.wait_until_finished(*ids.values())
    return ids


@pytest.fixture
def reader(driver: PageDriver, documents: Mapping[str, str]) -> Iterator[PageDriver]:
    """The handbook, opened beside its text."""
    driver.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    driver.open(f"#/documents/{documents[HANDBOOK]}")
    expect(driver.page.locator("[data-page='1']")).to_have_attribute("data-drawn", "yes")
    expect(driver.page.locator(".document-text .block").first).to_be_visible()
    yield driver
    driver.assert_no_errors()


def find_box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Find in document")


def printed_page(page: Page) -> str:
    """The page of the PDF that the bar shows."""
    return page.get_by_role("textbox", name="Page", exact=True).input_value()


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_a_word_is_found_in_a_document_of_400_pages_by_keyboard(reader: PageDriver) -> None:
    page = reader.page
    page.keyboard.press("Control+f")
    expect(find_box(page)).to_be_focused()
    page.keyboard.type(RARE_WORD)
    count = page.get_by_role("search").get_by_role("status")
    shown = page.locator("mark.mark-current")
    for number, sheet in enumerate(RARE_PAGES, 1):
        expect(count).to_have_text(f"{number} of {len(RARE_PAGES)}")
        expect(shown).to_have_text(RARE_WORD)
        expect(shown).to_be_in_viewport()
        expect(page.locator(".block", has=shown)).to_contain_text(f"sheet {sheet} ")
        expect(page.locator(f"[data-page='{sheet}']"), "the PDF moves along").to_be_in_viewport()
        page.keyboard.press("Enter")
    expect(count).to_have_text(f"1 of {len(RARE_PAGES)}")
    page.keyboard.press("Shift+Enter")
    expect(count).to_have_text(f"{len(RARE_PAGES)} of {len(RARE_PAGES)}")
    assert reader.violations() == []
    find_box(page).fill("no such words")
    expect(count).to_have_text("No matches")
    page.keyboard.press("Escape")
    expect(find_box(page)).to_have_count(0)
    expect(page.locator("mark")).to_have_count(0)


def test_found_words_are_visible_among_long_paragraphs(driver: PageDriver, server: Server) -> None:
    # A section of such a text is several times as high as it is assumed to be before it is laid out.
    line = "The keeper writes down each boat that passes the gate, and the hour of the day. " * 12
    marked = (90, 170, 250, 330)
    text = "\n\n".join(
        f"{line}Entry {number}.{' A windlass was lent.' if number in marked else ''}" for number in range(360)
    )
    client = Client(server.url)
    document = client.upload("Journal.md", f"# Journal\n\n{text}".encode())
    client.wait_until_finished(document["id"])
    driver.open(f"#/documents/{document['id']}")
    page = driver.page
    expect(page.locator(".document-text .block").first).to_be_visible()
    page.keyboard.press("Control+f")
    page.keyboard.type("windlass")
    shown = page.locator("mark.mark-current")
    for index, number in enumerate(marked, 1):
        expect(page.get_by_role("search").get_by_role("status")).to_have_text(f"{index} of {len(marked)}")
        expect(page.locator(".block", has=shown)).to_contain_text(f"Entry {number}.")
        wait_until(lambda: is_painted(shown), f"the match in entry {number} is painted")
        page.keyboard.press("Enter")


def is_painted(element: Locator) -> bool:
    """Whether the element is what a person sees in its place."""
    return bool(
        element.evaluate(
            """element => {
                const {left, top, width, height} = element.getBoundingClientRect()
                return document.elementFromPoint(left + width / 2, top + height / 2) === element
            }"""
        )
    )


def test_the_outline_leads_to_a_chapter_in_text_and_pdf(reader: PageDriver) -> None:
    page = reader.page
    page.get_by_role("button", name="Outline", exact=True).click()
    outline = page.get_by_role("navigation", name="Outline")
    expect(outline.get_by_role("button")).to_have_count(1 + (PAGES - 4 + 35) // 36)
    entry = outline.get_by_role("button", name="Chapter 6 of the locks")
    entry.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Chapter 6 of the locks")).to_be_in_viewport()
    expect(page.locator("[data-page='185']")).to_be_in_viewport()
    expect(entry).to_have_attribute("aria-current", "location")
    assert printed_page(page) == "181", "the fifth page is the first numbered one"
    assert reader.violations() == []
    page.keyboard.press("Escape")
    expect(outline).to_have_count(0)


def test_text_and_pages_move_together_and_the_place_is_in_the_address(
    reader: PageDriver, browser: Browser
) -> None:
    page = reader.page
    box = page.get_by_role("textbox", name="Page", exact=True)
    page.locator(".pdf-pages").hover()
    box.fill("200")
    box.press("Enter")
    expect(page.locator("[data-page='204']")).to_be_in_viewport()
    expect(page.get_by_text("This is sheet 204 of the handbook.").last).to_be_in_viewport()
    page.locator(".document-text").hover()
    before = printed_page(page)
    page.mouse.wheel(0, 6_000)
    wait_until(lambda: printed_page(page) != before, "the PDF to follow the text")
    wait_until(lambda: "at=" in page.evaluate("location.href"), "the place to be in the address")
    page.get_by_role("tab", name="Chunks").click()
    page.get_by_role("tab", name="Text").click()
    wait_until(
        lambda: page.locator(".pane-body").evaluate("pane => pane.scrollTop") > 10_000,
        "the text to be where it was",
    )
    with open_page(browser, reader.home) as second:
        second.page.goto(page.evaluate("location.href"))
        expect(second.page.locator(".document-text .block").first).to_be_attached()
        wait_until(
            lambda: second.page.locator(".pane-body").evaluate("pane => pane.scrollTop") > 10_000,
            "the second browser to show the place",
        )
        wait_until(lambda: printed_page(second.page) == printed_page(page), "its PDF to show the place")
    page.get_by_role("button", name="Scroll together").click()
    fixed = printed_page(page)
    page.locator(".document-text").hover()
    address = page.evaluate("location.href")
    page.mouse.wheel(0, -8_000)
    wait_until(lambda: page.evaluate("location.href") != address, "the place in the address to change")
    assert printed_page(page) == fixed


def test_links_page_numbers_and_zoom_of_the_pdf(reader: PageDriver) -> None:
    page = reader.page
    assert printed_page(page) == "i"
    expect(page.locator(f"a[href='{LINK}']")).to_have_attribute("rel", "noopener noreferrer nofollow")
    page.locator("[data-page='1']").get_by_role(
        "button", name="Link to another page of this document"
    ).click()
    expect(page.locator("[data-page='77']")).to_be_in_viewport()
    assert printed_page(page) == "73"
    width = "document.querySelector('[data-page=\"77\"]').clientWidth"
    full = page.evaluate(width)
    page.get_by_role("button", name="Zoom out").click()
    expect(page.get_by_text("75 %")).to_be_visible()
    wait_until(lambda: page.evaluate(width) < full * 0.8, "the page to be narrower")
    page.get_by_role("button", name="Zoom out").click()
    expect(page.get_by_role("button", name="Zoom out")).to_be_disabled()
    assert reader.violations() == []


def test_a_copied_link_opens_the_passage_in_a_second_browser(reader: PageDriver, browser: Browser) -> None:
    page = reader.page
    page.keyboard.press("Control+f")
    page.keyboard.type(RARE_WORD)
    expect(page.locator("mark.mark-current")).to_be_in_viewport()
    page.locator(".block", has=page.locator("mark.mark-current")).hover()
    tools = page.get_by_role("toolbar", name="Passage")
    tools.get_by_role("button", name="Copy citation").click()
    expect(page.get_by_text("Citation copied.")).to_be_visible()
    assert clipboard(page) == "Handbook of the navigation, Chapter 1 of the locks, p. 19"
    tools.get_by_role("button", name="Copy as markdown").click()
    expect(page.get_by_text("Markdown copied.")).to_be_visible()
    assert clipboard(page) == "This is sheet 23 of the handbook. The windlass is kept here."
    tools.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied.")).to_be_visible()
    with open_page(browser, reader.home) as second:
        second.page.goto(clipboard(page))
        mark = second.page.locator(".document-text mark").first
        expect(mark).to_contain_text("This is sheet 23 of the handbook.")
        expect(mark).to_be_in_viewport()
        expect(second.page.locator("[data-page='23']")).to_be_in_viewport()
        second.assert_no_errors()


def test_passages_are_reached_by_keys(reader: PageDriver) -> None:
    keyboard, page = reader.page.keyboard, reader.page
    keyboard.press("j")
    block = page.locator(".block:focus")
    expect(block).to_be_visible()
    first = block.inner_text()
    keyboard.press("j")
    expect(block).not_to_have_text(first)
    keyboard.press("k")
    expect(block).to_have_text(first)
    keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copy link")).to_be_focused()
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(page.get_by_text("Citation copied.")).to_be_visible()
    keyboard.press("Escape")
    expect(block).to_be_focused()


def test_text_and_fields_are_downloaded_and_all_of_the_text_is_printed(reader: PageDriver) -> None:
    page = reader.page
    content: dict[str, str] = {}
    for label, name in (
        ("Download markdown", "Handbook of the navigation.md"),
        ("Download fields (CSV)", "fields.csv"),
        ("Download fields (JSON)", "fields.json"),
    ):
        page.get_by_label("Download", exact=True).click()
        with page.expect_download() as download:
            page.get_by_role("button", name=label).click()
        assert download.value.suggested_filename == name
        content[name] = Path(download.value.path()).read_text("utf-8-sig")
    assert f"sheet {PAGES} of the handbook" in content["Handbook of the navigation.md"]
    [fields] = json.loads(content["fields.json"])
    assert fields["name"] == HANDBOOK
    drawn = page.locator(".document-text .block")
    before = drawn.count()
    assert before < PAGES * RULES_PER_PAGE
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(drawn.last).to_contain_text(f"sheet {PAGES} every boat")
    assert drawn.count() > before, "also what is not near the visible part is printed"
    expect(page.locator(".pdf-bar")).to_be_hidden()
    expect(page.get_by_role("tab", name="Fields")).to_be_hidden()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")


def test_a_wide_table_uses_the_width_and_scrolls_by_itself(
    driver: PageDriver, documents: Mapping[str, str]
) -> None:
    driver.open(f"#/documents/{documents['Accounts.md']}")
    table = driver.page.get_by_role("group", name="Table")
    expect(table).to_be_visible()
    widths = table.evaluate("table => [table.clientWidth, table.scrollWidth]")
    text = driver.page.get_by_text("A short paragraph.").evaluate("text => text.clientWidth")
    assert widths[1] > widths[0] > text
    assert driver.overflow() <= 0


def test_slides_sheets_and_chapters_are_not_called_pages(
    driver: PageDriver, documents: Mapping[str, str]
) -> None:
    page = driver.page
    for suffix, place, entry in (
        (".pptx", "slide 1", "A basin for forty boats"),
        (".xlsx", "sheet 1", "Rents"),
        (".epub", None, "The navigator's guide"),
    ):
        driver.open(f"#/documents/{documents[suffix]}?tab=chunks")
        head = page.locator(".chunk-head").first
        expect(head).to_be_visible()
        expect(head).not_to_contain_text("page", ignore_case=True)
        details = page.locator(".document-name")
        expect(details).to_contain_text((place or "chapter").split()[0])
        expect(details).not_to_contain_text("page")
        if place:
            expect(head).to_contain_text(place)
        page.get_by_role("tab", name="Text").click()
        page.get_by_role("button", name="Outline", exact=True).click()
        expect(
            page.get_by_role("navigation", name="Outline").get_by_role("button", name=entry)
        ).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("dark", 1280), ("light", 390)])
def test_outline_and_find_are_accessible_and_fit(
    browser: Browser,
    server: Server,
    documents: Mapping[str, str],
    scheme: Literal["light", "dark"],
    width: int,
    screenshots: Path,
) -> None:
    with open_page(browser, server.url, scheme=scheme, width=width, height=844) as driver:
        page = driver.page
        driver.open(f"#/documents/{documents[HANDBOOK]}?tab=text")
        expect(page.locator(".document-text .block").first).to_be_visible()
        page.get_by_role("button", name="Outline", exact=True).click()
        page.get_by_role("button", name="Chapter 3 of the locks").click()
        expect(page.get_by_role("heading", name="Chapter 3 of the locks")).to_be_in_viewport()
        page.keyboard.press("Control+f")
        page.keyboard.type("every boat waits")
        expect(page.locator("mark.mark-current")).to_be_in_viewport()
        assert driver.violations() == []
        assert driver.overflow() <= 0
        driver.screenshot("reading-phone" if width == 390 else "reading-dark", screenshots)
