"""A recording that is read while it is heard, and passages of other documents side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from bench.quality.texts import CHAPTERS
from tests.browser.theatre import PATIENT
from tests.browser.watching import Reader, reading
from tests.support import recordings
from tests.support.emulators.process import EmulatorProcess, emulator_process, order_fault
from tests.support.servers import Client, Server, wait_for

_WAIT = 300.0


def a_call() -> bytes:
    """Two people on two channels, one after the other."""
    ada, keeper = (
        recordings.speech("beckett.wav"),
        recordings.speech("two_cities.wav")[: 12 * recordings.RATE],
    )
    pause = recordings.silence(0.5)
    left = np.concatenate([ada, pause, np.zeros_like(keeper)])
    right = np.concatenate([np.zeros_like(ada), pause, keeper])
    return recordings.wav(left, right)


def over(client: Client, document_id: str) -> Any:
    """The status of a document that takes a while, as recordings do."""

    def ended() -> Any:
        [found] = client.get("/documents/status", ids=document_id)
        return found if found["status"] != "PROCESSING" else None

    return wait_for(ended, "the recording to be heard", _WAIT)


def test_a_transcript_follows_its_recording_and_a_click_is_heard(
    reader: Reader, server: Server, pictures: Path
) -> None:
    client = Client(server.url)
    call = client.upload("Call of 3 March.wav", a_call())["id"]
    assert over(client, call)["status"] == "COMPLETED"
    segments = client.get(f"/documents/{call}/transcript")["segments"]
    told = client.get(f"/documents/{call}/analysis")

    reader.open(f"#/documents/{call}")
    page = reader.page
    lines = page.locator(".transcript li")
    expect(lines).to_have_count(len(segments))
    expect(page.locator(".document-head")).to_contain_text("2 speakers")
    expect(lines.first).to_contain_text("Speaker 1")
    expect(lines.last).to_contain_text("Speaker 2")
    about = page.get_by_role("region", name="What the call was about")
    expect(about).to_contain_text(told["summary"][:40])
    expect(about).to_contain_text(f"{told['speakers'][0]['share'] * 100:.0f} %")
    assert reader.violations() == []

    # So slow that even a slow machine has time to look while one line is heard.
    page.evaluate("document.querySelector('audio').playbackRate = 0.1")
    position = "document.querySelector('audio').currentTime"
    lines.last.get_by_role("button").click()
    expect(lines.last).to_have_class("now")
    expect(lines.last).to_be_in_viewport(ratio=1)
    expect(page.locator(".document-head"), "only the lines scroll, not the page").to_be_in_viewport(ratio=1)
    assert page.evaluate(position) >= segments[-1]["start"] - 0.1
    # This model writes lines down without the times of their words, so a click is heard from its line's start.
    lines.nth(1).locator(".word").click()
    expect(lines.nth(1)).to_have_class("now")
    assert segments[1]["start"] - 0.1 <= page.evaluate(position) < segments[-1]["start"]
    page.evaluate("document.querySelector('audio').pause()")
    page.locator(".call-words").evaluate("words => words.scrollTo(0, 0)")
    reader.picture("call", pictures)
    reader.assert_content()


def test_connections_stand_side_by_side_and_are_pinned_and_hidden(
    reader: Reader, server: Server, pictures: Path
) -> None:
    client = Client(server.url)
    subjects = CHAPTERS[:2]
    book = "\n\n".join(f"# Chapter {at}\n\n{one.first}" for at, one in enumerate(subjects, 1))
    letter = "\n\n".join(f"# Letter {at}\n\n{one.retold}" for at, one in enumerate(subjects, 1))
    retold = client.upload("Letters home.md", letter.encode())["id"]
    client.wait_until_over(retold)
    document = client.upload("Travels by water.md", book.encode())["id"]

    def found() -> list[Any]:
        known = client.get(f"/documents/{document}/connections")
        ours = [one for one in known if one["there"]["document_id"] == retold]
        return known if len(ours) >= 2 else []

    known = wait_for(found, "both to be connected", _WAIT)
    reader.open(f"#/documents/{document}?tab=connections")
    pairs = reader.page.locator(".connection")
    expect(pairs).to_have_count(len(known))
    closest = max(known, key=lambda one: one["score"])
    expect(pairs.first).to_contain_text(closest["reason"])
    expect(pairs.first).to_contain_text(f"{int(closest['score'] * 100 + 0.5)} %")
    assert reader.violations() == []
    reader.picture("connections", pictures)

    last = pairs.last.locator(".connection-sides").inner_text()
    pairs.last.get_by_role("button", name="Pin").click()
    expect(pairs.first).to_contain_text(last.splitlines()[-1][:60])
    pairs.last.get_by_role("button", name="Hide").click()
    expect(pairs).to_have_count(len(known) - 1)
    reader.page.reload()
    expect(pairs).to_have_count(len(known) - 1)
    expect(pairs.first.get_by_role("button", name="Unpin")).to_be_visible()
    reader.page.get_by_role("button", name="Show 1 hidden connection").click()
    expect(pairs).to_have_count(len(known))
    pairs.filter(has_text="Letters home.md").first.get_by_role("link", name="Letters home.md").click()
    expect(reader.page.get_by_role("heading", level=1, name="Letters home.md")).to_be_visible()
    expect(reader.page.locator(".reading mark").first).to_be_visible()


@pytest.fixture(scope="module")
def cloud() -> Iterator[EmulatorProcess]:
    with emulator_process() as running:
        yield running


@pytest.fixture(scope="module")
def asking(
    built_page: None, cloud: EmulatorProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server that has its transcripts, analyses and embeddings from elsewhere."""
    settings = {
        **PATIENT,
        **cloud.settings,
        "TOWPATH_TRANSCRIBER": "speechkit",
        "TOWPATH_TRANSCRIPT_FIRST_POLL_SECONDS": "0.1",
        "TOWPATH_ANALYST": "openai",
        "TOWPATH_EMBEDDER": "openai",
    }
    with Server(tmp_path_factory.mktemp("asking") / "data", settings=settings) as running:
        yield running


@pytest.fixture
def customer(browser: Browser, asking: Server) -> Iterator[Reader]:
    with reading(browser, asking.url) as one:
        yield one


def test_an_analysis_that_failed_is_made_again_by_a_button(
    customer: Reader, asking: Server, cloud: EmulatorProcess
) -> None:
    client = Client(asking.url)
    order_fault(cloud.openai, on="chat", kind="status", status=401)
    call = client.upload("Call of 4 March.wav", recordings.sample("beckett.wav"))["id"]
    assert over(client, call)["status"] == "COMPLETED"
    customer.open(f"#/documents/{call}")
    about = customer.page.get_by_role("region", name="What the call was about")
    expect(about).to_contain_text("its transcript is complete")
    assert customer.violations() == []
    about.get_by_role("button", name="Analyze again").click()
    expect(about.get_by_role("button")).to_have_count(0)
    expect(about).to_contain_text(client.get(f"/documents/{call}/analysis")["summary"][:40])
    customer.assert_content()


def test_a_click_on_a_word_is_heard_from_that_word(customer: Reader, asking: Server) -> None:
    client = Client(asking.url)
    call = client.upload("Call of 5 March.wav", recordings.wav(recordings.tone(12)))["id"]
    assert over(client, call)["status"] == "COMPLETED"
    spoken = client.get(f"/documents/{call}/transcript")["segments"][1]["words"][2]
    customer.open(f"#/documents/{call}")
    line = customer.page.locator(".transcript li").nth(1)
    expect(line).to_be_visible()
    customer.page.evaluate("document.querySelector('audio').playbackRate = 0.1")
    line.locator(".word").nth(2).click()
    expect(line).to_have_class("now")
    expect(line.locator(".word.now")).to_have_text(spoken["text"])
    assert customer.page.evaluate("document.querySelector('audio').currentTime") >= spoken["start"] - 0.1


def test_a_provider_that_asks_to_slow_down_is_left_alone_and_everybody_can_see_until_when(
    customer: Reader, asking: Server, cloud: EmulatorProcess
) -> None:
    """The last of its module: until its gate opens again nobody asks this provider for anything."""
    order_fault(cloud.openai, on="embeddings", kind="status", status=429, retry_after=900, times=-1)
    Client(asking.url).upload("Toll book.txt", b"Each boat pays at the upper lock.")
    customer.open()
    row = customer.row("Toll book.txt")
    expect(row.locator(".badge")).to_have_text("Waiting")
    expect(row.locator(".row-story")).to_contain_text("going on in 14 min")
    customer.open("#/operations")
    providers = customer.page.get_by_role("region", name="Providers")
    notice = providers.get_by_role("status")
    expect(notice).to_contain_text("openai is left alone for 14 min")
    before = notice.text_content()
    expect(notice).not_to_have_text(before or "")
    expect(customer.page.get_by_role("region", name="Workers")).to_contain_text("idle")
    assert customer.violations() == []
    customer.assert_content()
