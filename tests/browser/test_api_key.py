"""The page of a server that requires an API key."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.page_driver import open_page
from tests.browser.sample_files import agreement
from tests.support.forked_command import run_towpath
from tests.support.servers import Server


def test_the_key_is_entered_stored_and_removed(
    browser: Browser, tmp_path: Path, built_page: None, screenshots: Path
) -> None:
    data = tmp_path / "data"
    result = run_towpath("keys", "create", "page", "--data", str(data))
    result.check_returncode()
    secret = result.stdout.split()[0]
    with (
        Server(data, settings={"TOWPATH_HOST": "0.0.0.0"}) as server,
        open_page(browser, server.url) as driver,
    ):
        page = driver.page
        driver.open()
        expect(page.get_by_role("heading", name="API key required")).to_be_visible()
        driver.screenshot("key", screenshots)
        assert driver.violations() == []
        page.get_by_label("API key").fill("not-a-key")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("alert")).to_contain_text("unknown or was revoked")
        page.get_by_label("API key").fill(secret)
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_text("Drop files here to upload them")).to_be_visible()
        choose = page.get_by_role("button", name="Choose files")
        expect(choose.locator("svg")).to_have_css("width", "18px")

        page.reload()
        expect(page.get_by_text("Drop files here to upload them")).to_be_visible()
        driver.drop(agreement(tmp_path / "Guarded.pdf"))
        expect(driver.row("Guarded.pdf")).to_have_attribute("data-status", "COMPLETED")
        driver.row("Guarded.pdf").get_by_role("link").click()
        expect(page.locator("[data-page='1']")).to_have_attribute("data-drawn", "yes")
        with page.expect_download() as download:
            page.get_by_label("Download", exact=True).click()
            page.get_by_role("button", name="Download original").click()
        assert download.value.suggested_filename == "Guarded.pdf"

        assert all(secret not in request.url for request in driver.requests)
        assert page.evaluate("Object.values(localStorage)") == [secret]
        page.get_by_role("button", name="Remove key").click()
        expect(page.get_by_role("heading", name="API key required")).to_be_visible()
        assert page.evaluate("localStorage.length") == 0
        driver.assert_no_errors()
