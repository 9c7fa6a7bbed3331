"""Groups the visible text of a page by its nearest block element, for the choice of the main content."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.readers.common import safe_xml
from towpath.readers.common.safe_xml import Element
from towpath.readers.html.tags import BLOCKS, SKIPPED

_WORD = re.compile(r"\w+")
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_PAGE_FURNITURE_TAGS = frozenset(("nav", "aside", "footer", "form", "button", "dialog", "menu", "search"))
_PAGE_FURNITURE_ROLES = frozenset(
    ("navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu")
)
# Words of class and id names, as sites and content management systems use them.
_PAGE_FURNITURE_NAME = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|navbox|menu|breadcrumbs?|sidebar|footer|masthead|topbar|toolbar|pagination|pager"
    r"|cookies?|consent|gdpr|newsletter|subscribe|subscription|signup|promo|promotion|advert|adverts|advertisement|ads?"
    r"|sponsored|sponsor|outbrain|taboola|share|sharing|social|related|recommended|recommendations|more-from|read-next"
    r"|comments?|disqus|skip-?link|skip-?to|jump-?link|interlanguage|interwiki|langlinks|editsection|mw-jump|catlinks"
    r"|printfooter|noprint|popup|modal|overlay|widget|tags|tag-list|byline|author-?bio|trending|popular|teaser|trc)"
    r"(?:$|[\s_-])",
    re.IGNORECASE,
)


@dataclass(slots=True)
class TextBlock:
    """The text directly inside one block element."""

    element: Element
    name: str
    #: Inside navigation, a cookie banner, a footer and the like, by tag, role or class name.
    is_furniture: bool
    words: list[str] = field(default_factory=list[str])
    linked_words: int = 0
    #: Where the text is: after the start of an element, or (True) after its end.
    pieces: list[tuple[Element, bool]] = field(default_factory=list[tuple[Element, bool]])

    def clear(self) -> None:
        """Remove the text from the tree."""
        for element, is_tail in self.pieces:
            if is_tail:
                element.tail = None
            else:
                element.text = None

    @property
    def link_share(self) -> float:
        return self.linked_words / len(self.words) if self.words else 0.0

    @property
    def is_heading(self) -> bool:
        return len(self.name) == 2 and self.name[0] == "h" and self.name[1].isdigit()


@dataclass(slots=True)
class _Open:
    element: Element
    name: str
    is_furniture: bool
    is_link: bool
    block: TextBlock | None = None


def text_blocks(root: Element) -> list[TextBlock]:
    """The blocks with text in document order; hidden and skipped elements are left out."""
    blocks: list[TextBlock] = []
    stack: list[_Open] = []
    walk = safe_xml.walk_tree(root)
    skipped: Element | None = None
    for event, element in walk:
        if event == "start":
            name = safe_xml.local_name(element.tag).lower()
            if name in SKIPPED or is_hidden(element):
                skipped = element
                walk.skip_subtree()
                continue
            parent = stack[-1] if stack else None
            if name in BLOCKS or "-" in name or parent is None:
                furniture = bool(parent and parent.is_furniture) or is_furniture(element, name)
                stack.append(_Open(element, name, furniture, is_link=False))
            else:
                stack.append(
                    _Open(
                        parent.element,
                        parent.name,
                        parent.is_furniture,
                        parent.is_link or name == "a",
                        parent.block,
                    )
                )
            _add(blocks, stack, element, element.text)
            continue
        if element is skipped:
            skipped = None
        else:
            closed = stack.pop()
            if stack and closed.element is stack[-1].element:
                stack[-1].block = closed.block
            elif stack:
                stack[-1].block = None
        if stack:
            _add(blocks, stack, element, element.tail, is_tail=True)
    return [block for block in blocks if block.words]


def _add(
    blocks: list[TextBlock], stack: list[_Open], element: Element, text: str | None, *, is_tail: bool = False
) -> None:
    if not text or text.isspace():
        return
    words = _WORD.findall(text)
    top = stack[-1]
    if top.block is None:
        top.block = TextBlock(top.element, top.name, top.is_furniture)
        blocks.append(top.block)
    top.block.words += words
    top.block.pieces.append((element, is_tail))
    top.block.linked_words += len(words) if top.is_link else 0


def is_hidden(element: Element) -> bool:
    style = element.get("style")
    return element.get("hidden") is not None or bool(style and _HIDING_STYLE.search(style))


def is_furniture(element: Element, name: str) -> bool:
    """True for navigation, banners, footers, share buttons and the like, by tag, role or class name."""
    if name in ("html", "body", "main", "article"):
        return False
    if name in _PAGE_FURNITURE_TAGS or (element.get("role") or "") in _PAGE_FURNITURE_ROLES:
        return True
    if _PAGE_FURNITURE_NAME.search(element.get("class") or ""):
        return True
    # Sections have ids made of their headings ("the-file-menu"), so only a whole id counts.
    return name != "section" and _PAGE_FURNITURE_NAME.fullmatch(element.get("id") or "") is not None
