"""Tests of the HTML reader: visible text, encodings, metadata, hostile markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.readers import assert_sound, quiet, rejection
from towpath.model.content import Extraction
from towpath.readers.html.reader import read_html


def read(page: str | bytes, tmp_path: Path) -> Extraction:
    path = tmp_path / "page.html"
    path.write_bytes(page if isinstance(page, bytes) else page.encode())
    extraction = read_html(path, quiet)
    assert_sound(extraction)
    return extraction


def text_of(body: str, tmp_path: Path) -> str:
    return read(f"<!doctype html><html><body>{body}</body></html>", tmp_path).markdown


def test_structure_of_a_page(tmp_path: Path) -> None:
    text = text_of(
        "<h1>Locks <small>and</small> weirs</h1><p>First  line<br>second\nline</p>"
        "<ol start=3><li><p>three</p><p>more</p></li><li>four</li></ol>"
        "<dl><dt>Sluice</dt><dd>A gate.</dd></dl>"
        "<blockquote>Quiet<ul><li>very</li></ul></blockquote><hr><pre>a\n  b</pre>"
        "<p>Press <kbd>Esc</kbd>, then <code>a`b</code>.</p>",
        tmp_path,
    )

    assert text == (
        "# Locks and weirs\n\nFirst line  \nsecond line\n\n3. three\n\n   more\n\n4. four\n\n"
        "**Sluice**\n\nA gate.\n\n"
        "> Quiet\n\n> - very\n\n---\n\n```\na\n  b\n```\n\nPress `Esc`, then ``a`b``."
    )


def test_scripts_styles_and_hidden_things_are_dropped(tmp_path: Path) -> None:
    text = text_of(
        "<script>alert(1)</script><style>p{}</style><p hidden>a</p><p style='display: NONE'>b</p>"
        "<template>c</template><noscript>d</noscript><select><option>e</select><iframe>f</iframe>"
        "<i aria-hidden='true'>g</i><p>seen<!-- h --> here</p>",
        tmp_path,
    )

    assert text == "seen here"


def test_only_http_and_mailto_links_are_kept(tmp_path: Path) -> None:
    text = text_of(
        "<p><a href='https://example.com/a(b)?q=1 2'>one</a> <a href='JavaScript:alert(1)'>two</a> "
        "<a href='data:text/html,x'>three</a> <a href='/rel'>four</a> <a href='mailto:a@b.c'>five</a> "
        "<a href='https://example.com/'>https://example.com</a> <a href='https://x.y'>odd ] text</a></p>"
        "<p>[six](javascript:alert(1)) [seven]<span>(javascript:alert(2))</span></p>"
        "<p>[eight]: javascript:alert(3)</p>",
        tmp_path,
    )

    assert text == (
        "[one](https://example.com/a%28b%29?q=1%202) two three four [five](mailto:a@b.c) https://example.com "
        "[odd \\] text](https://x.y)\n\n[six]\\(javascript:alert(1)) [seven]\\(javascript:alert(2))\n\n"
        "\\[eight]: javascript:alert(3)"
    )


def test_escaped_tags_stay_text(tmp_path: Path) -> None:
    text = text_of(
        "<p>&lt;script&gt;x&lt;/script&gt; a < b \\&lt;img&gt;</p><code>&lt;b&gt;<p>&lt;img&gt;</p></code>",
        tmp_path,
    )

    assert text == "\\<script>x\\</script> a < b \\\\\\<img>\n\n\\<b>\n\n\\<img>"


def test_data_tables_are_kept_and_layout_tables_are_not(tmp_path: Path) -> None:
    data = (
        "<table><caption>Tolls</caption><tr><th>Lock</th><th colspan=2>Fee | day</th></tr>"
        "<tr><td rowspan=2>East</td><td>1</td><td></td></tr><tr><td>2<p>3</p></td><td>4</td></tr></table>"
    )
    layout = f"<table><tr><td><h2>Side</h2></td><td>{data}</td></tr></table>"

    assert text_of(layout, tmp_path) == (
        "## Side\n\nTolls\n\n| Lock | Fee \\| day |  |\n| --- | --- | --- |\n| East | 1 |  |\n|  | 2 3 | 4 |"
    )


def test_page_metadata(tmp_path: Path) -> None:
    head = (
        "<html lang=fr><head><title> Le  canal </title><meta name=author content='Ada Reed'>"
        "<meta property='og:site_name' content=Journal><meta name=description content=Court>"
        "<meta property='article:published_time' content='2024-05-06'>"
        "<link rel=canonical href='https://example.com/c'></head>"
    )
    extraction = read(head + "<body><svg><title>no</title></svg><p>Texte.</p></body></html>", tmp_path)

    assert extraction.metadata == {
        "title": "Le canal",
        "language": "fr",
        "authors": "Ada Reed",
        "description": "Court",
        "date": "2024-05-06",
        "publisher": "Journal",
        "url": "https://example.com/c",
    }
    assert extraction.markdown == "# Le canal\n\nTexte."


WORDS = "Простой русский текст о каналах и шлюзах, чтобы кодировку можно было узнать."


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>Canals - The Almanac</title><h1>Canals</h1>", "Canals"),
        ("<title>The Almanac | Canals</title><h1>Canals</h1>", "Canals"),
        ("<title>Canals – Water</title><meta property='og:site_name' content='water'>", "Canals"),
        ("<title>Canals - a history</title><h1>Something else</h1>", "Canals - a history"),
        ("<title>Well-known - and new</title>", "Well-known - and new"),
    ],
)
def test_the_title_is_without_the_name_of_the_site(tmp_path: Path, page: str, title: str) -> None:
    assert read(f"{page}<p>Text.</p>", tmp_path).metadata["title"] == title


@pytest.mark.parametrize(
    "page",
    [
        f"<p>{WORDS}</p>".encode(),
        f"<p>{WORDS}</p>".encode("utf-8-sig"),
        f"<p>{WORDS}</p>".encode("utf-16"),
        f"<html><body><p>{WORDS}</p></body></html>".encode("utf-16-le"),
        f"<meta charset=windows-1251><p>{WORDS}</p>".encode("cp1251"),
        f"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'><p>{WORDS}</p>".encode("koi8-r"),
        f"<p>{WORDS * 3}</p>".encode("cp1251"),
        f"<meta charset=utf-8><p>{WORDS * 3}</p>".encode("cp1251"),
        f"<meta charset=punycode><p>{WORDS * 3}</p>".encode("cp1251"),
        f'<?xml version="1.0" encoding="windows-1251"?><html xmlns="http://www.w3.org/1999/xhtml"><body>'
        f"<title/><p>{WORDS}</p></body></html>".encode("cp1251"),
    ],
)
def test_pages_in_many_encodings(tmp_path: Path, page: bytes) -> None:
    assert WORDS in read(page, tmp_path).markdown


def test_invisible_characters_are_removed(tmp_path: Path) -> None:
    assert text_of(
        "<p>Schiff&shy;fahrt&nbsp;auf\u2060\ufeff Kan&#8203;älen &#0;&#2;</p>", tmp_path
    ).startswith("Schifffahrt auf Kanälen")


def test_emphasis_never_splits_a_word(tmp_path: Path) -> None:
    text = text_of(
        "<p><b>O</b>nce <b> upon </b>a <i><i>time</i></i> <b></b>un<em>believ</em>able <b>*</b></p>", tmp_path
    )

    assert text == "Once **upon** a *time* unbelievable *"


def test_custom_elements_and_ruby_do_not_join_words(tmp_path: Path) -> None:
    text = text_of(
        "<my-card>one</my-card><my-card>two</my-card><p><ruby>漢<rp>(</rp><rt>kan</rt></ruby></p>", tmp_path
    )

    assert text == "one\n\ntwo\n\n漢(kan)"


@pytest.mark.parametrize(
    "page",
    [
        "<html><body><p>a</p></body></html><p>b</p>",
        "<html><head><title>t</title></head><body><h1>a</h1></body></html>\n"
        "<!doctype html><html><head><title>u</title><script>x</script></head><body><p>b</p></body></html>",
        "<html><body><p>a</p></body><body><p>b</p></body></html>",
        "<html><head></html>a<p>b",
    ],
)
def test_content_after_the_end_tag_is_read(tmp_path: Path, page: str) -> None:
    assert read(page, tmp_path).markdown.replace("# ", "") == "a\n\nb"


@pytest.mark.slow
def test_a_hundred_thousand_nested_tags_are_read_as_text(tmp_path: Path) -> None:
    for tag in ("div", "b", "ul><li", "blockquote", "table><tr><td", "sup", "math", "code"):
        extraction = read(f"<p>top</p>{f'<{tag}>' * 100_000}deep &amp; low<p>after", tmp_path)

        assert "deep & low" in extraction.markdown
        assert "after" in extraction.markdown


def test_typed_bullets_are_a_list(tmp_path: Path) -> None:
    text = text_of(
        "<p>• Parrots</p><p>•</p><p>• Hockey</p><p>Bring:<br>• bread<br>• <b>salt</b></p><p>a • b</p>",
        tmp_path,
    )

    assert text == "- Parrots\n- Hockey\n\nBring:\n\n- bread\n- **salt**\n\na • b"


def test_a_list_beside_the_item_that_it_belongs_to_is_nested(tmp_path: Path) -> None:
    text = text_of(
        "<ul><li>one</li><ul><li>two</li></ul><li>three</li></ul>"
        "<ol><li>a</li><ol><li>b</li></ol><li>c</li></ol>",
        tmp_path,
    )

    assert text == "- one\n  - two\n- three\n1. a\n   1. b\n2. c"


def test_indentation_of_deeply_nested_lists_is_limited(tmp_path: Path) -> None:
    text = text_of("<ul><li>x" * 600, tmp_path)

    assert text.count("x") == 600
    assert len(text) < 20_000


def test_unreadable_pages_are_rejected(tmp_path: Path) -> None:
    for number, page in enumerate((b"", b"   ", b"<html><head><title>t</title></head><body></body></html>")):
        path = tmp_path / f"{number}.html"
        path.write_bytes(page)
        assert rejection(read_html, path).code == "empty"
