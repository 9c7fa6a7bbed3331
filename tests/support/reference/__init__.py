"""Generates the reference pages that are made from code: `python -m tests.support.reference` writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.support.reference.commands_page import commands_page
from tests.support.reference.errors_page import errors_page
from tests.support.reference.payloads_page import payloads_page
from tests.support.reference.settings_page import settings_page
from tests.support.reference.state_diagram import state_diagram
from tests.support.reference.states_page import states_page
from tests.support.reference.tables_page import tables_page
from tests.support.reference.worker_protocol_page import worker_protocol_page

DOCS = Path(__file__).resolve().parents[3] / "docs"

#: Path below docs/ and the function that makes the file's content.
PAGES: Mapping[str, Callable[[], str]] = {
    "reference/settings.md": settings_page,
    "reference/states.md": states_page,
    "images/states.svg": state_diagram,
    "reference/payloads.md": payloads_page,
    "reference/tables.md": tables_page,
    "reference/commands.md": commands_page,
    "reference/errors.md": errors_page,
    "reference/worker-protocol.md": worker_protocol_page,
}
