"""Tests of the measures of the reading benchmark."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bench.reading.bootstrap import estimate
from bench.reading.manual_truth import read_truth
from bench.reading.markdown_tables import Cell, find_tables, grid_cells, relations
from bench.reading.task import f1, ratio
from bench.reading.tasks import manuals, word
from bench.reading.tasks.invoices import prints_date
from tests.support import pdfs

MARKDOWN = """
Before.

| Lock | Rise \\| fall |
|---|---|
| Foxton | **23** m |
|  | 72 m |

After.
"""


def test_the_relations_of_a_pipe_table_join_cells_with_text() -> None:
    tables = list(find_tables(MARKDOWN))

    assert relations(map(grid_cells, tables)) == Counter(
        {
            ("Lock", "Risefall", "right"): 1,
            ("Foxton", "23m", "right"): 1,
            ("Lock", "Foxton", "below"): 1,
            ("Risefall", "23m", "below"): 1,
            ("23m", "72m", "below"): 1,
        }
    )


def test_a_cell_that_spans_columns_has_a_relation_with_every_cell_below_it() -> None:
    cells = [Cell("Rise", 0, 0, 0, 1), Cell("feet", 1, 0, 1, 0), Cell("metres", 1, 1, 1, 1)]

    assert relations([cells]) == Counter(
        {("Rise", "feet", "below"): 1, ("Rise", "metres", "below"): 1, ("feet", "metres", "right"): 1}
    )


def test_an_estimate_sums_the_counts_and_its_interval_contains_it() -> None:
    counts = [{"right": 1.0, "found": 2.0, "expected": 1.0}, {"right": 3.0, "found": 4.0, "expected": 5.0}]

    value = estimate(counts, f1)

    assert value.value == pytest.approx(2 * 4 / 12)
    assert value.low <= value.value <= value.high


def test_the_interval_of_equal_files_has_no_width() -> None:
    value = estimate([{"right": 1.0, "files": 1.0}] * 9, ratio("right", "files"))

    assert (value.low, value.value, value.high) == (1.0, 1.0, 1.0)


def test_the_truth_of_a_word_document_is_read_from_pandocs_output(tmp_path: Path):
    folder = tmp_path / "pandoc_docx"
    folder.mkdir()
    (folder / "a.truth.native").write_text(
        "Pandoc Meta { unMeta = fromList [] }\n"
        '[Header 1 ( "a" , [] , [] ) [Str "\\220bersicht"],Para [Str "See",Space,Link ("",[],[]) [Str "it"] ("http://x","")]\n'
        ',BulletList [[Plain [Str "one"]],[Plain [Str "two"],OrderedList (1,Decimal,Period) [[Para [Str "in"]]]]]]'
    )

    (sample,) = word.load(tmp_path)

    assert isinstance(sample.truth, word.Structure)
    assert sample.truth.headings == {"übersicht": 1}
    assert sample.truth.items == {"one": 1, "two": 1, "in": 1}
    assert sample.truth.words == {"übersicht": 1, "see": 1, "it": 1, "one": 1, "two": 1, "in": 1}


@pytest.mark.parametrize(
    "text", ["vom 8.10.2015", "10/08/15", "2015-10-08", "8 octobre 2015", "October 8th, 2015", "08-Oct-2015"]
)
def test_a_printed_date_is_recognized_in_usual_forms(text: str) -> None:
    assert prints_date(text, "2015-10-08")


@pytest.mark.parametrize("text", ["18.10.2015", "2014-10-08", "8 boats", "RE-20151018/504"])
def test_another_date_is_not_that_of_the_truth(text: str) -> None:
    assert not prints_date(text, "2015-10-08")


def test_the_html_of_a_manual_gives_headings_code_and_tables(tmp_path: Path) -> None:
    pages = tmp_path / "canal.truth"
    pages.mkdir()
    (pages / "index.html").write_text(
        "<h1>1. Locks</h1><div class='toc'><h2>Contents</h2></div><pre>open gate\nfill</pre>"
        "<table><tr><td>Lock</td><td>Rise</td></tr><tr><td>Foxton</td><td>23</td></tr></table>"
    )
    path = pdfs.drawing(tmp_path / "canal.pdf", lambda canvas: pdfs.lines(canvas, pdfs.LOREM))
    truth = read_truth(path, pages)

    markdown = (
        "# 1 Locks\n\n```\nopen gate\n```\n\n| Lock | Rise |\n|---|---|\n| Foxton | 23 |\n\n"
        "| No | table |\n|---|---|\n| at | all |"
    )
    counts = manuals.score(truth, markdown)

    assert (counts["headings"], counts["right headings"], counts["found headings"]) == (1, 1, 1)
    assert (counts["code"], counts["code in blocks"], counts["right code"]) == (2, 1, 1)
    assert (counts["tables found"], counts["false tables"], counts["hundred pages"]) == (1, 1, 0.01)


def test_paragraphs_of_a_manual_begin_blocks(tmp_path: Path) -> None:
    pages = tmp_path / "canal.truth"
    pages.mkdir()
    first = "The lock keeper opened the upper gate in the morning. He wrote the time of every boat."
    second = "Above the lock the canal was wide enough for two boats."
    (pages / "index.html").write_text(f"<p>{first}</p><p>{second}</p><ul><li><p>{second} Item.</p></li></ul>")
    path = pdfs.drawing(tmp_path / "canal.pdf", lambda canvas: pdfs.lines(canvas, pdfs.LOREM))
    truth = read_truth(path, pages)
    begin, rest = first.split(". ")

    joined = manuals.score(truth, f"{first} {second}")
    torn = manuals.score(truth, f"{begin}.\n\n{rest}\n\n{second}")

    assert (joined["paragraphs"], joined["paragraphs begin"], joined["begin inside"]) == (2, 1, 0)
    assert (torn["paragraphs begin"], torn["begin inside"], torn["text blocks"]) == (2, 1, 3)
