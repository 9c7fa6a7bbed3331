"""Reads footnotes and endnotes of Word documents and writes them where the text refers to them."""

from __future__ import annotations

from dataclasses import dataclass, field

from towpath.readers.common import markdown_writer, safe_xml
from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.safe_zip import Archive
from towpath.readers.office import ooxml
from towpath.readers.office.docx.inline import InlineReader
from towpath.readers.office.docx.styles import namespace


@dataclass(slots=True)
class Notes:
    """The footnotes or the endnotes by id. ``inline`` resolves links of the notes' part."""

    inline: InlineReader | None = None
    by_id: dict[str, Element] = field(default_factory=dict[str, Element])

    def write(self, writer: MarkdownWriter, references: list[tuple[int, str]]) -> None:
        """Write the notes of these references with the numbers used in the text, and clear the list."""
        for number, note_id in references:
            note = self.by_id.get(note_id)
            if note is None or self.inline is None:
                continue
            prefix = f"[^{number}]: "
            for paragraph in note.iter(f"{self.inline.ns}p"):
                text = markdown_writer.PAGE_MARK_PATTERN.sub("", self.inline.read(paragraph))
                if text:
                    writer.paragraph(text, prefix, "    ", item=prefix != "    ")
                    prefix = "    "
        references.clear()


def read_notes(archive: Archive, part: str | None) -> Notes:
    """Parse a part of notes; no part gives no notes."""
    content = archive.read_optional(part) if part else None
    if content is None or part is None:
        return Notes()
    root = safe_xml.parse_part(content, archive.format_name, part)
    ns = namespace(root)
    by_id = {note.get(f"{ns}id") or "": note for note in root if note.get(f"{ns}type") in (None, "normal")}
    return Notes(InlineReader(ns, ooxml.relationships(archive, part)), by_id)
