"""Tests of the CSV reader: delimiters, quotes, pages of fifty rows with the header."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.readers import assert_sound, page_text, quiet, rejection
from towpath.model.content import Extraction
from towpath.readers.office import sheets
from towpath.readers.text.csv_reader import read_csv


def read(content: str | bytes, tmp_path: Path) -> Extraction:
    path = tmp_path / "a.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    extraction = read_csv(path, quiet)
    assert_sound(extraction)
    return extraction


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_detected(tmp_path: Path, delimiter: str) -> None:
    lines = [
        ("name", "note", "fee"),
        ("East", '"open; or, maybe | not"', "1,50" if delimiter != "," else "1.50"),
    ]
    extraction = read("\n".join(delimiter.join(line) for line in lines), tmp_path)

    assert extraction.metadata["delimiter"] == delimiter
    assert extraction.markdown.splitlines()[0] == "| name | note | fee |"
    assert "open; or, maybe \\| not" in extraction.markdown


def test_a_sep_line_declares_the_delimiter(tmp_path: Path) -> None:
    assert read("sep=;\na;b\nc;d\n", tmp_path).markdown == "| a | b |\n| --- | --- |\n| c | d |"


def test_quoted_cells_may_contain_line_breaks_and_quotes(tmp_path: Path) -> None:
    text = read('a,b\n"two\nlines","say ""hi"""\n', tmp_path).markdown

    assert text == '| a | b |\n| --- | --- |\n| two lines | say "hi" |'


def test_pages_of_fifty_rows_repeat_the_header(tmp_path: Path) -> None:
    rows = "".join(f"{number},boat {number}\n" for number in range(1, 121))

    extraction = read("id,name\n" + rows, tmp_path)

    assert len(extraction.pages) == 3
    assert extraction.pages[0].label == "rows 1 to 51"
    assert all(page_text(extraction, number).startswith("| id | name |") for number in (1, 2, 3))
    assert all(extraction.markdown.count(f"| {number} | boat {number} |") == 1 for number in range(1, 121))
    assert [block.page for block in extraction.blocks] == [1, 2, 3]


def test_rows_of_only_numbers_have_no_header(tmp_path: Path) -> None:
    assert read("1,2\n3,4\n", tmp_path).markdown == "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"


def test_ragged_rows_and_blank_lines(tmp_path: Path) -> None:
    assert read("a,b\n\n1\n2,3,4\n", tmp_path).markdown == (
        "| a | b |  |\n| --- | --- | --- |\n| 1 |  |  |\n| 2 | 3 | 4 |"
    )


def test_an_unclosed_quote_loses_no_text(tmp_path: Path) -> None:
    rows = "".join(f"{number},x{number}\n" for number in range(40_000))

    text = read('a,b\n1,"open\n' + rows, tmp_path).markdown

    assert "x39999" in text
    assert "x12345" in text


@pytest.mark.parametrize("content", ['"' * 500_000 + "end", "," * 400_000 + "end", "x" * 300_000 + ",end"])
def test_very_long_cells_and_rows_are_read(tmp_path: Path, content: str) -> None:
    assert "end |" in read(content, tmp_path).markdown


def test_rows_beyond_the_limit_are_omitted_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets.SheetLimits.__init__, "__defaults__", (10, 1000))
    rows = "".join(f"n{number},x\n" for number in range(100))

    extraction = read("id,name\n" + rows, tmp_path)

    assert "n8 " in extraction.markdown
    assert "n9 " not in extraction.markdown
    assert "up to row 10" in extraction.warnings[0]


def test_empty_tables_are_rejected(tmp_path: Path) -> None:
    for number, content in enumerate((b"", b"\n\n", b",,,\n,,\n")):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(content)
        assert rejection(read_csv, path).code == "empty"
