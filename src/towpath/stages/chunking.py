"""Cuts a document's markdown into chunks: by headings first, then by size. Pure and deterministic.

A chunk never reaches over a heading. The headings right above it open its text, and its path names all
headings it stands under. Every other character that is not blank is in exactly one chunk's span.
"""

from __future__ import annotations

import hashlib
import uuid
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from towpath.model.content import Anchor, Chunk, Extraction
from towpath.stages.markdown_blocks import Block, find_blocks
from towpath.stages.placing import Places
from towpath.stages.splitting import Atom, Count, Header, Splitter

TARGET_TOKENS = 320
MAX_TOKENS = 480

#: Blanks and line breaks have no part in a chunk's id: a paragraph wrapped anew is the same paragraph.
_BLANKS = b" \t\n\v\f\r"


def cut(
    document_id: str,
    extraction: Extraction,
    *,
    target_tokens: int = TARGET_TOKENS,
    max_tokens: int = MAX_TOKENS,
    count: Count,
) -> list[Chunk]:
    """The chunks in reading order. ``count`` says how many tokens a text is."""
    markdown = extraction.markdown
    packer = _Packer(markdown, min(target_tokens, max_tokens), max_tokens, count)
    places = Places(extraction)
    name = Namer(document_id)
    chunks: list[Chunk] = []
    for section in _sections(find_blocks(markdown)):
        for piece in packer.pack(section):
            text = piece.text(markdown)
            page = places.page_at(piece.start)
            anchor = Anchor(
                piece.start,
                piece.end,
                section.path,
                page,
                places.page_at(piece.end - 1),
                places.box_around(piece.start, piece.end, page),
            )
            chunks.append(Chunk(name.of(text), len(chunks), text, count(text), anchor))
    return chunks


@dataclass(slots=True)
class _Section:
    """A run of headings with nothing between them, and the blocks under it."""

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
        # A deeper heading right below another opens the same chunk; any other finds that one without a body.
        opened = section.headings and not section.body and section.headings[-1] in above[:-1]
        if not opened:
            yield section
            section = _Section(())
        section.headings.append(block)
        section.path = tuple(heading.title for heading in above)
    yield section


@dataclass(slots=True)
class _Piece:
    start: int
    end: int
    tokens: int
    header: Header | None = None
    only_headings: bool = False

    def text(self, markdown: str) -> str:
        body = markdown[self.start : self.end]
        return f"{markdown[self.header.start : self.header.end].rstrip()}\n{body}" if self.header else body

    def take(self, atom: Atom) -> None:
        self.end = atom.end
        self.tokens += atom.tokens + 1
        self.only_headings = False


class _Packer:
    """Joins atoms to pieces near the target and never, if it can be helped, over the maximum."""

    def __init__(self, markdown: str, target: int, most: int, count: Count) -> None:
        self._markdown = markdown
        self._target = target
        self._most = most
        self._least = target // 8
        self._early = target * 45 // 100
        self._count = count
        self._splitter = Splitter(markdown, most, count)

    def pack(self, section: _Section) -> list[_Piece]:
        pieces = self._open(section)
        room = self._most - (pieces[-1].tokens + 1 if pieces and pieces[-1].only_headings else 0)
        for block in section.body:
            for atom in self._splitter.atoms(block, room):
                if pieces and not self._ends_before(atom, pieces[-1]):
                    pieces[-1].take(atom)
                else:
                    pieces.append(_begin(atom))
                room = self._most
        return self._without_stub(pieces)

    def _open(self, section: _Section) -> list[_Piece]:
        """The headings as a first piece, which the body then joins."""
        if not section.headings:
            return []
        start, end = section.headings[0].start, section.headings[-1].end
        tokens = self._count(self._markdown[start:end])
        if tokens <= self._most // 2:
            return [_Piece(start, end, tokens, only_headings=True)]
        # Headings that would leave no room for a body stand alone.
        run = Block("text", start, end)
        return [_begin(atom) for atom in self._splitter.atoms(run, self._most)]

    def _ends_before(self, atom: Atom, piece: _Piece) -> bool:
        together = piece.tokens + atom.tokens + 1
        if piece.only_headings:
            return False
        if together > self._most:
            return True
        if piece.tokens < self._least or self._announces(piece, atom):
            return False
        if piece.tokens >= self._early and self._is_landmark(atom):
            return True
        # Of the two sizes, without this atom and with it, the one nearer to the target wins.
        return together + piece.tokens > 2 * self._target

    def _announces(self, piece: _Piece, atom: Atom) -> bool:
        """Whether the piece ends with "as follows:", or the atom explains the term before it."""
        return self._markdown[piece.end - 1] in ":：" or self._markdown.startswith(":   ", atom.start)

    def _is_landmark(self, atom: Atom) -> bool:
        """One atom in six begins a chunk early, chosen by its own words.

        So the cuts after an inserted passage soon fall where they fell before, and the chunks keep their ids.
        """
        opening = self._markdown[atom.start : min(atom.end, atom.start + 64)]
        return zlib.crc32(opening.encode("utf-8", "surrogatepass")) % 6 == 0

    def _without_stub(self, pieces: list[_Piece]) -> list[_Piece]:
        """A last piece too small to stand alone joins the one before, when both fit."""
        if len(pieces) > 1 and pieces[-1].tokens < self._least:
            before, last = pieces[-2], pieces[-1]
            if before.tokens + last.tokens + 1 <= self._most:
                pieces[-2:] = [_Piece(before.start, last.end, before.tokens + last.tokens + 1, before.header)]
        return pieces


def _begin(atom: Atom) -> _Piece:
    repeated = atom.header.tokens + 1 if atom.header else 0
    return _Piece(atom.start, atom.end, atom.tokens + repeated, atom.header)


class Namer:
    """Ids made of the document and the text alone; equal texts are told apart by their order."""

    def __init__(self, document_id: str) -> None:
        self._document = hashlib.sha256(document_id.encode()).digest()
        self._seen: Counter[bytes] = Counter()

    def of(self, text: str) -> str:
        letters = text.encode("utf-8", "surrogatepass").translate(None, _BLANKS)
        digest = hashlib.sha256(self._document + letters).digest()
        occurrence = self._seen[digest]
        self._seen[digest] += 1
        named = hashlib.sha256(digest + occurrence.to_bytes(8, "big")).digest()
        return str(uuid.UUID(bytes=named[:16], version=5))
