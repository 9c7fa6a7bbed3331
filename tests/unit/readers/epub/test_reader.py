"""Tests of the EPUB reader: chapters, notes, pages, titles, unreadable books."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.epubs import Book, nav_point, page
from tests.support.readers import assert_sound, page_text, quiet, rejection
from towpath.model.content import Extraction
from towpath.readers.epub.reader import read_epub


def read(book: Book, tmp_path: Path) -> Extraction:
    path = book.save(tmp_path / "book.epub")
    extraction = read_epub(path, quiet)
    assert_sound(extraction)
    assert read_epub(path, quiet) == extraction
    return extraction


def test_chapters_come_in_the_order_of_the_spine_with_their_structure(tmp_path: Path) -> None:
    chapters = {
        "z.xhtml": "<h1>Morning</h1><p>Mist on the <em>water</em>.</p><ul><li>oar</li><li>rope"
        "<ol><li>thin</li><li>thick</li></ol></li></ul>",
        "a.xhtml": "<h1>Evening</h1><blockquote><p>All is well.</p></blockquote>"
        '<pre><code class="language-python">if lock:\n    open()</code></pre>'
        "<table><tr><th>Gate</th><th>Width | m</th></tr><tr><td>East</td><td>4</td></tr></table>",
    }

    extraction = read(Book(chapters), tmp_path)

    assert extraction.markdown == (
        "# Morning\n\nMist on the *water*.\n\n- oar\n- rope\n  1. thin\n  2. thick\n\n"
        "# Evening\n\n> All is well.\n\n```python\nif lock:\n    open()\n```\n\n"
        "| Gate | Width \\| m |\n| --- | --- |\n| East | 4 |"
    )


def test_book_metadata(tmp_path: Path) -> None:
    extraction = read(Book({"a.xhtml": "<p>Text.</p>"}), tmp_path)

    assert extraction.metadata == {
        "title": "The Lock Keeper",
        "authors": "Ada Reed; Bo Lind",
        "language": "en",
        "date": "2021-03-04",
        "publisher": "Canal Press",
        "identifier": "urn:isbn:123",
    }


def test_progress_is_reported_by_chapter(tmp_path: Path) -> None:
    reported: list[tuple[int, int]] = []
    path = Book({f"{n}.xhtml": f"<p>{n}</p>" for n in range(3)}).save(tmp_path / "book.epub")

    read_epub(path, lambda done, total: reported.append((done, total)))

    assert reported == [(1, 3), (2, 3), (3, 3)]


def test_notes_of_another_chapter_become_footnotes(tmp_path: Path) -> None:
    chapters = {
        "one.xhtml": '<p>The gate<a epub:type="noteref" href="notes.xhtml#n1" id="r1">1</a> and the '
        'weir<a epub:type="noteref" href="notes.xhtml#n2" id="r2">2</a>(old).</p>',
        "notes.xhtml": '<ol><li id="n1"><p>Of oak. <a href="one.xhtml#r1" epub:type="backlink">↩</a></p></li>'
        '<li id="n2"><p>Of stone.</p><p>Rebuilt.</p></li></ol>',
    }

    text = read(Book(chapters), tmp_path).markdown

    assert text == ("The gate[^1] and the weir[^2]\\(old).\n\n[^1]: Of oak.\n[^2]: Of stone.\n\n    Rebuilt.")


def test_epub2_notes_are_detected_by_superscript_numbers(tmp_path: Path) -> None:
    chapters = {
        "one.xhtml": '<p>A lock<sup><a id="b1" href="#f1">1</a></sup> of 10<sup>6</sup> tons.</p>'
        '<p><a id="f1"></a><a href="#b1">[1]</a> A wooden one.</p>'
    }

    text = read(Book(chapters), tmp_path).markdown

    assert text == "A lock[^1] of 10^6 tons.\n\n[^1]: A wooden one."


def test_formulas_are_written_as_text(tmp_path: Path) -> None:
    math = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>E</mi><mo>=</mo><mi>m</mi>'
        "<msup><mi>c</mi><mn>2</mn></msup><mo>+</mo><mfrac><mi>a</mi><mrow><mi>b</mi><mo>−</mo><mn>1</mn></mrow>"
        "</mfrac></math>"
    )

    assert read(Book({"a.xhtml": f"<p>So {math}.</p>"}), tmp_path).markdown == "So E = mc^2 + a/(b − 1)."


def test_printed_pages_are_kept_with_their_labels(tmp_path: Path) -> None:
    words = "word " * 30
    chapters = {
        "a.xhtml": f"<p>Before.</p><p>{words}<span epub:type='pagebreak' title='xii'/>after the break</p>",
        "b.xhtml": f"<div role='doc-pagebreak' aria-label='13'/><p>{words}</p>",
    }

    extraction = read(Book(chapters), tmp_path)

    assert [page.label for page in extraction.pages] == [None, "xii", "13"]
    assert page_text(extraction, 2).strip() == "after the break"
    assert "\x00" not in extraction.markdown
    assert [block.page for block in extraction.blocks] == [1, 1, 3]


def test_without_printed_pages_a_page_is_about_275_words_of_one_chapter(tmp_path: Path) -> None:
    paragraph = f"<p>{'water ' * 99}end.</p>"
    nav = '<li><a href="a.xhtml">Spring</a></li><li><a href="b.xhtml">Summer</a></li>'

    extraction = read(Book({"a.xhtml": paragraph * 7, "b.xhtml": "<p>Short.</p>"}, nav=nav), tmp_path)

    assert [page.label for page in extraction.pages] == ["Spring", "Spring", "Spring", "Summer"]
    assert [len(page_text(extraction, number).split()) for number in (1, 2)] == [302, 300]
    assert page_text(extraction, 4) == "# Summer\n\nShort."


def test_chapters_without_headings_get_titles_from_the_table_of_contents(tmp_path: Path) -> None:
    chapters = {
        "a.xhtml": "<p>It began.</p>",
        "b.xhtml": '<p class="t">THE END</p><p>It ended.</p>',
        "c.xhtml": '<p id="x">Thanks.</p><p id="y">Index.</p>',
        "d.xhtml": "<h2>Colophon</h2><p>Set in type.</p>",
    }
    ncx = (
        nav_point("Beginning", "a.xhtml", nav_point("The End", "b.xhtml"))
        + nav_point("To my friends", "c.xhtml#x")
        + nav_point("Words", "c.xhtml#y")
        + nav_point("Last page", "d.xhtml")
    )

    text = read(Book(chapters, ncx=ncx), tmp_path).markdown

    assert text == (
        "# Beginning\n\nIt began.\n\n## THE END\n\nIt ended.\n\n# To my friends\n\nThanks.\n\n"
        "# Words\n\nIndex.\n\n## Colophon\n\nSet in type."
    )


def test_labels_of_numbered_chapters_include_the_part(tmp_path: Path) -> None:
    nav = '<li><a href="p.xhtml">Book One</a><ol><li><a href="a.xhtml">IV</a></li></ol></li>'

    extraction = read(Book({"p.xhtml": "<p>Part.</p>", "a.xhtml": "<p>Text.</p>"}, nav=nav), tmp_path)

    assert [page.label for page in extraction.pages] == ["Book One", "Book One, IV"]


def test_named_entities_and_broken_markup_are_read_as_browsers_do(tmp_path: Path) -> None:
    chapters = {
        "a.xhtml": "<p>Caf&eacute;&nbsp;&hellip;</p>",
        "b.xhtml": "<p>One<p>Two & three &odd; <b>four",
    }

    text = read(Book(chapters), tmp_path).markdown

    assert text == "Café …\n\nOne\n\nTwo & three &odd; **four**"


def test_a_chapter_that_is_listed_but_missing_is_a_warning(tmp_path: Path) -> None:
    extraction = read(
        Book({"a.xhtml": "<p>Here.</p>", "b.xhtml": "<p>Gone.</p>"}, left_out=("b.xhtml",)), tmp_path
    )

    assert extraction.markdown == "Here."
    assert "b.xhtml" in extraction.warnings[0]


def test_a_novel_of_many_chapters_is_read_whole(tmp_path: Path) -> None:
    chapters = {
        f"c{n}.xhtml": f"<h2>Chapter {n}</h2>" + f"<p>{'so it goes ' * 60}mark{n}.</p>" * 8
        for n in range(150)
    }

    extraction = read(Book(chapters), tmp_path)

    assert all(extraction.markdown.count(f" mark{n}.") == 8 for n in range(150))
    assert len(extraction.pages) > 500


def encryption(algorithm: str, name: str) -> str:
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
        ' xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>'
        f'<e:EncryptionMethod Algorithm="{algorithm}"/><e:CipherData><e:CipherReference URI="{name}"/>'
        "</e:CipherData></e:EncryptedData></encryption>"
    )


def test_copy_protected_books_are_rejected_and_obfuscated_fonts_are_not(tmp_path: Path) -> None:
    protected = encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OPS/a.xhtml")
    scrambled = encryption("http://www.idpf.org/2008/embedding", "OPS/font.otf")

    book = Book({"a.xhtml": "<p>Text.</p>"}, parts={"META-INF/encryption.xml": protected})
    assert rejection(read_epub, book.save(tmp_path / "a.epub")).code == "encrypted"

    book = Book({"a.xhtml": "<p>Text.</p>"}, parts={"META-INF/encryption.xml": scrambled})
    assert read(book, tmp_path).markdown == "Text."


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"OPS/book.opf": "<package"}, "corrupt"),
        ({"META-INF/container.xml": "<!DOCTYPE c [<!ENTITY a 'b'>]><c>&a;</c>"}, "corrupt"),
        ({"OPS/a.xhtml": page("<img src='x.png' alt=''/>")}, "empty"),
    ],
)
def test_unreadable_books_are_rejected(tmp_path: Path, parts: dict[str, str | bytes], code: str) -> None:
    path = Book({"a.xhtml": "<p>Text.</p>"}, parts=parts).save(tmp_path / "a.epub")

    assert rejection(read_epub, path).code == code


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = (
        f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY l0 "ha">{laughs}]>'
        + page("<p>&l9;!</p>").split("?>")[1]
    )

    text = read(Book({"a.xhtml": ""}, parts={"OPS/a.xhtml": bomb}), tmp_path).markdown

    assert len(text) < 2000


def test_external_files_are_not_included(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("do not tell")
    bomb = f'<!DOCTYPE html [<!ENTITY x SYSTEM "{secret.as_uri()}">]>' + page("<p>&x; ok</p>").split("?>")[1]

    text = read(Book({"a.xhtml": ""}, parts={"OPS/a.xhtml": bomb}), tmp_path).markdown

    assert "do not tell" not in text
    assert "ok" in text


@pytest.mark.slow
def test_a_hundred_thousand_nested_tags_lose_only_their_structure(tmp_path: Path) -> None:
    deep = "<div>" * 100_000 + "down here" + "</div>" * 100_000 + "<p>and after</p>"

    extraction = read(Book({"a.xhtml": deep}), tmp_path)

    assert extraction.markdown == "down here\n\nand after"
    assert "nested too deeply" in extraction.warnings[0]
