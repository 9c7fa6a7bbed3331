"""Accessibility of every view: axe in light, dark and phone layouts, and use by keyboard alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.document_states import DocumentStateBuilder
from tests.browser.page_driver import PageDriver, open_page
from tests.browser.sample_files import PHRASE, agreement
from tests.support.servers import Client, Server

_MARKDOWN = (
    "# A guide\n\n## Skipped levels\n\n##### Deep\n\n> quoted\n\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n\n"
    "- one\n- two\n\n```\ncode\n```\n\nA [link](https://example.org) and `code`.\n"
)
VIEWS = (
    *("#/", "#/?q=nothing-like-it", "agreement", "guide", "history", "chunks", "fields"),
    *(
        f"#/search?q={PHRASE}",
        "#/search",
        "#/ask",
        "#/operations",
        "#/nowhere",
        "#/documents/unknown",
        "dialog",
    ),
)
#: The screenshots of the documentation, by view and layout.
SCREENSHOTS = {
    ("#/", "dark"): "library-dark",
    ("#/", "phone"): "library-phone",
    ("agreement", "dark"): "document-dark",
    ("agreement", "phone"): "document-phone",
    ("fields", "light"): "fields",
    ("history", "light"): "history",
}


@pytest.fixture(scope="module")
def documents(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The ids of two processed documents by name."""
    client = Client(server.url)
    file = agreement(tmp_path_factory.mktemp("access") / "a.pdf", "access")
    ids = {
        "agreement": client.upload("Mooring agreement 2026.pdf", file.read_bytes())["id"],
        "guide": client.upload("Guide.md", _MARKDOWN.encode())["id"],
    }
    client.wait_until_finished(*ids.values())
    return ids


def visit(driver: PageDriver, documents: Mapping[str, str], view: str) -> None:
    """Opens a view and waits until it is loaded."""
    match view:
        case "agreement" | "guide":
            driver.open(f"#/documents/{documents[view]}")
            expect(driver.page.locator(".document-text h2").first).to_be_visible()
        case "history" | "chunks" | "fields":
            driver.open(f"#/documents/{documents['agreement']}?tab={view}")
            expect(driver.page.get_by_role("tabpanel").locator("dl, ol").first).to_be_visible()
        case "dialog":
            driver.open(f"#/documents/{documents['guide']}")
            driver.page.get_by_role("button", name="Run again…").click()
        case _:
            driver.open(view)
    expect(driver.page.locator(".spinner")).to_have_count(0)
    if view == "agreement" and (driver.page.viewport_size or {}).get("width", 0) > 700:
        expect(driver.page.locator("[data-page='1']")).to_have_attribute("data-drawn", "yes")


@pytest.mark.parametrize(
    ("scheme", "width", "height"), [("light", 1280, 800), ("dark", 1280, 800), ("light", 390, 844)]
)
def test_views_have_no_violations_and_no_overflow(
    browser: Browser,
    server: Server,
    documents: Mapping[str, str],
    scheme: Literal["light", "dark"],
    width: int,
    height: int,
    screenshots: Path,
) -> None:
    violations: dict[str, list[str]] = {}
    with open_page(browser, server.url, width=width, height=height, scheme=scheme) as driver:
        for view in VIEWS:
            visit(driver, documents, view)
            violations[view] = driver.violations()
            if driver.overflow() > 0:
                violations[view].append(f"{driver.overflow()} px too wide")
            if name := SCREENSHOTS.get((view, "phone" if width == 390 else scheme)):
                driver.screenshot(name, screenshots)
    assert [f"{view}: {problem}" for view, problems in violations.items() for problem in problems] == []


def test_failed_and_waiting_documents_have_no_violations(
    idle_driver: PageDriver, states: DocumentStateBuilder
) -> None:
    states.failed(states.upload("Wrong.txt"), "OSError: the connection was closed")
    waiting = states.upload("Late.txt")
    states.throttled(waiting, 60)
    idle_driver.open("#/")
    expect(idle_driver.row("Late.txt").locator(".badge")).to_have_text("Waiting")
    assert idle_driver.violations() == []
    idle_driver.page.get_by_role("checkbox", name="Select Late.txt").click()
    assert idle_driver.violations() == []
    idle_driver.open(f"#/documents/{waiting}")
    expect(idle_driver.page.locator(".notice")).to_be_visible()
    assert idle_driver.violations() == []


def test_all_views_are_usable_by_keyboard(driver: PageDriver, documents: Mapping[str, str]) -> None:
    keyboard, page = driver.page.keyboard, driver.page
    driver.open()
    expect(driver.row("Guide.md")).to_be_visible()
    keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    while not page.evaluate("document.activeElement.matches('.row-name')"):
        keyboard.press("Tab")
    top = page.evaluate("document.activeElement.textContent")
    keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") != top
    keyboard.press("Space")
    expect(page.get_by_role("toolbar", name="Selected documents")).to_contain_text("1 selected")
    keyboard.press("Space")
    keyboard.press("ArrowUp")
    expect(page.get_by_role("link", name=top, exact=True)).to_be_focused()
    keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name=top)).to_be_visible()

    keyboard.press("/")
    box = page.get_by_role("combobox", name="Search all documents")
    expect(box).to_be_focused()
    keyboard.type(PHRASE)
    expect(page.locator(".hit mark").first).to_be_visible()
    keyboard.press("ArrowDown")
    expect(page.locator(".hit-link").first).to_be_focused()
    keyboard.press("Escape")
    expect(box).to_be_focused()
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    expect(page.get_by_test_id("highlight-box")).to_be_in_viewport()
    while not page.evaluate("document.activeElement.matches('[role=tab]')"):
        keyboard.press("Tab")
    keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Fields")).to_be_focused()
    expect(page.get_by_role("tab", name="Fields")).to_have_attribute("aria-selected", "true")


def test_the_colour_theme_is_stored(driver: PageDriver) -> None:
    driver.open()
    root = driver.page.locator("html")
    expect(root).to_have_css("background-color", "rgb(245, 243, 236)")
    driver.page.get_by_role("button", name="Colours: auto").click()
    driver.page.get_by_role("button", name="Colours: light").click()
    expect(root).to_have_css("background-color", "rgb(15, 23, 24)")
    driver.page.reload()
    expect(driver.page.get_by_role("button", name="Colours: dark")).to_be_visible()
    expect(root).to_have_css("background-color", "rgb(15, 23, 24)")
