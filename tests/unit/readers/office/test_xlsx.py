"""Tests of the XLSX reader; both engines must give the same result."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.office import compound_file, row, workbook
from tests.support.readers import assert_sound, page_text, quiet, rejection
from towpath.model.content import Extraction
from towpath.readers.office.sheets import SheetLimits, SheetWriter
from towpath.readers.office.xlsx import calamine_reader, streaming_reader
from towpath.readers.office.xlsx.reader import read_xlsx

DATES = (
    '<numFmts count="1"><numFmt numFmtId="170" formatCode="dd/mm/yyyy\\ hh:mm"/></numFmts>'
    '<cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="9"/></cellXfs>'
)


@pytest.fixture(params=["calamine", "towpath-xlsx/1"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run each test with both engines; for the streaming reader calamine is disabled."""
    if request.param != "calamine":
        monkeypatch.setattr(calamine_reader, "_MAX_PART_BYTES", -1)
    return request.param


def read(path: Path, engine: str) -> Extraction:
    extraction = read_xlsx(path, quiet)
    assert_sound(extraction)
    assert extraction.engine == engine
    return extraction


def test_sheets_are_pages_with_titles_and_tables(tmp_path: Path, engine: str) -> None:
    path = workbook(
        tmp_path / "a.xlsx",
        {
            "Tolls": row(1, "Tolls of the year")
            + row(3, "Lock", "Boats", 2024)
            + row(4, "East|West", 12, 3.5)
            + row(5, "Weir", 0.1 + 0.2),
            "Empty": "",
            "Crew & co": row(2, None, "Name", "Role") + row(3, None, "Bo", "a <mate>"),
        },
    )

    extraction = read(path, engine)

    assert page_text(extraction, 1) == (
        "# Tolls\n\nTolls of the year\n\n| Lock | Boats | 2024 |\n| --- | --- | --- |\n"
        "| East\\|West | 12 | 3.5 |\n| Weir | 0.3 |  |"
    )
    assert page_text(extraction, 2) == "# Empty"
    assert page_text(extraction, 3) == "# Crew & co\n\n| Name | Role |\n| --- | --- |\n| Bo | a \\<mate> |"
    assert [page.label for page in extraction.pages] == ["Tolls", "Empty", "Crew & co"]


def test_dates_booleans_and_shared_strings_are_read_and_errors_are_empty(tmp_path: Path, engine: str) -> None:
    cells = (
        '<c r="A2" s="1"><v>45292</v></c><c r="B2" s="2"><v>45292.75</v></c><c r="C2" t="b"><v>1</v></c>'
        '<c r="D2" t="s"><v>1</v></c><c r="E2" t="e"><v>#N/A</v></c><c r="F2" s="3"><v>0.25</v></c>'
    )
    path = workbook(
        tmp_path / "a.xlsx",
        {"S": row(1, "day", "moment", "true", "word", "error", "part") + f'<row r="2">{cells}</row>'},
        strings=["first", "second"],
        formats=DATES,
    )

    last = read(path, engine).markdown.splitlines()[-1]

    assert last == "| 2024-01-01 | 2024-01-01 18:00:00 | TRUE | second |  | 0.25 |"


def test_long_tables_repeat_their_header_every_fifty_rows(tmp_path: Path, engine: str) -> None:
    rows = row(1, "id", "name") + "".join(row(n, n, f"boat {n}") for n in range(2, 122))

    text = read(workbook(tmp_path / "a.xlsx", {"Boats": rows}), engine).markdown

    assert text.count("| id | name |") == 3
    assert all(text.count(f"| {n} | boat {n} |") == 1 for n in range(2, 122))


def test_blank_rows_separate_tables_but_not_a_header_from_its_rows(tmp_path: Path, engine: str) -> None:
    rows = (
        row(1, "CHF", "2023")
        + row(2, "", "sales")
        + row(4, "North", 5)
        + row(6, "South", 6)
        + row(8, "b", "c")
    )

    text = read(workbook(tmp_path / "a.xlsx", {"S": rows}), engine).markdown

    assert text == (
        "# S\n\n| CHF | 2023 |\n| --- | --- |\n|  | sales |\n| North | 5 |\n\n"
        "| CHF | 2023 |\n| --- | --- |\n| South | 6 |\n\n| b | c |\n| --- | --- |"
    )


def test_progress_is_reported_by_sheet(tmp_path: Path) -> None:
    reported: list[tuple[int, int]] = []
    path = workbook(tmp_path / "a.xlsx", {"A": row(1, "x"), "B": row(1, "y")})

    read_xlsx(path, lambda done, total: reported.append((done, total)))

    assert reported == [(1, 2), (2, 2)]


def test_one_cell_in_the_last_corner_needs_little_memory(tmp_path: Path) -> None:
    """calamine would allocate seventeen billion cells."""
    rows = row(1, "near") + '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>far</t></is></c></row>'

    extraction = read(workbook(tmp_path / "a.xlsx", {"S": rows}), "towpath-xlsx/1")

    assert extraction.markdown == "# S\n\nnear\n\nfar"


@pytest.mark.parametrize(
    "cell", ["<c r='AAA1'><v>1</v></c>", '<c r ="ZZ99999"><v>1</v></c>', '<c\tr=\n"A1"><v>1</v></c>']
)
def test_unusual_cell_names_use_the_streaming_reader(tmp_path: Path, cell: str) -> None:
    path = workbook(tmp_path / "a.xlsx", {"S": f'<row r="1">{cell}</row>' + row(2, "x", "y")})

    assert "| x | y |" in read(path, "towpath-xlsx/1").markdown


def test_a_sheet_beyond_the_row_limit_is_truncated_with_a_warning() -> None:
    writer = SheetWriter(SheetLimits(rows=100, cells=10_000))

    writer.write_sheet("Log", ((number, {0: f"event {number}", 1: "x"}) for number in range(1, 1_000_000)))
    extraction = writer.extraction("test", {})

    assert "event 100 " in extraction.markdown
    assert "event 101 " not in extraction.markdown
    assert extraction.warnings == (
        "The sheet “Log” was read up to row 100: "
        "the limits are 100 rows per sheet and 10,000 cells per file.",
    )


def test_unreadable_workbooks_are_rejected(tmp_path: Path) -> None:
    assert rejection(read_xlsx, workbook(tmp_path / "a", {"S": ""})).code == "empty"
    assert rejection(read_xlsx, workbook(tmp_path / "b", {"S": "<row"})).code == "corrupt"
    assert rejection(read_xlsx, compound_file(tmp_path / "c", "EncryptedPackage")).code == "encrypted"
    assert rejection(read_xlsx, compound_file(tmp_path / "d", "Workbook")).code == "unsupported"


def test_a_workbook_with_too_many_shared_strings_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calamine_reader, "_MAX_PART_BYTES", -1)
    monkeypatch.setattr(streaming_reader, "_MAX_STRINGS", 2)
    path = workbook(tmp_path / "a.xlsx", {"S": row(1, "one")}, strings=["first", "second", "third"])

    assert rejection(read_xlsx, path).code == "too_large"
