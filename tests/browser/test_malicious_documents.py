"""Scripts and HTML in names, texts, fields and chunks of documents are never executed."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.page_driver import PageDriver
from tests.support import pdfs
from tests.support.servers import Client

_SCRIPT = "window.executed = true"
_NAME = f'<img src=x onerror="{_SCRIPT}">"><script>{_SCRIPT}</script>.md'
_TEXT = f"""# <script>{_SCRIPT}</script> <img src=x onerror="{_SCRIPT}">

[harmless looking](javascript:{_SCRIPT}) and [another](JAVASCRIPT:{_SCRIPT}) and <javascript:{_SCRIPT}>
![picture](x" onerror="{_SCRIPT}) <svg onload="{_SCRIPT}"></svg> <iframe src="javascript:{_SCRIPT}"></iframe>

| <script>{_SCRIPT}</script> | [x](data:text/html,<script>{_SCRIPT}</script>) |
| --- | --- |
| mail <b onmouseover="{_SCRIPT}">me</b> at trap@example.org | 2026-03-03 |

```html
<script>{_SCRIPT}</script>
```

<table><tr><td onclick="{_SCRIPT}"><script>{_SCRIPT}</script>cell</td></tr></table>

[fine](https://example.org/ok)
"""


def test_scripts_in_a_document_do_not_run(driver: PageDriver) -> None:
    client = Client(driver.home)
    document = client.upload(_NAME, _TEXT.encode())
    client.wait_until_finished(document["id"])
    driver.open()
    expect(driver.page.get_by_role("link", name=document["name"], exact=True)).to_be_visible()
    for tab in ("text", "fields", "chunks", "history"):
        driver.open(f"#/documents/{document['id']}?tab={tab}")
        expect(driver.page.get_by_role("heading", name=document["name"], level=1)).to_be_visible()
        expect(driver.page.get_by_role("tabpanel")).to_be_visible()
        driver.page.wait_for_timeout(200)
        assert driver.page.evaluate("window.executed") is None
    driver.open(f"#/documents/{document['id']}")
    expect(driver.page.locator(".document-text")).to_contain_text("<script>")
    # The only link left is the harmless one.
    links = driver.page.locator(".document-text a").evaluate_all("links => links.map(link => link.href)")
    assert links == ["https://example.org/ok"]
    driver.open("#/search?q=harmless")
    expect(driver.page.locator(".hit").first).to_be_visible()
    assert driver.page.evaluate("window.executed") is None
    assert driver.page.locator("main script, main iframe, main img, main svg:not(.icon)").count() == 0
    driver.assert_no_errors()


def test_an_original_in_html_is_downloaded_not_shown(driver: PageDriver) -> None:
    client = Client(driver.home)
    page = f"<h1>Trap</h1><p>Text to read.</p><script>{_SCRIPT}</script>".encode()
    document = client.upload("trap.html", page)
    client.wait_until_finished(document["id"])
    driver.open()
    with driver.page.expect_download() as download:
        driver.page.evaluate(f"location.href = './documents/{document['id']}/original'")
    assert Path(download.value.path()).read_bytes() == page
    assert driver.page.evaluate("window.executed") is None


def test_scripts_in_a_pdf_do_not_run(driver: PageDriver, tmp_path: Path) -> None:
    import pikepdf

    made = pdfs.plain(tmp_path / "trap.pdf", [["A page with a trap behind it."]])
    with pikepdf.open(made, allow_overwriting_input=True) as pdf:
        script = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=f"app.alert(1); {_SCRIPT}")
        pdf.Root.OpenAction = pdf.make_indirect(script)
        link = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=[0, 0, 600, 800], A=script
        )
        pdf.pages[0].Annots = pikepdf.Array([pdf.make_indirect(link)])
        pdf.save(made)
    client = Client(driver.home)
    document = client.upload("trap.pdf", made.read_bytes())
    client.wait_until_finished(document["id"])
    driver.open(f"#/documents/{document['id']}")
    drawn = driver.page.locator("[data-page='1']")
    expect(drawn).to_have_attribute("data-drawn", "yes")
    drawn.click()
    assert driver.page.evaluate("window.executed") is None
    driver.assert_no_errors()
