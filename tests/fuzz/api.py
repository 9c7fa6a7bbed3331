"""`python -m tests.fuzz.api`: runs Schemathesis against a running server, which must conform to its API document."""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.support.memory_watch import MemoryWatch
from tests.support.servers import Client, Server
from tests.support.timeouts import REQUEST_SECONDS

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
#: Each gets an equal share of the time: single requests, and sequences of requests that use each other's answers.
PHASES = ("coverage,fuzzing", "stateful")
#: One phase of a few requests for each route. The other phases send hundreds of requests to a route: `make fuzz`.
SHORT = ("--phases", "fuzzing", "--max-examples", "4", "--generation-deterministic")

#: Tracebacks of the server's log that are printed.
MAX_TRACEBACKS = 5


def fuzz_api(url: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Send generated requests to every route; the output names each violation of the API document."""
    # Schemathesis reads the document from a file: it waits at most ten seconds for a server.
    document = folder / "openapi.json"
    document.write_bytes(Client(url).http.get("/openapi.json").raise_for_status().content)
    command = [
        str(Path(sys.executable).parent / "st"),
        *("run", str(document), "--url", url, "--request-timeout", f"{REQUEST_SECONDS:g}"),
        *("--checks", ",".join(CHECKS), *options),
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def fuzz_for(folder: Path, minutes: float, seed: int) -> list[str]:
    """Send generated requests for some minutes; what must not be found, in words."""
    problems: list[str] = []
    answers = Counter[str]()
    with Server(folder / "data") as server, MemoryWatch(server.process.pid) as memory:
        client = Client(server.url)
        client.wait_until_finished(client.upload("keeper.md", b"# The keeper\n\nHe opens the gates.")["id"])
        for phases in PHASES:
            report = folder / f"{phases}.ndjson"
            budget = ("--max-time", str(round(60 * minutes / len(PHASES))), "--seed", str(seed))
            ran = fuzz_api(
                server.url, folder, "--phases", phases, *budget, "--report-ndjson-path", str(report)
            )
            print(ran.stdout, ran.stderr)
            answers.update(re.findall(r'"status_code":(\d+)', report.read_text("utf-8")))
            if ran.returncode:
                problems.append(f"Schemathesis ended with {ran.returncode} ({phases})")
        print(f"answers {dict(sorted(answers.items()))}; {memory}", flush=True)
        problems += [f"{count} answers of {status}" for status, count in answers.items() if status == "500"]
        _print_tracebacks(server.log)
        if server.process.poll() is not None:
            return [*problems, f"the server ended: {server.log_tail()}"]
        problems += _processes_a_document(client)
    return problems + memory.problems()


def _print_tracebacks(log: Path) -> None:
    """Print the errors of the server: its log is deleted with the folder, and a request alone seldom repeats them."""
    _, *tracebacks = log.read_text("utf-8", "replace").split("Traceback (most recent call last):")
    for traceback in tracebacks[:MAX_TRACEBACKS]:
        print("Traceback (most recent call last):", traceback[:4000], flush=True)


def _processes_a_document(client: Client) -> list[str]:
    """Whether the worker still works, after whatever the requests asked for."""
    for pause in client.get("/operations")["pauses"]:
        client.http.delete(f"/pauses/{pause['kind']}/{pause['name']}").raise_for_status()
    uploaded = client.upload("gates.md", b"# The gates\n\nThey are opened at noon.")
    [status] = client.wait_until_finished(uploaded["id"])
    return [] if status["status"] == "COMPLETED" else [f"a document afterwards: {status['status']}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fuzz-api-") as temp_dir:
        problems = fuzz_for(Path(temp_dir), arguments.minutes, arguments.seed)
    for problem in problems:
        print("PROBLEM", problem)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
