"""Tests of the choice between the titles of a document."""

from __future__ import annotations

from towpath.fields.finder import find_fields
from towpath.fields.title import Title, find_title
from towpath.model.content import Extraction

TEXT = "# 1 Introduction\n\nSome text about locks.\n\n# Canals of Europe\n\nMore text."


def title(markdown: str, *, name: str = "", **metadata: str) -> Title | None:
    return find_title(Extraction(markdown, "test", metadata=metadata), name)


def test_a_title_in_the_metadata_wins_if_the_text_has_it() -> None:
    found = title(TEXT, title="Canals of Europe", printed_title="CANALS")

    assert found is not None
    assert (found.text, found.source) == ("Canals of Europe", "metadata")


def test_a_printed_title_wins_over_metadata_that_the_text_does_not_have() -> None:
    found = title(TEXT, title="Minutes of the old meeting", printed_title="Canals of Europe")

    assert found is not None
    assert (found.text, found.source) == ("Canals of Europe", "first_page")
    assert TEXT[found.start : found.end] == "Canals of Europe"


def test_a_number_or_a_file_name_in_the_metadata_is_ignored() -> None:
    for placeholder in ("296664039561", "Microsoft Word - x.doc", "quick.dvi"):
        found = title(TEXT, title=placeholder)

        assert found is not None
        assert (found.text, found.source) == ("Canals of Europe", "heading")


def test_without_heading_the_first_line_that_reads_as_a_title_is_taken() -> None:
    found = title("12.03.2024\n\n**Minutes of the meeting**\n\nText.")

    assert found is not None
    assert (found.text, found.source) == ("Minutes of the meeting", "first_line")


def test_the_file_name_is_the_last_resort() -> None:
    found = title("Subtotal $ 112.00\n\n17\n", name="receipt_march.pdf")

    assert found is not None
    assert (found.text, found.source) == ("Receipt march", "file_name")
    assert title("17") is None


def test_source_and_confidence_are_stored_with_the_title() -> None:
    fields = {
        field.name: field
        for field in find_fields(Extraction(TEXT, "test", metadata={"title": "Canals of Europe"}))
    }

    assert fields["title"].value == "Canals of Europe"
    assert fields["title"].confidence == 0.95
    assert fields["title_source"].value == "metadata"


def test_names_that_programs_give_to_slides_and_sheets_are_no_titles() -> None:
    for name in ("Slide 1", "Sheet1", "Tabelle 2", "CHAPTER 1"):
        found = title(f"# {name}\n\n| a | b |\n| --- | --- |\n| 1 | 2 |", name="sales_2024.xlsx")

        assert found is not None
        assert (found.text, found.source) == ("Sales 2024", "file_name")


def test_code_and_lists_are_no_titles() -> None:
    for markdown in (
        '```json\n{"name": "Garden Trowel"}\n```',
        "Files in this archive:\n\n- ideas page\n- cups.csv",
    ):
        found = title(markdown, name="Garden tools.json")

        assert found is not None
        assert (found.text, found.source) == ("Garden tools", "file_name")


def test_a_title_has_no_markdown() -> None:
    found = title(
        "I am a **bold** *italic* \\<tag> [link](https://example.com/a) of snake_case_names\n\nText."
    )

    assert found is not None
    assert found.text == "I am a bold italic <tag> link of snake_case_names"


def test_the_label_of_a_field_is_no_title() -> None:
    found = title("Printed Name: Jane Doe", printed_title="Printed Name:", name="consent form.pdf")

    assert found is not None
    assert found.text == "Printed Name: Jane Doe"


def test_a_title_that_repeats_the_file_name_yields_to_a_heading() -> None:
    found = title("# Canals of Europe\n\nText.", title="canal-report", name="canal-report.pdf")

    assert found is not None
    assert (found.text, found.source) == ("Canals of Europe", "heading")


def test_a_title_that_repeats_the_file_name_does_not_yield_to_a_chapter() -> None:
    text = "# Chapter 1 of the locks\n\nWords.\n\n# Chapter 2 of the weirs\n\nWords."
    found = title(text, name="Handbook of the navigation.pdf", title="Handbook of the navigation")
    assert found is not None
    assert (found.text, found.source) == ("Handbook of the navigation", "metadata")


def test_a_paragraph_is_no_title() -> None:
    found = title("The lock keeper " + "measured the water at both gates and " * 6, name="minutes.txt")

    assert found is not None
    assert (found.text, found.source) == ("Minutes", "file_name")
