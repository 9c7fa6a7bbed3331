"""`python -m tests.fuzz.api`: runs Schemathesis against a running server, which must conform to its API document."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.servers import Server

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


#: One phase of a few requests for each route. The other phases send hundreds of requests to a route: `make fuzz`.
SHORT = ("--phases", "fuzzing", "--max-examples", "4", "--generation-deterministic")


def fuzz_api(url: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Send generated requests to every route; the output names each violation of the API document."""
    command = [
        str(Path(sys.executable).parent / "st"),
        *("run", f"{url}/openapi.json", "--request-timeout", "30"),
        *("--checks", ",".join(CHECKS), *options),
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=200)
    examples = parser.parse_args().examples
    with (
        tempfile.TemporaryDirectory(prefix="fuzz-api-") as temp_dir,
        Server(Path(temp_dir) / "data") as server,
    ):
        options = ("--max-examples", str(examples), "--generation-database", "none")
        result = fuzz_api(server.url, Path(temp_dir), *options)
    print(result.stdout, result.stderr)
    sys.exit(result.returncode)


if __name__ == "__main__":
    main()
