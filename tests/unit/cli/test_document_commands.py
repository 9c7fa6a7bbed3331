"""`towpath connections` and `search` print the position of a chunk: the page of a document or the time of a call."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from towpath.cli import content_commands
from towpath.cli.main import main


def _side(text: str, **anchor: object) -> dict[str, Any]:
    return {"text": text, "anchor": anchor, "document_name": "call.wav"}


def test_a_connection_names_the_page_of_a_document_and_the_moment_of_a_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = {
        "score": 0.875,
        "kind": "same_subject",
        "shared_terms": ["lock"],
        "shared_identifiers": [],
        "pinned": True,
        "hidden": False,
        "this": _side("The lock is closed.", page=3),
        "other": _side("We closed the lock.", seconds_start=62.5),
    }
    bare = {
        **found,
        "kind": "quotation",
        "shared_identifiers": ["INV-7"],
        "pinned": False,
        "this": _side("A lock."),
        "other": _side("Locks."),
    }
    edition = {**found, "kind": "edition", "score": 0.5, "shared_terms": [], "pinned": False}

    def answered(*_: object) -> list[dict[str, Any]]:
        return [found, {**found, "hidden": True}, bare, edition]

    monkeypatch.setattr(content_commands, "call_api", answered)

    said = CliRunner().invoke(main, ["connections", "some-document"])

    assert said.output.splitlines() == [
        "88% call.wav, pinned: shared terms: lock",
        "  < page 3: The lock is closed.",
        "  > at 1:02: We closed the lock.",
        "88% call.wav: common text; shared identifiers: INV-7; shared terms: lock",
        "  < A lock.",
        "  > Locks.",
        "50% call.wav: version of this document",
    ]
