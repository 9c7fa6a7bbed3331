"""One file of every text format, each about a different subject, with a question that only this file answers."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path
from typing import Any

from tests.support.compound_files import outlook_message
from tests.support.epubs import Book
from tests.support.mails import attach, mail, mailbox_file, zipped
from tests.support.office import WordFile, p, presentation, row, shape, workbook
from tests.support.open_documents import open_document, sheet, slide
from tests.support.pdfs import image_file, picture, plain, scan
from tests.support.recordings import sample

SAMPLES = Path(__file__).parent.parent / "data" / "formats"


@dataclass(frozen=True, slots=True)
class FormatFile:
    """A file to submit, a question, and the words that the best hit of the question contains."""

    name: str
    content: bytes
    question: str
    answer: str
    #: Name of the document with the answer, where it is a file inside this one.
    found_in: str = ""

    @property
    def document(self) -> str:
        return self.found_in or self.name


def text_files() -> list[FormatFile]:
    """Every format that the default installation reads."""
    with tempfile.TemporaryDirectory() as folder:
        return [*_plain_text(), *_mail(Path(folder)), *_office(Path(folder))]


def _plain_text() -> list[FormatFile]:
    notebook: dict[str, Any] = {
        "cells": [
            {"cell_type": "markdown", "source": ["# Rainfall\n", "\n", "July was the driest month in Ghent."]}
        ],
        "metadata": {},
        "nbformat": 4,
    }
    book = (
        '<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body><section>'
        "<title><p>The stable</p></title><p>The grey mare slept beside the chandler's shop.</p></section></body>"
        "</FictionBook>"
    )
    page = (
        "<!doctype html><html><head><title>Ferry</title></head><body><h1>Ferry</h1>"
        "<p>The chain ferry at Wormsley carries twelve bicycles.</p></body></html>"
    )
    latex = (
        "\\documentclass{article}\\begin{document}\\section{Aqueduct}The aqueduct leaks near its third arch."
        "\\end{document}"
    )
    subtitles = "1\n00:00:01,000 --> 00:00:04,000\nThe lighthouse keeper polished the lens on Sundays.\n"
    values = {
        "dredging.md": (
            "# Dredging\n\nThe dredger removed forty tons of silt.\n",
            "dredger silt",
            "forty tons",
        ),
        "tolls.txt": (
            "A barge of coal paid nine shillings at Braunston.\n",
            "toll for a barge of coal",
            "nine",
        ),
        "boats.csv": (
            "boat,owner\nKingfisher,Amelia Hart\nHeron,Tom Pike\n",
            "owner of the Kingfisher",
            "Hart",
        ),
        "gauges.tsv": ("gauge\tlevel\nNorthgate\t3.25 m\nSouthgate\t2.10 m\n", "Northgate gauge", "3.25"),
        "ferry.html": (page, "how many bicycles does the ferry carry", "twelve"),
        "pumps.json": ('{"pumps": [{"name": "Crofton", "fuel": "steam coal"}]}', "Crofton pump fuel", "coal"),
        "crew.yaml": ("steersman: Beatrix Lund\ncook: Oskar Dahl\n", "who is the steersman", "Beatrix"),
        "weirs.xml": (
            '<?xml version="1.0"?><weir>Teddington has a rymer weir</weir>',
            "rymer weir",
            "Teddington",
        ),
        "aqueduct.tex": (latex, "where does the aqueduct leak", "third arch"),
        "keeper.srt": (subtitles, "lighthouse lens", "polished"),
        "tunnel.vtt": (
            "WEBVTT\n\n00:01.000 --> 00:03.000\nLegging through the tunnel took three hours\n",
            "legging tunnel",
            "three hours",
        ),
        "rainfall.ipynb": (json.dumps(notebook), "driest month in Ghent", "July"),
        "stable.fb2": (book, "where did the grey mare sleep", "chandler"),
        "rope.rtf": (
            "{\\rtf1\\ansi The towing rope was spun from Manila hemp.\\par}",
            "towing rope material",
            "hemp",
        ),
    }
    return [
        FormatFile(name, text.encode(), question, answer) for name, (text, question, answer) in values.items()
    ]


def _mail(folder: Path) -> list[FormatFile]:
    archive = MIMEMultipart("related")
    archive["From"] = "<Saved by Blink>"
    archive["Snapshot-Content-Location"] = "https://canal.example/wharf"
    archive.attach(
        MIMEText("<html><body><h1>Wharf</h1><p>Slate was unloaded at Penrhyn.</p></body></html>", "html")
    )
    invoice = attach(
        mail("Varnish", "The varnish costs 84 euros."), "primer.txt", b"Primer dries overnight.", "text/plain"
    )
    letters = mailbox_file(
        folder / "letters.mbox",
        mail("Anchor", "The spare anchor weighs sixty kilos."),
        mail("Hatch", "It leaks."),
    )
    return [
        FormatFile("varnish.eml", invoice.as_bytes(), "price of the varnish", "84 euros"),
        FormatFile(
            "gate.msg",
            outlook_message("Gate", "The gate was painted turquoise.", {}),
            "colour of the gate",
            "turquoise",
        ),
        FormatFile("wharf.mhtml", archive.as_bytes(), "what was unloaded at Penrhyn", "Slate"),
        FormatFile("letters.mbox", letters, "weight of the spare anchor", "sixty", "message 1.eml"),
        FormatFile(
            "papers.zip",
            zipped({"lantern.txt": b"The lantern burns colza oil.\n"}),
            "lantern oil",
            "colza",
            "lantern.txt",
        ),
    ]


def _office(folder: Path) -> list[FormatFile]:
    def saved(path: Path) -> bytes:
        return path.read_bytes()

    text = "<text:h text:outline-level='1'>Bridge</text:h><text:p>The swing bridge opens for yachts.</text:p>"
    shapes = shape("Reservoir", role="title") + shape("The reservoir feeds the summit pound.", role="body")
    rows = row(1, "name", "draught") + row(2, "Albatross", "1.4 metres")
    chapter = "<h1>Mill</h1><p>The miller ground barley for the brewery.</p>"
    return [
        FormatFile(
            "horse.docx",
            saved(WordFile(p("The horse Dobbin eats six kilos of oats.")).save(folder / "d.docx")),
            "what does Dobbin eat",
            "oats",
        ),
        FormatFile(
            "reservoir.pptx",
            saved(presentation(folder / "p.pptx", [shapes])),
            "what feeds the summit pound",
            "reservoir",
        ),
        FormatFile(
            "yachts.xlsx",
            saved(workbook(folder / "w.xlsx", {"Yachts": rows})),
            "draught of the Albatross",
            "1.4",
        ),
        FormatFile(
            "locks.xls", (SAMPLES / "boats.xls").read_bytes(), "wooden paddles of the upper lock", "paddles"
        ),
        FormatFile("bridge.odt", open_document("text", text), "which bridge opens for yachts", "swing"),
        FormatFile(
            "signal.odp",
            open_document("presentation", slide("Signal", "A red flag closes the weir stream.")),
            "red flag",
            "closes",
        ),
        FormatFile(
            "stores.ods",
            open_document("spreadsheet", sheet("Stores", ("item", "shelf"), ("tallow", "cellar nine"))),
            "where is the tallow",
            "cellar",
        ),
        FormatFile(
            "mill.epub",
            saved(Book({"a.xhtml": chapter}).save(folder / "m.epub")),
            "what did the miller grind",
            "barley",
        ),
        FormatFile(
            "survey.pdf",
            saved(plain(folder / "s.pdf", [["Survey", "The embankment sank by eleven centimetres."]])),
            "how far did the embankment sink",
            "eleven",
        ),
    ]


def scans_and_calls() -> list[FormatFile]:
    """What `towpath[all]` reads besides: pictures of text, a scanned PDF, a HEIC photo, a recording of speech."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        barge = picture(["INSPECTION REPORT", "The barge Swallow was inspected in Rotterdam."])
        receipt = picture(["RECEIPT", "Received: seven crates of marmalade."])
        return [
            FormatFile(
                "inspection.pdf",
                scan(folder / "i.pdf", [barge]).read_bytes(),
                "where was the Swallow inspected",
                "Rotterdam",
            ),
            FormatFile(
                "receipt.png",
                image_file(folder / "r.png", [receipt], "PNG").read_bytes(),
                "crates of marmalade",
                "seven",
            ),
            FormatFile("photo.heic", (SAMPLES / "photo.heic").read_bytes(), "wooden paddles", "paddles"),
            FormatFile("cities.wav", sample("two_cities.wav"), "the best of times", "worst of times"),
        ]
