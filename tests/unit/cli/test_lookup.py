"""What an argument of a command names among rows with ids and names."""

from __future__ import annotations

import pytest

from towpath.cli.lookup import unique_id
from towpath.errors import NotFound, UserError

ROWS = [("01a1f1f7-aaaa", "laptop"), ("01a1f1f8-bbbb", "phone"), ("01a1f1f9-cccc", "phone")]


@pytest.mark.parametrize(
    ("text", "found"),
    [("01a1f1f8-bbbb", ROWS[1][0]), ("01A1F1F7", ROWS[0][0]), ("laptop", ROWS[0][0])],
)
def test_an_id_its_beginning_or_a_name_finds_one_row(text: str, found: str) -> None:
    assert unique_id(text, ROWS, "key", "towpath keys list") == found


@pytest.mark.parametrize("text", ["phone", "01a1"])
def test_what_several_rows_match_is_refused_with_their_ids(text: str) -> None:
    with pytest.raises(UserError, match=f"'{text}' is not unique(.|\n)*01a1f1f8-bbbb  phone"):
        unique_id(text, ROWS, "key", "towpath keys list")


@pytest.mark.parametrize("text", ["tablet", "01a", ""])
def test_what_no_row_matches_is_not_found(text: str) -> None:
    with pytest.raises(NotFound, match=r"No key has the id or name .* `towpath keys list` shows all"):
        unique_id(text, ROWS, "key", "towpath keys list")
