"""Small files of the formats that `samples.py` does not have: office, mail, archives, data, subtitles, pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from tests.support import pdfs
from tests.support.compound_files import outlook_message
from tests.support.mails import attach, mail, mailbox_file, zipped
from tests.support.open_documents import open_document, sheet, slide

_FORMATS = Path(__file__).parent.parent / "data" / "formats"
_TEXT = "The upper lock has wooden paddles; see <a> & [b](c) on 12 May 2024."
_PICTURES: tuple[Literal["TIFF", "JPEG", "GIF", "BMP", "WEBP"], ...] = ("TIFF", "JPEG", "GIF", "BMP", "WEBP")
_NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Locks\n", "\n", _TEXT]},
        {"cell_type": "code", "source": "print(1)", "outputs": [{"data": {"text/plain": ["1\n"]}}]},
    ],
    "metadata": {"kernelspec": {"language": "python"}},
    "nbformat": 4,
}
_FICTION_BOOK = (
    '<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info>'
    "<book-title>Locks</book-title></title-info></description><body><section><title><p>One</p></title><p>A <strong>lock"
    "</strong>.</p><section><title><p>Two</p></title><poem><stanza><v>Line</v></stanza></poem></section></section></body>"
    "</FictionBook>"
)
_WEB_ARCHIVE = (
    "From: <Saved by Blink>\nSnapshot-Content-Location: https://canal.example/\nMIME-Version: 1.0\n"
    'Content-Type: multipart/related; boundary="q"\n\n--q\nContent-Type: text/html\n\n'
    "<h1>Locks</h1><p>A lock.</p>\n--q--\n"
)


def more_samples(folder: Path) -> dict[str, bytes]:
    """A sample of each format by its suffix. The folder is for files that a library writes."""
    message = attach(mail("Gate", _TEXT), "gate.txt", b"The gate.", "text/plain")
    texts = {
        "rtf": "{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Arial;}}{\\b Locks}\\par A \\u228? lock.\\par{\\*\\x hidden}}",
        "fb2": _FICTION_BOOK,
        "ipynb": json.dumps(_NOTEBOOK),
        "json": json.dumps({"locks": [{"name": "upper", "paddles": [1, 2.5, None, True]}], "text": _TEXT}),
        "yaml": "# Locks\nlocks: &all\n  - name: upper\n    paddles: wooden\ncopy: *all\n",
        "xml": "<?xml version='1.0'?><!-- x --><locks a='1'><lock>upper &amp; lower</lock><![CDATA[x]]></locks>",
        "tex": "\\documentclass{article}\\title{Locks}\\begin{document}\\section{One}A $x^2$ lock.\\begin{itemize}"
        "\\item[a] b\\item c\\end{itemize}\\begin{tabular}{ll}a&b\\\\c&d\\end{tabular}\\end{document}",
        "srt": "1\n00:00:01,000 --> 00:00:03,000\n<i>Welcome</i>\n\n2\n00:01:05,000 --> 00:01:08,000\nA lock\n",
        "vtt": "WEBVTT\n\nNOTE x\n\n00:01.000 --> 00:03.000 align:start\n<v Ada>A lock\n",
        "mhtml": _WEB_ARCHIVE,
    }
    files = {kind: text.encode() for kind, text in texts.items()}
    files |= {name: (_FORMATS / f"boats.{name}").read_bytes() for name in ("doc", "xls")}
    files["heic"] = (_FORMATS / "photo.heic").read_bytes()
    files["odt"] = open_document(
        "text", f"<text:h text:outline-level='1'>Locks</text:h><text:p>{'x' * 9}</text:p>"
    )
    files["odp"] = open_document("presentation", slide("Locks", "A lock.") + slide("Gates", "A gate."))
    files["ods"] = open_document("spreadsheet", sheet("Locks", ("Lock", "Part"), ("upper", "paddles")))
    files["msg"] = outlook_message("Gate", _TEXT, {"gate.txt": b"The gate."})
    files["zip"] = zipped({"a/locks.md": b"# Locks", "b.eml": message.as_bytes(), "c.json": files["json"]})
    files["mbox"] = mailbox_file(folder / "sample.mbox", message, mail("Lock", "From here on."))
    picture = pdfs.picture(pdfs.LOREM[:1], size=20).crop((100, 120, 500, 220)).convert("RGB")
    for name in _PICTURES:
        kind = name.lower()
        files[kind] = pdfs.image_file(folder / f"sample.{kind}", [picture], name).read_bytes()
    return files
