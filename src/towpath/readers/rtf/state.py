"""The state that each group of an RTF file saves and restores: destination, character style, paragraph properties."""

from __future__ import annotations

from dataclasses import dataclass, field

#: Groups whose text is no text of the document.
SKIPPED = frozenset(
    """
    colortbl filetbl listtable listoverridetable revtbl rsidtbl pict object objdata header headerl headerr headerf
    footer footerl footerr footerf themedata colorschememapping datastore latentstyles xmlnstbl generator xe tc rxe
    bkmkstart bkmkend atnid atnauthor atnref atntime atnicn annotation nonshppict shprslt sp panose falt fldtype
    formfield passwordhash wgrffmtfilter mmathPr pgdsctbl userprops docvar nextfile template operator upr
    private ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn do pnseclvl bliptag comment keycode
    """.split()
)
#: Groups that may be ignored by programs that do not know them, but have text.
KNOWN = frozenset("fldinst shpinst shptxt pn pntext listtext footnote ud nesttableprops".split())
#: The encodings of fonts by their character set.
ENCODINGS = {77: "mac-roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "cp950", 161: "cp1253", 162: "cp1254",
             163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
             238: "cp1250"}  # fmt: skip


@dataclass(slots=True)
class State:
    """The state inside a group; a group begins with a copy of that around it."""

    destination: str = ""
    bold: bool = False
    italic: bool = False
    hidden: bool = False
    #: How many characters follow a Unicode character for programs that do not know it.
    fallback: int = 1
    encoding: str = ""
    style: int = 0
    level: int | None = None
    in_table: bool = False
    depth: int = 0
    #: The left margin in twentieths of a point.
    indent: int = 0

    def reset_characters(self) -> None:
        self.bold = self.italic = self.hidden = False

    def reset_paragraph(self) -> None:
        self.style, self.level, self.in_table, self.depth, self.indent = 0, None, False, 0, 0


@dataclass(slots=True)
class DocumentTables:
    """Fonts, styles and properties of the document, as its first groups define them."""

    encoding: str = "cp1252"
    #: Fonts whose characters are symbols: their letters have no meaning.
    fonts: dict[int, str] = field(default_factory=dict[int, str])
    heading_levels: dict[int, int] = field(default_factory=dict[int, int])
    metadata: dict[str, str] = field(default_factory=dict[str, str])
    font: int = 0
    style: int = 0
    style_level: int | None = None
