"""Documents for the drill: invented, in several formats, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

_NOUNS = "lock gate sluice barge keeper rope winch basin weir towpath ledger toll bridge tunnel wharf".split()
_VERBS = "opens lifts counts repairs draws closes measures inspects pays signs stores weighs".split()
_PLACES = "Braunston Foxton Caen Neptune Bingley Grindley Stoke Hatton Tring Marple Tardebigge".split()
_MONTHS = "January March April June August October November".split()

Paper = tuple[str, bytes]


def papers(seed: int, wave: int, count: int) -> list[Paper]:
    """So many documents of one wave. Some quote the same passage, as real ones do."""
    chance = random.Random(f"{seed} {wave}")
    quotations = [_paragraph(chance, 6) for _ in range(3)]
    return [_paper(chance, f"{wave:03d}-{number:02d}", quotations) for number in range(count)]


def files_in(folder: Path) -> Iterator[Paper]:
    """Every file of a folder of somebody's own, by its path inside it."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _paper(chance: random.Random, label: str, quotations: list[str]) -> Paper:
    place = chance.choice(_PLACES)
    title = f"{place} {chance.choice(_NOUNS)} {label}"
    sections = [
        (f"{chance.choice(_NOUNS).title()} at {chance.choice(_PLACES)}", _body(chance, quotations))
        for _ in range(chance.randint(2, 7))
    ]
    match chance.choice(("md", "md", "txt", "html", "csv")):
        case "html":
            inside = "".join(f"<h2>{head}</h2><p>{body}</p>" for head, body in sections)
            text = f"<!doctype html><html lang=en><title>{title}</title><body><h1>{title}</h1>{inside}</body></html>"
            return f"paper-{label}.html", text.encode()
        case "csv":
            rows = [f"{number},{head},{body[:120]}" for number, (head, body) in enumerate(sections * 4)]
            return f"paper-{label}.csv", "\n".join(["number,where,what", *rows]).replace(";", " ").encode()
        case "txt":
            return f"paper-{label}.txt", "\n\n".join([title, *(body for _, body in sections)]).encode()
        case _:
            inside = "\n\n".join(f"## {head}\n\n{body}" for head, body in sections)
            facts = f"Invoice number: INV-{chance.randrange(10_000, 99_999)}\n\n{_facts(chance)}"
            return f"paper-{label}.md", f"# {title}\n\n{facts}\n\n{inside}\n".encode()


def _facts(chance: random.Random) -> str:
    day, month = chance.randint(1, 28), chance.choice(_MONTHS)
    return (
        f"Date: {day} {month} {chance.randint(1990, 2026)}\n\nTotal: {chance.randint(10, 9999)}.50 EUR\n\n"
        f"Contact: keeper{chance.randrange(999)}@example.com"
    )


def _body(chance: random.Random, quotations: list[str]) -> str:
    parts = [_paragraph(chance, chance.randint(3, 14)) for _ in range(chance.randint(1, 4))]
    if chance.random() < 0.3:
        parts.insert(chance.randrange(len(parts) + 1), chance.choice(quotations))
    return "\n\n".join(parts)


def _paragraph(chance: random.Random, sentences: int) -> str:
    return " ".join(
        f"The {chance.choice(_NOUNS)} at {chance.choice(_PLACES)} {chance.choice(_VERBS)} "
        f"{chance.randint(2, 400)} of the {chance.choice(_NOUNS)}s."
        for _ in range(sentences)
    )
