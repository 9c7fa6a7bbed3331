"""The head of an error answer: bounded, one line, without keys."""

from __future__ import annotations

import pytest

from towpath.providers.error_response_body import MAX_CHARACTERS, body_head


def test_a_short_body_is_kept() -> None:
    assert body_head(b'{"error": "batch size 64 > maximum 32"}') == '{"error": "batch size 64 > maximum 32"}'


def test_a_long_page_is_cut_and_put_on_one_line() -> None:
    head = body_head("<html>\n\n<title>Bad\tGateway</title>\x00" + "x" * 100_000)
    assert head.startswith("<html> <title>Bad Gateway</title> xxx")
    assert len(head) == MAX_CHARACTERS + 1


@pytest.mark.parametrize(
    "body",
    [
        "Authorization: Bearer hunter2-hunter2-hunter2",
        "Incorrect key sk-hunter2hunter2 given",
        '{"api_key": "hunter2hunter2"}',
        "https://host/blob?sv=1&sig=hunter2%2Fhunter2&se=2",
        "the header was Api-Key hunter2hunter2",
    ],
)
def test_what_looks_like_a_key_is_masked(body: str) -> None:
    assert "hunter2" not in body_head(body)
    assert "***" in body_head(body)


def test_a_given_secret_is_masked_anywhere() -> None:
    assert body_head("you sent hunter2, try again", "hunter2", None) == "you sent ***, try again"


def test_bytes_that_are_no_utf_8_are_shown_as_far_as_possible() -> None:
    assert body_head(b"caf\xe9") == "caf\ufffd"
