"""Function words by script and language, which identify the language of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from towpath.text.stopwords import STOPWORDS

FUNCTION_WORDS: Mapping[str, dict[str, str]] = {
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

# More function words of frequent languages. They separate English from other languages, not these from each other.
_MORE = """
einen einem einer eines kein keine sie wir ihr ihre ihren sein seine seinen seiner war waren sind hat haben hatte
wurde wurden werden kann können muss müssen soll sollte nach aus über unter zwischen durch gegen ohne wenn weil dass
oder aber noch nur schon sehr mehr wie was wer hier dort dann denn doch diese dieser dieses diesem diesen jeder jede
jedes jeden alle allen zum zur vom beim bis seit während damit man
elle elles ils leur leurs son ses mon mes notre nos votre vos cette ces cet aux ont été être avoir fait faire peut
mais donc où comme même aussi très tout tous toute toutes sans sous entre chez vers puis après avant quand dont lui
eux était étaient sera chaque
muy sus les nos esta estos estas ese esa eso son ser está están había han fue era eran hay sin sobre hasta desde
cuando donde también porque quien cada todo todos toda todas otro otra
questo questa questi queste quello quella loro suo sua suoi sue nella nelle negli dalla dalle sulla sulle delle degli
agli alle essere stato erano hanno aveva fra tra senza sotto sopra dopo prima quando dove ogni tutto tutti perché
seu seus suas isto esse essa pela pelo pelos pelas nas também muito onde sem até depois antes estão foram eram têm
dit deze wat wie waar hoe zij wij hij haar hun ons onze mijn werd worden wordt heeft hebben had kan kunnen moet moeten
geen tussen zonder nog wel elke
"""

_ALL = chain(_MORE.split(), *(small.split() for some in FUNCTION_WORDS.values() for small in some.values()))

#: English function words, and those of other languages that are not English. Single letters are ambiguous.
ENGLISH = frozenset(word for word in STOPWORDS.union(FUNCTION_WORDS["latin"]["en"].split()) if word.isascii())
FOREIGN = frozenset(word for word in _ALL if len(word) > 1) - ENGLISH


#: The function words of each language, by its ISO 639-1 code.
BY_LANGUAGE: Mapping[str, frozenset[str]] = {
    code: frozenset(small.split()) | (STOPWORDS if code in ("en", "ru") else frozenset[str]())
    for some in FUNCTION_WORDS.values()
    for code, small in some.items()
}


def is_function_word(word: str, languages: Sequence[str]) -> bool:
    """Whether the lower-case word is a function word of one of the languages; without any, of English."""
    return any(word in BY_LANGUAGE.get(code, ()) for code in languages or ("en",))


def is_english(words: Mapping[str, int]) -> bool:
    """True unless foreign function words outnumber English ones. Input: lower-case word counts."""
    english = sum(map(words.__getitem__, words.keys() & ENGLISH))
    foreign = sum(map(words.__getitem__, words.keys() & FOREIGN))
    if not "".join(words).isascii():
        foreign += sum(count for word, count in words.items() if not word.isascii() and word not in FOREIGN)
    return foreign <= english
