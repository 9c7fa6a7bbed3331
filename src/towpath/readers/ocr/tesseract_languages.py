"""Chooses Tesseract's languages for a text by its script and its language."""

from __future__ import annotations

from collections.abc import Iterable

from towpath.text.language_detection import detect_language

#: Tesseract's code, the code of ISO 639-1, the English name, and the script.
LANGUAGES: tuple[tuple[str, str, str, str], ...] = (
    ("eng", "en", "English", "Latin"),
    ("deu", "de", "German", "Latin"),
    ("fra", "fr", "French", "Latin"),
    ("spa", "es", "Spanish", "Latin"),
    ("ita", "it", "Italian", "Latin"),
    ("por", "pt", "Portuguese", "Latin"),
    ("nld", "nl", "Dutch", "Latin"),
    ("swe", "sv", "Swedish", "Latin"),
    ("dan", "da", "Danish", "Latin"),
    ("nor", "no", "Norwegian", "Latin"),
    ("fin", "fi", "Finnish", "Latin"),
    ("pol", "pl", "Polish", "Latin"),
    ("ces", "cs", "Czech", "Latin"),
    ("slk", "sk", "Slovak", "Latin"),
    ("hun", "hu", "Hungarian", "Latin"),
    ("ron", "ro", "Romanian", "Latin"),
    ("tur", "tr", "Turkish", "Latin"),
    ("ind", "id", "Indonesian", "Latin"),
    ("msa", "ms", "Malay", "Latin"),
    ("vie", "vi", "Vietnamese", "Latin"),
    ("ell", "el", "Greek", "Greek"),
    ("rus", "ru", "Russian", "Cyrillic"),
    ("ukr", "uk", "Ukrainian", "Cyrillic"),
    ("bul", "bg", "Bulgarian", "Cyrillic"),
    ("srp", "sr", "Serbian", "Cyrillic"),
    ("ara", "ar", "Arabic", "Arabic"),
    ("fas", "fa", "Persian", "Arabic"),
    ("heb", "he", "Hebrew", "Hebrew"),
    ("hin", "hi", "Hindi", "Devanagari"),
    ("tha", "th", "Thai", "Thai"),
    ("kor", "ko", "Korean", "Hangul"),
    ("jpn", "ja", "Japanese", "Han"),
    ("chi_sim", "zh", "Chinese (simplified)", "Han"),
    ("chi_tra", "zh", "Chinese (traditional)", "Han"),
)
_SCRIPT_OF = {code: script for code, _, _, script in LANGUAGES}
_CODE_OF = {iso: code for code, iso, _, _ in reversed(LANGUAGES)}
#: Scripts that the models of RapidOCR know.
RAPIDOCR_SCRIPTS = frozenset(("Latin", "Greek", "Han"))
_MIN_CONFIDENCE = 0.8


def script_of(code: str) -> str:
    """The script of a language by Tesseract's code; languages that are not listed count as Latin."""
    return _SCRIPT_OF.get(code.split("_")[0] if code not in _SCRIPT_OF else code, "Latin")


def one_per_script(installed: Iterable[str]) -> list[tuple[str, ...]]:
    """For each script the languages that read a page of unknown language in it; Latin first."""
    by_script: dict[str, list[str]] = {}
    for code in installed:
        by_script.setdefault(script_of(code), []).append(code)
    return [
        tuple(codes[:1]) if script == "Latin" else tuple(codes[:2])
        for script, codes in sorted(by_script.items(), key=lambda item: item[0] != "Latin")
    ]


def language_of(text: str) -> str | None:
    """Tesseract's code of the language of the text; None if it is not sure."""
    guess = detect_language(text)
    return _CODE_OF.get(guess.code) if guess is not None and guess.confidence >= _MIN_CONFIDENCE else None
