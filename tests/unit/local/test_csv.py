"""Tables of values: any delimiter, fifty rows to a page, the header over each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.reading import assert_sound, page_text, quiet, refusal
from towpath.model.content import Extraction
from towpath.providers.local import sheets
from towpath.providers.local.csv import read_csv


def read(content: str | bytes, tmp_path: Path) -> Extraction:
    path = tmp_path / "a.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    extraction = read_csv(path, quiet)
    assert_sound(extraction)
    return extraction


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    lines = [
        ("name", "note", "fee"),
        ("East", '"open; or, maybe | not"', "1,50" if delimiter != "," else "1.50"),
    ]
    extraction = read("\n".join(delimiter.join(line) for line in lines), tmp_path)

    assert extraction.metadata["delimiter"] == delimiter
    assert extraction.markdown.splitlines()[0] == "| name | note | fee |"
    assert "open; or, maybe \\| not" in extraction.markdown


def test_a_delimiter_that_excel_names(tmp_path: Path) -> None:
    assert read("sep=;\na;b\nc;d\n", tmp_path).markdown == "| a | b |\n| --- | --- |\n| c | d |"


def test_quoted_cells_may_hold_lines_and_quotes(tmp_path: Path) -> None:
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


def test_rows_of_numbers_alone_have_no_header(tmp_path: Path) -> None:
    assert read("1,2\n3,4\n", tmp_path).markdown == "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"


def test_ragged_rows_and_blank_lines(tmp_path: Path) -> None:
    assert read("a,b\n\n1\n2,3,4\n", tmp_path).markdown == (
        "| a | b |  |\n| --- | --- | --- |\n| 1 |  |  |\n| 2 | 3 | 4 |"
    )


def test_a_quote_that_is_never_closed_loses_nothing(tmp_path: Path) -> None:
    rows = "".join(f"{number},x{number}\n" for number in range(40_000))

    text = read('a,b\n1,"open\n' + rows, tmp_path).markdown

    assert "x39999" in text
    assert "x12345" in text


@pytest.mark.parametrize("content", ['"' * 500_000 + "end", "," * 400_000 + "end", "x" * 300_000 + ",end"])
def test_cells_and_rows_of_absurd_length(tmp_path: Path, content: str) -> None:
    assert "end |" in read(content, tmp_path).markdown


def test_beyond_the_limit_rows_are_left_out_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets.Limits.__init__, "__defaults__", (10, 1000))
    rows = "".join(f"n{number},x\n" for number in range(100))

    extraction = read("id,name\n" + rows, tmp_path)

    assert "n8 " in extraction.markdown
    assert "n9 " not in extraction.markdown
    assert "from row 11 on" in extraction.warnings[0]


def test_tables_that_are_none(tmp_path: Path) -> None:
    for number, content in enumerate((b"", b"\n\n", b",,,\n,,\n")):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(content)
        assert refusal(read_csv, path).code == "empty"
