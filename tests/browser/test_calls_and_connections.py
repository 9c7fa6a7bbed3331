"""Calls with transcript, player and analysis, and connections between documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.document_states import LONG_DEADLINE
from tests.browser.page_driver import PageDriver, open_page
from tests.support import recordings
from tests.support.books import CHAPTERS
from tests.support.emulators.process import EmulatorProcess, emulator_process, order_fault
from tests.support.servers import Client, Server
from tests.support.timeouts import wait_until


def a_call() -> bytes:
    """A recording of two speakers on two channels, one after the other."""
    first, second = (
        recordings.speech("beckett.wav"),
        recordings.speech("two_cities.wav")[: 12 * recordings.RATE],
    )
    pause = recordings.silence(0.5)
    left = np.concatenate([first, pause, np.zeros_like(second)])
    right = np.concatenate([np.zeros_like(first), pause, second])
    return recordings.wav(left, right)


def wait_until_ended(client: Client, document_id: str) -> Any:
    """The status of a document after its run has ended."""

    def ended_status() -> Any:
        [status] = client.get("/documents/status", ids=document_id)
        return status if status["status"] != "PROCESSING" else None

    return wait_until(ended_status, "the run to end")


def test_the_transcript_follows_the_player_and_a_click_plays_its_line(
    driver: PageDriver, server: Server, screenshots: Path
) -> None:
    client = Client(server.url)
    call = client.upload("Call of 3 March.wav", a_call())["id"]
    assert wait_until_ended(client, call)["status"] == "COMPLETED"
    segments = client.get(f"/documents/{call}/transcript")["segments"]
    analysis = client.get(f"/documents/{call}/analysis")

    driver.open(f"#/documents/{call}")
    page = driver.page
    lines, turns = page.locator(".transcript .line"), page.locator(".turn-of-call")
    expect(lines).to_have_count(len(segments))
    expect(page.locator(".document-head")).to_contain_text("2 speakers")
    expect(turns).to_have_count(2)
    expect(turns.first).to_contain_text("Speaker 1")
    expect(turns.last).to_contain_text("Speaker 2")
    about = page.get_by_role("region", name="Call analysis")
    assert analysis["summary"] is None, "the local analysis makes no summary"
    expect(about).to_contain_text(f"Longest monologue: {analysis['longest_monologue']['speaker']}")
    expect(about).to_contain_text(f"{analysis['speakers'][0]['share'] * 100:.0f} %")
    assert driver.violations() == []

    # Slow playback, so that a slow machine can check a line while it is played.
    page.evaluate("document.querySelector('audio').playbackRate = 0.1")
    position = "document.querySelector('audio').currentTime"
    lines.last.get_by_role("button").click()
    expect(lines.last).to_have_class("line current")
    expect(lines.last).to_be_in_viewport(ratio=1)
    expect(page.locator(".document-head"), "only the transcript scrolls, not the page").to_be_in_viewport(
        ratio=1
    )
    assert page.evaluate(position) >= segments[-1]["start"] - 0.1
    lines.first.locator(".word").first.click()
    expect(lines.first).to_have_class("line current")
    assert segments[0]["start"] - 0.1 <= page.evaluate(position) < segments[-1]["start"]
    page.evaluate("document.querySelector('audio').pause()")
    page.locator(".call-content").evaluate("words => words.scrollTo(0, 0)")
    driver.screenshot("call", screenshots)
    driver.assert_no_errors()


def test_a_speaker_is_named_and_the_recording_comes_first_on_a_phone(
    browser: Browser, server: Server, screenshots: Path
) -> None:
    client = Client(server.url)
    call = client.upload("Call of 3 March.wav", a_call())["id"]
    assert wait_until_ended(client, call)["status"] == "COMPLETED"
    with open_page(browser, server.url, width=390, height=844) as driver:
        page = driver.page
        driver.open(f"#/documents/{call}")
        expect(page.get_by_role("tab", name="Recording")).to_have_attribute("aria-selected", "true")
        expect(page.locator("audio")).to_be_in_viewport()
        page.get_by_label("Playback speed").select_option("1.5")
        assert page.evaluate("document.querySelector('audio').playbackRate") == 1.5
        page.get_by_role("button", name="Speaker 2: change the name").first.click()
        editor = page.get_by_label("Name of Speaker 2")
        editor.fill("Ada Thorne")
        editor.press("Enter")
        turn = page.locator(".turn-of-call").last
        expect(turn).to_contain_text("Ada Thorne")
        expect(page.get_by_role("region", name="Call analysis")).to_contain_text("Ada Thorne")
        assert driver.violations() == []
        assert driver.overflow() <= 0
        driver.screenshot("call-phone", screenshots)
        page.reload()
        expect(turn).to_contain_text("Ada Thorne")
        page.get_by_label("Download", exact=True).click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download transcript (SRT)").click()
        assert download.value.suggested_filename == "Call of 3 March.srt"
        assert "Ada Thorne: " in Path(download.value.path()).read_text("utf-8")
        page.get_by_role("button", name="Ada Thorne: change the name").first.click()
        editor.fill("")
        editor.press("Enter")
        expect(turn).to_contain_text("Speaker 2")
        driver.assert_no_errors()


def test_connections_are_shown_pinned_and_hidden(
    driver: PageDriver, server: Server, screenshots: Path
) -> None:
    client = Client(server.url)
    subjects = CHAPTERS[:2]
    book = "\n\n".join(f"# Chapter {at}\n\n{one.first}" for at, one in enumerate(subjects, 1))
    letter = "\n\n".join(f"# Letter {at}\n\n{one.retold}" for at, one in enumerate(subjects, 1))
    other = client.upload("Letters home.md", letter.encode())["id"]
    client.wait_until_finished(other)
    document = client.upload("Travels by water.md", book.encode())["id"]

    def connections_found() -> list[Any]:
        connections = client.get(f"/documents/{document}/connections")
        to_other = [item for item in connections if item["other"]["document_id"] == other]
        return connections if len(to_other) >= 2 else []

    connections = wait_until(connections_found, "both documents to be connected")
    driver.open(f"#/documents/{document}?tab=connections")
    pairs = driver.page.locator(".connection")
    expect(pairs).to_have_count(len(connections))
    expect(driver.page.locator(".connection-card")).to_have_count(
        len({item["other"]["document_id"] for item in connections})
    )
    closest = max(connections, key=lambda item: item["score"])
    expect(pairs.first).to_contain_text(f"Shared terms: {', '.join(closest['shared_terms'])}")
    expect(pairs.first).to_contain_text(f"{int(closest['score'] * 100 + 0.5)} %")
    kinds = driver.page.get_by_role("combobox", name="Kind of connection")
    kinds.select_option("edition")
    expect(pairs).to_have_count(0)
    kinds.select_option("")
    expect(pairs).to_have_count(len(connections))
    assert driver.violations() == []
    driver.screenshot("connections", screenshots)

    last = pairs.last.locator(".connection-sides").inner_text()
    pairs.last.get_by_role("button", name="Pin").click()
    expect(pairs.first).to_contain_text(last.splitlines()[-1][:60])
    pairs.last.get_by_role("button", name="Hide").click()
    expect(pairs).to_have_count(len(connections) - 1)
    driver.page.reload()
    expect(pairs).to_have_count(len(connections) - 1)
    expect(pairs.first.get_by_role("button", name="Unpin")).to_be_visible()
    driver.page.get_by_role("button", name="Show 1 hidden connection").click()
    expect(pairs).to_have_count(len(connections))
    pairs.filter(has_text="Letters home.md").first.get_by_role("link", name="Letters home.md").click()
    expect(driver.page.get_by_role("heading", level=1, name="Letters home.md")).to_be_visible()
    expect(driver.page.locator(".document-text mark").first).to_be_visible()


@pytest.fixture(scope="module")
def cloud() -> Iterator[EmulatorProcess]:
    with emulator_process() as running:
        yield running


@pytest.fixture(scope="module")
def cloud_server(
    built_page: None, cloud: EmulatorProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server that uses emulated cloud providers for transcripts, analyses and embeddings."""
    settings = {
        **LONG_DEADLINE,
        **cloud.settings,
        "TOWPATH_TRANSCRIBER": "speechkit",
        "TOWPATH_TRANSCRIPT_FIRST_POLL_SECONDS": "0.1",
        "TOWPATH_CALL_ANALYZER": "openai",
        "TOWPATH_EMBEDDER": "openai",
    }
    with Server(tmp_path_factory.mktemp("cloud_server") / "data", settings=settings) as running:
        yield running


@pytest.fixture
def cloud_driver(browser: Browser, cloud_server: Server) -> Iterator[PageDriver]:
    with open_page(browser, cloud_server.url) as opened:
        yield opened


def test_a_failed_analysis_is_repeated_by_a_button(
    cloud_driver: PageDriver, cloud_server: Server, cloud: EmulatorProcess
) -> None:
    client = Client(cloud_server.url)
    order_fault(cloud.openai, on="chat", kind="status", status=401)
    call = client.upload("Call of 4 March.wav", recordings.sample("beckett.wav"))["id"]
    assert wait_until_ended(client, call)["status"] == "COMPLETED"
    cloud_driver.open(f"#/documents/{call}")
    about = cloud_driver.page.get_by_role("region", name="Call analysis")
    expect(about).to_contain_text("its transcript is complete")
    assert cloud_driver.violations() == []
    about.get_by_role("button", name="Analyze again").click()
    expect(about.get_by_role("button", name="Analyze again")).to_have_count(0)
    expect(about.get_by_role("button", name="Analyzing")).to_have_count(0)
    expect(about).to_contain_text(client.get(f"/documents/{call}/analysis")["summary"][:40])
    cloud_driver.assert_no_errors()


def test_a_click_on_a_word_plays_from_that_word(cloud_driver: PageDriver, cloud_server: Server) -> None:
    client = Client(cloud_server.url)
    call = client.upload("Call of 5 March.wav", recordings.wav(recordings.tone(12)))["id"]
    assert wait_until_ended(client, call)["status"] == "COMPLETED"
    word = client.get(f"/documents/{call}/transcript")["segments"][1]["words"][2]
    cloud_driver.open(f"#/documents/{call}")
    line = cloud_driver.page.locator(".transcript .line").nth(1)
    expect(line).to_be_visible()
    cloud_driver.page.evaluate("document.querySelector('audio').playbackRate = 0.1")
    line.locator(".word").nth(2).click()
    expect(line).to_have_class("line current")
    expect(line.locator(".word.current")).to_have_text(word["text"])
    assert cloud_driver.page.evaluate("document.querySelector('audio').currentTime") >= word["start"] - 0.1


def test_a_throttled_provider_and_its_remaining_time_are_shown(
    cloud_driver: PageDriver, cloud_server: Server, cloud: EmulatorProcess
) -> None:
    """Must be the last test of this module: the provider stays throttled for 15 minutes."""
    order_fault(cloud.openai, on="embeddings", kind="status", status=429, retry_after=900, times=-1)
    Client(cloud_server.url).upload("Toll book.txt", b"Each boat pays at the upper lock.")
    cloud_driver.open()
    row = cloud_driver.row("Toll book.txt")
    expect(row.locator(".badge")).to_have_text("Waiting")
    expect(row.locator(".row-message")).to_contain_text("retrying in 14 min")
    cloud_driver.open("#/operations")
    providers = cloud_driver.page.get_by_role("region", name="Providers")
    notice = providers.get_by_role("status")
    expect(notice).to_contain_text("openai is rate-limited; retrying in 14 min")
    before = notice.text_content()
    expect(notice).not_to_have_text(before or "")
    expect(cloud_driver.page.get_by_role("region", name="Workers")).to_contain_text("idle")
    assert cloud_driver.violations() == []
    cloud_driver.assert_no_errors()
