"""Builds one regular expression from a text that lists labels, separated by line ends or two blanks."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"(?:number|nummer|numéro|numero|número|num|nro|nr|no|n\.?[°º]|№|#|id)"


def labels_anywhere(labels: str) -> re.Pattern[str]:
    """Matches any of these labels; ``<number>`` is the word "number" in several languages."""
    return re.compile("|".join(f"(?:{label})" for label in _split(labels)), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LowerCaseLabels:
    """Labels that are searched in the text in lower case: three times as fast as a pattern that ignores case."""

    pattern: re.Pattern[str]

    def search(self, text: str) -> re.Match[str] | None:
        """The first label; its place is that in the text in lower case."""
        return self.pattern.search(text.lower())


def labels_in_lower_case(labels: str) -> LowerCaseLabels:
    """Finds any of these labels anywhere; they must be given in lower case."""
    return LowerCaseLabels(re.compile("|".join(f"(?:{label})" for label in _split(labels))))


def labels_at_word_start(labels: str) -> re.Pattern[str]:
    """The same at the beginning of a word only: "Ursprungsbeleg-Nr" is not "Beleg-Nr"."""
    return re.compile(rf"(?<![^\W\d_])(?<![^\W\d_]-)(?:{'|'.join(_split(labels))})", re.IGNORECASE)


def _split(labels: str) -> list[str]:
    return [label.replace("<number>", _NUMBER) for label in re.split(r"\n\s*| {2,}", labels) if label.strip()]
