"""Reads LaTeX sources: headings, lists, tables, code and formulas as markdown; other commands keep their text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common.bounded_read import read_bounded
from towpath.readers.common.encoding import decode
from towpath.readers.common.markdown_writer import MarkdownWriter, table_cell

FORMAT_NAME = "LaTeX file"

_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n?")
_VERBATIM = re.compile(
    r"\\begin\{(verbatim|lstlisting|minted)\*?\}(?:\[[^\]]*\])?(?:\{\w+\})?\n?(.*?)\\end\{\1\*?\}", re.DOTALL
)
_MATH = re.compile(
    r"\\begin\{(equation|align|gather|multline|eqnarray|displaymath)\*?\}(.*?)\\end\{\1\*?\}|\\\[(.*?)\\\]",
    re.DOTALL,
)
_TABULAR = re.compile(
    r"\\begin\{(tabular|tabularx|longtable)\*?\}(?:\[[^\]]{0,300}\])?(?:\{(?:[^{}]|\{[^{}]*\})*\})*(.*?)\\end\{\1\*?\}",
    re.DOTALL,
)
_HEADING = re.compile(
    r"\\(part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]]{0,300}\])?\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\{([\w*]+)\}(?:\[[^\]]{0,300}\])?")
#: The arguments of these environments are widths, positions or counts.
_ENVIRONMENT_ARGUMENTS = re.compile(
    r"(\\begin\{(?:thebibliography|multicols|minipage|subfigure|wrapfigure|wraptable|adjustbox)\*?\})"
    r"(?:\[[^\]]{0,300}\]|\{[^{}]{0,300}\}){1,4}"
)
_BIBLIOGRAPHY_ITEM = re.compile(r"\\bibitem(?:\[[^\]]{0,300}\])?\{[^{}]{0,200}\}")
_ITEM = re.compile(r"\\item(?:\[([^\]]{0,300})\])?\s*")
_ARGUMENT = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_TITLE = re.compile(r"\\title" + _ARGUMENT)
_AUTHOR = re.compile(r"\\author" + _ARGUMENT)
#: Commands that set something, with all their arguments.
_SETTINGS = re.compile(
    r"\\(?:thispagestyle|pagestyle|pagenumbering|setcounter|addtocounter|setlength|addtolength|settowidth|hypersetup"
    r"|newcommand|renewcommand|providecommand|newtheorem|theoremstyle|newenvironment|renewenvironment|graphicspath"
    r"|selectlanguage|addcontentsline|definecolor|fontsize|titlerunning|authorrunning|title|newif|let"
    r"|vskip|hskip|phantom|hphantom|vphantom|rule|orcidID|markboth|markright|enlargethispage"
    r"|DeclareMathOperator|allowdisplaybreaks|captionsetup|lstset|bibliographystyle)\b\*?"
    r"(?:\[[^\]]{0,300}\]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\\\w+(?=\{|\[))*"
    # The last argument of these is text.
    r"|\\(?:color(?:\[[^\]]{0,300}\])?|scalebox|raisebox|resizebox\*?\{[^{}]{0,300}\})\{[^{}]{0,300}\}(?:\[[^\]]{0,300}\]){0,2}"
)
#: Spaces that a dropped reference leaves.
_SPACES = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
_SPACE_BEFORE_SIGN = re.compile(r"(?<=\w)[ \t]+(?=[.,;:](?:\s|$))")
_DROPPED = re.compile(
    r"\\(?:label|ref|eqref|pageref|cite[a-z]*|vspace|hspace|includegraphics|bibliography|bibliographystyle|usepackage"
    r"|documentclass|input|include|index|maketitle|tableofcontents|newpage|clearpage|noindent|centering|hline|toprule"
    r"|midrule|bottomrule)\b\*?(?:\[[^\]]*\])*(?:\{[^{}]*\})*"
)
_STYLED = (
    (re.compile(r"\\(?:textbf)" + _ARGUMENT), r"**\1**"),
    (re.compile(r"\\(?:emph|textit)" + _ARGUMENT), r"*\1*"),
    (re.compile(r"\\(?:texttt|verb)" + _ARGUMENT), r"`\1`"),
    (re.compile(r"\\href\{([^{}]*)\}" + _ARGUMENT), r"[\2](\1)"),
    (re.compile(r"\\url\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\footnote" + _ARGUMENT), r" (\1)"),
    (re.compile(r"\\caption(?:\[[^\]]*\])?" + _ARGUMENT), r"\n\n\1\n\n"),
)
_SYMBOLS = (
    (r"\\", "\n"), ("\\ ", " "), (r"\,", " "), (r"\;", " "), (r"\-", ""), (r"\@", ""),
    ("``", "“"), ("''", "”"), ("---", "—"), ("--", "–"), ("~", " "), (r"\&", "&"), (r"\%", "%"), (r"\_", "_"),
    (r"\#", "#"), (r"\$", "$"), (r"\ldots", "…"), (r"\dots", "…"),
)  # fmt: skip
_ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    '"': "\u0308",
    "^": "\u0302",
    "~": "\u0303",
    "c": "\u0327",
    "v": "\u030c",
}
_ACCENT = re.compile(r"\\(['`\"^~]|c(?=\{)|v(?=\{))\{?([A-Za-z])\}?")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\[[^\]]*\])?\s?")
_LABEL = re.compile(r"\\label\{[^{}]*\}")
#: Formulas in a line; their source may be in several.
_FORMULA = re.compile(r"(?<!\\)\$(?:[^$\\]|\\.){1,1000}\$", re.DOTALL)
_KEPT = "\x02{}\x03"
_KEPT_MARK = re.compile("\x02(\\d+)\x03")


def read_latex(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the body of the document; title and author become metadata."""
    source = decode(read_bounded(path, FORMAT_NAME)).text
    kept: list[tuple[str, str]] = []
    source = _VERBATIM.sub(lambda match: _keep(kept, "code", match[2]), source)
    source = _COMMENT.sub("", source)
    title, author = _TITLE.search(source), _AUTHOR.search(source)
    metadata = {
        name: _plain(match[1]).replace("\n", " ").strip()
        for name, match in (("title", title), ("authors", author))
        if match
    }
    body = source.partition(r"\begin{document}")[2] or source
    body = body.partition(r"\end{document}")[0]
    body = _ENVIRONMENT_ARGUMENTS.sub(r"\1", _SETTINGS.sub("", body))
    body = _BIBLIOGRAPHY_ITEM.sub(r"\\item ", body)
    body = _TABULAR.sub(lambda match: _keep(kept, "table", match[2]), body)
    body = _MATH.sub(lambda match: _keep(kept, "math", match[2] or match[3]), body)
    writer = MarkdownWriter()
    if metadata.get("title"):
        writer.heading(1, metadata["title"])
    _write_body(body, kept, writer)
    if not writer.blocks:
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    return Extraction(
        writer.text(), "towpath-latex/1", metadata={name: value for name, value in metadata.items() if value}
    )


def _keep(kept: list[tuple[str, str]], kind: str, text: str) -> str:
    """Put a part aside that must not be changed, and leave a mark in its place."""
    kept.append((kind, text))
    return f"\n\n{_KEPT.format(len(kept) - 1)}\n\n"


def _write_body(body: str, kept: list[tuple[str, str]], writer: MarkdownWriter) -> None:
    body = _HEADING.sub(lambda match: f"\n\n\\{match[1]}{{{match[2]}}}\n\n", body)
    body = _ITEM.sub(lambda match: f"\n\n\\item {match[1] or ''} ", body)
    body = _ENVIRONMENT.sub(lambda match: f"\n\n\\{match[1]}{{{match[2]}}}\n\n", body)
    lists: list[int | None] = []
    for block in re.split(r"\n\s*\n", body):
        block = block.strip()
        if mark := _KEPT_MARK.fullmatch(block):
            _write_kept(*kept[int(mark[1])], writer)
        elif environment := _ENVIRONMENT.fullmatch(block):
            if environment[2] in ("itemize", "enumerate", "description"):
                if environment[1] == "begin":
                    lists.append(1 if environment[2] == "enumerate" else None)
                elif lists:
                    lists.pop()
            elif environment[2] == "abstract" and environment[1] == "begin":
                writer.heading(2, "Abstract")
        elif heading := _HEADING.fullmatch(block):
            writer.heading(_LEVELS[heading[1]], _plain(heading[2]))
        elif block.startswith(r"\item"):
            _write_item(_plain(block.removeprefix(r"\item")), lists, writer)
        elif text := _plain(block):
            writer.paragraph(text)


def _write_item(text: str, lists: list[int | None], writer: MarkdownWriter) -> None:
    number = lists[-1] if lists else None
    marker = "- " if number is None else f"{number}. "
    if number is not None:
        lists[-1] = number + 1
    indent = "   " * max(len(lists) - 1, 0)
    writer.paragraph(" ".join(text.split()), indent + marker, indent + " " * len(marker), item=True)


def _write_kept(kind: str, text: str, writer: MarkdownWriter) -> None:
    if kind == "code":
        writer.code(text)
    elif kind == "math":
        writer.block(f"$$ {' '.join(_LABEL.sub('', text).split())} $$")
    else:
        rows = [
            [table_cell(_plain(cell)) for cell in re.split(r"(?<!\\)&", row)]
            for row in re.split(r"\\\\(?:\[[^\[\]]{0,40}\])?", text)
            if _plain(row)
        ]
        writer.table(rows)


def _plain(text: str) -> str:
    """The text without commands; emphasis, links and inline formulas stay."""
    text = _DROPPED.sub("", text)
    for pattern, replacement in _STYLED:
        text = pattern.sub(replacement, text)
    text = _ACCENT.sub(lambda match: match[2] + _ACCENTS[match[1]], text)
    formulas: list[str] = []

    def keep_formula(match: re.Match[str]) -> str:
        formulas.append(" ".join(match[0].split()))
        return f"\x04{len(formulas) - 1}\x05"

    text = _FORMULA.sub(keep_formula, text)
    for symbol, character in _SYMBOLS:
        text = text.replace(symbol, character)
    text = _COMMAND.sub("", text).replace("{", "").replace("}", "")
    text = _SPACE_BEFORE_SIGN.sub("", _SPACES.sub(" ", text))
    text = re.sub("\x04(\\d+)\x05", lambda match: formulas[int(match[1])], text)
    return "\n".join(line.strip() for line in text.split("\n")).strip()
