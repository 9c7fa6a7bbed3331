"""Makes the data of an earlier version that tests of later versions open: a data folder and a Postgres database.

Run it with the interpreter of a checkout of that version, set up by `make setup .venv/dev.stamp`:

    OLD/.venv/bin/python make.py --repo OLD --out tests/data/old/NAME

It runs `towpath migrate`, `towpath keys` and `towpath serve` of that version as processes, uses the HTTP API, and
reads the tables with plain SQL at the end. Emulators, the private Postgres and sample files come from the tests of
that checkout. The output folder gets

    sqlite.tar.xz     the data folder: `towpath.db` and `blobs/`
    postgres.sql.xz   the database, as plain statements for an empty database with the extension `vector`
    blobs.tar.xz      the files that belong to that database: `blobs/`
    expected.json     what is in them, for each of the two engines

The last server of each engine is killed (SIGKILL) while it processes documents. The data in `0.1.0` was made by an
earlier version of this script, which used the names of that version.
"""

from __future__ import annotations

import argparse
import importlib
import json
import lzma
import re
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg
from psycopg.rows import dict_row

Row = dict[str, Any]
Query = Callable[[str], list[Row]]

#: Limit of every wait, in seconds.
WAIT_SECONDS = 300.0
#: The Retry-After of the throttled provider: ten years, so that tests find it throttled.
THROTTLED_SECONDS = 10 * 365 * 86_400.0
#: Short vectors keep the files small.
DIMENSIONS = "64"

OPENAI = {"TOWPATH_EMBEDDER": "openai", "TOWPATH_OPENAI_EMBEDDING_DIMENSIONS": DIMENSIONS}
SPEECHKIT = {"TOWPATH_TRANSCRIBER": "speechkit", "TOWPATH_SPEECHKIT_LANGUAGES": "en-US"}
#: Runs have no deadline: it would be over when the data is opened.
COMMON_SETTINGS = {
    "TOWPATH_POLL_SECONDS": "0.1",
    "TOWPATH_BACKOFF_SCALE": "0.01",
    "TOWPATH_RUN_DEADLINE_SECONDS": "none",
    "TOWPATH_CALL_DEADLINE_SECONDS": "none",
    "TOWPATH_TRANSCRIPT_TIMEOUT_SECONDS": f"{THROTTLED_SECONDS:.0f}",
    "TOWPATH_CHILD_PROCESSES": "1",
}

# The documents. Each contains a word that no other contains, to search for.

SHARED = (
    "The safety valve of the heating boiler is tested every six months. The technician closes the supply, raises "
    "the pressure to three bar and notes the value at which the valve opens. A valve that opens late is replaced "
    "on the same day, and the boiler stays switched off until the new valve has been tested."
)
MANUAL = f"""# Maintenance manual

Manual for the heating system in building 7, written for the technicians on duty. Keyword: quarzite.

## Safety valve

{SHARED}

## Filters

| filter | interval | part number |
|---|---|---|
| supply | 3 months | F-100 |
| return | 6 months | F-220 |

- switch the pump off before a filter is opened
- write the date on the new filter
"""
PAGE = f"""<!doctype html><html lang="en"><head><title>Boiler rules</title></head><body><h1>Boiler rules</h1>
<p>Rules of the facility department, second edition. Keyword: marzipan.</p><h2>Testing the valve</h2><p>{SHARED}</p>
<h2>Contacts</h2><ul><li>office: extension 12</li><li>night service: extension 99</li></ul></body></html>
"""
LETTER = (
    "To the building management, 14 May 2024. Keyword: cormorant.",
    "Invoice INV-2041 for the repair of the heating boiler: total 1,284.50 EUR.",
    "",
    "The safety valve of the heating boiler is tested every six months. The technician",
    "closes the supply, raises the pressure to three bar and notes the value at which the",
    "valve opens. A valve that opens late is replaced on the same day.",
)
CONTRACT = (
    "Договор на обслуживание котельной. Ключевое слово: ежевика.",
    "Инженер проверяет давление и температуру каждый понедельник и заполняет протокол испытаний.",
    "Die Prüfung der Anlage erfolgt jährlich; Änderungen werden schriftlich vereinbart.",
)
NOTES = (
    "Notes of the meeting on 3 June. Keyword: tamarind.\n\nThe new printer stands on the second floor. "
    "Paper is ordered by the front desk, toner by the person who finds it empty.\n"
)
REVISED = (
    "# Duty roster\n\nKeyword: persimmon. The early shift begins at six, the late shift at two in the afternoon.\n\n"
    "## Holidays\n\nA holiday is entered at least four weeks before it begins, and confirmed by the head of the team.\n"
)
ACME = (
    "# Purchase order 77\n\nKeyword: bergamot. Acme orders forty metal shelves and four ladders, to be delivered "
    "to the rear entrance before noon.\n"
)
THROTTLED = (
    "Keyword: halibut. The canteen closes at three on Fridays; lunch is served from half past eleven.\n"
)
CANCELLED = "Keyword: gooseberry. This note was cancelled while its provider was throttled.\n"
INTERRUPTED = (
    "# Emergency lighting\n\nKeyword: nutmeg. Each lamp is switched to battery for one hour, once a year.\n\n"
    "## Protocol\n\nLamps that fail are listed with their number and the floor on which they hang.\n"
)
QUEUED = "Keyword: saffron. The bicycle cellar gets a second door in autumn.\n"
BROKEN = b"%PDF-1.7\n1 0 obj\nthis is no object\n%%EOF\n"


@dataclass(slots=True)
class Installation:
    """One installation: its folder, its database, and how its servers are started."""

    engine: str
    data: Path
    database: str | None
    query: Query
    support: Support
    emulators: Any
    secrets: dict[str, Row] = field(default_factory=dict[str, Row])
    words: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def database_options(self) -> list[str]:
        return ["--data", str(self.data), *(["--database", self.database] if self.database else [])]

    def command(self, *arguments: str) -> str:
        """Run a command of the program and return its output."""
        command = [sys.executable, "-m", "towpath", *arguments]
        return subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, cwd=self.data.parent
        ).stdout

    @contextmanager
    def serving(self, settings: Mapping[str, str], *, killed: bool = False) -> Generator[Client]:
        given = {**COMMON_SETTINGS, **self.emulators.settings, **settings}
        if self.database:
            given["TOWPATH_DATABASE"] = self.database
        server = self.support("servers").Server(self.data, settings=given)
        try:
            server.wait_until_ready()
            with Client(server.url, self) as client:
                yield client
            if killed:
                server.kill()
            else:
                server.stop()
        finally:
            if server.process.poll() is None:
                server.kill()


class Client:
    """The API of a server, for one organization at a time."""

    def __init__(self, url: str, installation: Installation) -> None:
        self._http = httpx.Client(base_url=url, timeout=60)
        self._installation = installation

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def request(self, method: str, path: str, *, key: str | None = None, **options: Any) -> Any:
        headers = {**options.pop("headers", {}), **({"Authorization": f"Bearer {key}"} if key else {})}
        response = self._http.request(method, path, headers=headers, **options)
        response.raise_for_status()
        return response.json()

    def upload(
        self, name: str, body: bytes | str, *, key: str | None = None, word: str = "", **headers: str
    ) -> str:
        content = body.encode() if isinstance(body, str) else body
        document = self.request(
            "POST", "/documents", key=key, headers=headers, files={"file": (name, content)}
        )
        if word:
            self._installation.words[document["id"]] = word
        return str(document["id"])

    def wait_until_ended(self, *document_ids: str, key: str | None = None) -> None:
        """Wait until their runs and all follow-ups have ended."""

        def all_ended() -> bool:
            statuses = [
                self.request("GET", f"/documents/{document_id}/status", key=key)
                for document_id in document_ids
            ]
            jobs = self.request("GET", "/jobs", key=key, params={"limit": 500})
            unfinished = any(job["status"] in ("PENDING", "PROCESSING") for job in jobs)
            return not unfinished and all(status["poll_after_ms"] is None for status in statuses)

        wait_for(all_ended, "all runs to end")


class Support:
    """Imports modules of the tests of the old checkout."""

    def __init__(self, repo: Path) -> None:
        sys.path.insert(0, str(repo))

    def __call__(self, name: str) -> Any:
        return importlib.import_module(f"tests.support.{name}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repo", type=Path, required=True, help="checkout of the old version")
    parser.add_argument("--out", type=Path, required=True, help="folder for the files, named by the version")
    arguments = parser.parse_args()
    repo: Path = arguments.repo.resolve()
    support = Support(repo)
    version = str(importlib.import_module("towpath").__version__)
    out: Path = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    expected: Row = {"version": version, "commit": commit_of(repo)}
    with tempfile.TemporaryDirectory(prefix="old-data-") as scratch:
        folder = Path(scratch)
        with support("emulators.process").emulator_process("--polls=0") as emulators:
            expected["emulators"] = {
                "command": "python -m tests.support.emulators",
                "settings": emulators.settings,
                "note": "The addresses are not stored in the data; tests use other ports.",
            }
            expected["server_settings"] = {**OPENAI, **SPEECHKIT, **COMMON_SETTINGS}
            expected["sqlite"] = make_sqlite(folder / "sqlite", out, support, emulators)
            expected["postgres"] = make_postgres(folder / "postgres", out, support, emulators)
    written = json.dumps(expected, indent=1, ensure_ascii=False, default=str)
    (out / "expected.json").write_text(written + "\n", "utf-8")
    for path in sorted(out.iterdir()):
        print(f"{path.stat().st_size:9,} {path}")


def make_sqlite(folder: Path, out: Path, support: Support, emulators: Any) -> Row:
    data = folder / "data"
    data.mkdir(parents=True)
    file = data / "towpath.db"

    def query(statement: str) -> list[Row]:
        with closing(sqlite3.connect(file, timeout=30)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(statement)]

    installation = Installation("sqlite", data, None, query, support, emulators)
    process_documents(installation)
    # Move the write-ahead log of the killed server into the file.
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    expected = expected_content(installation)
    pack(out / "sqlite.tar.xz", data, ("towpath.db", "blobs"))
    return expected


def make_postgres(folder: Path, out: Path, support: Support, emulators: Any) -> Row:
    data = folder / "data"
    data.mkdir(parents=True)
    with support("databases").private_postgres() as server:
        address = server.create("towpath")

        def query(statement: str) -> list[Row]:
            with psycopg.connect(address) as connection, connection.cursor(row_factory=dict_row) as cursor:
                return cursor.execute(statement.encode()).fetchall()

        installation = Installation("postgres", data, address, query, support, emulators)
        installation.command("migrate", *installation.database_options)
        process_documents(installation)
        expected = expected_content(installation)
        with lzma.open(out / "postgres.sql.xz", "wb", preset=9) as file:
            file.write(dump(server, address).encode())
    pack(out / "blobs.tar.xz", data, ("blobs",))
    return expected


def dump(server: Any, address: str) -> str:
    """The database as statements that any client can send: no COPY, no commands of psql.

    Roles that the policies name are not part of a database dump, so they are created first.
    """
    program = server._programs / "pg_dump"
    command = [program, "--inserts", "--rows-per-insert=50", "--no-owner", "--dbname", address]
    text = subprocess.run(command, check=True, capture_output=True, text=True, cwd="/").stdout
    text = re.sub(r"^\\(un)?restrict .*\n", "", text, flags=re.MULTILINE)
    role = (
        "do $$ begin create role towpath_app nologin; exception when duplicate_object or unique_violation then null; "
        "end $$;\ngrant towpath_app to current_user;\n"
    )
    return role + text


def process_documents(installation: Installation) -> None:
    """Create the content of one installation, the same on both engines."""
    make_keys(installation)
    process_with_local_model(installation)
    process_with_providers(installation)
    kill_while_processing(installation)


def make_keys(installation: Installation) -> None:
    """Create a key for each organization, and one that is revoked."""
    for name, organization in (("ci", "acme"), ("office", "home"), ("former", "home")):
        printed = installation.command(
            "keys", "create", name, "--organization", organization, "--json", *installation.database_options
        )
        installation.secrets[name] = {
            "name": name,
            "organization": organization,
            **json.loads(printed),
            "revoked": False,
        }
    installation.command(
        "keys", "revoke", installation.secrets["former"]["id"], *installation.database_options
    )
    installation.secrets["former"]["revoked"] = True


def process_with_local_model(installation: Installation) -> None:
    """Process one document with the local embedding model."""
    with installation.serving({}) as client:
        client.wait_until_ended(client.upload("notes.txt", NOTES, word="tamarind"))


def process_with_providers(installation: Installation) -> None:
    """Process documents and a call with paid providers; reprocess, reject, connect, pin and hide."""
    office, pdfs, recordings = (installation.support(name) for name in ("office", "pdfs", "recordings"))
    acme = installation.secrets["ci"]["secret"]
    letter = pdfs.plain(installation.data.parent / "letter.pdf", [LETTER]).read_bytes()
    contract = office.WordFile(
        office.p("Договор", style="H")
        + "".join(office.p(text) for text in CONTRACT)
        + office.table(("Работа", "Цена"), ("Осмотр", "1200"), ("Ремонт", "5400")),
        styles=office.style("H", "heading 1", '<w:outlineLvl w:val="0"/>'),
    )
    contract = contract.save(installation.data.parent / "contract.docx").read_bytes()
    call = recordings.wav(recordings.tone(12))
    settings = {**OPENAI, **SPEECHKIT, "TOWPATH_TRANSCRIPT_FIRST_POLL_SECONDS": "0.1"}
    with installation.serving(settings) as client:
        manual = client.upload("manual.md", MANUAL, word="quarzite", **{"Idempotency-Key": "manual-1"})
        page = client.upload("rules.html", PAGE, word="marzipan")
        home_documents = [
            manual,
            page,
            client.upload("letter.pdf", letter, word="cormorant"),
            client.upload("contract.docx", contract, word="ежевика"),
            client.upload("call.wav", call, word="oak barrels"),
            client.upload("broken.pdf", BROKEN),
        ]
        revised = client.upload("roster.md", REVISED, word="persimmon")
        acme_documents = [
            client.upload("order.md", ACME, key=acme, word="bergamot"),
            client.upload("manual.md", MANUAL, key=acme, word="quarzite"),
        ]
        client.wait_until_ended(*home_documents, revised)
        client.wait_until_ended(*acme_documents, key=acme)
        client.request("POST", f"/documents/{revised}/runs", json={"from_stage": "chunk"})
        client.wait_until_ended(revised)
        first, second = client.request("GET", f"/documents/{manual}/connections")[:2]
        client.request("PATCH", f"/connections/{first['id']}", json={"pinned": True})
        client.request("PATCH", f"/connections/{second['id']}", json={"hidden": True})


def kill_while_processing(installation: Installation) -> None:
    """Kill the last server while one provider is throttled, two jobs are running and one run is queued."""
    order_fault = installation.support("emulators.process").order_fault
    openai, speechkit = installation.emulators.openai, installation.emulators.speechkit
    recordings = installation.support("recordings")
    settings = {
        **OPENAI,
        **SPEECHKIT,
        "TOWPATH_WORKER_CONCURRENCY": "2",
        # The transcript is not polled before the server is killed.
        "TOWPATH_TRANSCRIPT_FIRST_POLL_SECONDS": "60",
    }
    with installation.serving(settings, killed=True) as client:
        waiting = client.upload("waiting-call.wav", recordings.wav(recordings.tone(3)))
        wait_for(lambda: suspended(installation, waiting), "the call to wait for its transcript")

        order_fault(openai, on="embeddings", kind="hang")
        interrupted = client.upload("interrupted.md", INTERRUPTED, word="nutmeg")
        wait_for(lambda: has_open_call(installation, interrupted), "the request to be sent")

        order_fault(openai, on="embeddings", kind="status", status=429, retry_after=THROTTLED_SECONDS)
        throttled = client.upload("throttled.txt", THROTTLED, word="halibut")
        wait_for(lambda: suspended(installation, throttled), "the provider to be throttled")

        cancelled = client.upload("cancelled.txt", CANCELLED)
        wait_for(lambda: suspended(installation, cancelled), "the next document to wait for the provider")
        [run] = client.request("GET", f"/documents/{cancelled}/runs")
        client.request("POST", f"/runs/{run['id']}/cancel")

        order_fault(speechkit, on="recognize", kind="hang")
        interrupted_call = client.upload("interrupted-call.wav", recordings.wav(recordings.tone(4)))
        wait_for(lambda: has_open_call(installation, interrupted_call), "the recording to be sent")

        queued = client.upload("queued.txt", QUEUED, word="saffron")
        # Both slots of the worker are in use.
        time.sleep(1.0)
        states = [
            state_of(installation, document_id) for document_id in (interrupted, interrupted_call, queued)
        ]
        if states != ["RUNNING", "RUNNING", "QUEUED"]:
            raise RuntimeError(f"Before the kill, the runs are {', '.join(states)}.")
    for emulator in (openai, speechkit):
        installation.support("emulators.process").reset(emulator)


def state_of(installation: Installation, document_id: str) -> str:
    [run] = installation.query(f"select state from processing_runs where document_id = '{document_id}'")
    return str(run["state"])


def suspended(installation: Installation, document_id: str) -> list[Row]:
    return installation.query(
        f"select id from document_processing_jobs where document_id = '{document_id}' "
        "and status = 'PENDING' and waiting_reason is not null"
    )


def has_open_call(installation: Installation, document_id: str) -> list[Row]:
    """Calls that the provider has received and whose answer is not stored."""
    hanging = [
        request
        for url in (installation.emulators.openai, installation.emulators.speechkit)
        for request in installation.support("emulators.process").state(url)["requests"]
        if "status" not in request
    ]
    return hanging and installation.query(
        f"select id from provider_calls where document_id = '{document_id}' "
        "and answered_at is null and operation_id is null"
    )


def expected_content(installation: Installation) -> Row:
    """The content of the tables that a later version must still show."""
    query = installation.query
    documents = query(
        "select id, org_id, name, kind, media_type, sha256, status from documents order by created_at, id"
    )
    for document in documents:
        where = f"where document_id = '{document['id']}'"
        document["chunk_ids"] = [
            str(row["id"]) for row in query(f"select id from chunks {where} order by ordinal, id")
        ]
        document["chunks"] = len(document["chunk_ids"])
        # Full-text search: vectors of different models cannot be compared.
        word = installation.words.get(str(document["id"]))
        search = {"q": word, "mode": "text"} if word else None
        document["search"] = search if document["chunks"] else None
        document["search_once_completed"] = search
    runs = query(
        "select id, org_id, document_id, pipeline, state, failure_type, error, resumes_run_id from processing_runs "
        "order by created_at, id"
    )
    for run in runs:
        run["jobs"] = query(
            "select id, stage, status, attempts, crashes, waiting_reason, reused_from from document_processing_jobs "
            f"where run_id = '{run['id']}' order by created_at, id"
        )
    calls = query(
        "select org_id, key, provider, model, status, operation_id, document_id, cost, reused, repeated, "
        "answered_at is not null as answered from provider_calls order by started_at, id"
    )
    connections = query(
        "select id, org_id, a_document_id, b_document_id, a_chunk_id, b_chunk_id, kind, pinned, hidden "
        "from connections order by id"
    )
    for rows, names in ((calls, ("answered",)), (connections, ("pinned", "hidden"))):
        for row in rows:
            row.update({name: bool(row[name]) for name in names})
    counted = (
        "run_events",
        "artifacts",
        "document_fields",
        "connection_marks",
        "idempotency_keys",
        "workers",
    )
    return {
        "schema": query("select version_num from alembic_version")[0]["version_num"],
        "organizations": query("select id, name from organizations order by name"),
        "api_keys": list(installation.secrets.values()),
        "documents": documents,
        "runs": runs,
        "provider_calls": calls,
        "provider_throttles": query("select provider, throttled_until, reason from provider_throttles"),
        "connections": connections,
        "rows": {table: query(f"select count(*) as n from {table}")[0]["n"] for table in counted},
    }


def pack(target: Path, folder: Path, names: Sequence[str]) -> None:
    """Write these parts of the folder to a tar file, without owners and times."""

    def anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = 0
        entry.mode = 0o755 if entry.isdir() else 0o644
        return entry

    with tarfile.open(target, "w:xz", preset=9) as archive:
        for name in names:
            archive.add(folder / name, name, filter=anonymous)


def commit_of(repo: Path) -> str:
    command = ["git", "-C", str(repo), "rev-parse", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def wait_for(condition: Callable[[], Any], description: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"Waited {WAIT_SECONDS:.0f} s in vain for {description}.")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
