"""A locked PDF: the page asks for its password, processes it again, and shows its pages with the same password."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.page_driver import PageDriver, open_page
from tests.browser.sample_files import password_protected


def _open_rejected(driver: PageDriver, path: Path) -> None:
    driver.open()
    driver.drop(password_protected(path))
    row = driver.row(path.name)
    expect(row.locator(".badge")).to_have_text("Rejected")
    expect(row.locator(".row-message")).to_contain_text("password-protected")
    row.get_by_role("link").click()
    expect(driver.page.get_by_role("button", name="Run again…")).to_be_visible()
    expect(driver.page.get_by_role("button", name="Retry")).to_have_count(0)


def test_a_person_unlocks_a_pdf(driver: PageDriver, browser: Browser, tmp_path: Path) -> None:
    page = driver.page
    _open_rejected(driver, tmp_path / "Sealed deed.pdf")
    # One prompt: the viewer refers to that of the header.
    expect(page.get_by_text("Enter the password above")).to_be_visible()
    password = page.get_by_label("Password")
    expect(password).to_have_count(1)
    expect(password).to_have_attribute("type", "password")
    expect(page.get_by_role("button", name="Process again")).to_be_disabled()
    assert driver.violations() == []

    password.fill("wrong")
    password.press("Enter")
    expect(page.locator(".document-head .notice")).to_contain_text("Wrong password")

    page.get_by_label("Password").fill("secret")
    page.get_by_role("button", name="Process again").click()
    expect(page.locator(".document-head .badge")).to_have_text("Completed")
    # The pages are shown with the same password, and the text was read.
    expect(page.locator(".pdf-pages canvas").first).to_be_visible()
    page.get_by_role("tab", name="Text").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("Kingfisher")
    stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, location.href])")
    assert "secret" not in stored
    assert driver.requested_urls("secret") == []

    # Another browser does not know the password: its viewer asks for it.
    with open_page(browser, driver.home) as other:
        other.page.goto(page.url)
        prompt = other.page.get_by_label("Password")
        prompt.fill("wrong")
        other.page.get_by_role("button", name="Display the pages").click()
        expect(other.page.get_by_role("alert").filter(has_text="Wrong password")).to_be_visible()
        assert other.violations() == []
        prompt.fill("secret")
        prompt.press("Enter")
        expect(other.page.locator(".pdf-pages canvas").first).to_be_visible()
        other.assert_no_errors()
    driver.assert_no_errors()


def test_the_prompt_fits_a_phone(browser: Browser, driver: PageDriver, tmp_path: Path) -> None:
    _open_rejected(driver, tmp_path / "Sealed lease.pdf")
    with open_page(browser, driver.home, width=390, height=844) as phone:
        phone.page.goto(driver.page.url)
        expect(phone.page.get_by_label("Password")).to_be_visible()
        expect(phone.page.get_by_role("button", name="Process again")).to_be_visible()
        assert phone.overflow() <= 0
