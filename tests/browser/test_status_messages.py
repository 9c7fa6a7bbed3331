"""Status messages of documents that are waiting, running, failed or cancelled, and the actions on them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.document_states import DocumentStateBuilder
from tests.browser.page_driver import PageDriver
from tests.browser.sample_files import agreement
from towpath.model.run import FailureType

_TRACE = "RuntimeError: the model answered 3 vectors for 4 texts"


@pytest.fixture(scope="module")
def documents(states: DocumentStateBuilder, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """One document for each status: file name to id."""
    folder = tmp_path_factory.mktemp("status")
    ids = {"Parish registers.txt": states.timed_out("Parish registers")}

    def upload(name: str, body: bytes | None = None) -> str:
        ids[name] = states.upload(name, body)
        return ids[name]

    states.quarantined(upload("Survey of 1921.pdf", agreement(folder / "a.pdf", "status").read_bytes()))
    states.failed(upload("Letters to the board.txt"), _TRACE)
    states.failed(upload("Insurance claim.txt"), "The key was revoked.", FailureType.PROVIDER_REFUSED)
    states.throttled(upload("Toll book.txt"), 900)
    states.in_progress(upload("Annual accounts.txt"), 76, 406)
    states.reach_embed(upload("Draft bylaws.txt"))
    return ids


@pytest.mark.parametrize(
    ("name", "badge", "texts"),
    [
        ("Survey of 1921.pdf", "Quarantined", ["will not run again by itself"]),
        (
            "Parish registers.txt",
            "Timed out",
            ["Stopped after 1 s at stage “Read”", "run_deadline_seconds", "Retry"],
        ),
        (
            "Letters to the board.txt",
            "Failed",
            ["Failed at stage “Embed”", _TRACE, "Completed stages are not repeated"],
        ),
        (
            "Insurance claim.txt",
            "Refused",
            ["The provider refused", "The key was revoked", "Check the API key"],
        ),
        ("Toll book.txt", "Waiting", ["openai is rate-limited; retrying in"]),
        ("Annual accounts.txt", "Processing", ["Embed: chunk 76 of 406"]),
    ],
)
def test_the_status_is_shown_in_the_library_and_in_the_document(
    idle_driver: PageDriver, documents: Mapping[str, str], name: str, badge: str, texts: list[str]
) -> None:
    idle_driver.open()
    row = idle_driver.row(name)
    expect(row.locator(".badge")).to_have_text(badge)
    for part in texts:
        expect(row.locator(".row-message")).to_contain_text(part)
    row.get_by_role("link").click()
    head = idle_driver.page.locator(".document-head")
    expect(head.locator(".badge")).to_have_text(badge)
    for part in texts:
        expect(head).to_contain_text(part)
    idle_driver.assert_no_errors()


def test_a_throttled_document_counts_down(idle_driver: PageDriver, documents: Mapping[str, str]) -> None:
    idle_driver.open(f"#/documents/{documents['Toll book.txt']}")
    notice = idle_driver.page.locator(".notice")
    before = notice.text_content()
    expect(notice).not_to_have_text(before or "")


def test_a_cancelled_document_shows_its_stage(
    idle_driver: PageDriver, documents: Mapping[str, str], screenshots: Path
) -> None:
    idle_driver.open(f"#/documents/{documents['Draft bylaws.txt']}")
    idle_driver.page.get_by_role("button", name="Cancel", exact=True).click()
    head = idle_driver.page.locator(".document-head")
    expect(head).to_contain_text("Cancelled at stage “Embed”")
    expect(head).to_contain_text("Completed stages are not repeated")
    idle_driver.open()
    expect(idle_driver.row("Draft bylaws.txt").locator(".badge")).to_have_text("Cancelled")
    expect(idle_driver.row("Parish registers.txt").locator(".row-message")).to_be_visible()
    expect(idle_driver.page.get_by_text("Run cancelled.")).to_have_count(0)
    idle_driver.screenshot("status-messages", screenshots)
    idle_driver.open(f"#/documents/{documents['Letters to the board.txt']}")
    expect(idle_driver.page.get_by_role("tabpanel")).to_contain_text("failed permanently")
    idle_driver.screenshot("failed", screenshots)


def test_a_retry_shows_the_reused_stages(idle_driver: PageDriver, states: DocumentStateBuilder) -> None:
    document_id = states.upload("To be retried.txt")
    states.failed(document_id, "OSError: the connection was closed")
    idle_driver.open(f"#/documents/{document_id}")
    idle_driver.page.get_by_role("button", name="Retry").click()
    expect(idle_driver.page.locator(".document-head .badge")).to_have_text("Queued")
    expect(idle_driver.page.locator(".stage-list")).to_contain_text("reused")
    history = idle_driver.page.get_by_role("tabpanel")
    expect(history).to_contain_text("Reuses Read, Save text and Split from run 1")
    expect(history).to_contain_text("resumes run 1")


def test_the_dialogs_say_what_they_will_do(
    idle_driver: PageDriver, states: DocumentStateBuilder, screenshots: Path
) -> None:
    document_id = states.upload("To be deleted.txt", b"Forty tonnes of silt.")
    states.failed(document_id, "OSError: the connection was closed")
    idle_driver.open(f"#/documents/{document_id}")
    idle_driver.page.get_by_role("button", name="Run again…").click()
    dialog = idle_driver.page.get_by_role("dialog", name="Run again")
    expect(dialog).to_contain_text("Cached provider results are reused at no cost")
    dialog.get_by_label("Start from").select_option("chunk")
    expect(dialog).to_contain_text("Reuses Read and Save text.")
    expect(dialog).to_contain_text("Runs Split, Embed and Publish.")
    idle_driver.screenshot("run-again", screenshots)
    dialog.get_by_label("Start from").select_option("fresh")
    expect(dialog).to_contain_text("Repeats every provider call")
    idle_driver.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    idle_driver.page.get_by_role("button", name="Delete…").click()
    dialog = idle_driver.page.get_by_role("dialog", name="Delete this document?")
    expect(dialog).to_contain_text("Original file, 21 bytes")
    expect(dialog).to_contain_text("cannot be undone")
    dialog.get_by_role("button", name="Delete").click()
    expect(idle_driver.page.get_by_role("heading", name="Library")).to_be_visible()
    expect(idle_driver.row("To be deleted.txt")).to_have_count(0)
    assert states.client.http.get(f"/documents/{document_id}").status_code == 404


def test_operations_shows_queue_workers_and_a_throttled_provider(
    idle_driver: PageDriver, documents: Mapping[str, str]
) -> None:
    idle_driver.open("#/operations")
    embedding = idle_driver.page.get_by_role("row").filter(has_text="Embed")
    expect(embedding.first).to_be_visible()
    workers = idle_driver.page.get_by_role("region", name="Workers")
    busy_worker = workers.get_by_role("row", name="test-worker:4711")
    expect(busy_worker).to_contain_text("Embed: Annual accounts.txt, chunk 76 of 406, ")
    idle = workers.get_by_role("row").filter(has_text=", process ")
    expect(idle).to_contain_text("idle")
    expect(idle).to_contain_text("just now")
    busy_worker.get_by_role("link", name="Annual accounts.txt").click()
    expect(idle_driver.page.get_by_role("heading", level=1, name="Annual accounts.txt")).to_be_visible()
    idle_driver.page.go_back()
    providers = idle_driver.page.get_by_role("region", name="Providers")
    expect(providers).to_contain_text("throttled for")
    expect(providers).to_contain_text("1 document waiting")
    expect(idle_driver.page.get_by_role("region", name="Runs in the last hour")).to_contain_text("received")
    assert idle_driver.violations() == []


def test_failures_are_grouped_and_retried_together(
    idle_driver: PageDriver, states: DocumentStateBuilder, documents: Mapping[str, str], screenshots: Path
) -> None:
    for number in range(3):
        states.failed(states.upload(f"Storm report {number}.txt"), "ConnectionError: the provider is down")
    idle_driver.open("#/operations")
    rows = idle_driver.page.get_by_role("row").filter(has_text="the provider is down")
    line = rows.filter(has=idle_driver.page.get_by_role("button", name="Retry all"))
    expect(line).to_contain_text("3")
    assert idle_driver.violations() == []
    idle_driver.screenshot("operations", screenshots)
    idle_driver.page.emulate_media(color_scheme="dark")
    idle_driver.screenshot("operations-dark", screenshots)
    idle_driver.page.emulate_media(color_scheme="light")
    line.get_by_role("button").click()
    expect(idle_driver.page.get_by_text("3 documents resumed")).to_be_visible()
    idle_driver.open("#/?q=Storm+report")
    for number in range(3):
        expect(idle_driver.row(f"Storm report {number}.txt").locator(".badge")).to_have_text("Queued")


def test_a_reload_shows_the_same_progress(idle_driver: PageDriver, documents: Mapping[str, str]) -> None:
    idle_driver.open()
    message = idle_driver.row("Annual accounts.txt").locator(".row-message")
    expect(message).to_contain_text("chunk 76 of 406")
    idle_driver.page.reload()
    expect(message).to_contain_text("chunk 76 of 406")


def test_pending_connections_are_shown_as_pending(
    idle_driver: PageDriver, states: DocumentStateBuilder
) -> None:
    document = states.upload("Notes on locks.txt")
    idle_driver.open(f"#/documents/{document}?tab=connections")
    expect(idle_driver.page.get_by_text("No connections yet")).to_be_visible()
    expect(idle_driver.page.get_by_text("Still searching for connections.")).to_be_visible()


def test_selected_documents_are_cancelled_together(
    idle_driver: PageDriver, states: DocumentStateBuilder
) -> None:
    for number in range(3):
        states.upload(f"Bulk {number}.txt")
    idle_driver.open("#/?q=Bulk")
    for number in range(3):
        expect(idle_driver.row(f"Bulk {number}.txt")).to_be_visible()
    idle_driver.page.get_by_role("checkbox", name="Select Bulk 2.txt").click()
    idle_driver.page.get_by_role("checkbox", name="Select Bulk 0.txt").click(modifiers=["Shift"])
    bar = idle_driver.page.get_by_role("toolbar", name="Selected documents")
    expect(bar).to_contain_text("3 selected")
    bar.get_by_role("button", name="Cancel").click()
    expect(idle_driver.page.get_by_text("3 documents cancelled")).to_be_visible()
    for number in range(3):
        expect(idle_driver.row(f"Bulk {number}.txt").locator(".badge")).to_have_text("Cancelled")
