"""Starts a server without the network and takes one file of each format through to a search hit.

Run inside a network namespace that has only the loopback interface:
``unshare -rn sh -c 'ip link set lo up && exec python -m tests.install.offline_walk FOLDER -- towpath'``
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.install.format_files import FormatFile, scans_and_calls, text_files
from tests.support.servers import FINISHED_STATUSES
from tests.support.timeouts import COMMAND_SECONDS, PROCESS_SECONDS, REQUEST_SECONDS, wait_until

#: An address of the internet, by number: no name has to be resolved.
OUTSIDE = "http://1.1.1.1/"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="an empty folder")
    parser.add_argument("--all", action="store_true", help="with scans, pictures and a recording")
    parser.add_argument("command", nargs="+", help="the command `towpath`")
    arguments = parser.parse_args()
    files = [*text_files(), *(scans_and_calls() if arguments.all else ())]
    failures = walk(arguments.folder, arguments.command, files)
    print(f"{len(files) - len(failures)} of {len(files)} files were found without the network.")
    if failures:
        raise SystemExit("\n".join(failures))


def walk(folder: Path, towpath: Sequence[str], files: Sequence[FormatFile]) -> list[str]:
    """What went wrong, one sentence for each file that was not found."""
    assert not is_online(), "This machine can reach the internet: run the check in a network namespace."
    home, work, papers = folder / "home", folder / "work", folder / "papers"
    for path in (home, work, papers):
        path.mkdir(parents=True)
    for file in files:
        (papers / file.name).write_bytes(file.content)
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    log = folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*towpath, "serve", "--port", "0"], cwd=work, env=environment, stdout=output, stderr=output
        )
    try:
        url = wait_until(lambda: _address(server, log), "the server to print its address", PROCESS_SECONDS)
        submitted = subprocess.run(
            [*towpath, "submit", str(papers), "--wait"],
            cwd=work,
            env=environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        _wait_for_child_documents(url)
        failures = [failure for file in files if (failure := _missing(url, file))]
        if submitted.returncode:
            failures.append(f"towpath submit ended with {submitted.returncode}:\n{submitted.stdout}")
        return failures
    finally:
        server.terminate()
        server.wait(PROCESS_SECONDS)


def is_online() -> bool:
    try:
        urllib.request.urlopen(OUTSIDE, timeout=3).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def _address(server: subprocess.Popen[bytes], log: Path) -> str | None:
    text = log.read_text("utf-8", "replace")
    assert server.poll() is None, f"The server ended: {text}"
    match = re.search(r"http://127\.0\.0\.1:\d+", text)
    return match.group() if match else None


def _wait_for_child_documents(url: str) -> None:
    """Files inside a mailbox or an archive are documents of their own."""

    def all_finished() -> bool:
        documents = _get(url, "/documents", limit=500)["documents"]
        return all(document["status"] in FINISHED_STATUSES for document in documents)

    wait_until(all_finished, "every document to be finished", COMMAND_SECONDS)


def _missing(url: str, file: FormatFile) -> str | None:
    """Why the question of this file is not answered by it; None if it is."""
    hits: list[Any] = _get(url, "/search", q=file.question)["hits"]
    # Two of the files have the same sentence.
    for hit in hits[:2]:
        if hit["document_name"] == file.document and file.answer.lower() in hit["snippet"].lower():
            return None
    found = [(hit["document_name"], hit["snippet"]) for hit in hits[:2]]
    return f"{file.name}: {file.question!r} should find {file.answer!r}, and finds {found}."


def _get(url: str, path: str, **parameters: str | int) -> Any:
    query = urllib.parse.urlencode(parameters)
    with urllib.request.urlopen(f"{url}{path}?{query}", timeout=REQUEST_SECONDS) as answer:
        return json.load(answer)


if __name__ == "__main__":
    main()
