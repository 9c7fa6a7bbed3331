"""Generates the documents for a drill, in several formats; equal seeds give equal documents."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

_NOUNS = "lock gate sluice barge keeper rope winch basin weir towpath ledger toll bridge tunnel wharf".split()
_VERBS = "opens lifts counts repairs draws closes measures inspects pays signs stores weighs".split()
_PLACES = "Braunston Foxton Caen Neptune Bingley Grindley Stoke Hatton Tring Marple Tardebigge".split()
_MONTHS = "January March April June August October November".split()

SampleDocument = tuple[str, bytes]


def sample_documents(seed: int, batch: int, count: int) -> list[SampleDocument]:
    """``count`` documents of one batch. Some contain the same paragraph, as real ones do."""
    rng = random.Random(f"{seed} {batch}")
    quotations = [_paragraph(rng, 6) for _ in range(3)]
    return [_sample_document(rng, f"{batch:03d}-{number:02d}", quotations) for number in range(count)]


def files_in(folder: Path) -> Iterator[SampleDocument]:
    """Every file of a folder, by its path inside the folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _sample_document(rng: random.Random, label: str, quotations: list[str]) -> SampleDocument:
    place = rng.choice(_PLACES)
    title = f"{place} {rng.choice(_NOUNS)} {label}"
    sections = [
        (f"{rng.choice(_NOUNS).title()} at {rng.choice(_PLACES)}", _body(rng, quotations))
        for _ in range(rng.randint(2, 7))
    ]
    match rng.choice(("md", "md", "txt", "html", "csv")):
        case "html":
            inside = "".join(f"<h2>{head}</h2><p>{body}</p>" for head, body in sections)
            text = f"<!doctype html><html lang=en><title>{title}</title><body><h1>{title}</h1>{inside}</body></html>"
            return f"sample-{label}.html", text.encode()
        case "csv":
            rows = [f"{number},{head},{body[:120]}" for number, (head, body) in enumerate(sections * 4)]
            return f"sample-{label}.csv", "\n".join(["number,where,what", *rows]).replace(";", " ").encode()
        case "txt":
            return f"sample-{label}.txt", "\n\n".join([title, *(body for _, body in sections)]).encode()
        case _:
            inside = "\n\n".join(f"## {head}\n\n{body}" for head, body in sections)
            facts = f"Invoice number: INV-{rng.randrange(10_000, 99_999)}\n\n{_facts(rng)}"
            return f"sample-{label}.md", f"# {title}\n\n{facts}\n\n{inside}\n".encode()


def _facts(rng: random.Random) -> str:
    day, month = rng.randint(1, 28), rng.choice(_MONTHS)
    return (
        f"Date: {day} {month} {rng.randint(1990, 2026)}\n\nTotal: {rng.randint(10, 9999)}.50 EUR\n\n"
        f"Contact: keeper{rng.randrange(999)}@example.com"
    )


def _body(rng: random.Random, quotations: list[str]) -> str:
    parts = [_paragraph(rng, rng.randint(3, 14)) for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.3:
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(quotations))
    return "\n\n".join(parts)


def _paragraph(rng: random.Random, sentences: int) -> str:
    return " ".join(
        f"The {rng.choice(_NOUNS)} at {rng.choice(_PLACES)} {rng.choice(_VERBS)} "
        f"{rng.randint(2, 400)} of the {rng.choice(_NOUNS)}s."
        for _ in range(sentences)
    )
