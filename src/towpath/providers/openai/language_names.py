"""Converts the names of languages that transcription servers return to language codes."""

from __future__ import annotations

_NAMES = (
    "en english zh chinese de german es spanish ru russian ko korean fr french ja japanese pt portuguese tr turkish "
    "pl polish ca catalan nl dutch ar arabic sv swedish it italian id indonesian hi hindi fi finnish vi vietnamese "
    "he hebrew uk ukrainian el greek ms malay cs czech ro romanian da danish hu hungarian ta tamil no norwegian "
    "th thai ur urdu hr croatian bg bulgarian lt lithuanian la latin mi maori ml malayalam cy welsh sk slovak "
    "te telugu fa persian lv latvian bn bengali sr serbian az azerbaijani sl slovenian kn kannada et estonian "
    "mk macedonian br breton eu basque is icelandic hy armenian ne nepali mn mongolian bs bosnian kk kazakh "
    "sq albanian sw swahili gl galician mr marathi pa punjabi si sinhala km khmer sn shona yo yoruba so somali "
    "af afrikaans oc occitan ka georgian be belarusian tg tajik sd sindhi gu gujarati am amharic yi yiddish lo lao "
    "uz uzbek fo faroese ps pashto tk turkmen nn nynorsk mt maltese sa sanskrit lb luxembourgish my myanmar "
    "bo tibetan tl tagalog mg malagasy as assamese tt tatar haw hawaiian ln lingala ha hausa ba bashkir jw javanese "
    "su sundanese yue cantonese"
).split()
_CODES = dict(zip(_NAMES[1::2], _NAMES[::2], strict=True)) | {"haitian creole": "ht"}
_KNOWN = frozenset(_CODES.values())


def language_code(name: str | None) -> str | None:
    """The code of a language from its English name or its code; None if it is not known."""
    if not name:
        return None
    lowered = name.strip().lower()
    code = _CODES.get(lowered, lowered.partition("-")[0])
    return code if code in _KNOWN else None
