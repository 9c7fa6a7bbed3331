"""A document that is not simply ready says in words what happened, until when, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.paperwork import agreement, locked
from tests.browser.theatre import Stage
from tests.browser.watching import Reader
from towpath.model.work import FailureType

_TRACE = "RuntimeError: the model answered 3 vectors for 4 texts"


@pytest.fixture(scope="module")
def cast(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """One document for each story, by the name of its file."""
    folder = tmp_path_factory.mktemp("cast")
    found = {"Parish registers.txt": stage.timed_out("Parish registers")}

    def arrive(name: str, body: bytes | None = None) -> str:
        found[name] = stage.upload(name, body)
        return found[name]

    stage.quarantined(arrive("Survey of 1921.pdf", agreement(folder / "a.pdf", "stories").read_bytes()))
    stage.failed(arrive("Letters to the board.txt"), _TRACE)
    stage.failed(arrive("Insurance claim.txt"), "The key was revoked.", FailureType.PROVIDER_REFUSED)
    stage.throttled(arrive("Toll book.txt"), 900)
    stage.at_work(arrive("Annual accounts.txt"), 76, 406)
    stage.reach_embed(arrive("Draft bylaws.txt"))
    return found


@pytest.mark.parametrize(
    ("name", "badge", "words"),
    [
        ("Survey of 1921.pdf", "Set aside", ["The worker died once", "other documents go on"]),
        (
            "Parish registers.txt",
            "Timed out",
            ["longer than its deadline", "run_deadline_seconds", "Run it again"],
        ),
        (
            "Letters to the board.txt",
            "Failed",
            ["Gave up at the stage ‘embed’", _TRACE, "Read, save and cut are kept"],
        ),
        ("Insurance claim.txt", "Refused", ["The provider refused", "The key was revoked", "Check the key"]),
        ("Toll book.txt", "Waiting", ["Waiting for openai, which answered 429", "going on in"]),
        ("Annual accounts.txt", "Processing", ["Embedding passages: chunk 76 of 406"]),
    ],
)
def test_each_tells_its_story_in_the_library_and_on_its_own_page(
    onlooker: Reader, cast: Mapping[str, str], name: str, badge: str, words: list[str]
) -> None:
    onlooker.open()
    row = onlooker.row(name)
    expect(row.locator(".badge")).to_have_text(badge)
    for part in words:
        expect(row.locator(".row-story")).to_contain_text(part)
    row.get_by_role("link").click()
    head = onlooker.page.locator(".document-head")
    expect(head.locator(".badge")).to_have_text(badge)
    for part in words:
        expect(head).to_contain_text(part)
    onlooker.assert_content()


def test_a_throttled_one_counts_down(onlooker: Reader, cast: Mapping[str, str]) -> None:
    onlooker.open(f"#/documents/{cast['Toll book.txt']}")
    notice = onlooker.page.locator(".notice")
    before = notice.text_content()
    expect(notice).not_to_have_text(before or "")


def test_one_is_cancelled_by_a_person_and_says_what_is_kept(
    onlooker: Reader, cast: Mapping[str, str], pictures: Path
) -> None:
    onlooker.open(f"#/documents/{cast['Draft bylaws.txt']}")
    onlooker.page.get_by_role("button", name="Cancel", exact=True).click()
    head = onlooker.page.locator(".document-head")
    expect(head).to_contain_text("Stopped by a person at the stage ‘embed’")
    expect(head).to_contain_text("Read, save and cut are kept")
    onlooker.open()
    expect(onlooker.row("Draft bylaws.txt").locator(".badge")).to_have_text("Cancelled")
    expect(onlooker.row("Parish registers.txt").locator(".row-story")).to_be_visible()
    expect(onlooker.page.get_by_text("The run is cancelled.")).to_have_count(0)
    onlooker.picture("stories", pictures)
    onlooker.open(f"#/documents/{cast['Letters to the board.txt']}")
    expect(onlooker.page.get_by_role("tabpanel")).to_contain_text("failed for good")
    onlooker.picture("failed", pictures)


def test_a_retry_resumes_and_says_what_was_reused(onlooker: Reader, stage: Stage) -> None:
    document_id = stage.upload("To be retried.txt")
    stage.failed(document_id, "OSError: the line was cut")
    onlooker.open(f"#/documents/{document_id}")
    onlooker.page.get_by_role("button", name="Retry").click()
    expect(onlooker.page.locator(".document-head .badge")).to_have_text("Queued")
    expect(onlooker.page.locator(".flight")).to_contain_text("reused")
    history = onlooker.page.get_by_role("tabpanel")
    expect(history).to_contain_text("Takes over read, save and cut from an earlier run")
    expect(history).to_contain_text("goes on from run 1")


def test_running_again_and_deleting_say_what_they_will_do(
    onlooker: Reader, stage: Stage, pictures: Path
) -> None:
    document_id = stage.upload("To be deleted.txt", b"Forty tonnes of silt.")
    stage.failed(document_id, "OSError: the line was cut")
    onlooker.open(f"#/documents/{document_id}")
    onlooker.page.get_by_role("button", name="Run again…").click()
    dialog = onlooker.page.get_by_role("dialog", name="Run again")
    expect(dialog).to_contain_text("Pays only for what was never asked before")
    dialog.get_by_label("Begin").select_option("chunk")
    expect(dialog).to_contain_text("Takes over read and save as they are")
    expect(dialog).to_contain_text("Does cut, embed and publish again")
    onlooker.picture("run-again", pictures)
    dialog.get_by_label("Begin").select_option("fresh")
    expect(dialog).to_contain_text("Asks every provider again")
    onlooker.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    onlooker.page.get_by_role("button", name="Delete…").click()
    dialog = onlooker.page.get_by_role("dialog", name="Delete this document?")
    expect(dialog).to_contain_text("The original, 21 bytes")
    expect(dialog).to_contain_text("cannot be brought back")
    dialog.get_by_role("button", name="Delete").click()
    expect(onlooker.page.get_by_role("heading", name="Library")).to_be_visible()
    expect(onlooker.row("To be deleted.txt")).to_have_count(0)
    assert stage.client.http.get(f"/documents/{document_id}").status_code == 404


def test_a_locked_file_is_refused_in_words_and_needs_no_retry(reader: Reader, tmp_path: Path) -> None:
    path = locked(tmp_path / "Locked.pdf")
    reader.open()
    reader.drop(path)
    row = reader.row("Locked.pdf")
    expect(row.locator(".badge")).to_have_text("Cannot be read")
    expect(row.locator(".row-story")).to_contain_text("password")
    row.get_by_role("link").click()
    expect(reader.page.get_by_role("button", name="Run again…")).to_be_visible()
    expect(reader.page.get_by_role("button", name="Retry")).to_have_count(0)
    expect(reader.page.get_by_text("it is locked with a password")).to_be_visible()


def test_operations_show_the_queue_its_workers_and_a_busy_provider(
    onlooker: Reader, cast: Mapping[str, str]
) -> None:
    onlooker.open("#/operations")
    embedding = onlooker.page.get_by_role("row").filter(has_text="embed")
    expect(embedding.first).to_be_visible()
    workers = onlooker.page.get_by_role("region", name="Workers")
    at_work = workers.get_by_role("row", name="workshop:4711")
    expect(at_work).to_contain_text("Embedding passages: Annual accounts.txt, chunk 76 of 406, ")
    idle = workers.get_by_role("row").filter(has_text=", process ")
    expect(idle).to_contain_text("idle")
    expect(idle).to_contain_text("just now")
    at_work.get_by_role("link", name="Annual accounts.txt").click()
    expect(onlooker.page.get_by_role("heading", level=1, name="Annual accounts.txt")).to_be_visible()
    onlooker.page.go_back()
    providers = onlooker.page.get_by_role("region", name="Providers")
    expect(providers).to_contain_text("busy for")
    expect(providers).to_contain_text("1 document waits")
    expect(onlooker.page.get_by_role("region", name="Runs in the last hour")).to_contain_text("Came")
    assert onlooker.violations() == []


def test_failures_are_grouped_and_retried_together(
    onlooker: Reader, stage: Stage, cast: Mapping[str, str], pictures: Path
) -> None:
    for number in range(3):
        stage.failed(stage.upload(f"Storm report {number}.txt"), "ConnectionError: the provider is away")
    onlooker.open("#/operations")
    line = onlooker.page.get_by_role("row").filter(has_text="the provider is away")
    expect(line).to_contain_text("3")
    assert onlooker.violations() == []
    onlooker.picture("operations", pictures)
    onlooker.page.emulate_media(color_scheme="dark")
    onlooker.picture("operations-dark", pictures)
    onlooker.page.emulate_media(color_scheme="light")
    line.get_by_role("button").click()
    expect(onlooker.page.get_by_text("3 documents resumed")).to_be_visible()
    onlooker.open("#/?q=Storm+report")
    for number in range(3):
        expect(onlooker.row(f"Storm report {number}.txt").locator(".badge")).to_have_text("Queued")


def test_a_reload_in_mid_flight_shows_the_same_step(onlooker: Reader, cast: Mapping[str, str]) -> None:
    onlooker.open()
    story = onlooker.row("Annual accounts.txt").locator(".row-story")
    expect(story).to_contain_text("chunk 76 of 406")
    onlooker.page.reload()
    expect(story).to_contain_text("chunk 76 of 406")


def test_connections_that_are_still_to_be_looked_for_are_not_missed_yet(
    onlooker: Reader, stage: Stage
) -> None:
    document = stage.upload("Notes on locks.txt")
    onlooker.open(f"#/documents/{document}?tab=connections")
    expect(onlooker.page.get_by_text("No connections yet")).to_be_visible()
    expect(onlooker.page.get_by_text("They are still being looked for.")).to_be_visible()


def test_many_are_chosen_and_cancelled_together(onlooker: Reader, stage: Stage) -> None:
    for number in range(3):
        stage.upload(f"Bulk {number}.txt")
    onlooker.open("#/?q=Bulk")
    for number in range(3):
        expect(onlooker.row(f"Bulk {number}.txt")).to_be_visible()
    onlooker.page.get_by_role("checkbox", name="Select Bulk 2.txt").click()
    onlooker.page.get_by_role("checkbox", name="Select Bulk 0.txt").click(modifiers=["Shift"])
    bar = onlooker.page.get_by_role("toolbar", name="Chosen documents")
    expect(bar).to_contain_text("3 documents chosen")
    bar.get_by_role("button", name="Cancel").click()
    expect(onlooker.page.get_by_text("3 documents cancelled")).to_be_visible()
    for number in range(3):
        expect(onlooker.row(f"Bulk {number}.txt").locator(".badge")).to_have_text("Cancelled")
