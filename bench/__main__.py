"""`python -m bench <scenario>`: every folder here with a `scenario.py` is a scenario of the folder's name."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Protocol, cast


class Scenario(Protocol):
    """What a `scenario.py` offers."""

    SUMMARY: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> int: ...


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Benchmarks of Towpath.")
    choices = parser.add_subparsers(dest="scenario", required=True, metavar="SCENARIO")
    scenarios: dict[str, Scenario] = {}
    for path in sorted(Path(__file__).parent.glob("*/scenario.py")):
        name = path.parent.name
        scenarios[name] = cast(Scenario, importlib.import_module(f"bench.{name}.scenario"))
        scenarios[name].add_arguments(choices.add_parser(name, help=scenarios[name].SUMMARY))
    arguments = parser.parse_args()
    return scenarios[arguments.scenario].run(arguments)


if __name__ == "__main__":
    sys.exit(main())
