"""Tests of the plain text and markdown readers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.readers import assert_sound, page_text, quiet, rejection
from towpath.model.content import Extraction
from towpath.readers.text.reader import read_markdown, read_text


def saved(content: str | bytes, tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(content: str | bytes, tmp_path: Path) -> Extraction:
    extraction = read_text(saved(content, tmp_path), quiet)
    assert_sound(extraction)
    return extraction


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("Plain words.", "ascii"),
        ("Größe und Länge der Schleuse", "utf-8"),
        ("Größe und Länge der Schleuse", "utf-16"),
        ("Größe und Länge der Schleuse", "utf-16-be"),
        ("Größe und Länge der Schleuse", "utf-32"),
        ("Die Größe und die Länge der Schleuse, für Schiffe über tausend Tonnen.", "cp1252"),
        ("Простой русский текст о каналах и шлюзах, чтобы кодировку можно было узнать.", "cp1251"),
        ("運河と水門についての短い文章です。船は静かに進みます。", "shift_jis"),
        ("關於運河和水閘的短文。船靜靜地前進，直到下一個水閘。", "big5"),
    ],
)
def test_text_of_any_encoding(tmp_path: Path, words: str, encoding: str) -> None:
    assert read(words.encode(encoding), tmp_path).markdown == words


def test_utf8_with_one_broken_byte_stays_utf8_with_a_warning(tmp_path: Path) -> None:
    extraction = read("шлюз ".encode() * 50 + b"\xff" + " канал".encode(), tmp_path)

    assert "шлюз шлюз" in extraction.markdown
    assert "1 characters" in extraction.warnings[0]


def test_line_ends_and_form_feeds(tmp_path: Path) -> None:
    extraction = read("one\r\ntwo\rthree\n\fsecond page\n\fthird\n", tmp_path)

    assert page_text(extraction, 1).strip() == "one\ntwo\nthree"
    assert page_text(extraction, 3) == "third"
    assert [block.page for block in extraction.blocks] == [1, 2, 3]


def test_markdown_syntax_is_escaped_except_lists(tmp_path: Path) -> None:
    extraction = read("# include <stdio.h>\n- one\n1. two\n```\n[a](b)\nTitle\n=====\n#hash", tmp_path)

    assert (
        extraction.markdown == "\\# include \\<stdio.h>\n- one\n1. two\n\\```\n[a]\\(b)\nTitle\n=====\n#hash"
    )


def test_many_backslashes_are_escaped_in_linear_time(tmp_path: Path) -> None:
    text = "\\" * 200_000 + "<" + "[" * 50_000

    assert len(read(text, tmp_path).markdown) >= len(text)


def test_empty_and_binary_files_are_rejected(tmp_path: Path) -> None:
    assert rejection(read_text, saved(b"", tmp_path)).code == "empty"
    assert rejection(read_text, saved(" \n\t ", tmp_path)).code == "empty"
    assert rejection(read_text, saved(bytes(range(256)) * 20, tmp_path)).code == "unsupported"


def test_markdown_is_kept_unchanged(tmp_path: Path) -> None:
    source = "# Title\n\n<b>raw</b> | a | b |\n\n```\ncode\n```\n"

    extraction = read_markdown(saved("\ufeff" + source, tmp_path), quiet)

    assert extraction.markdown == source


def test_front_matter_becomes_metadata(tmp_path: Path) -> None:
    source = (
        '---\ntitle: "The Lock"\nauthor:\n  - Ada Reed\n  - Bo Lind\n'
        "tags: [water, gates]\n# remark\nempty:\n---\n\n# Body\n"
    )

    extraction = read_markdown(saved(source, tmp_path), quiet)

    assert extraction.markdown == "# Body\n"
    assert extraction.metadata == {
        "title": "The Lock",
        "authors": "Ada Reed, Bo Lind",
        "keywords": "water, gates",
        "encoding": "utf-8",
    }


@pytest.mark.parametrize(
    "source", ["---\nJust a rule above.\n---\n", "--- \nunclosed: yes\n", "text\n---\na: b\n---\n"]
)
def test_rules_that_are_not_front_matter_are_kept(tmp_path: Path, source: str) -> None:
    assert read_markdown(saved(source, tmp_path), quiet).markdown == source
