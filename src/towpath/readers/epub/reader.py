"""Reads EPUB books: all chapters in the order of the spine, with notes, pages and titles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction, Page
from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.common.page_breaks import (
    WORDS_PER_PAGE,
    blocks_with_pages,
    pages_by_word_count,
    pages_from_starts,
)
from towpath.readers.common.safe_zip import open_archive
from towpath.readers.epub.html_hooks import EpubHooks
from towpath.readers.epub.package import FORMAT_NAME, open_package
from towpath.readers.epub.table_of_contents import ContentsEntry, read_table_of_contents
from towpath.readers.html.html_to_markdown import HtmlToMarkdown
from towpath.readers.html.parse_markup import ParsedMarkup, parse_markup

ENGINE = "towpath-epub/1"

_HEADINGS = tuple(f"{{*}}h{level}" for level in range(1, 7))
# Page marks are used only if there are enough of them: a few stray ones would give pages of half a book.
_MAX_WORDS_PER_PRINTED_PAGE = 5 * WORDS_PER_PAGE


def read_epub(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the whole book as markdown, with its printed pages or with pages by word count."""
    writer, hooks = MarkdownWriter(), EpubHooks()
    converter = HtmlToMarkdown(writer, hooks)
    chapters: list[tuple[int, str | None]] = []
    warnings: list[str] = []
    with open_archive(path, FORMAT_NAME) as archive:
        package = open_package(archive)
        contents: dict[str, list[ContentsEntry]] = {}
        for entry in read_table_of_contents(archive, package):
            contents.setdefault(entry.path, []).append(entry)
        label = package.metadata.get("title")
        for number, item in enumerate(package.chapters, start=1):
            content = archive.read_optional(item.path)
            if content is None:
                warnings.append(f"The chapter {item.path} is listed in the book but missing from the file.")
            else:
                entries = contents.get(item.path, [])
                label = entries[0].label if entries else label
                # One past the text so far, so that the last block of the previous chapter keeps its label.
                chapters.append((writer.length + 1 if writer.length else 0, label))
                hooks.begin_chapter(item.path, {})
                parsed = parse_markup(content)
                warnings.extend(f"{item.path}: {warning}" for warning in parsed.warnings)
                _write_chapter(converter, hooks, parsed, entries)
            progress(number, len(package.chapters))
    text = writer.text()
    if not text.strip():
        raise rejections.empty(FORMAT_NAME)
    pages = _pages(writer, converter, text, chapters)
    return Extraction(
        markdown=text,
        engine=ENGINE,
        pages=pages,
        blocks=blocks_with_pages(pages, writer.blocks),
        metadata=package.metadata,
        warnings=tuple(warnings),
    )


def _write_chapter(
    converter: HtmlToMarkdown, hooks: EpubHooks, chapter: ParsedMarkup, entries: list[ContentsEntry]
) -> None:
    if chapter.root is None:
        converter.convert_plain_text(chapter.text)
        return
    if entries and next(chapter.root.iter(*_HEADINGS), None) is None:
        element_ids = {element.get("id") for element in chapter.root.iter()}
        titles_by_id = {
            entry.fragment: (entry.level, entry.title) for entry in entries if entry.fragment in element_ids
        }
        if entries[0].fragment not in titles_by_id:
            converter.builder.set_title(entries[0].level, entries[0].title)
        hooks.begin_chapter(hooks.path, titles_by_id)
    converter.convert(chapter.root)


def _pages(
    writer: MarkdownWriter, converter: HtmlToMarkdown, text: str, chapters: list[tuple[int, str | None]]
) -> tuple[Page, ...]:
    words = text.count(" ")
    if writer.pages and words < _MAX_WORDS_PER_PRINTED_PAGE * len(writer.pages):
        return pages_from_starts(text, [offset for offset, _ in writer.pages], converter.page_labels)
    return pages_by_word_count(text, writer.blocks, chapters)
