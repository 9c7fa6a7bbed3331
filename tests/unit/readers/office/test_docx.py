"""Tests of the DOCX reader: structure, notes, tracked changes, tables, text boxes, pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.office import (
    CHART,
    STRICT_WORD,
    WORD,
    WordFile,
    core,
    numbered_list,
    p,
    pack,
    r,
    relationships,
    style,
    table,
)
from tests.support.readers import assert_sound, page_text, quiet, rejection
from towpath.model.content import Extraction
from towpath.readers.office.docx.reader import read_docx

HEADINGS = (
    style("Title", "Title")
    + style("berschrift1", "heading 1", '<w:outlineLvl w:val="0"/>')
    + style("Sub", "My heading", based_on="berschrift2")
    + style("berschrift2", "heading 2")
)


def read(file: WordFile, tmp_path: Path) -> Extraction:
    extraction = read_docx(file.save(tmp_path / "a.docx"), quiet)
    assert_sound(extraction)
    return extraction


def text_of(tmp_path: Path, *blocks: str, **parts: str) -> str:
    return read(WordFile("".join(blocks), **parts), tmp_path).markdown  # pyright: ignore[reportArgumentType] a test's shorthand


def test_headings_by_style_inheritance_and_outline_level(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        p("Report", style="Title"),
        p("Aims", style="berschrift1"),
        p("Scope", style="Sub"),
        p("Deep", facts='<w:outlineLvl w:val="2"/>'),
        p("Not a heading", style="berschrift1", facts='<w:outlineLvl w:val="9"/>'),
        p("Plain."),
        styles=HEADINGS,
    )

    assert text == "# Report\n\n# Aims\n\n## Scope\n\n### Deep\n\nNot a heading\n\nPlain."


def test_lists_count_nest_and_restart(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        p("one", numbered=(1, 0)),
        p("two", numbered=(1, 0)),
        p("bullet", numbered=(2, 1)),
        p("three", numbered=(1, 0)),
        p("Between."),
        p("again", numbered=(3, 0)),
        p("(a) kind", numbered=(4, 0)),
        numbering=numbered_list(1, ("decimal", "%1."), ("lowerLetter", "%2)"))
        + numbered_list(2, ("bullet", "-"), ("bullet", "o"))
        + numbered_list(3, like=1, start_over=1)
        + numbered_list(4, ("lowerLetter", "(%1)")),
    )

    assert text == ("1. one\n2. two\n   - bullet\n3. three\n\nBetween.\n\n1. again\n1. (a) kind")


def test_boxes_to_tick_and_further_paragraphs_of_an_item(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        p("open", numbered=(1, 0)),
        p("done", numbered=(2, 0)),
        p("more about it", numbered=(3, 0)),
        p("open again", numbered=(1, 0)),
        numbering=numbered_list(1, ("bullet", "☐"))
        + numbered_list(2, ("bullet", "☒"))
        + numbered_list(3, ("bullet", " ")),
    )

    assert text == "- [ ] open\n- [x] done\n\n  more about it\n\n- [ ] open again"


def test_clauses_keep_the_numbers_that_word_prints(tmp_path: Path) -> None:
    levels = (("decimal", "%1"), ("decimal", "%1.%2"), ("upperRoman", "%1.%2.%3"))
    text = text_of(
        tmp_path,
        p("Terms", style="berschrift1", numbered=(1, 0)),
        p("The supplier shall deliver.", numbered=(1, 1)),
        p("The buyer shall pay.", numbered=(1, 1)),
        p("Promptly.", numbered=(1, 2)),
        p("Law", style="berschrift1", numbered=(1, 0)),
        p("That of the place.", numbered=(1, 1)),
        styles=HEADINGS,
        numbering=numbered_list(1, *levels),
    )

    assert text == (
        "# 1 Terms\n\n1.1 The supplier shall deliver.\n\n1.2 The buyer shall pay.\n\n1.2.I Promptly.\n\n"
        "# 2 Law\n\n2.1 That of the place."
    )


def test_tracked_deletions_are_omitted_and_insertions_kept(tmp_path: Path) -> None:
    deleted = '<w:del w:id="1"><w:r><w:delText>never</w:delText></w:r></w:del>'
    moved = f'<w:moveFrom w:id="2">{r("elsewhere ")}</w:moveFrom><w:moveTo w:id="3">{r("here ")}</w:moveTo>'
    text = text_of(
        tmp_path, p(r("Pay "), deleted, f'<w:ins w:id="4">{r("always ")}</w:ins>', moved, r("please."))
    )

    assert text == "Pay always here please."


def test_bold_italic_and_hidden_runs(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        p(r("Very ", "<w:b/>"), r("important", "<w:b/>"), r(" and "), r("odd", '<w:i/><w:b w:val="0"/>')),
        p(r("O", "<w:b/>"), r("nce"), r("unseen", "<w:vanish/>"), r(" more")),
    )

    assert text == "**Very important** and *odd*\n\nOnce more"


def test_merged_cells_appear_once(tmp_path: Path) -> None:
    wide = f'<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{p("2024")}'
    below = f"<w:tcPr><w:vMerge/></w:tcPr>{p()}"
    text = text_of(tmp_path, table(("Item", wide), ("a|b", "1", "2"), (below, p("x") + p("y"), "3")))

    assert text == "| Item | 2024 |  |\n| --- | --- | --- |\n| a\\|b | 1 | 2 |\n|  | x y | 3 |"


def test_indented_rows_stay_in_their_columns(tmp_path: Path) -> None:
    late = f'<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr><w:tc>{p("9")}</w:tc></w:tr>'
    gone = f'<w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>{p("x")}</w:tc></w:tr>'
    body = table(("Lock", "Fee")).replace("</w:tbl>", late + gone + "</w:tbl>")

    assert text_of(tmp_path, body) == "| Lock | Fee |\n| --- | --- |\n|  | 9 |"


def test_layout_tables_are_read_cell_by_cell(tmp_path: Path) -> None:
    inner = table(("k", "v"), ("size", "9"))
    text = text_of(tmp_path, table((p("Left") + inner, "Right")), table(("One column",), ("only",)))

    assert text == "Left\n\n| k | v |\n| --- | --- |\n| size | 9 |\n\nRight\n\nOne column\n\nonly"


def test_footnotes_follow_their_block_and_endnotes_come_last(tmp_path: Path) -> None:
    def reference(kind: str, number: int) -> str:
        return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'

    def note(kind: str, number: int, *words: str) -> str:
        return f'<w:{kind} w:id="{number}">{"".join(p(word) for word in words)}</w:{kind}>'

    text = text_of(
        tmp_path,
        p("First", reference("footnote", 2), " and", reference("endnote", 5)),
        p("Second", reference("footnote", 3)),
        footnotes='<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        + note("footnote", 2, "Of the first.", "More of it.")
        + note("footnote", 3, "Of the second."),
        endnotes=note("endnote", 5, "At the end."),
    )

    assert text == (
        "First[^1] and[^2]\n\n[^1]: Of the first.\n\n    More of it.\n\nSecond[^3]\n\n"
        "[^3]: Of the second.\n[^2]: At the end."
    )


def test_only_http_and_mailto_links_are_kept(tmp_path: Path) -> None:
    file = WordFile(
        p('<w:hyperlink r:id="a">' + r("the site") + "</w:hyperlink>", " ")
        + p('<w:hyperlink r:id="b">' + r("a trap") + "</w:hyperlink>")
        + p("[x](javascript:alert(1)) <script>"),
        links={"a": ("hyperlink", "https://example.com/a b"), "b": ("hyperlink", "javascript:alert(1)")},
    )

    text = read(file, tmp_path).markdown

    assert text == "[the site](https://example.com/a%20b)\n\na trap\n\n[x]\\(javascript:alert(1)) \\<script>"


def test_text_boxes_are_read_once_after_their_paragraph(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{p('Boxed words.')}</w:txbxContent>"
    drawing = (
        f"<mc:AlternateContent><mc:Choice><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent>"
    )

    assert (
        text_of(tmp_path, p("Beside.", f"<w:r>{drawing}</w:r>"), p("Below."))
        == "Beside.\n\nBoxed words.\n\nBelow."
    )


def test_charts_become_tables(tmp_path: Path) -> None:
    def points(name: str, *values: str) -> str:
        inner = "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values))
        return f"<c:{name}><c:x>{inner}</c:x></c:{name}>"

    chart = (
        f'<c:chartSpace xmlns:c="{CHART}" xmlns:a="urn:a"><c:chart><c:title><a:t>Ships</a:t></c:title><c:ser>'
        f"<c:tx><c:v>2023</c:v></c:tx>{points('cat', 'May', 'June')}{points('val', '3', '4')}</c:ser>"
        "</c:chart></c:chartSpace>"
    )
    file = WordFile(
        p("See.", f'<w:r><w:drawing><c:chart xmlns:c="{CHART}" r:id="c1"/></w:drawing></w:r>'),
        links={"c1": ("chart", "charts/chart1.xml")},
        parts={"word/charts/chart1.xml": chart},
    )

    assert (
        read(file, tmp_path).markdown
        == "See.\n\nShips\n\n|  | 2023 |\n| --- | --- |\n| May | 3 |\n| June | 4 |"
    )


def test_pages_by_rendered_page_breaks(tmp_path: Path) -> None:
    drawn = "<w:r><w:lastRenderedPageBreak/><w:t>second page </w:t></w:r>"
    broken = '<w:r><w:br w:type="page"/></w:r>'
    extraction = read(
        WordFile(p("First page, ", drawn, "goes on.", broken) + p("Still the second.")), tmp_path
    )

    assert len(extraction.pages) == 2
    assert page_text(extraction, 2) == "second page goes on.\n\nStill the second."


def test_pages_by_manual_page_breaks(tmp_path: Path) -> None:
    body = (
        p("One.", '<w:r><w:br w:type="page"/></w:r>')
        + p("Two.", facts="<w:sectPr/>")
        + p("Three.")
        + p("Four.", facts="<w:pageBreakBefore/>")
    )
    extraction = read(WordFile(body), tmp_path)

    assert [page_text(extraction, number).strip() for number in range(1, 5)] == [
        "One.",
        "Two.",
        "Three.",
        "Four.",
    ]
    assert [block.page for block in extraction.blocks] == [1, 2, 3, 4]


def test_a_document_without_breaks_has_no_pages(tmp_path: Path) -> None:
    extraction = read(WordFile(p("One.")), tmp_path)

    assert extraction.pages == ()
    assert extraction.blocks == ()


def test_the_strict_edition_of_the_standard_is_read(tmp_path: Path) -> None:
    body = p("Aims", style="H") + p("one", numbered=(1, 0))
    made = [
        WordFile(body, style("H", "heading 1"), numbered_list(1, ("decimal", "%1.")), namespace=namespace)
        for namespace in (WORD, STRICT_WORD)
    ]

    assert read(made[0], tmp_path) == read(made[1], tmp_path)


def test_document_metadata(tmp_path: Path) -> None:
    facts = core(title="Lease", creator="Ada Reed", created="2020-01-02T03:04:05Z")

    extraction = read(WordFile(p("x"), properties=facts), tmp_path)

    assert extraction.metadata == {"title": "Lease", "authors": "Ada Reed", "created": "2020-01-02T03:04:05Z"}


def test_forms_formulas_and_tabs(tmp_path: Path) -> None:
    form = f"<w:sdt><w:sdtPr/><w:sdtContent>{p('Filled in')}</w:sdtContent></w:sdt>"
    one, two = (f"<m:r><m:t>{sign}</m:t></m:r>" for sign in "12")
    formula = f"<m:oMath><m:f><m:num>{one}</m:num><m:den>{two}</m:den></m:f></m:oMath>"

    assert text_of(tmp_path, form, p("Name:", "<w:r><w:tab/></w:r>", "Bo "), p("Half is ", formula)) == (
        "Filled in\n\nName: Bo\n\nHalf is 1/2"
    )


def test_text_that_looks_like_markdown_stays_text(tmp_path: Path) -> None:
    text = text_of(tmp_path, p("# not a heading"), p("- not a list"), p("> not a quote"), p("---"), p("```"))

    assert text == "\\# not a heading\n\n\\- not a list\n\n\\> not a quote\n\n\\---\n\n\\```"


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ("", "corrupt"),
        ("<w:document", "corrupt"),
        (
            "<!DOCTYPE x [<!ENTITY a 'b'>]><w:document xmlns:w='u'><w:body><w:p/></w:body></w:document>",
            "corrupt",
        ),
        (f"<w:document xmlns:w='{WORD}'><w:body>{'<w:sdt>' * 5000}</w:body></w:document>", "corrupt"),
        (f"<w:document xmlns:w='{WORD}'><w:body><w:p/></w:body></w:document>", "empty"),
        (f"<w:document xmlns:w='{WORD}'/>", "empty"),
    ],
)
def test_unreadable_documents_are_rejected(tmp_path: Path, document: str, code: str) -> None:
    path = pack(
        tmp_path / "a.docx",
        {
            "_rels/.rels": relationships({"d": ("officeDocument", "word/document.xml")}),
            "word/document.xml": document,
        },
    )

    assert rejection(read_docx, path).code == code


def test_deeply_nested_tables(tmp_path: Path) -> None:
    body = p("core")
    for _ in range(70):
        body = f"<w:tbl><w:tr><w:tc>{body}</w:tc></w:tr></w:tbl>"

    assert text_of(tmp_path, body) == "core"


def test_a_zip_without_a_document_is_rejected(tmp_path: Path) -> None:
    assert rejection(read_docx, pack(tmp_path / "a.docx", {"readme.txt": "hello"})).code == "corrupt"


def test_progress_of_a_long_document_is_reported(tmp_path: Path) -> None:
    reported: list[tuple[int, int]] = []
    path = WordFile(p("a line of words that go on for a while") * 40_000).save(tmp_path / "a.docx")

    read_docx(path, lambda done, total: reported.append((done, total)))

    assert len(reported) > 3
    assert all(0 < done <= total for done, total in reported)


def test_numbers_of_headings_and_items_are_layout_unless_the_text_refers_to_them(tmp_path: Path) -> None:
    numbering = numbered_list(1, ("decimal", "%1."), ("lowerLetter", "%2)")) + numbered_list(
        2, ("decimal", "%1")
    )
    blocks = (
        p("Terms", style="berschrift1", numbered=(2, 0)),
        p("first", numbered=(1, 0)),
        p("detail", numbered=(1, 1)),
    )

    plain = text_of(tmp_path, *blocks, styles=HEADINGS, numbering=numbering)
    referred = text_of(tmp_path, *blocks, p("See section 1."), styles=HEADINGS, numbering=numbering)

    assert plain == "# Terms\n\n1. first\n   1. detail"
    assert referred == "# 1 Terms\n\n1. first\n   - a) detail\n\nSee section 1."


def test_a_sentence_with_an_outline_level_is_no_heading(tmp_path: Path) -> None:
    outline = '<w:outlineLvl w:val="2"/>'
    text = text_of(
        tmp_path, p("Goals", facts=outline), p(r("Documents are found quickly.", "<w:b/>"), facts=outline)
    )

    assert text == "### Goals\n\n**Documents are found quickly.**"
