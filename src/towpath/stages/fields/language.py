"""Guesses the language of a text by its script, and among the languages of one script by small words."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

#: Four slices of this many characters are read, spread over the text.
SLICE = 5000

_SCRIPTS = {
    "latin": "A-Za-zÀ-ɏẠ-ỹ",
    "cyrillic": "Ѐ-ӿ",
    "el": "Ͱ-Ͽἀ-῿",
    "he": "֐-׿",
    "arabic": "؀-ۿ",
    "hi": "ऀ-ॿ",
    "th": "฀-๿",
    "ko": "가-힣",
    "kana": "぀-ヿ",
    "han": "㐀-鿿",
}
_COUNTED = {name: re.compile(f"[{letters}]") for name, letters in _SCRIPTS.items()}
_WORD = re.compile(r"[^\W\d_]+")

_SMALL_WORDS = {
    "latin": {
        "en": "the of and to in is that for it with as was on are be this by have from not or which at but",
        "de": "der die und das ist nicht ein eine den von mit zu im für auf sich des dem auch wird als bei",
        "fr": "le la les des et est dans que pour une du qui pas sur au avec ce sont par plus ne vous nous",
        "es": "el la los las de que y en un una por con para es se del no al lo como más su pero este",
        "it": "il di che la per un non è una del con sono della le dei si alla nel gli come più anche da lo",
        "pt": "o a os de que e do da em um para é com não uma no na por mais dos como mas foi ao das são",
        "nl": "de het een van en is dat op te in voor met zijn niet aan er om ook als bij maar door naar",
        "sv": "och att det som en på är av för med den till inte har de om ett men jag från vi kan så när",
        "da": "og at det som en på er af for med den til ikke har de om et men jeg fra vi kan også hvad blev",
        "no": "og at det som en på er av for med den til ikke har de om et men jeg fra vi kan også hva ble",
        "fi": "ja on ei se että oli hän mutta ovat tai myös kun niin joka ole sen jos kuin hänen voi mitä",
        "pl": "i w nie na się z do to że jest o jak od za po dla przez oraz są ale co tak tego ich może",
        "cs": "a se v na je že to s z do o jako za po pro jsou nebo ale byl jeho podle při není který však",
        "sk": "a sa v na je že to s z do o ako za po pre sú alebo ale bol jeho podľa pri nie ktorý však",
        "hu": "a az és hogy nem is egy ez van de meg volt csak már mint vagy lehet kell azt még ki be el",
        "ro": "și în de la a cu pe nu este care din se că un o pentru mai sunt sau fi prin acest sa al",
        "tr": "ve bir bu da de için ile çok ne daha gibi olarak var olan kadar sonra ama o ben değil en mi",
        "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena ada oleh atau",
        "vi": "và của là có không được cho một trong các những người với này đã để khi từ về như",
    },
    "cyrillic": {
        "ru": "и в не на что с по это как от для к из он за но мы или так же все было его при если",
        "uk": "і в не на що з до це як від для та за але ми або так же все було його при якщо є із",
        "bg": "и в не на че с по това как от за до се да са но или така които при беше ще е",
        "sr": "и у не на да се са је за од што као по или али су ово који би при није",
    },
    "arabic": {
        "ar": "في من على إلى أن هذا التي الذي عن مع ما كان لا هذه كل بعد أو ذلك بين",
        "fa": "در از که به را این با است برای آن یک می شود تا بر های کرد شد هم خود",
    },
}


class Guess(NamedTuple):
    code: str
    confidence: float


def guess_language(text: str) -> Guess | None:
    """The ISO 639-1 code of the text's main language; None when there is too little to go by."""
    sample = _sample(text)
    letters = Counter({name: len(counted.findall(sample)) for name, counted in _COUNTED.items()})
    total = letters.total()
    if total == 0:
        return None
    # A Chinese or Japanese character says as much as three letters.
    letters["han"] *= 3
    letters["kana"] *= 3
    script, count = letters.most_common(1)[0]
    share = count / letters.total()
    if script in ("han", "kana"):
        japanese = letters["kana"] > 0.1 * letters["han"]
        return Guess("ja" if japanese else "zh", round(min(0.98, share), 2))
    if script in _SMALL_WORDS:
        return _among(_SMALL_WORDS[script], sample)
    return Guess(script, round(min(0.98, share), 2))


def _sample(text: str) -> str:
    if len(text) <= 4 * SLICE:
        return text
    step = (len(text) - SLICE) // 3
    return "\n".join(text[at : at + SLICE] for at in range(0, len(text), step))


def _among(languages: dict[str, str], sample: str) -> Guess | None:
    seen = Counter(_WORD.findall(sample.lower()))
    scores: dict[str, float] = dict.fromkeys(languages, 0.0)
    for code, small in languages.items():
        for word in small.split():
            # Words that many of these languages share say little about which it is.
            scores[code] += seen[word] / _SHARED[word]
    (best, most), (_, second) = sorted(scores.items(), key=lambda item: -item[1])[:2]
    if not most:
        return None
    evidence = min(1.0, most / 5) * min(1.0, 10 * most / seen.total())
    return Guess(best, round(min(0.99, 0.3 + 0.69 * evidence * (most - second) / most), 2))


_SHARED = Counter(
    word for languages in _SMALL_WORDS.values() for small in languages.values() for word in small.split()
)
