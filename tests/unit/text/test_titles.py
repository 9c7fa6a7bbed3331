"""Tests of what reads as a title."""

from __future__ import annotations

import pytest

from towpath.text.titles import (
    clean_title,
    is_garbled,
    is_placeholder,
    is_version_or_date,
    reads_as_title,
    title_of_file_name,
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "296664039561",
        "5",
        "Microsoft Word - draft3.doc",
        "quick.dvi",
        "Untitled",
        "scan_2024_03_11",
        "Slide 1",
    ],
)
def test_placeholders_in_metadata_are_no_titles(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text", ["Gri", "R Internals", "Microsoft Word - Annual Report", "간단한 데비안 역사"]
)
def test_titles_in_metadata_are_accepted(text: str) -> None:
    assert not is_placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        "Subtotal $ 112.00",
        "Version 4.2.2 (2022-11-10)",
        "19th September 2004",
        "Contents",
        "Table 3.1: Locks by year",
        "https://example.org/manual",
        "Invoice no.: 2023-0008",
        "- 17 -",
    ],
)
def test_other_parts_of_a_first_page_do_not_read_as_a_title(text: str) -> None:
    assert not reads_as_title(text)


@pytest.mark.parametrize(
    "text",
    ["An Introduction to R", "Leitfaden für Debian-Betreuer", "JAGS Version 4.3.0 user manual", "使用说明"],
)
def test_titles_read_as_titles(text: str) -> None:
    assert reads_as_title(text)


def test_program_names_markup_and_footnote_marks_are_removed() -> None:
    assert clean_title("Microsoft Word -  Annual\nReport") == "Annual Report"
    assert clean_title("**MPICH User's Guide**∗") == "MPICH User's Guide"


def test_versions_and_dates_are_recognized_in_several_languages() -> None:
    assert all(map(is_version_or_date, ["Release 4.6.2.0", "Versión 0.71", "Выпуск 1.0.4", "9 juillet 2023"]))
    assert not is_version_or_date("Version control with Git")


def test_cyrillic_decoded_as_latin_is_garbled() -> None:
    assert is_garbled("Ðóêîâîäñòâî ïî ñîçäàíèþ")
    assert not is_garbled("Über Élan vital")


def test_a_file_name_becomes_a_title() -> None:
    assert title_of_file_name("reports/annual_report-2023.final.pdf") == "Annual report-2023 final"
    assert title_of_file_name("Q3 Summary.docx") == "Q3 Summary"
