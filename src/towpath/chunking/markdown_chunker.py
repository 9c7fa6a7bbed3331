"""Splits a document's markdown into chunks, by headings first and then by size. Pure and deterministic.

A chunk never crosses a heading. Its text begins with the headings directly above it, and its path has the titles
of all headings above it. Every other character that is not blank is in the span of exactly one chunk.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from towpath.chunking.anchors import AnchorIndex
from towpath.chunking.block_splitter import BlockSplitter, CountTokens, Header, Span
from towpath.chunking.chunk_ids import ChunkIdGenerator
from towpath.chunking.markdown_blocks import Block, find_blocks
from towpath.model.content import Anchor, Chunk, Extraction

TARGET_TOKENS = 320
MAX_TOKENS = 480


def chunk_markdown(
    document_id: str,
    extraction: Extraction,
    *,
    target_tokens: int = TARGET_TOKENS,
    max_tokens: int = MAX_TOKENS,
    count_tokens: CountTokens,
) -> list[Chunk]:
    """The chunks in reading order. ``count_tokens`` returns the number of tokens of a text."""
    markdown = extraction.markdown
    packer = _Packer(markdown, min(target_tokens, max_tokens), max_tokens, count_tokens)
    anchors = AnchorIndex(extraction)
    chunk_ids = ChunkIdGenerator(document_id)
    chunks: list[Chunk] = []
    for section in _sections(find_blocks(markdown)):
        for draft in packer.pack(section):
            text = draft.text(markdown)
            page = anchors.page_at(draft.start)
            anchor = Anchor(
                draft.start,
                draft.end,
                section.path,
                page,
                anchors.page_at(draft.end - 1),
                anchors.box_around(draft.start, draft.end, page),
            )
            chunks.append(Chunk(chunk_ids.next_id(text), len(chunks), text, count_tokens(text), anchor))
    return chunks


@dataclass(slots=True)
class _Section:
    """Consecutive headings, and the blocks below them."""

    path: tuple[str, ...]
    headings: list[Block] = field(default_factory=list[Block])
    body: list[Block] = field(default_factory=list[Block])


def _sections(blocks: Iterator[Block]) -> Iterator[_Section]:
    section = _Section(())
    above: list[Block] = []
    for block in blocks:
        if block.kind != "heading":
            section.body.append(block)
            continue
        while above and above[-1].level >= block.level:
            above.pop()
        above.append(block)
        # A deeper heading directly below another belongs to the same section.
        opened = section.headings and not section.body and section.headings[-1] in above[:-1]
        if not opened:
            yield section
            section = _Section(())
        section.headings.append(block)
        section.path = tuple(heading.title for heading in above)
    yield section


@dataclass(slots=True)
class _ChunkDraft:
    start: int
    end: int
    tokens: int
    header: Header | None = None
    only_headings: bool = False

    def text(self, markdown: str) -> str:
        body = markdown[self.start : self.end]
        return f"{markdown[self.header.start : self.header.end].rstrip()}\n{body}" if self.header else body

    def append(self, span: Span) -> None:
        self.end = span.end
        self.tokens += span.tokens + 1
        self.only_headings = False


class _Packer:
    """Joins spans to chunks near the target size and, where possible, below the maximum."""

    def __init__(self, markdown: str, target: int, most: int, count: CountTokens) -> None:
        self._markdown = markdown
        self._target_tokens = target
        self._max_tokens = most
        self._min_tokens = target // 8
        self._min_tokens_before_cut = target * 45 // 100
        self._count = count
        self._splitter = BlockSplitter(markdown, most, count)

    def pack(self, section: _Section) -> list[_ChunkDraft]:
        drafts = self._heading_drafts(section)
        room = self._max_tokens - (drafts[-1].tokens + 1 if drafts and drafts[-1].only_headings else 0)
        for block in section.body:
            for span in self._splitter.split(block, room):
                if drafts and not self._ends_before(span, drafts[-1]):
                    drafts[-1].append(span)
                else:
                    drafts.append(_start_draft(span))
                room = self._max_tokens
        return self._merge_short_tail(drafts)

    def _heading_drafts(self, section: _Section) -> list[_ChunkDraft]:
        """The headings as a first draft, to which the body is appended."""
        if not section.headings:
            return []
        start, end = section.headings[0].start, section.headings[-1].end
        tokens = self._count(self._markdown[start:end])
        if tokens <= self._max_tokens // 2:
            return [_ChunkDraft(start, end, tokens, only_headings=True)]
        # Headings that leave no room for a body become separate chunks.
        run = Block("text", start, end)
        return [_start_draft(span) for span in self._splitter.split(run, self._max_tokens)]

    def _ends_before(self, span: Span, draft: _ChunkDraft) -> bool:
        together = draft.tokens + span.tokens + 1
        if draft.only_headings:
            return False
        if together > self._max_tokens:
            return True
        if draft.tokens < self._min_tokens or self._introduces(draft, span):
            return False
        if draft.tokens >= self._min_tokens_before_cut and self._is_content_defined_cut(span):
            return True
        # Of the two sizes, with and without this span, take the one nearer to the target.
        return together + draft.tokens > 2 * self._target_tokens

    def _introduces(self, draft: _ChunkDraft, span: Span) -> bool:
        """True if the draft ends with a colon, or the span is the definition of the term before it."""
        return self._markdown[draft.end - 1] in ":：" or self._markdown.startswith(":   ", span.start)

    def _is_content_defined_cut(self, span: Span) -> bool:
        """True for one span in six, chosen by a hash of its first characters.

        Such spans begin a chunk early, so that after an insertion the later cuts, and chunk ids, stay the same.
        """
        opening = self._markdown[span.start : min(span.end, span.start + 64)]
        return zlib.crc32(opening.encode("utf-8", "surrogatepass")) % 6 == 0

    def _merge_short_tail(self, drafts: list[_ChunkDraft]) -> list[_ChunkDraft]:
        """Merges a last draft below the minimum size with the one before, if both fit."""
        if len(drafts) > 1 and drafts[-1].tokens < self._min_tokens:
            before, last = drafts[-2], drafts[-1]
            if before.tokens + last.tokens + 1 <= self._max_tokens:
                drafts[-2:] = [
                    _ChunkDraft(before.start, last.end, before.tokens + last.tokens + 1, before.header)
                ]
        return drafts


def _start_draft(span: Span) -> _ChunkDraft:
    repeated = span.header.tokens + 1 if span.header else 0
    return _ChunkDraft(span.start, span.end, span.tokens + repeated, span.header)
