"""Tests of the PPTX reader: slides, tables, charts, notes."""

from __future__ import annotations

from pathlib import Path

from tests.support.office import CHART, bullet, compound_file, core, presentation, shape
from tests.support.readers import assert_sound, page_text, quiet, rejection
from towpath.readers.office.pptx.reader import read_pptx

SUBTITLE = shape("A short history", role="subTitle")


def test_slides_are_pages_with_titles_bullets_and_notes(tmp_path: Path) -> None:
    first = SUBTITLE + shape("Canals", role="ctrTitle")
    points = (
        bullet("Water"),
        bullet("still", 1),
        bullet("flowing", 1),
        bullet("Gates"),
        bullet("Plain", kind="buNone"),
    )
    second = shape("What is there", role="title") + shape(*points, role="body") + shape("14 May", role="dt")

    path = presentation(tmp_path / "a.pptx", [first, second], notes={2: "Speak slowly."})
    extraction = read_pptx(path, quiet)

    assert_sound(extraction)
    assert page_text(extraction, 1) == "# Canals\n\nA short history"
    assert page_text(extraction, 2) == (
        "# What is there\n\n- Water\n   - still\n   - flowing\n- Gates\n\nPlain\n\nNotes: Speak slowly."
    )
    assert [page.label for page in extraction.pages] == ["Canals", "What is there"]


def test_a_slide_without_a_title_is_named_by_its_number(tmp_path: Path) -> None:
    path = presentation(
        tmp_path / "a.pptx", [shape("Hello."), shape("One", role="title") + shape("Two", role="title")]
    )

    extraction = read_pptx(path, quiet)

    assert page_text(extraction, 1) == "# Slide 1\n\nHello."
    assert page_text(extraction, 2) == "# One\n\nTwo"


def test_numbered_bullets_groups_links_and_alternatives(tmp_path: Path) -> None:
    numbered = shape(bullet("first", kind="buAutoNum"), bullet("second", kind="buAutoNum"))
    link = (
        '<a:p><a:r><a:rPr b="1"><a:hlinkClick r:id="k"/></a:rPr><a:t>our site</a:t></a:r>'
        "<a:r><a:t> and more</a:t></a:r></a:p>"
    )
    either = (
        f"<mc:AlternateContent><mc:Choice>{shape('new')}</mc:Choice>"
        f"<mc:Fallback>{shape('old')}</mc:Fallback></mc:AlternateContent>"
    )
    slide = f"<p:grpSp><p:grpSpPr/>{numbered}<p:grpSp>{shape(link)}</p:grpSp></p:grpSp>{either}"

    path = presentation(tmp_path / "a.pptx", [slide], links={1: {"k": ("hyperlink", "https://example.com")}})

    assert page_text(read_pptx(path, quiet), 1) == (
        "# Slide 1\n\n1. first\n2. second\n\n[**our site**](https://example.com) and more\n\nnew"
    )


def test_tables_charts_and_pictures(tmp_path: Path) -> None:
    def cell(text: str) -> str:
        return f"<a:tc><a:txBody>{bullet(text)}</a:txBody></a:tc>"

    frame = "<p:graphicFrame><p:nvGraphicFramePr/><a:graphic>{}</a:graphic></p:graphicFrame>"
    table = (
        f"<a:tbl><a:tr>{cell('Lock')}{cell('Lift | m')}</a:tr><a:tr>{cell('East')}{cell('4')}</a:tr></a:tbl>"
    )
    chart = (
        f'<c:chartSpace xmlns:c="{CHART}"><c:ser><c:tx><c:v>Boats</c:v></c:tx>'
        '<c:cat><c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="2"><c:v>July</c:v></c:pt></c:cat>'
        '<c:val><c:pt idx="0"><c:v>7</c:v></c:pt><c:pt idx="2"><c:v>9</c:v></c:pt></c:val>'
        "</c:ser></c:chartSpace>"
    )
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="1" name="x" descr="A barge"/></p:nvPicPr></p:pic>'
    slide = frame.format(table) + frame.format('<c:chart r:id="c"/>') + picture

    path = presentation(
        tmp_path / "a.pptx",
        [slide],
        links={1: {"c": ("chart", "../charts/chart1.xml")}},
        parts={"ppt/charts/chart1.xml": chart, "docProps/core.xml": core(title="Deck")},
    )
    extraction = read_pptx(path, quiet)

    assert extraction.markdown == (
        "# Slide 1\n\n| Lock | Lift \\| m |\n| --- | --- |\n| East | 4 |\n\n"
        "|  | Boats |\n| --- | --- |\n| May | 7 |\n|  |  |\n| July | 9 |\n\n[Image: A barge]"
    )
    assert extraction.metadata == {"title": "Deck"}


def test_progress_is_reported_by_slide(tmp_path: Path) -> None:
    reported: list[tuple[int, int]] = []
    path = presentation(tmp_path / "a.pptx", [shape("a"), shape("b")])

    read_pptx(path, lambda done, total: reported.append((done, total)))

    assert reported == [(1, 2), (2, 2)]


def test_unreadable_presentations_are_rejected(tmp_path: Path) -> None:
    broken = {"ppt/slides/slide1.xml": "<p:sld"}

    assert rejection(read_pptx, presentation(tmp_path / "a", [])).code == "empty"
    assert rejection(read_pptx, presentation(tmp_path / "b", ["", ""])).code == "empty"
    assert rejection(read_pptx, presentation(tmp_path / "c", ["x"], parts=broken)).code == "corrupt"
    assert rejection(read_pptx, compound_file(tmp_path / "d", "EncryptedPackage")).code == "encrypted"
