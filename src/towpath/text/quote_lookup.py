"""Finds the words that a chat model cites in the text of a passage or of a document.

Models change blanks, line breaks, quotation marks, dashes and case when they copy a text, and leave out markdown.
Two texts are compared without these; the words between must be equal.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice

from towpath.text.word_tokenizer import fold, is_unsegmented, words

#: A quote needs this many words, or a number: a single common word supports nothing.
MIN_WORDS = 2
#: Quotes of scripts without blanks between words need this many characters.
MIN_CHARACTERS = 3
_ELLIPSIS = re.compile(r"(?:\[\s{0,9})?(?:…|\.\.\.)(?:\s{0,9}\])?")


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Start and end of the quote in the text; None if the text does not have its words in this order.

    Of a quote with an ellipsis, the longest part is found.
    """
    part = _longest_part(quote)
    if not _is_specific(_word_forms(part)):
        return None
    spans = QuoteIndex(text).find_all(part, limit=1)
    return (spans[0][0], _with_closing_sign(text, spans[0][1])) if spans else None


class QuoteIndex:
    """The words of one text, in which many quotes are looked up."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = list(words(text))
        self._forms = [_form(word) for word, _, _ in self._words]
        self._positions: dict[str, list[int]] = {}
        for position, form in enumerate(self._forms):
            self._positions.setdefault(form, []).append(position)

    def find_all(self, quote: str, *, limit: int = 1000) -> list[tuple[int, int]]:
        """Start and end of each place with the words of the quote in this order, also of a single word."""
        quote = _longest_part(quote)
        wanted = _word_forms(quote)
        if not wanted:
            return self._find_signs(quote.strip(), limit)
        length = len(wanted)
        spans: list[tuple[int, int]] = []
        for index in self._positions.get(wanted[0], ()):
            if self._forms[index : index + length] == wanted:
                spans.append((self._words[index][1], self._words[index + length - 1][2]))
                if len(spans) == limit:
                    break
        if not spans and any(is_unsegmented(form) for form in wanted):
            found = _find_characters("".join(wanted), self._text)
            return [found] if found else []
        return spans

    def _find_signs(self, signs: str, limit: int) -> list[tuple[int, int]]:
        """A quote without a word, such as a currency sign."""
        if not signs:
            return []
        found = islice(re.finditer(re.escape(signs), self._text), limit)
        return [(match.start(), match.end()) for match in found]


def _longest_part(quote: str) -> str:
    return max(_ELLIPSIS.split(quote), key=len)


def _word_forms(text: str) -> list[str]:
    return [_form(word) for word, _, _ in words(unicodedata.normalize("NFC", text))]


def _form(word: str) -> str:
    return fold(unicodedata.normalize("NFC", word))


def _is_specific(forms: list[str]) -> bool:
    if any(character.isdigit() for form in forms for character in form):
        return True
    if any(is_unsegmented(form) and len(form) >= MIN_CHARACTERS for form in forms):
        return True
    return len(forms) >= MIN_WORDS


def _find_characters(wanted: str, text: str) -> tuple[int, int] | None:
    """In a script without blanks between words, a quote may begin and end inside a run of characters."""
    letters = [(folded, index) for index, sign in enumerate(text) if sign.isalnum() for folded in _form(sign)]
    start = "".join(folded for folded, _ in letters).find(wanted)
    if start < 0:
        return None
    return letters[start][1], letters[start + len(wanted) - 1][1] + 1


def _with_closing_sign(text: str, end: int) -> int:
    """The end with the sign that closes the sentence, if it follows at once."""
    return end + 1 if text[end : end + 1] in tuple(".!?。！？%") else end
