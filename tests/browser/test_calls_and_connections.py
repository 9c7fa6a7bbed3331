"""A recording that is read while it is heard, and passages of other documents side by side.

Both are drawn from answers arranged here, so that their views are known to work with the shapes they expect.
"""

from __future__ import annotations

import io
import json
import math
import wave
from pathlib import Path
from typing import Any

from playwright.sync_api import Route, expect

from tests.browser.theatre import Stage
from tests.browser.watching import Reader

#: Slow speakers, so that a slow machine has time to look while one line is heard.
_LINES = (
    ("Ada", 0.0, 20.0, "The upper gates are stuck."),
    ("Keeper", 20.0, 80.0, "I shall send somebody at noon."),
    ("Ada", 80.0, 100.0, "Thank you, we wait at the wharf."),
)


def recording(seconds: int = 100) -> bytes:
    """A quiet tone."""
    content = io.BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8_000)
        sound.writeframes(
            bytes(128 + int(8 * math.sin(step * math.pi / 10)) for step in range(20)) * 400 * seconds
        )
    return content.getvalue()


_ANALYSIS = {
    "summary": "The upper gates are stuck; somebody comes at noon.",
    "topics": ["upper gates", "repair"],
    "action_items": [{"text": "Send somebody", "owner": "Keeper", "due": "noon"}],
    "questions": [],
    "speakers": [
        {"speaker": "Ada", "share": 0.7, "sentiment": "calm", "reason": None},
        {"speaker": "Keeper", "share": 0.3, "sentiment": None, "reason": None},
    ],
    "longest_monologue": None,
    "silences": [],
    "engine": "local",
    "warning": None,
}


def answer(onlooker: Reader, address: str, body: Any) -> None:
    def reply(route: Route) -> None:
        route.fulfill(status=200, content_type="application/json", body=json.dumps(body))

    onlooker.page.route(address, reply)


def spread(text: str, start: float, end: float) -> list[dict[str, object]]:
    words = text.split()
    each = (end - start) / len(words)
    return [
        {"text": word, "start": start + at * each, "end": start + (at + 1) * each}
        for at, word in enumerate(words)
    ]


def test_a_transcript_follows_its_recording_and_a_click_is_heard(
    onlooker: Reader, stage: Stage, pictures: Path
) -> None:
    call = stage.upload("Call of 3 March.wav", recording())
    stage.begin(call)
    segments = [
        {"speaker": who, "start": start, "end": end, "text": text, "words": spread(text, start, end)}
        for who, start, end, text in _LINES
    ]
    answer(onlooker, "**/transcript", {"segments": segments})
    answer(onlooker, "**/analysis", _ANALYSIS)
    onlooker.open(f"#/documents/{call}")
    page = onlooker.page
    lines = page.locator(".transcript li")
    expect(lines).to_have_count(3)
    position = "document.querySelector('audio').currentTime"
    page.get_by_role("button", name="Hear from 1:20").click()
    expect(lines.nth(2)).to_have_class("now")
    assert page.evaluate(position) >= 80.0
    page.evaluate("document.querySelector('audio').pause()")
    lines.nth(1).locator(".word", has_text="somebody").click()
    expect(lines.nth(1)).to_have_class("now")
    assert 50.0 <= page.evaluate(position) < 80.0
    about = page.get_by_role("region", name="What the call was about")
    expect(about).to_contain_text("somebody comes at noon")
    expect(about).to_contain_text("70 %, calm")
    expect(about).to_contain_text("Send somebody (Keeper, by noon)")
    onlooker.picture("call", pictures)
    assert onlooker.violations() == []


def test_connections_stand_side_by_side_and_are_pinned_and_hidden(
    onlooker: Reader, stage: Stage, pictures: Path
) -> None:
    document = stage.upload("Dredging report.txt")
    stage.reach_embed(document)
    other = stage.upload("Letter from the mill.txt")
    stage.reach_embed(other)
    anchor = {"start": 0, "end": 10, "page": 3}
    connections = [
        {
            "id": f"c{number}",
            "score": score,
            "kind": "similar",
            "reason": "Both speak of silt below the mill.",
            "pinned": False,
            "hidden": False,
            "here": {"chunk_id": "a", "text": f"Forty tonnes of silt ({number}).", "anchor": anchor},
            "there": {
                "document_id": other,
                "document_name": "Letter from the mill.txt",
                "chunk_id": "b",
                "text": "The bend is silted up again.",
                "anchor": anchor,
            },
        }
        for number, score in ((1, 0.91), (2, 0.84))
    ]
    answer(onlooker, "**/documents/*/connections", connections)
    asked: list[Any] = []

    def take(route: Route) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(status=200, content_type="application/json", body="{}")

    onlooker.page.route("**/connections/c*", take)
    onlooker.open(f"#/documents/{document}?tab=connections")
    pairs = onlooker.page.locator(".connection")
    expect(pairs).to_have_count(2)
    expect(pairs.first).to_contain_text("91 % Both speak of silt below the mill.")
    assert onlooker.violations() == []
    onlooker.picture("connections", pictures)
    pairs.nth(1).get_by_role("button", name="Pin").click()
    expect(pairs.first).to_contain_text("Forty tonnes of silt (2)")
    pairs.nth(1).get_by_role("button", name="Hide").click()
    expect(pairs).to_have_count(1)
    assert asked == [{"pinned": True}, {"hidden": True}]
    onlooker.page.get_by_role("button", name="Show 1 hidden connection").click()
    expect(pairs).to_have_count(2)
    pairs.first.get_by_role("link", name="Letter from the mill.txt, page 3").click()
    expect(onlooker.page.get_by_role("heading", level=1, name="Letter from the mill.txt")).to_be_visible()
