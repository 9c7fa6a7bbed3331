"""Special terms of the word index that mark properties of a chunk; each begins with a control character.

They are ordinary postings, so that merging segments, deleting documents and both engines need no other code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from towpath.text.stemming import lower_case
from towpath.text.word_tokenizer import is_unsegmented, word_list

#: Before a word as it is written, in lower case, at the first chunk of each document that has it.
WRITTEN = "\x02"
#: At each chunk that is a table of contents or an index.
CONTENTS = "\x03"
#: Before the file name or title of a document without separators, at its first chunk.
NAME = "\x04"

#: Words of other lengths are not suggested.
MIN_WORD_LENGTH, MAX_WORD_LENGTH = 3, 40
MAX_NAME_LENGTH = 120

_SEPARATORS = re.compile(r"[\W_]+")


def written_words(texts: Sequence[str], language: str | None) -> set[str]:
    """The words of texts as they are written, in lower case: those that a person could have meant."""
    found = {word for text in texts for word in word_list(text)}
    return {
        lower
        for word in found
        if MIN_WORD_LENGTH <= len(word) <= MAX_WORD_LENGTH
        and (lower := lower_case(word, language)).isalpha()
        and not is_unsegmented(word)
    }


def name_marker(text: str) -> str:
    """The marker of a document's name, however its separators are written."""
    return NAME + lower_case(_SEPARATORS.sub("", text))[:MAX_NAME_LENGTH]


def name_markers(names: Sequence[str]) -> Iterator[str]:
    """The markers of names, also of file names without their suffix."""
    for name in names:
        yield name_marker(name)
        stem = PurePosixPath(name).stem
        if stem != name:
            yield name_marker(stem)
