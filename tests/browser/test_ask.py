"""Asking a question on the page: the answer, its citations, and the passage that a citation opens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.page_driver import PageDriver, open_page
from tests.browser.sample_files import agreement
from tests.support.servers import Client, Server

QUESTION = "When may the keeper close the upper gates for repair?"
UNKNOWN = "Which opera did the zebra conduct on Jupiter?"


def _ask(driver: PageDriver, question: str) -> None:
    box = driver.page.get_by_role("textbox", name="Question")
    box.fill(question)
    box.press("Enter")
    expect(driver.page.get_by_role("heading", name=question).last).to_be_visible()
    expect(driver.page.locator(".spinner")).to_have_count(0)


def test_a_citation_of_an_answer_opens_the_boxed_passage(
    driver: PageDriver, tmp_path: Path, screenshots: Path
) -> None:
    client = Client(driver.home)
    document = client.upload("Agreement to ask about.pdf", agreement(tmp_path / "a.pdf", "ask").read_bytes())
    client.wait_until_finished(document["id"])
    # From the search to the conversation, by keyboard alone
    driver.open("#/search")
    driver.page.get_by_role("combobox", name="Search all documents").fill("upper gates")
    link = driver.page.get_by_role("link", name="Ask a question")
    link.focus()
    link.press("Enter")
    expect(driver.page.get_by_role("textbox", name="Question")).to_be_focused()
    _ask(driver, QUESTION)
    answer = driver.page.locator(".turn").first
    expect(answer).to_contain_text("gates for repair")
    expect(answer).to_contain_text("No chat model is configured")
    assert not driver.violations()
    driver.screenshot("ask", screenshots)
    citation = answer.get_by_role("link", name=re.compile("^Source 1: .*page 2")).first
    citation.focus()
    citation.press("Enter")
    expect(driver.page.get_by_test_id("highlight-box")).to_be_in_viewport()
    assert "page=2" in driver.page.url
    expect(driver.page.locator(".document-text mark").first).to_be_in_viewport()
    # The conversation is still there, and an unknown thing is not found
    driver.page.go_back()
    expect(driver.page.get_by_role("heading", name=QUESTION)).to_be_visible()
    _ask(driver, UNKNOWN)
    expect(driver.page.locator(".turn").last).to_contain_text("Not found")
    expect(driver.page.locator(".turn").last.get_by_role("link")).to_have_count(0)
    driver.assert_no_errors()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_conversation_is_accessible_and_fits(browser: Browser, server: Server, width: int) -> None:
    client = Client(server.url)
    document = client.upload(
        "Lintian.md", b"The lintian command checks a package for violations of the policy."
    )
    client.wait_until_finished(document["id"])
    for scheme in ("light", "dark"):
        with open_page(browser, server.url, scheme=scheme, width=width, height=844) as driver:
            driver.open("#/ask?q=What does the lintian command check")
            _ask(driver, "What does the lintian command check?")
            expect(driver.page.locator(".turn").first).to_contain_text("violations of the policy")
            assert driver.violations() == []
            assert driver.overflow() <= 0


def test_markdown_of_an_answer_is_rendered(driver: PageDriver) -> None:
    client = Client(driver.home)
    text = b"# Winches\n\nThe `windlass` command turns the *rusty capstan* of the dredger."
    client.wait_until_finished(client.upload("Winches.md", text)["id"])
    driver.open()
    driver.page.get_by_role("navigation", name="Views").get_by_role("link", name="Ask").click()
    _ask(driver, "What does the windlass command turn on the dredger?")
    answer = driver.page.locator(".answer").last
    expect(answer.locator("code")).to_have_text("windlass")
    expect(answer.locator("em")).to_have_text("rusty capstan")
    expect(answer).not_to_contain_text("`")


def test_a_question_is_limited_to_a_collection_and_shown_where_it_was_asked(driver: PageDriver) -> None:
    client = Client(driver.home)
    for name, boats in (("North", "seven"), ("South", "eleven")):
        text = f"# {name}\n\nThe sluicemaster of Quernholm counted {boats} barges at noon."
        file = {"file": (f"{name}.md", text.encode())}
        answer = client.http.post("/documents", files=file, data={"collection": name})
        client.wait_until_finished(answer.json()["id"])
    page = driver.page
    driver.open("#/ask")
    page.get_by_label("Collection that is asked").select_option("South")
    question = "How many barges did the sluicemaster of Quernholm count?"
    _ask(driver, question)
    answer = page.locator(".turn").last
    expect(answer).to_contain_text("eleven")
    expect(answer).not_to_contain_text("seven")
    # Each quotation is shown once; its source is named below.
    expect(answer.get_by_text("counted eleven barges")).to_have_count(1)
    expect(answer.get_by_role("list", name="Sources").get_by_role("link", name="South.md")).to_be_visible()
    # Without the condition both documents are quoted, and the newest question is in sight
    page.get_by_role("button", name="Only in South").click()
    for _ in range(3):
        _ask(driver, question)
    expect(page.get_by_role("heading", name=question).last).to_be_in_viewport()
    expect(page.locator(".turn").last).to_contain_text("seven")
    expect(page.locator(".turn").last).to_contain_text("eleven")
    page.get_by_role("button", name="Clear answers").click()
    expect(page.locator(".turn")).to_have_count(0)
    driver.assert_no_errors()


def test_a_question_that_fails_can_be_sent_again(driver: PageDriver) -> None:
    page = driver.page
    driver.open("#/ask")
    page.route("**/ask", lambda route: route.abort())
    box = page.get_by_role("textbox", name="Question")
    box.fill("How wide is the lower gate?")
    box.press("Enter")
    expect(page.locator(".turn").get_by_role("alert")).to_be_visible()
    expect(box).to_have_value("How wide is the lower gate?")
