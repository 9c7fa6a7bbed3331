"""Every view without accessibility violations, in light and dark, at a desk and on a phone, by keyboard alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.paperwork import PHRASE, agreement
from tests.browser.theatre import Stage
from tests.browser.watching import Reader, reading
from tests.support.servers import Client, Server

_MARKDOWN = (
    "# A guide\n\n## Skipped levels\n\n##### Deep\n\n> quoted\n\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n\n"
    "- one\n- two\n\n```\ncode\n```\n\nA [link](https://example.org) and `code`.\n"
)
VIEWS = (
    *("#/", "#/?q=nothing-like-it", "agreement", "guide", "history", "passages", "fields"),
    *(f"#/search?q={PHRASE}", "#/search", "#/operations", "#/nowhere", "#/documents/unknown", "dialog"),
)
#: The views of which there are pictures, by how they are looked at.
PICTURES = {
    ("#/", "dark"): "library-dark",
    ("#/", "phone"): "library-phone",
    ("agreement", "dark"): "document-dark",
    ("agreement", "phone"): "document-phone",
    ("fields", "light"): "fields",
    ("history", "light"): "history",
}


@pytest.fixture(scope="module")
def known(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    client = Client(server.url)
    file = agreement(tmp_path_factory.mktemp("access") / "a.pdf", "access")
    found = {
        "agreement": client.upload("Mooring agreement 2026.pdf", file.read_bytes())["id"],
        "guide": client.upload("Guide.md", _MARKDOWN.encode())["id"],
    }
    client.wait_until_over(*found.values())
    return found


def visit(reader: Reader, known: Mapping[str, str], view: str) -> None:
    """Open the view and wait until it has settled."""
    match view:
        case "agreement" | "guide":
            reader.open(f"#/documents/{known[view]}")
            expect(reader.page.locator(".reading h2").first).to_be_visible()
        case "history" | "passages" | "fields":
            reader.open(f"#/documents/{known['agreement']}?tab={view}")
            expect(reader.page.get_by_role("tabpanel").locator("dl, ol").first).to_be_visible()
        case "dialog":
            reader.open(f"#/documents/{known['guide']}")
            reader.page.get_by_role("button", name="Run again…").click()
        case _:
            reader.open(view)
    expect(reader.page.locator(".spinner")).to_have_count(0)
    if view == "agreement" and (reader.page.viewport_size or {}).get("width", 0) > 700:
        expect(reader.page.locator("[data-page='1']")).to_have_attribute("data-drawn", "yes")


@pytest.mark.parametrize(
    ("scheme", "width", "height"), [("light", 1280, 800), ("dark", 1280, 800), ("light", 390, 844)]
)
def test_axe_finds_nothing_and_nothing_sticks_out(
    browser: Browser,
    server: Server,
    known: Mapping[str, str],
    scheme: Literal["light", "dark"],
    width: int,
    height: int,
    pictures: Path,
) -> None:
    found: dict[str, list[str]] = {}
    with reading(browser, server.url, width=width, height=height, scheme=scheme) as reader:
        for view in VIEWS:
            visit(reader, known, view)
            found[view] = reader.violations()
            if reader.overflow() > 0:
                found[view].append(f"{reader.overflow()} px too wide")
            if name := PICTURES.get((view, "phone" if width == 390 else scheme)):
                reader.picture(name, pictures)
    assert [f"{view}: {problem}" for view, problems in found.items() for problem in problems] == []


def test_axe_finds_nothing_where_things_go_wrong(onlooker: Reader, stage: Stage) -> None:
    stage.failed(stage.upload("Wrong.txt"), "OSError: the line was cut")
    waiting = stage.upload("Late.txt")
    stage.throttled(waiting, 60)
    onlooker.open("#/")
    expect(onlooker.row("Late.txt").locator(".badge")).to_have_text("Waiting")
    assert onlooker.violations() == []
    onlooker.page.get_by_role("checkbox", name="Select Late.txt").click()
    assert onlooker.violations() == []
    onlooker.open(f"#/documents/{waiting}")
    expect(onlooker.page.locator(".notice")).to_be_visible()
    assert onlooker.violations() == []


def test_everything_is_reached_by_keyboard_alone(reader: Reader, known: Mapping[str, str]) -> None:
    keyboard, page = reader.page.keyboard, reader.page
    reader.open()
    expect(reader.row("Guide.md")).to_be_visible()
    keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    while not page.evaluate("document.activeElement.matches('.row-name')"):
        keyboard.press("Tab")
    top = page.evaluate("document.activeElement.textContent")
    keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") != top
    keyboard.press("Space")
    expect(page.get_by_role("toolbar", name="Chosen documents")).to_contain_text("1 document chosen")
    keyboard.press("Space")
    keyboard.press("ArrowUp")
    expect(page.get_by_role("link", name=top, exact=True)).to_be_focused()
    keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name=top)).to_be_visible()

    keyboard.press("/")
    box = page.get_by_role("searchbox", name="Search every document")
    expect(box).to_be_focused()
    keyboard.type(PHRASE)
    expect(page.locator(".hit mark").first).to_be_visible()
    keyboard.press("ArrowDown")
    expect(page.locator(".hit-link").first).to_be_focused()
    keyboard.press("Escape")
    expect(box).to_be_focused()
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    expect(page.get_by_test_id("passage-box")).to_be_in_viewport()
    while not page.evaluate("document.activeElement.matches('[role=tab]')"):
        keyboard.press("Tab")
    keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Fields")).to_be_focused()
    expect(page.get_by_role("tab", name="Fields")).to_have_attribute("aria-selected", "true")


def test_colours_are_chosen_and_remembered(reader: Reader) -> None:
    reader.open()
    root = reader.page.locator("html")
    expect(root).to_have_css("background-color", "rgb(245, 243, 236)")
    reader.page.get_by_role("button", name="Colours: auto").click()
    reader.page.get_by_role("button", name="Colours: light").click()
    expect(root).to_have_css("background-color", "rgb(15, 23, 24)")
    reader.page.reload()
    expect(reader.page.get_by_role("button", name="Colours: dark")).to_be_visible()
    expect(root).to_have_css("background-color", "rgb(15, 23, 24)")
