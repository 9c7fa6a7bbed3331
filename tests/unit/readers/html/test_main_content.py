"""Tests of the choice of a web page's main content: navigation goes, structure and manuals stay."""

from __future__ import annotations

from pathlib import Path

from tests.support.readers import assert_sound, quiet
from towpath.model.content import Extraction
from towpath.readers.html.reader import read_html

_SENTENCES = (
    "The lock keeper opened the upper gate early in the morning, before the first boats arrived from the north.",
    "Two barges carried grain to the mill, and a third one brought coal for the pumping station near the bridge.",
    "By noon the water in the basin had risen by half a metre, which nobody had seen since the dry summer.",
    "The council decided to repair the towpath between the two bridges, because horses had slipped there twice.",
)
_ARTICLE = "".join(f"<p>{sentence}</p>" for sentence in _SENTENCES)
_NAVIGATION = (
    "<nav><ul><li><a href='/'>Jump to content</a></li><li><a href='/news'>All news</a></li></ul></nav>"
)
_COOKIES = "<div class='cookie-banner'><p>We use cookies to improve this site. Accept all cookies?</p></div>"
_LANGUAGES = "<div id='p-lang' class='interlanguage-links'><ul><li><a href='/de'>Deutsch</a></li></ul></div>"
_FOOTER = "<footer><p>Contact, imprint, and the terms of use of this site.</p></footer>"


def read(body: str, tmp_path: Path, head: str = "", *, full_text: bool = False) -> Extraction:
    path = tmp_path / "page.html"
    path.write_text(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>", "utf-8")
    extraction = read_html(path, quiet, full_text=full_text)
    assert_sound(extraction)
    return extraction


def test_an_article_is_kept_without_navigation_banners_and_language_links(tmp_path: Path) -> None:
    article = (
        f"<article><h1>High water</h1>{_ARTICLE}<table><tr><th>Lock</th><th>Level</th></tr>"
        "<tr><td>Upper</td><td>2.4 m</td></tr><tr><td>Lower</td><td>1.1 m</td></tr></table>"
        f"<p>More about it in the <a href='https://canal.example/report'>report of the engineers</a>, "
        "which was printed and sent to all members of the council in spring.</p></article>"
    )

    text = read(_NAVIGATION + _COOKIES + article + _LANGUAGES + _FOOTER, tmp_path).markdown

    assert text.startswith("# High water\n\nThe lock keeper")
    assert all(sentence in text for sentence in _SENTENCES)
    assert "| Upper | 2.4 m |" in text
    assert "[report of the engineers](https://canal.example/report)" in text
    for unwanted in ("Jump to content", "cookies", "Deutsch", "imprint"):
        assert unwanted not in text


def test_the_full_text_is_read_on_request(tmp_path: Path) -> None:
    text = read(_NAVIGATION + f"<article>{_ARTICLE}</article>" + _FOOTER, tmp_path, full_text=True).markdown

    assert "Jump to content" in text
    assert "imprint" in text


def test_a_page_of_a_manual_keeps_its_lists_code_and_index(tmp_path: Path) -> None:
    manual = (
        "<h1>Options</h1><section id='the-file-menu'><h2>The file menu</h2><p>Opens files.</p></section>"
        "<dl><dt>--fast</dt><dd>Skips the checks.</dd><dt>--all</dt><dd>Reads all.</dd></dl>"
        "<p>Each entry of this menu has a key, and the same keys work in every window of the program.</p>"
        "<pre>towpath serve --fast</pre><h2>Index</h2>"
        "<ul><li><a href='/a'>accept</a></li><li><a href='/b'>block</a></li></ul>"
    )

    text = read(_NAVIGATION + manual, tmp_path).markdown

    for wanted in (
        "## The file menu",
        "Opens files.",
        "--fast",
        "Skips the checks.",
        "towpath serve",
        "accept",
    ):
        assert wanted in text
    assert "Jump to content" not in text


def test_a_page_with_little_text_is_kept_whole(tmp_path: Path) -> None:
    assert (
        read("<nav><a href='/'>Home</a></nav><p>Closed today.</p>", tmp_path).markdown
        == "Home\n\nClosed today."
    )


def test_parts_of_an_article_after_an_advertisement_are_kept(tmp_path: Path) -> None:
    part = f"<div class='story-body'>{_ARTICLE}</div>"
    second = "<div class='story-body'><p>The second part tells how people moved the gates for forty years.</p></div>"
    text = read(
        f"<article>{part}<div class='advert'><p>Buy now and save a lot!</p></div>{second}</article>", tmp_path
    )

    assert "forty years" in text.markdown
    assert "Buy now" not in text.markdown


def test_author_date_and_site_are_found_in_json_ld(tmp_path: Path) -> None:
    data = (
        '{"@graph": [{"@type": "NewsArticle", "datePublished": "2024-03-05T08:00:00Z", '
        '"author": [{"@type": "Person", "name": "Ada Reed"}], "publisher": {"name": "Canal News"}}]}'
    )
    head = "<title>High water | Canal News</title><meta property='og:title' content='High water'>"
    extraction = read(_ARTICLE, tmp_path, f"{head}<script type='application/ld+json'>{data}</script>")

    assert extraction.metadata["title"] == "High water"
    assert extraction.metadata["authors"] == "Ada Reed"
    assert extraction.metadata["date"] == "2024-03-05T08:00:00Z"
    assert [(field.name, field.value) for field in extraction.fields] == [("site", "Canal News")]
