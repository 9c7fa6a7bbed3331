"""Fields by the schema `invoice` on both engines: 12 invoices, answers written by hand, and kills of the server.

The chat model is an emulator: its answers were written by hand from the invoices (`tests/data/invoices`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pytest
from sqlalchemy import text

from tests.support.databases import PostgresServer
from tests.support.emulators.field_answers import WRONG
from tests.support.emulators.process import EmulatorProcess, order_fault, reset, state
from tests.support.servers import Client, Server
from tests.support.timeouts import LONG_LEASE_SECONDS, wait_until
from towpath.fields.text_parts import cut_parts
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.text.quote_lookup import QuoteIndex

INVOICES = Path(__file__).parents[1] / "data" / "invoices"
ANSWERS: dict[str, Any] = json.loads((INVOICES / "answers.json").read_text("utf-8"))
#: Points around a box, since the parts of letters may reach beyond it.
MARGIN = 2.0
#: Chat requests that are answered before each kill: the kills of `make test`, and those of `make test-long`.
ONE_KILL, THREE_KILLS = (3,), (0, 3, 2)


@dataclass(frozen=True, slots=True)
class Installation:
    """A data folder and a database that servers are started on, one after the other."""

    folder: Path
    dsn: str | None
    emulators: EmulatorProcess

    def start(self, **more: str) -> Server:
        settings = {
            **self.emulators.settings,
            "TOWPATH_FIELD_EXTRACTOR": "openai",
            "TOWPATH_LEASE_SECONDS": str(LONG_LEASE_SECONDS),
            **({"TOWPATH_DATABASE": self.dsn} if self.dsn else {}),
            **more,
        }
        return Server(self.folder / "data", settings=settings).wait_until_ready()

    def kill(self, server: Server) -> None:
        """Kill the server; on Postgres its leases end at once, as they would by time."""
        server.kill()
        if self.dsn is None:
            return
        database = PostgresDatabase(self.dsn)
        expire = "update document_processing_jobs set lease_until = now() where status = 'PROCESSING'"
        database.transact(lambda tx: tx.connection.execute(text(expire)))
        database.close()

    def chat_requests(self) -> int:
        return sum(request["verb"] == "chat" for request in state(self.emulators.openai)["requests"])


@pytest.fixture(params=["sqlite", "postgres"])
def installation(
    request: pytest.FixtureRequest, emulators: EmulatorProcess, tmp_path: Path
) -> Iterator[Installation]:
    reset(emulators.openai)
    if request.param == "sqlite":
        yield Installation(tmp_path, None, emulators)
        return
    postgres: PostgresServer = request.getfixturevalue("postgres_server")
    dsn = postgres.create_migrated()
    yield Installation(tmp_path, dsn, emulators)
    postgres.drop(dsn)


def _upload_and_kill(
    installation: Installation, names: Iterable[str], answered_before_kill: Sequence[int], **settings: str
) -> dict[str, str]:
    """Upload the invoices and kill a server at each call that hangs; the ids of the documents by name."""
    ids: dict[str, str] = {}
    for answered in answered_before_kill:
        if answered:
            order_fault(installation.emulators.openai, on="chat", kind="slow", seconds=0.0, times=answered)
        order_fault(installation.emulators.openai, on="chat", kind="hang", billed=False)
        expected = installation.chat_requests() + answered + 1
        server = installation.start(**settings)
        client = Client(server.url)
        if not ids:
            ids = {name: client.upload(name, (INVOICES / name).read_bytes())["id"] for name in names}
        wait_until(
            lambda expected=expected: installation.chat_requests() >= expected, "the request that hangs"
        )
        # A job whose server was killed runs beside the others: its answer may be billed and not yet saved.
        wait_until(
            lambda client=client, ids=ids: _saved_tokens(client, ids) == _billed_tokens(installation),
            "every billed answer to be saved",
            every=0.2,
        )
        installation.kill(server)
    return ids


def _saved_tokens(client: Client, ids: dict[str, str]) -> float:
    """The tokens of all answers that are saved."""
    costs = [client.get(f"/documents/{document_id}/costs")["units"] for document_id in ids.values()]
    return sum(units.get("prompt_tokens", 0) + units.get("completion_tokens", 0) for units in costs)


def _billed_tokens(installation: Installation) -> float:
    return state(installation.emulators.openai)["billed"]["units"].get("tokens", 0.0)


@pytest.mark.parametrize(
    "answered_before_kill", [ONE_KILL, pytest.param(THREE_KILLS, marks=pytest.mark.long)], ids=len
)
def test_values_anchors_and_one_billed_call_over_kills(
    installation: Installation, answered_before_kill: tuple[int, ...]
) -> None:
    # One job at a time: behind the request that hangs, no other invoice is answered before the kill.
    ids = _upload_and_kill(installation, ANSWERS, answered_before_kill, TOWPATH_WORKER_CONCURRENCY="1")
    with installation.start() as server:
        client = Client(server.url)
        for name, document_id in ids.items():
            _wait_for_fields(client, document_id)
            _check(client, document_id, name)

    billed = state(installation.emulators.openai)["billed"]
    # Every invoice fits into one part; the requests that hung were not billed.
    assert billed["operations"] == len(ANSWERS) == 12
    assert set(billed["by_content"].values()) == {1}
    assert installation.chat_requests() == len(ANSWERS) + len(answered_before_kill)


@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.long)])
def test_each_part_of_an_invoice_is_billed_once_over_kills(installation: Installation, kills: int) -> None:
    size, names = (
        {"TOWPATH_FIELD_PART_CHARACTERS": "800"},
        ("acme-42.pdf", "moulin-reunion.pdf", "spiel-508.pdf"),
    )
    ids = _upload_and_kill(installation, names, (1,) * kills, **size)
    parts = 0
    with installation.start(**size) as server:
        client = Client(server.url)
        for name, document_id in ids.items():
            _wait_for_fields(client, document_id)
            _check(client, document_id, name)
            content = client.http.get(f"/documents/{document_id}/content").text
            parts += len(cut_parts(content, 800))

    billed = state(installation.emulators.openai)["billed"]
    assert billed["operations"] == parts > 5
    assert set(billed["by_content"].values()) == {1}, "a part was billed twice"
    assert installation.chat_requests() == billed["operations"] + kills


def _wait_for_fields(client: Client, document_id: str) -> None:
    def is_done() -> bool:
        stages = client.get(f"/documents/{document_id}/status")["stages"]
        return any(stage["name"] == "extract_fields" and stage["status"] == "COMPLETED" for stage in stages)

    wait_until(is_done, "the fields of a document", every=0.2)


def _check(client: Client, document_id: str, name: str) -> None:
    """Every value, its anchor, and nothing else."""
    content = client.http.get(f"/documents/{document_id}/content").text
    fields = [field for field in client.get(f"/documents/{document_id}/fields") if field["schema"]]
    assert {field["schema"] for field in fields} == {"invoice"}
    expected = dict(_expected(ANSWERS[name]))
    assert {field["name"] for field in fields} == expected.keys()
    for field in fields:
        value, quote, *wrong = expected[field["name"]]
        assert (field["value"] if isinstance(value, str) else float(field["value"])) == value
        anchor = field["anchor"]
        assert field["verified"] is (WRONG not in wrong), field
        assert anchor["quote"] == quote
        if field["verified"]:
            quoted = content[anchor["start"] : anchor["end"]]
            assert QuoteIndex(quoted).find_all(quote), (quoted, quote)
            in_box = "".join(_words(_text_in_box(INVOICES / name, anchor["page"], anchor["box"])))
            assert all(word in in_box for word in _words(quote)), (field, in_box)
        else:
            assert "start" not in anchor


def _text_in_box(path: Path, page_number: int, box: dict[str, float]) -> str:
    """What the PDF itself has in this rectangle of the page, by PDFium."""
    file = pdfium.PdfDocument(path)
    page = file[page_number - 1]
    width, height = page.get_size()
    left, right = box["x0"] * width - MARGIN, box["x1"] * width + MARGIN
    top, bottom = (1 - box["y0"]) * height + MARGIN, (1 - box["y1"]) * height - MARGIN
    found = page.get_textpage().get_text_bounded(left, bottom, right, top)
    file.close()
    return str(found)


def _words(written: str) -> list[str]:
    return re.findall(r"[^\W_]+", written.casefold())


def _expected(answer: Any) -> Iterator[tuple[str, list[Any]]]:
    for name, leaf in answer.items():
        if name != "line_items":
            yield name, leaf
    for number, item in enumerate(answer["line_items"]):
        for name, leaf in item.items():
            yield f"line_items[{number}].{name}", leaf
