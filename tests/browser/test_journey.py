"""From a drop of twenty files to the boxed passage, without a reload; and the same through a killed server."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.paperwork import PHRASE, agreement, twenty_files
from tests.browser.theatre import PATIENT
from tests.browser.watching import Reader, names, reading
from tests.support.servers import Client, Server


def test_twenty_dropped_files_finish_and_a_phrase_is_found_on_its_page(
    reader: Reader, tmp_path: Path, pictures: Path
) -> None:
    files = twenty_files(tmp_path / "paperwork")
    assert len(files) == 20
    # A tall window, so that all twenty rows are in sight at once.
    reader.page.set_viewport_size({"width": 1280, "height": 1700})
    reader.open()
    reader.drop(tmp_path / "paperwork")
    for name in names(files):
        expect(reader.row(name)).to_have_attribute("data-status", "COMPLETED", timeout=90_000)
    expect(reader.page.get_by_text("20 files stored")).to_be_visible()
    reader.page.get_by_role("button", name="Close the list of uploads").click()
    reader.page.set_viewport_size({"width": 1280, "height": 800})
    reader.picture("library", pictures)

    reader.page.get_by_role("link", name="Search").click()
    box = reader.page.get_by_role("searchbox", name="Search every document")
    box.fill(PHRASE)
    first = reader.page.locator(".hit").first
    expect(first.get_by_role("link")).to_have_text("Mooring agreement 2026.pdf")
    expect(first.locator("mark").first).to_be_visible()
    reader.picture("search", pictures)
    box.press("Enter")

    frame = reader.page.get_by_test_id("passage-box")
    expect(frame).to_be_in_viewport()
    assert "page=2" in reader.page.url
    page = reader.page.locator("[data-page='2']")
    expect(page).to_have_attribute("data-drawn", "yes")
    line = page.get_by_text(PHRASE)
    expect(line).to_be_in_viewport()
    words, around = line.bounding_box(), frame.bounding_box()
    assert words is not None
    assert around is not None
    assert around["y"] - 6 <= words["y"] <= around["y"] + around["height"] + 6
    assert around["x"] - 6 <= words["x"] <= around["x"] + around["width"] + 6
    expect(reader.page.locator(".reading mark").first).to_be_in_viewport()
    reader.picture("document", pictures)
    reader.page.go_back()
    expect(box).to_have_value(PHRASE)
    reader.assert_content()


def test_a_field_leads_to_its_place_and_deep_links_survive_a_reload(reader: Reader, tmp_path: Path) -> None:
    client = Client(reader.home)
    found = client.upload("Mooring agreement 2026.pdf", agreement(tmp_path / "a.pdf").read_bytes())
    client.wait_until_over(found["id"])
    reader.open(f"#/documents/{found['id']}?tab=fields")
    reader.page.get_by_role("link", name=re.compile("office@halden")).click()
    expect(reader.page.locator(".reading mark").first).to_contain_text("office@halden-canal.example")
    expect(reader.page.locator("[data-page='3']")).to_be_in_viewport()
    place = reader.page.url
    reader.page.reload()
    assert reader.page.url == place
    expect(reader.page.locator(".reading mark").first).to_be_in_viewport()
    reader.page.go_back()
    expect(reader.page.get_by_role("tab", name="Fields")).to_have_attribute("aria-selected", "true")


def test_a_title_in_another_direction_leaves_the_line_around_it_as_it_is(reader: Reader) -> None:
    client = Client(reader.home)
    title = "שומר התעלה of 1921"
    found = client.upload("Keeper.md", f"# {title}\n\nספינה אחת בכל שעה.\n".encode())
    client.wait_until_over(found["id"])
    reader.open()
    expect(reader.row("Keeper.md").locator("bdi")).to_have_text(title)
    reader.open(f"#/documents/{found['id']}")
    line = reader.page.locator(".document-name p")
    expect(line).to_have_css("direction", "ltr")
    expect(line).to_contain_text(f"{title} · Markdown · ")
    expect(line.locator("bdi")).to_have_text(title)


def test_the_same_bytes_again_are_a_link_to_their_twin(reader: Reader, tmp_path: Path) -> None:
    client = Client(reader.home)
    body = b"A toll of four pence for each lock.\n"
    known = client.upload("Tolls.txt", body)
    client.wait_until_over(known["id"])
    twin = tmp_path / "Copy of tolls.txt"
    twin.write_bytes(body)
    reader.open()
    reader.drop(twin)
    tray = reader.page.get_by_role("region", name="Uploads")
    expect(tray).to_contain_text("Already here as “Tolls.txt”")
    tray.get_by_role("link", name="Copy of tolls.txt").click()
    expect(reader.page.get_by_role("heading", name="Tolls.txt", level=1)).to_be_visible()


def test_a_reload_in_mid_flight_loses_nothing(reader: Reader, tmp_path: Path) -> None:
    paths = [agreement(tmp_path / f"Flight {number}.pdf", str(number)) for number in range(3)]
    reader.open()
    reader.drop(*paths)
    expect(reader.page.get_by_text("3 files stored")).to_be_visible()
    reader.page.reload()
    for name in names(paths):
        expect(reader.row(name)).to_have_attribute("data-status", "COMPLETED", timeout=90_000)


def test_a_killed_server_is_told_honestly_and_work_goes_on_when_it_is_back(
    browser: Browser, tmp_path: Path, pictures: Path, built_page: None
) -> None:
    files = [path for path in twenty_files(tmp_path / "paperwork") if path.suffix == ".pdf"]
    first = Server(tmp_path / "data", settings=PATIENT).wait_until_ready()
    with reading(browser, first.url) as reader:
        reader.open()
        reader.drop(*files)
        expect(reader.page.get_by_text(f"{len(files)} files stored")).to_be_visible()
        first.kill()
        banner = reader.page.get_by_role("alert")
        expect(banner).to_contain_text("Reconnecting")
        expect(banner).to_contain_text("What was stored is safe")
        expect(reader.row(files[0].name)).to_be_visible()
        reader.picture("reconnecting", pictures)
        with Server(tmp_path / "data", port=first.port, settings=PATIENT):
            expect(banner).to_have_count(0)
            for name in names(files):
                expect(reader.row(name)).to_have_attribute("data-status", "COMPLETED", timeout=90_000)
        reader.assert_content()
