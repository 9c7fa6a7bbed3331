"""The commands for documents, run against a server by its address: ids, prefixes of ids, names, tables, errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.support.forked_command import run_towpath
from tests.support.servers import Server
from tests.support.timeouts import wait_until
from towpath.cli.main import main

LOCKS = (
    "# Locks\n\nA staircase of five locks climbs the hill at Bingley. Built on 21 March 1774 for £4,800.\n"
)


@dataclass(frozen=True)
class Terminal:
    """Runs commands in this process against a server."""

    url: str
    folder: Path

    def invoke(self, *arguments: str, key: str | None = None) -> Result:
        environment = {
            "TOWPATH_URL": self.url,
            "TOWPATH_API_KEY": key,
            "TOWPATH_DATA": str(self.folder / "none"),
        }
        return CliRunner(env=environment).invoke(main, arguments)

    def run(self, *arguments: str, expect: int = 0) -> str:
        result = self.invoke(*arguments)
        assert result.exit_code == expect, result.output
        return result.output

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run("--json", *arguments))


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    folder = tmp_path_factory.mktemp("terminal")
    files = folder / "files"
    files.mkdir()
    (files / "lock.md").write_text(LOCKS)
    (files / "boat.txt").write_text("The narrow boat carries coal and one dog.\n")
    (files / "broken.pdf").write_bytes(b"%PDF-1.7\nnot much more")
    (files / "empty.txt").write_bytes(b"")
    with Server(folder / "data") as server:
        yield Terminal(server.url, folder)


@pytest.fixture(scope="module")
def submitted(terminal: Terminal) -> str:
    return terminal.run("submit", str(terminal.folder / "files"), "--wait", expect=1)


def row(output: str, text: str) -> list[str]:
    return next(line.split() for line in output.splitlines() if text in line)


def test_submit_prints_ids_progress_and_a_table_of_failures(submitted: str) -> None:
    listed, failures = submitted.split("Failed:")

    assert submitted.startswith("Submitting 4 files")
    assert row(listed, "lock.md")[1] == "COMPLETED"
    assert len(row(listed, "lock.md")[0]) == 8
    assert row(failures, "broken.pdf")[2] == "REJECTED"
    assert row(failures, "empty.txt")[2] in ("REFUSED", "REJECTED")
    assert len(row(failures, "broken.pdf")) > 4, "the reason"
    assert "4 files: 2 completed, " in submitted


@pytest.mark.usefixtures("submitted")
def test_a_document_is_named_by_its_id_a_prefix_or_its_name(terminal: Terminal) -> None:
    document_id = terminal.json("show", "lock.md")["id"]
    printed = row(terminal.run("list"), "lock.md")[0]

    assert document_id.startswith(printed)
    assert terminal.json("show", printed)["name"] == "lock.md"
    assert terminal.json("show", document_id)["name"] == "lock.md"
    assert terminal.json("show", "LOCK.MD")["id"] == document_id
    missing = terminal.run("show", "keeper.md", expect=2)
    assert "No document has the id or name 'keeper.md'. `towpath list` shows all documents." in missing
    short = terminal.run("show", document_id[:3], expect=2)
    assert f"'{document_id[:3]}'. The beginning of an id needs at least 4 digits." in short


@pytest.mark.usefixtures("submitted")
def test_a_name_that_two_documents_have_is_refused_with_both_ids(terminal: Terminal) -> None:
    other = terminal.folder / "other"
    other.mkdir()
    for number in (1, 2):
        file = other / f"{number}" / "twice.txt"
        file.parent.mkdir()
        file.write_text(f"Boat number {number}.\n")
    terminal.run("submit", str(other), "--wait")
    ids = [document["id"] for document in terminal.json("list", "--name", "twice")["documents"]]

    output = terminal.run("status", "twice.txt", expect=2)

    assert "'twice.txt' is not unique" in output
    assert len(ids) == 2
    assert all(document_id in output for document_id in ids)


@pytest.mark.usefixtures("submitted")
def test_list_has_the_filters_of_the_api(terminal: Terminal) -> None:
    failed = terminal.json("list", "--status", "FAILED")["documents"]

    assert "broken.pdf" in {document["name"] for document in failed}
    assert {document["status"] for document in failed} == {"FAILED"}
    assert "STAGE" in terminal.run("list", "--limit", "1")
    assert "more with --limit" in terminal.run("list", "--limit", "1")
    assert terminal.run("list", "--kind", "call") == "No documents.\n"
    assert row(terminal.run("list", "--name", "broken"), "broken.pdf")[3] == "Read"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["list", "--created-from", "yesterday"], "'yesterday' is no day such as 2026-03-31"),
        (["search", " "], "Give the words to search for."),
        (
            ["list", "--server", "http://127.0.0.1:9"],
            "No server answers at http://127.0.0.1:9. Check the address.",
        ),
    ],
)
def test_a_wrong_argument_is_answered_with_a_sentence(
    terminal: Terminal, arguments: list[str], sentence: str
) -> None:
    assert sentence in terminal.run(*arguments, expect=2)


@pytest.mark.usefixtures("submitted")
def test_days_and_times_filter_the_list(terminal: Terminal) -> None:
    assert "lock.md" in terminal.run(
        "list", "--created-from", "2026-01-01", "--created-before", "2100-01-01T00:00:00"
    )
    assert "No documents." in terminal.run("list", "--created-before", "2020-01-01T10:00:00+02:00")


@pytest.mark.usefixtures("submitted")
def test_the_content_of_a_document(terminal: Terminal) -> None:
    assert "A staircase of five locks" in terminal.run("content", "lock.md")
    assert "chunk 1, " in terminal.run("chunks", "lock.md")
    assert {field["value"] for field in terminal.json("fields", "lock.md")} >= {"1774-03-21"}
    assert "CONFIDENCE" in terminal.run("fields", "lock.md")
    shown = terminal.run("show", "lock.md")
    assert shown.startswith("lock.md\n  id ")
    assert "COMPLETED" in shown
    hit = terminal.run("search", "staircase of five locks").splitlines()[0].split()
    assert hit[1] == "lock.md"
    assert terminal.json("show", hit[0])["name"] == "lock.md"


@pytest.mark.usefixtures("submitted")
@pytest.mark.parametrize("command", ["transcript", "analysis"])
def test_a_document_that_is_not_a_call_is_named_so(terminal: Terminal, command: str) -> None:
    output = terminal.run(command, "lock.md", expect=2)

    assert f"This document is not a call and has no {command}: lock.md is text/markdown." in output
    assert "another organization" not in output


@pytest.mark.usefixtures("submitted")
def test_jobs_show_document_error_and_age(terminal: Terminal) -> None:
    output = terminal.run("jobs", "--status", "FAILED")

    job = row(output, "broken.pdf")
    assert len(job[0]) == 36
    assert "AGE" in output.splitlines()[0]
    assert "min This PDF is damaged" in " ".join(job) or "s This PDF is damaged" in " ".join(job)


@pytest.mark.usefixtures("submitted")
def test_a_failed_file_that_is_submitted_again_shows_why_it_failed(terminal: Terminal) -> None:
    output = terminal.run("submit", str(terminal.folder / "files" / "empty.txt"), expect=1)

    assert "REJECTED  The file is empty." in output
    assert "1 file: failed (already in the library)" in output
    assert "towpath serve" not in output, "nothing waits for a server"


@pytest.mark.usefixtures("submitted")
def test_the_words_of_a_question_need_no_quotes(terminal: Terminal) -> None:
    assert "lock.md" in terminal.run("ask", "which", "staircase", "of", "locks", "climbs", "the", "hill")


@pytest.mark.usefixtures("submitted")
def test_retry_rerun_and_cancel_accept_names_and_prefixes(terminal: Terminal) -> None:
    assert "1 run queued" in terminal.run("retry", "broken.pdf")
    completed = terminal.run("retry", "boat.txt", expect=2)
    assert "boat.txt has no failed job; its status is COMPLETED" in completed
    queued = terminal.json("rerun", "boat.txt", "--from-stage", "chunk")["run_id"]
    wait_until(
        lambda: terminal.json("status", "boat.txt")["poll_after_ms"] is None, "the new run of boat.txt to end"
    )
    assert "chunk" in terminal.run("runs", "boat.txt")
    assert "only a QUEUED or RUNNING run can be cancelled" in terminal.run("cancel", queued, expect=2)
    assert "There is no stage `ponder`" in terminal.run(
        "rerun", "boat.txt", "--from-stage", "ponder", expect=2
    )


@pytest.mark.usefixtures("submitted")
def test_hidden_files_and_libraries_in_a_folder_are_not_submitted(terminal: Terminal) -> None:
    folder = terminal.folder / "project"
    for name in ("letters/a.txt", ".env", ".git/config", "letters/.cache/b", "towpath-data/blobs/c"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"The keeper wrote {name}.\n")
    (folder / "towpath-data" / "towpath.db").write_bytes(b"")

    output = terminal.run("submit", str(folder))

    assert "a.txt" in output
    assert "1 file: processing" in output


def test_versions_have_a_key_and_their_own_text(terminal: Terminal) -> None:
    plan = terminal.folder / "plan.txt"
    for hour in ("eight", "nine"):
        plan.write_text(f"The lock opens at {hour}.\n")
        terminal.run("submit", str(plan), "--key", "plans/opening", "--wait")

    assert "plans/opening, version 2" in terminal.run("show", "plan.txt")
    assert "nine" in terminal.run("content", "plan.txt")
    assert "eight" in terminal.run("content", "plan.txt", "--version", "1")
    assert terminal.invoke("content", "plan.txt", "--version", "3").exit_code == 2


def test_export_writes_readable_files(terminal: Terminal) -> None:
    target = terminal.folder / "exported"

    output = terminal.run("export", str(target), "lock.md")

    [folder] = target.iterdir()
    assert output == f"1 document written to {target}\n"
    assert folder.name.startswith("lock.md-")
    assert (folder / "original.md").read_text() == LOCKS
    assert "staircase" in (folder / "content.md").read_text()
    assert json.loads((folder / "chunks.jsonl").read_text().splitlines()[0])["ordinal"] == 0
    assert {path.name for path in folder.iterdir()} == {
        "original.md",
        "content.md",
        "document.json",
        "fields.json",
        "connections.json",
        "chunks.jsonl",
    }
    assert "is not empty" in terminal.run("export", str(target), "lock.md", expect=2)


@pytest.mark.usefixtures("submitted")
def test_open_prints_the_address_of_the_page(terminal: Terminal) -> None:
    document_id = terminal.json("show", "lock.md")["id"]

    assert terminal.run("open", "--print") == f"{terminal.url}/\n"
    assert terminal.run("open", "lock.md", "--print") == f"{terminal.url}/#/documents/{document_id}\n"


def test_a_server_elsewhere_is_used_with_an_api_key(tmp_path: Path) -> None:
    def command(*arguments: str) -> str:
        done = run_towpath(*arguments, "--data", str(tmp_path / "data"))
        done.check_returncode()
        return done.stdout

    secret = json.loads(command("keys", "create", "laptop", "--json"))["secret"]
    with Server(tmp_path / "data", settings={"TOWPATH_HOST": "0.0.0.0"}) as server:
        terminal = Terminal(server.url, tmp_path)
        without = terminal.invoke("list")
        wrong = terminal.invoke("list", key="tp_wrong")
        right = terminal.invoke("list", key=secret)

    assert without.exit_code == wrong.exit_code == 2
    assert "TOWPATH_API_KEY is not set" in without.output
    assert "TOWPATH_API_KEY is unknown or revoked" in wrong.output
    assert right.exit_code == 0
    # The key belongs to the organization `home`, which has no documents.
    assert right.output == "No documents.\n"
