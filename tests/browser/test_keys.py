"""A server that wants an API key asks for it once, keeps it out of addresses, and shows originals with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.paperwork import agreement
from tests.browser.watching import reading
from tests.support.servers import Server


def test_the_key_is_asked_for_kept_and_forgotten(
    browser: Browser, tmp_path: Path, built_page: None, pictures: Path
) -> None:
    data = tmp_path / "data"
    made = subprocess.run(
        [sys.executable, "-m", "towpath", "keys", "create", "page", "--data", str(data)],
        capture_output=True,
        text=True,
        check=True,
    )
    secret = made.stdout.split()[0]
    with (
        Server(data, settings={"TOWPATH_HOST": "0.0.0.0"}) as guarded,
        reading(browser, guarded.url) as reader,
    ):
        page = reader.page
        reader.open()
        expect(page.get_by_role("heading", name="This server wants an API key")).to_be_visible()
        reader.picture("key", pictures)
        assert reader.violations() == []
        page.get_by_label("API key").fill("not-a-key")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("alert")).to_contain_text("not known here")
        page.get_by_label("API key").fill(secret)
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_text("Drop your first files here")).to_be_visible()
        choose = page.get_by_role("button", name="Choose files")
        expect(choose.locator("svg")).to_have_css("width", "18px")

        page.reload()
        expect(page.get_by_text("Drop your first files here")).to_be_visible()
        reader.drop(agreement(tmp_path / "Guarded.pdf"))
        expect(reader.row("Guarded.pdf")).to_have_attribute("data-status", "COMPLETED")
        reader.row("Guarded.pdf").get_by_role("link").click()
        expect(page.locator("[data-page='1']")).to_have_attribute("data-drawn", "yes")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download the original").click()
        assert download.value.suggested_filename == "Guarded.pdf"

        assert all(secret not in request.url for request in reader.requests)
        assert page.evaluate("Object.values(localStorage)") == [secret]
        page.get_by_role("button", name="Forget key").click()
        expect(page.get_by_role("heading", name="This server wants an API key")).to_be_visible()
        assert page.evaluate("localStorage.length") == 0
        reader.assert_content()
