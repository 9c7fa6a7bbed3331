"""Reads a book from its first chapter to its last, in the order of its spine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath.model.content import Extraction, Page
from towpath.providers.local import refusals
from towpath.providers.local.epub.contents import Entry, read_contents
from towpath.providers.local.epub.guide import BookGuide
from towpath.providers.local.epub.package import WHAT, open_package
from towpath.providers.local.markdown import Writer
from towpath.providers.local.markup import Walker
from towpath.providers.local.paging import WORDS_PER_PAGE, blocks_on, book_pages, pages_at
from towpath.providers.local.tree import Tree, parse_tree
from towpath.providers.local.zips import open_archive

ENGINE = "towpath-epub/1"

_HEADINGS = tuple(f"{{*}}h{level}" for level in range(1, 7))
# Printed pages count only where there are enough of them: a few stray marks would make pages of half a book.
_LONGEST_PRINTED_PAGE = 5 * WORDS_PER_PAGE


def read_epub(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """The whole book as markdown, in the pages that the book marks, or else in pages of a book's length."""
    writer, guide = Writer(), BookGuide()
    walker = Walker(writer, guide)
    chapters: list[tuple[int, str | None]] = []
    warnings: list[str] = []
    with open_archive(path, WHAT) as archive:
        package = open_package(archive)
        contents: dict[str, list[Entry]] = {}
        for entry in read_contents(archive, package):
            contents.setdefault(entry.path, []).append(entry)
        label = package.metadata.get("title")
        for number, item in enumerate(package.chapters, start=1):
            content = archive.find(item.path)
            if content is None:
                warnings.append(f"The chapter {item.path} is listed in the book but missing from the file.")
            else:
                entries = contents.get(item.path, [])
                label = entries[0].label if entries else label
                # One past what is written, so that the last block of the chapter before stays in its own.
                chapters.append((writer.length + 1 if writer.length else 0, label))
                guide.enter(item.path, {})
                tree = parse_tree(content)
                warnings.extend(f"{item.path}: {warning}" for warning in tree.warnings)
                _write(walker, guide, tree, entries)
            progress(number, len(package.chapters))
    text = writer.text()
    if not text.strip():
        raise refusals.empty(WHAT)
    pages = _pages(writer, walker, text, chapters)
    return Extraction(
        markdown=text,
        engine=ENGINE,
        pages=pages,
        blocks=blocks_on(pages, writer.blocks),
        metadata=package.metadata,
        warnings=tuple(warnings),
    )


def _write(walker: Walker, guide: BookGuide, chapter: Tree, entries: list[Entry]) -> None:
    if chapter.root is None:
        walker.plain(chapter.text)
        return
    if entries and next(chapter.root.iter(*_HEADINGS), None) is None:
        names = {element.get("id") for element in chapter.root.iter()}
        at_ids = {entry.fragment: (entry.level, entry.title) for entry in entries if entry.fragment in names}
        if entries[0].fragment not in at_ids:
            walker.composer.announce(entries[0].level, entries[0].title)
        guide.enter(guide.path, at_ids)
    walker.walk(chapter.root)


def _pages(
    writer: Writer, walker: Walker, text: str, chapters: list[tuple[int, str | None]]
) -> tuple[Page, ...]:
    words = text.count(" ")
    if writer.pages and words < _LONGEST_PRINTED_PAGE * len(writer.pages):
        return pages_at(text, [offset for offset, _ in writer.pages], walker.page_labels)
    return book_pages(text, writer.blocks, chapters)
