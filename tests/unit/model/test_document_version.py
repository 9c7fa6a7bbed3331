"""Keys of documents, and the version in the options of a run."""

from __future__ import annotations

import pytest

from towpath.errors import UserError
from towpath.model.document_version import MAX_KEY_LENGTH, clean_key, version_of, with_version


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        ("", None),
        ("  ", None),
        (" a/b.md ", "a/b.md"),
        ("Cafe\u0301.md", "Caf\u00e9.md"),
        ("x" * MAX_KEY_LENGTH, "x" * MAX_KEY_LENGTH),
    ],
)
def test_a_key_is_trimmed_and_normalized(given: str | None, expected: str | None) -> None:
    assert clean_key(given) == expected


@pytest.mark.parametrize("given", ["a\x00b", "a\nb", "x" * (MAX_KEY_LENGTH + 1)])
def test_a_key_with_control_characters_or_too_many_characters_is_refused(given: str) -> None:
    with pytest.raises(UserError):
        clean_key(given)


def test_options_without_a_version_are_of_the_first_one() -> None:
    assert version_of({}) == 1
    options = {"document": {"name": "a.md", "blob_key": "old"}}
    assert with_version(options, 1, "new") == {"document": {"name": "a.md", "blob_key": "new"}}
    assert version_of(with_version(options, 3, "new")) == 3
