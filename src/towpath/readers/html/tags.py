"""Maps HTML tags to calls of the block builder: on opening, on closing, or instead of the content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from towpath.readers.common import markdown_writer, safe_xml
from towpath.readers.common.mathml import math_text
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.table_grid import int_attribute, is_layout_table
from towpath.readers.html.block_builder import BlockBuilder

Handler = Callable[[BlockBuilder, Element], None]

_SKIPPED = """
    script style template head title noscript iframe object audio video canvas select datalist map rp input
    meta link base col colgroup source track param
"""
_BLOCKS = """
    html body p div section article main header footer nav aside address figure figcaption fieldset form
    details summary center hgroup dl dt dd blockquote ul ol menu li legend caption table thead tbody tfoot tr
    td th frameset noframes search dialog button textarea h1 h2 h3 h4 h5 h6 pre hr
"""
SKIPPED = frozenset(_SKIPPED.split())
BLOCKS = frozenset(_BLOCKS.split())
_HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LIST_TAGS = ("ul", "ol", "menu")
_CODE_TAGS = ("code", "kbd", "samp", "tt")
_CODE_LANGUAGE = re.compile(r"\blang(?:uage)?-([\w+#-]{1,30})")


def _open_heading(builder: BlockBuilder, element: Element) -> None:
    builder.open_heading(int(element.tag[-1]))


def _open_list(builder: BlockBuilder, element: Element) -> None:
    parent = element.getparent()
    # Many pages put a nested list beside the item that it belongs to: <ul><li>…</li><ul>…</ul></ul>.
    is_in_list = parent is not None and safe_xml.local_name(parent.tag).lower() in _LIST_TAGS
    is_beside_item = is_in_list and element.getprevious() is not None
    is_numbered = safe_xml.local_name(element.tag).lower() == "ol"
    first_number = int_attribute(element, "start") if is_numbered else None
    builder.open_list(first_number, element, continues_item=is_beside_item)


def _open_table(builder: BlockBuilder, element: Element) -> None:
    if not is_layout_table(element):
        builder.open_table()


def _close_cell(builder: BlockBuilder, element: Element) -> None:
    builder.close_cell(int_attribute(element, "colspan"), int_attribute(element, "rowspan"))


def _close_link(builder: BlockBuilder, element: Element) -> None:
    builder.inline.close_link(element, element.get("href") or "")


def _write_preformatted(builder: BlockBuilder, element: Element) -> None:
    text = markdown_writer.remove_control_characters("".join(_preformatted_text(element)))
    if builder.is_flat:
        builder.inline.add_text(f" {text} ")
        return
    match = _CODE_LANGUAGE.search(" ".join(part.get("class") or "" for part in (element, *element)))
    builder.write_code(text, match[1] if match else "")


def _preformatted_text(element: Element) -> Iterator[str]:
    """The text unchanged, with a line break for each <br>."""
    for event, part in safe_xml.walk_tree(element):
        if event == "start":
            yield part.text or ""
        elif part is not element:
            if safe_xml.local_name(part.tag).lower() == "br":
                yield "\n"
            yield part.tail or ""


def _write_image(builder: BlockBuilder, element: Element) -> None:
    description = " ".join((element.get("alt") or "").split())
    if len(description) > 1 and element.get("role") != "presentation":
        builder.inline.add_markdown(
            f"[Image: {markdown_writer.escape_inline(markdown_writer.collapse_whitespace(description))}]"
        )


def _write_formula(builder: BlockBuilder, element: Element) -> None:
    text = math_text(element)
    if text:
        builder.inline.add_markdown(
            text
            if text.startswith("$")
            else markdown_writer.escape_inline(markdown_writer.collapse_whitespace(text))
        )


def _write_svg_text(builder: BlockBuilder, element: Element) -> None:
    for text in element.iterdescendants("{*}text"):
        builder.inline.add_text(" " + "".join(text.itertext()) + " ")


ON_OPEN: dict[str, Handler] = {
    **dict.fromkeys(_HEADING_TAGS, _open_heading),
    **dict.fromkeys(_LIST_TAGS, _open_list),
    "li": lambda builder, element: builder.open_item(element),
    "blockquote": lambda builder, element: builder.open_container(element, "> ", "> "),
    "table": _open_table,
    "tr": lambda builder, element: builder.open_row(),
    **dict.fromkeys(("td", "th"), lambda builder, element: builder.open_cell()),
    **dict.fromkeys(_CODE_TAGS, lambda builder, element: builder.inline.open_code(element)),
    **dict.fromkeys(("b", "strong", "dt"), lambda builder, element: builder.inline.open_style("b")),
    **dict.fromkeys(("i", "em", "cite"), lambda builder, element: builder.inline.open_style("i")),
    "sup": lambda builder, element: builder.inline.open_element(element),
    "a": lambda builder, element: builder.inline.open_element(element),
    "q": lambda builder, element: builder.inline.add_markdown("“"),
    "rt": lambda builder, element: builder.inline.add_markdown("("),
    "br": lambda builder, element: builder.inline.add_line_break(),
    "hr": lambda builder, element: builder.write_rule(),
}
ON_CLOSE: dict[str, Handler] = {
    **dict.fromkeys(_HEADING_TAGS, lambda builder, element: builder.close_heading()),
    **dict.fromkeys(_LIST_TAGS, lambda builder, element: builder.close_list()),
    "table": lambda builder, element: builder.close_table(),
    **dict.fromkeys(("td", "th"), _close_cell),
    **dict.fromkeys(_CODE_TAGS, lambda builder, element: builder.inline.close_code(element)),
    **dict.fromkeys(("b", "strong", "dt"), lambda builder, element: builder.inline.close_style("b")),
    **dict.fromkeys(("i", "em", "cite"), lambda builder, element: builder.inline.close_style("i")),
    "sup": lambda builder, element: builder.inline.close_superscript(element),
    "a": _close_link,
    "q": lambda builder, element: builder.inline.add_markdown("”"),
    "rt": lambda builder, element: builder.inline.add_markdown(")"),
}
REPLACEMENTS: dict[str, Handler] = {
    "pre": _write_preformatted,
    "img": _write_image,
    "math": _write_formula,
    "svg": _write_svg_text,
}
