"""Tests of FictionBook, OpenDocument and Outlook messages: what programs write in everyday files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.compound_files import outlook_message
from tests.support.mails import zipped
from tests.support.readers import quiet, rejection
from towpath.readers.contained_files import write_members
from towpath.readers.fb2.reader import read_fb2
from towpath.readers.latex.reader import read_latex
from towpath.readers.mail import msg_reader
from towpath.readers.mail.msg_reader import read_msg
from towpath.readers.mail.reader import read_mail
from towpath.readers.opendocument.reader import read_odp, read_odt
from towpath.readers.subtitles.reader import read_subtitles


def test_a_style_inside_a_paragraph_does_not_end_it(tmp_path: Path) -> None:
    path = tmp_path / "a.fb2"
    path.write_text(
        "<FictionBook xmlns='http://www.gribuser.ru/xml/fictionbook/2.0'><body><section><p>One "
        "<style name='foreign'>deux</style> three.</p></section></body></FictionBook>"
    )

    assert read_fb2(path, quiet).markdown == "One deux three."


def test_an_encrypted_text_is_rejected_as_encrypted(tmp_path: Path) -> None:
    path = tmp_path / "a.odt"
    path.write_bytes(
        zipped(
            {
                "mimetype": b"application/vnd.oasis.opendocument.text",
                "content.xml": b"\x8f\x12\x00secret",
                "META-INF/manifest.xml": b"<manifest><encryption-data/></manifest>",
            }
        )
    )

    assert rejection(read_odt, path).code == "encrypted"


def test_the_sender_of_a_message_has_no_path_of_an_exchange_server(tmp_path: Path) -> None:
    path = tmp_path / "a.msg"
    path.write_bytes(
        outlook_message("Gate", "Closed.", {}).replace(
            "Ada Reed".encode("utf-16-le"), "Ada /o=X".encode("utf-16-le")
        )
    )

    assert read_msg(path, quiet).metadata["authors"].strip('"') == "Ada"


_NAMES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
)


def open_document(path: Path, kind: str, body: str) -> Path:
    """An OpenDocument file with this content."""
    content = f"<office:document-content {_NAMES}><office:body>{body}</office:body></office:document-content>"
    path.write_bytes(
        zipped(
            {
                "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
                "content.xml": content.encode(),
            }
        )
    )
    return path


def cell(text: str, attributes: str = "") -> str:
    return (
        f"<table:table-cell {attributes}><text:list><text:list-item><text:p>{text}</text:p>"
        "</text:list-item></text:list></table:table-cell>"
    )


def test_cells_of_a_slide_that_are_lists_of_one_item_are_a_table(tmp_path: Path) -> None:
    upper = cell("Upper", 'table:number-rows-spanned="2"')
    rows = (
        f"<table:table-row>{cell('Lock')}{cell('Boats')}</table:table-row>"
        f"<table:table-row>{upper}{cell('7')}</table:table-row>"
        f"<table:table-row><table:covered-table-cell/>{cell('9')}</table:table-row>"
    )
    slide = (
        f"<draw:page><draw:frame><table:table>{rows}</table:table></draw:frame><presentation:notes>"
        "<draw:frame><text:p>First note.</text:p><text:p>Second<text:line-break/>note.</text:p></draw:frame>"
        "</presentation:notes></draw:page>"
    )
    path = open_document(
        tmp_path / "a.odp", "presentation", f"<office:presentation>{slide}</office:presentation>"
    )

    assert read_odp(path, quiet).markdown == (
        "# Slide 1\n\n| Lock | Boats |\n| --- | --- |\n| Upper | 7 |\n|  | 9 |\n\nNotes: First note. Second note."
    )


def test_an_item_with_only_a_list_continues_the_item_before_it(tmp_path: Path) -> None:
    inner = "<text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list>"
    body = (
        "<office:text><text:list><text:list-item><text:p>outer</text:p></text:list-item>"
        f"<text:list-item>{inner}</text:list-item></text:list></office:text>"
    )

    assert read_odt(open_document(tmp_path / "a.odt", "text", body), quiet).markdown == "- outer\n  - inner"


def test_a_table_in_a_cell_is_read_once(tmp_path: Path) -> None:
    def table(content: str) -> str:
        return (
            "<table:table><table:table-row><table:table-cell>"
            f"{content}</table:table-cell></table:table-row></table:table>"
        )

    inner = table("<text:p>inner</text:p>")
    body = f"<office:text>{table(f'<text:p>outer</text:p>{inner}')}</office:text>"

    assert read_odt(open_document(tmp_path / "a.odt", "text", body), quiet).markdown.count("inner") == 1


def test_speakers_of_subtitles_are_turns(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    path.write_text(
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada Reed>The gate\n\n00:02.000 --> 00:03.000\n<v Ada Reed>is closed.\n\n"
        "00:03.000 --> 00:05.000\n<v.loud Ben Ash><i>Why?</i>\n\n00:05.000 --> 00:06.000\n(silence)\n"
    )

    assert (
        read_subtitles(path, quiet).markdown
        == "**Ada Reed:** The gate is closed.\n\n**Ben Ash:** Why?\n\n(silence)"
    )


def test_code_pages_of_messages_are_found_by_the_names_of_the_library() -> None:
    assert "格式".encode("windows-950") == "格式".encode("cp950")
    assert "é".encode("windows-65001") == "é".encode()
    with pytest.raises(LookupError):
        "a".encode("windows-99999")


class _Message:
    """A message whose body is in Big5."""

    def __init__(self, code_page: int | None) -> None:
        self.properties = SimpleNamespace(
            int_prop_value=lambda _: code_page,  # pyright: ignore[reportUnknownLambdaType]
            body_encoding="windows-950",
        )


def test_headers_without_a_code_page_are_decoded_as_the_body() -> None:
    text = "格式".encode("cp950").decode("iso-8859-15")

    assert msg_reader._header_decoder(_Message(None))(text) == "格式"  # pyright: ignore[reportPrivateUsage]
    assert msg_reader._header_decoder(_Message(1252))(text) == text  # pyright: ignore[reportPrivateUsage]


def test_a_message_attached_to_an_outlook_message_becomes_a_mail(tmp_path: Path) -> None:
    path = tmp_path / "a.msg"
    path.write_bytes(outlook_message("Gate", "Closed.", {"a.txt": b"note"}, {"Bridge: open?": "Since noon."}))
    target = tmp_path / "members"

    files = write_members(str(path), "application/vnd.ms-outlook", str(target), 10, quiet)

    assert [file.name for file in files] == ["a.txt", "Bridge open.eml"]
    mail = tmp_path / "inner.eml"
    mail.write_bytes(target.read_bytes()[4:])
    extraction = read_mail(mail, quiet)
    assert extraction.metadata["title"] == "Bridge: open?"
    assert "Since noon." in extraction.markdown
    assert "Bridge open.eml" in read_msg(path, quiet).markdown
    assert write_members(str(path), "application/vnd.ms-outlook", str(target), 10, quiet) == files


def test_text_that_latex_scales_or_colours_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_text(
        r"""\documentclass{article}\begin{document}\color{red}{Open} \scalebox{0.8}{the gate}.

\resizebox{\textwidth}{!}{%
\begin{tabular}{ll}Lock & Keeper \\ Upper & Reed \\\end{tabular}}\end{document}"""
    )

    markdown = read_latex(path, quiet).markdown
    assert "Open" in markdown
    assert "the gate" in markdown
    assert "| Upper | Reed |" in markdown


def test_settings_of_latex_are_no_text_and_references_leave_no_blanks(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_text(
        r"""\documentclass{article}\title{Locks}\begin{document}\thispagestyle{empty}\setcounter{page}{0}\newcommand{\x}[1]{y{#1}}
\title{Locks}The gate \cite{reed} opens~\cite{ash}. Since $a =
b$, see Comput.\ Sci.\ in chapter \ref{gate}.

\begin{thebibliography}{99}\bibitem{reed} A. Reed, \emph{Gates}.\bibitem[Ash]{ash} B. Ash.\end{thebibliography}
\begin{minipage}[t]{0.5\textwidth}Beside.\end{minipage}\end{document}"""
    )

    assert read_latex(path, quiet).markdown == (
        "# Locks\n\nThe gate opens. Since $a = b$, see Comput. Sci. in chapter.\n\n"
        "- A. Reed, *Gates*.\n- B. Ash.\n\nBeside."
    )
