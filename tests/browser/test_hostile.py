"""A document full of traps: scripts, script links, HTML in names, fields and passages. Nothing of it runs."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.watching import Reader
from tests.support import pdfs
from tests.support.servers import Client

_TRAP = "window.trapped = true"
_NAME = f'<img src=x onerror="{_TRAP}">"><script>{_TRAP}</script>.md'
_TEXT = f"""# <script>{_TRAP}</script> <img src=x onerror="{_TRAP}">

[harmless looking](javascript:{_TRAP}) and [another](JAVASCRIPT:{_TRAP}) and <javascript:{_TRAP}>
![picture](x" onerror="{_TRAP}) <svg onload="{_TRAP}"></svg> <iframe src="javascript:{_TRAP}"></iframe>

| <script>{_TRAP}</script> | [x](data:text/html,<script>{_TRAP}</script>) |
| --- | --- |
| mail <b onmouseover="{_TRAP}">me</b> at trap@example.org | 2026-03-03 |

```html
<script>{_TRAP}</script>
```

<table><tr><td onclick="{_TRAP}"><script>{_TRAP}</script>cell</td></tr></table>

[fine](https://example.org/ok)
"""


def test_nothing_in_a_hostile_document_runs(reader: Reader) -> None:
    client = Client(reader.home)
    document = client.upload(_NAME, _TEXT.encode())
    client.wait_until_over(document["id"])
    reader.open()
    expect(reader.page.get_by_role("link", name=document["name"], exact=True)).to_be_visible()
    for tab in ("reading", "fields", "passages", "history"):
        reader.open(f"#/documents/{document['id']}?tab={tab}")
        expect(reader.page.get_by_role("heading", name=document["name"], level=1)).to_be_visible()
        expect(reader.page.get_by_role("tabpanel")).to_be_visible()
        reader.page.wait_for_timeout(200)
        assert reader.page.evaluate("window.trapped") is None
    reader.open(f"#/documents/{document['id']}")
    expect(reader.page.locator(".reading")).to_contain_text("<script>")
    # Clicking everything that can be clicked in the text changes nothing either.
    links = reader.page.locator(".reading a").evaluate_all("links => links.map(link => link.href)")
    assert links == ["https://example.org/ok"]
    reader.open("#/search?q=harmless")
    expect(reader.page.locator(".hit").first).to_be_visible()
    assert reader.page.evaluate("window.trapped") is None
    assert reader.page.locator("main script, main iframe, main img, main svg:not(.icon)").count() == 0
    reader.assert_content()


def test_an_original_that_is_a_web_page_cannot_act_as_one_of_ours(reader: Reader) -> None:
    client = Client(reader.home)
    page = f"<h1>Trap</h1><p>Text to read.</p><script>{_TRAP}</script>".encode()
    document = client.upload("trap.html", page)
    client.wait_until_over(document["id"])
    reader.open()
    with reader.page.expect_download() as download:
        reader.page.evaluate(f"location.href = './documents/{document['id']}/original'")
    assert Path(download.value.path()).read_bytes() == page
    assert reader.page.evaluate("window.trapped") is None


def test_a_pdf_with_scripts_and_links_only_draws(reader: Reader, tmp_path: Path) -> None:
    import pikepdf

    made = pdfs.plain(tmp_path / "trap.pdf", [["A page with a trap behind it."]])
    with pikepdf.open(made, allow_overwriting_input=True) as pdf:
        script = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=f"app.alert(1); {_TRAP}")
        pdf.Root.OpenAction = pdf.make_indirect(script)
        link = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=[0, 0, 600, 800], A=script
        )
        pdf.pages[0].Annots = pikepdf.Array([pdf.make_indirect(link)])
        pdf.save(made)
    client = Client(reader.home)
    document = client.upload("trap.pdf", made.read_bytes())
    client.wait_until_over(document["id"])
    reader.open(f"#/documents/{document['id']}")
    drawn = reader.page.locator("[data-page='1']")
    expect(drawn).to_have_attribute("data-drawn", "yes")
    drawn.click()
    assert reader.page.evaluate("window.trapped") is None
    reader.assert_content()
