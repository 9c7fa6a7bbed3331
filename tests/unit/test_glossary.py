"""Public names consist of the words of docs/reference/glossary.md; public sentences use no synonym of such a word."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from tests.support import public_names as public
from tests.unit.test_names import retired_names

GLOSSARY = public.ROOT / "docs" / "reference" / "glossary.md"

#: Words of names that need no definition: prepositions, times, units, and terms that every program has.
COMMON = frozenset(
    """
    after at available base by bytes check commit complete completion config count create created days duration end
    ended endpoint expired first foreign
    format from grace hash host http id ids items joined keep last level list listen log longest max mb media memory
    minute model more ms name new next of offset oldest on open options owner pause per pid port prefix q reason revoke
    revoked rerun running scale scheduler schema seconds seen serve show shutdown since size start started sum text
    time total towpath type until updated url used value version without violations api stt features office
    """.split()
)

#: Words that public sentences do not use, with the word of the glossary for the same thing.
SYNONYMS = {
    r"postpone\w*|put aside": "suspend",
    r"(?<!for )pieces?": "chunk",
    r"rungs?": "stage",
    r"claimable": "due",
    r"extend\w* (?:the|its|their|a) leases?|extend\w* leases?": "renew",
    r"waves? of documents|documents per wave": "batch",
    r"remembered (?:answer|result)s?|remembered for": "cached, stored",
    r"unsupported_sound": "unsupported_audio",
    r"to blame|blame": "crash, suspect",
    r"tenants?": "organization",
}

KINDS = {
    "tables": public.table_names,
    "columns": public.column_names,
    "endpoints": public.endpoint_names,
    "API fields": public.api_field_names,
    "settings": public.setting_names,
    "events": public.event_names,
    "metrics": public.metric_names,
    "commands": lambda: {name for name, _ in public.commands()},
}


@cache
def glossary_words() -> frozenset[str]:
    """The words of the first column, and those that a meaning shows as code."""
    words: set[str] = set()
    for line in GLOSSARY.read_text("utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| word "):
            term, meaning = line.strip("| ").split(" | ", 1)
            words.update(re.findall(r"[a-z0-9]+", term.lower()))
            for code in re.findall(r"`([^`]+)`", meaning):
                words.update(re.findall(r"[a-z0-9]+", code.lower()))
    return frozenset(words)


def _is_defined(word: str) -> bool:
    """Whether the glossary or the common words have the word, or the word it is inflected from."""
    known = glossary_words() | COMMON
    stems = {word, f"{word}s"}
    for ending in ("s", "es", "ed", "d", "ing", "able"):
        stem = word.removesuffix(ending)
        stems |= {stem, f"{stem}e"}
        if len(stem) > 3 and stem[-1] == stem[-2]:
            stems.add(stem[:-1])
    for ending in ("ies", "ied"):
        stems.add(f"{word.removesuffix(ending)}y")
    return bool(stems & known)


@pytest.mark.parametrize("kind", KINDS)
def test_public_names_consist_of_words_of_the_glossary(kind: str) -> None:
    unknown = {
        name: word
        for name in sorted(KINDS[kind]())
        for word in re.split(r"[_\s\-./]+", name.lower())
        if word and not _is_defined(word)
    }
    assert not unknown, f"define these words in {GLOSSARY.name}, or use its words: {unknown}"


@pytest.mark.parametrize("kind", KINDS)
def test_public_names_are_not_retired(kind: str) -> None:
    assert not set(retired_names()) & KINDS[kind]()


def _sentences() -> dict[str, str]:
    """The texts that users read, by where they are: pages, descriptions of the API, command help, and the web page."""
    files = [public.ROOT / name for name in ("README.md", "ARCHITECTURE.md")]
    files += sorted((public.ROOT / "docs").rglob("*.md"))
    files += [
        file
        for file in sorted((public.ROOT / "ui" / "src").rglob("*.ts*"))
        if not file.stem.endswith(".test") and file.name != "schema.ts"
    ]
    texts = {file.relative_to(public.ROOT).as_posix(): file.read_text("utf-8") for file in files}
    return texts | dict(public.command_help()) | {"the API": json.dumps(public.api_document())}


@pytest.mark.parametrize("synonym", SYNONYMS)
def test_public_sentences_use_the_words_of_the_glossary(synonym: str) -> None:
    pattern = re.compile(rf"(?<!\w)(?:{synonym})(?!\w)", re.IGNORECASE)
    uses = {where: match[0] for where, text in _sentences().items() if (match := pattern.search(text))}
    assert not uses, f"say {SYNONYMS[synonym]!r} instead: {uses}"


def test_every_term_is_defined_once() -> None:
    terms = [
        line.strip("| ").split(" | ", 1)[0]
        for line in GLOSSARY.read_text("utf-8").splitlines()
        if line.startswith("| ") and not line.startswith("| word ")
    ]
    assert len(terms) > 60
    assert len(set(terms)) == len(terms)
