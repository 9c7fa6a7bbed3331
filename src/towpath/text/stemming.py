"""Stems English and Russian words, so that "invoices" finds and highlights "invoice".

English is Porter's algorithm, which SQLite's full-text index also applies; Russian is Snowball's, which
Postgres applies. Words of other languages are only folded.
"""

from __future__ import annotations

import re
from functools import lru_cache

from towpath.text.scripts import fold


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    folded = fold(word)
    if folded.isascii():
        return _english(folded) if folded.isalpha() else folded
    return _russian(folded) if is_cyrillic(folded) else folded


def is_cyrillic(word: str) -> bool:
    return all("а" <= letter <= "я" for letter in word)


# English (Porter). The measure of a word is the number of vowel-consonant sequences in it.

_VOWEL_CONSONANT = re.compile("v+c+")
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("abli", "able"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_DERIVATIONAL_ENDINGS = "ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou"
_STEP_4 = tuple((ending, "") for ending in _DERIVATIONAL_ENDINGS.split())


def _english(word: str) -> str:
    if len(word) <= 2:
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and "v" in _vowel_pattern(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(word, _STEP_2, above=0)
    word = _replace(word, _STEP_3, above=0)
    word = _strip_derivational_ending(word)
    return _strip_final_e_and_l(word)


def _vowel_pattern(word: str) -> str:
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    return len(_VOWEL_CONSONANT.findall(_vowel_pattern(word)))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        short = word.removesuffix(ending)
        if short == word:
            continue
        if "v" not in _vowel_pattern(short):
            return word
        if short.endswith(("at", "bl", "iz")):
            return short + "e"
        if _ends_in_double_consonant(short) and short[-1] not in "lsz":
            return short[:-1]
        return short + "e" if _measure(short) == 1 and _ends_short(short) else short
    return word


def _ends_in_double_consonant(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _vowel_pattern(word)[-1] == "c"


def _ends_short(word: str) -> bool:
    return _vowel_pattern(word).endswith("cvc") and word[-1] not in "wxy"


def _replace(word: str, endings: tuple[tuple[str, str], ...], above: int) -> str:
    for ending, instead in endings:
        if word.endswith(ending):
            short = word[: -len(ending)]
            return short + instead if _measure(short) > above else word
    return word


def _strip_derivational_ending(word: str) -> str:
    if word.endswith(("sion", "tion")):
        return word[:-3] if _measure(word[:-3]) > 1 else word
    return _replace(word, _STEP_4, above=1)


def _strip_final_e_and_l(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


# Russian (Snowball). Endings are removed after the first vowel only.

_VOWELS = "аеиоуыэюя"
_FIRST_VOWEL = re.compile(f"^[^{_VOWELS}]*[{_VOWELS}]")
_SECOND_REGION = re.compile(f"^.*?[{_VOWELS}][^{_VOWELS}].*?[{_VOWELS}][^{_VOWELS}]")
_GERUND = re.compile("(?:(?<=[ая])(?:вшись|вши|в)|(?:ив|ыв)(?:шись|ши)?)$")
_REFLEXIVE = re.compile("(?:ся|сь)$")
_ADJECTIVE = re.compile(
    "(?:(?:(?<=[ая])(?:ем|нн|вш|ющ|щ)|ивш|ывш|ующ)?"
    "(?:ее|ие|ые|ое|ими|ыми|ей|ий|ый|ой|ем|им|ым|ом|его|ого|ему|ому|их|ых|ую|юю|ая|яя|ою|ею))$"
)
_VERB = re.compile(
    "(?:(?<=[ая])(?:ла|на|ете|йте|ли|й|л|ем|н|ло|но|ет|ют|ны|ть|ешь|нно)"
    "|ила|ыла|ена|ейте|уйте|ите|или|ыли|ей|уй|ил|ыл|им|ым|ен|ило|ыло|ено|ят|ует|уют|ит|ыт|ены|ить|ыть|ишь|ую|ю)$"
)
_NOUN = re.compile(
    "(?:а|ев|ов|ие|ье|е|иями|ями|ами|еи|ии|и|ией|ей|ой|ий|й|иям|ям|ием|ем|ам|ом|о|у|ах|иях|ях|ы|ь|ию|ью|ю|ия|ья|я)$"
)
_DERIVATIONAL = re.compile("(?:ость|ост)$")
_SUPERLATIVE = re.compile("ейше?$")


def _russian(word: str) -> str:
    head = _FIRST_VOWEL.match(word)
    if not head:
        return word
    start = head.group()
    short = start + _strip_inflection(start, word[head.end() :]).removesuffix("и")
    second = _SECOND_REGION.match(short)
    quality = _DERIVATIONAL.search(short, second.end()) if second else None
    short = _SUPERLATIVE.sub("", short[: quality.start()] if quality else short)
    return short[:-1] if short.endswith(("нн", "ь")) else short


def _strip_inflection(start: str, rest: str) -> str:
    # The letter before an ending may be the first vowel itself.
    whole = start[-1] + rest
    cut = _GERUND.sub("", whole)
    if cut == whole:
        whole = _REFLEXIVE.sub("", whole)
        for kind in (_ADJECTIVE, _VERB, _NOUN):
            cut = kind.sub("", whole)
            if cut != whole:
                break
    return cut[1:] if cut else rest
