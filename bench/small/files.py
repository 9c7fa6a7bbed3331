"""Generates the small documents of the benchmark, the same ones in every run: notes, one-page PDFs and mails."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from typing import Any, cast

from reportlab.lib.pagesizes import A4  # pyright: ignore[reportMissingTypeStubs]
from reportlab.pdfgen import canvas  # pyright: ignore[reportMissingTypeStubs]

from bench.search.corpus import name, sentence
from bench.search.vocabulary import SUBJECTS

WORDS = 350


def note(number: int) -> tuple[str, bytes]:
    title, paragraphs = _text(number)
    return f"note-{number}.md", "\n\n".join((f"# {title}", *paragraphs)).encode()


def mail(number: int) -> tuple[str, bytes]:
    title, paragraphs = _text(number)
    sender, receiver = name(random.Random(number)), name(random.Random(-number))
    head = (
        f"From: {sender} <{sender.lower()}@example.org>\r\nTo: {receiver} <{receiver.lower()}@example.org>\r\n"
        f"Subject: {title}\r\nDate: Mon, 6 Jul 2026 10:{number % 60:02}:00 +0000\r\n"
        f"Message-ID: <{number}@example.org>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
    )
    return f"mail-{number}.eml", (head + "\r\n\r\n".join(paragraphs) + "\r\n").encode()


def page(number: int) -> tuple[str, bytes]:
    title, paragraphs = _text(number)
    body = io.BytesIO()
    pdf = cast(Any, canvas.Canvas(body, pagesize=A4, invariant=1))
    pdf.setFont("Times-Bold", 18)
    pdf.drawString(60, 790, title)
    pdf.setFont("Times-Roman", 11)
    height = 760.0
    for paragraph in paragraphs:
        words = paragraph.split()
        for start in range(0, len(words), 13):
            pdf.drawString(60, height, " ".join(words[start : start + 13]))
            height -= 15
        height -= 8
    pdf.showPage()
    pdf.save()
    return f"page-{number}.pdf", body.getvalue()


KINDS: dict[str, Callable[[int], tuple[str, bytes]]] = {"note": note, "pdf": page, "mail": mail}


def _text(number: int) -> tuple[str, list[str]]:
    """A title and paragraphs about one subject."""
    rng = random.Random(number)
    subject = rng.choice(SUBJECTS)
    paragraphs: list[str] = []
    words = 0
    while words < WORDS:
        paragraph = " ".join(sentence(rng, subject) for _ in range(5))
        paragraphs.append(f"{paragraph} {name(rng)} signed number {rng.randrange(1_000_000):06}.")
        words += len(paragraphs[-1].split())
    return f"{subject.name.capitalize()} of {name(rng)}", paragraphs
