"""Footnotes and endnotes: parts of their own, read where the text refers to them."""

from __future__ import annotations

from dataclasses import dataclass, field

from towpath.providers.local import markdown, ooxml, xml
from towpath.providers.local.docx.inline import Inline
from towpath.providers.local.docx.styles import namespace
from towpath.providers.local.markdown import Writer
from towpath.providers.local.xml import Element
from towpath.providers.local.zips import Archive


@dataclass(slots=True)
class Notes:
    """The notes of one kind by their ids. Their part has links of its own, hence its own ``Inline``."""

    inline: Inline | None = None
    by_id: dict[str, Element] = field(default_factory=dict[str, Element])

    def write(self, writer: Writer, references: list[tuple[int, str]]) -> None:
        """The texts of these references, numbered as they are in the text; the list is emptied."""
        for number, note_id in references:
            note = self.by_id.get(note_id)
            if note is None or self.inline is None:
                continue
            prefix = f"[^{number}]: "
            for paragraph in note.iter(f"{self.inline.ns}p"):
                text = markdown.MARKS.sub("", self.inline.read(paragraph))
                if text:
                    writer.paragraph(text, prefix, "    ", item=prefix != "    ")
                    prefix = "    "
        references.clear()


def read_notes(archive: Archive, part: str | None) -> Notes:
    content = archive.find(part) if part else None
    if content is None or part is None:
        return Notes()
    root = xml.parse(content, archive.what, part)
    ns = namespace(root)
    by_id = {note.get(f"{ns}id") or "": note for note in root if note.get(f"{ns}type") in (None, "normal")}
    return Notes(Inline(ns, ooxml.relationships(archive, part)), by_id)
