"""Phrases of promises, introductions, months and weekdays in the languages that the local analyzer knows.

A language that is not listed here gets questions and numbers only: nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_EN_VERBS = (
    "send call check look get follow update confirm forward arrange book schedule make prepare share write email mail "
    "let take fix pay deliver order contact ask find transfer investigate review bring provide create open issue "
    "refund process put ring give pass speak talk come do finish submit replace ship come back reply report cancel"
).split()

#: A verb in the first person that announces something the speaker will do.
_PROMISES: dict[str, str] = {
    "en": (
        rf"\b(?:i|we)(?:['’]ll| will| shall|['’]m going to| am going to|['’]re going to| are going to)"
        rf"(?: (?:also|then|just|definitely|certainly|personally|now|try to|go and|go ahead and))?"
        rf" (?:{'|'.join(sorted(set(_EN_VERBS)))})\b|\b(?:i|we) promise\b"
    ),
    "de": (
        r"\b(?:ich|wir) (?:werde|werden)\b(?!.*\bnicht\b)|\b(?:schicke|sende|maile|rufe|melde|prüfe|kläre|gebe|"
        r"bestätige|überweise|kümmere|veranlasse|leite|reiche) (?:ich|mich|Ihnen|dir|es|das|den|die)\b|"
        r"\b(?:ich|wir) (?:schicke|sende|maile|rufe|melde|prüfe|kläre|bestätige|überweise|kümmere|veranlasse|leite|"
        r"schicken|senden|rufen|melden|prüfen|klären|bestätigen|überweisen|kümmern|veranlassen|leiten)\b"
    ),
    "fr": (
        r"\bje (?:vous |te |le |la |les |lui |leur |vais |m['’]en |m['’])+(?:envoie|envoyer|rappelle|rappeler|occupe|"
        r"occuper|vérifie|vérifier|confirme|confirmer|transmets|transmettre|tiens|tenir|faire|prépare|préparer|régler)\b|"
        r"\bje (?:vous |te )?(?:\w+erai|ferai|enverrai|reviendrai|tiendrai)\b|\bnous (?:vous )?(?:\w+erons|ferons)\b"
    ),
    "es": (
        r"\b(?:le|te|les|os|lo|la|me)? ?(?:voy|vamos) a (?:enviar|mandar|llamar|revisar|confirmar|preparar|hacer|mirar|"
        r"avisar|consultar|comprobar|pasar|dar)\w*\b|\b(?:enviaré|mandaré|llamaré|revisaré|confirmaré|prepararé|haré|"
        r"avisaré|consultaré|comprobaré|enviaremos|llamaremos|haremos)\b"
    ),
    "it": (
        r"\b(?:le|ti|vi|lo|la)? ?(?:invierò|manderò|chiamerò|richiamerò|controllerò|verificherò|confermerò|preparerò|"
        r"farò|avviserò|invieremo|chiameremo|faremo)\b|\b(?:le|ti|vi) (?:invio|mando|richiamo|confermo|faccio sapere)\b"
    ),
    "pt": (
        r"\b(?:eu )?(?:vou|vamos) (?:lhe |te )?(?:enviar|mandar|ligar|verificar|confirmar|preparar|fazer|ver|avisar)\b|"
        r"\b(?:enviarei|ligarei|verificarei|confirmarei|farei|avisarei)\b"
    ),
    "nl": r"\b(?:ik|we|wij) (?:zal|zullen|ga|gaan|stuur|bel|mail|regel|controleer|bevestig|laat)\b",
    "ru": (
        r"\b(?:отправлю|пришлю|вышлю|перезвоню|позвоню|проверю|уточню|сделаю|подготовлю|свяжусь|оформлю|передам|"
        r"напишу|отправим|пришлём|пришлем|вышлем|перезвоним|проверим|уточним|сделаем|подготовим|свяжемся)\b"
    ),
}
#: What precedes the name of a person.
_INTRODUCTIONS: dict[str, str] = {
    "en": r"my name(?:['’]s| is)|this is(?= [A-Z]\w+ (?:speaking|calling|from))|Mr\.?|Mrs\.?|Ms\.?|Dr\.?|Miss",
    "de": r"mein Name ist|ich heiße|Herrn?|Frau|Dr\.",
    "fr": r"je m['’]appelle|mon nom est|Monsieur|Madame|Mademoiselle",
    "es": r"me llamo|mi nombre es|[Ss]eñora?|[Dd]on|[Dd]oña",
    "it": r"mi chiamo|il mio nome è|[Ss]ignora?|[Ss]ignor",
    "pt": r"meu nome é|me chamo|[Ss]enhora?",
    "nl": r"mijn naam is|ik heet|[Mm]eneer|[Mm]evrouw",
    "ru": r"меня зовут|моё имя|господин|госпожа",
}
_MONTHS: dict[str, str] = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
_DAYS: dict[str, str] = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday tomorrow tonight yesterday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonnabend Sonntag übermorgen gestern",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche demain hier",
    "es": "lunes martes miércoles jueves viernes sábado domingo ayer",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica domani ieri",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo amanhã ontem",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag morgen overmorgen gisteren",
    "ru": "понедельник вторник среду четверг пятницу субботу воскресенье завтра послезавтра вчера",
}
_NAME = r"[^\W\d_a-zà-ÿа-я][\w'’-]+(?: [^\W\d_a-zà-ÿа-я][\w'’-]+){0,2}"
_YEAR = r"(?:,? (?:of |de |del )?\d{4})?"


@dataclass(frozen=True, slots=True)
class Phrases:
    """The expressions of one language; None for what the language does not have here."""

    promise: re.Pattern[str] | None
    name: re.Pattern[str] | None
    date: re.Pattern[str]


_ISO_DATE = r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"


@cache
def phrases(language: str | None) -> Phrases:
    """The phrases of a language; of none but the numeric dates for a language that is not listed."""
    if language not in _MONTHS:
        return Phrases(None, None, re.compile(_ISO_DATE))
    months, days = "|".join(_MONTHS[language].split()), "|".join(_DAYS[language].split())
    ordinal = r"(?:st|nd|rd|th|\.|º|er)?"
    date = (
        rf"{_ISO_DATE}|\b(?:{months}) \d{{1,2}}{ordinal}{_YEAR}(?![\d:])|"
        rf"\b\d{{1,2}}{ordinal} (?:of |de |d['’])?(?:{months}){_YEAR}\b|\b(?:{days})\b"
    )
    return Phrases(
        re.compile(_PROMISES[language], re.IGNORECASE),
        re.compile(rf"(?:^|(?<=\W))(?:{_INTRODUCTIONS[language]})\s+({_NAME})"),
        re.compile(date, 0 if language in ("en", "de") else re.IGNORECASE),
    )
