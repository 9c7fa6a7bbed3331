"""`python -m bench connections`: quality on labelled pairs, and the cost of connecting one document."""

from __future__ import annotations

import argparse

from bench.benchmarks_page import write_section
from bench.connections import cost, quality
from bench.connections.labelled_pairs import SPLITS
from bench.machine import describe_machine

SUMMARY = "quality of connections on labelled pairs; cost of connecting one document"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--train", action="store_true", help="train the scorer on the train split; nothing else"
    )
    parser.add_argument("--split", choices=SPLITS, default="test", help="the labelled pairs to measure")
    parser.add_argument("--quality", action="store_true", help="measure the quality only")
    parser.add_argument(
        "--engine", choices=["sqlite", "postgres"], help="measure the cost on this engine only"
    )
    parser.add_argument("--quick", action="store_true", help="small libraries, to try the benchmark")


def run(arguments: argparse.Namespace) -> int:
    if arguments.train:
        quality.train_and_save()
        return 0
    if arguments.engine is None:
        print("\n".join(quality.report(arguments.split)))
    if arguments.quality:
        return 0
    engines = [arguments.engine] if arguments.engine else ["sqlite", "postgres"]
    table = cost.table(engines, cost.QUICK if arguments.quick else cost.SIZES)
    print(table)
    if not arguments.quick and arguments.engine is None:
        write_section(
            "connections", "\n\n".join(["## Connections", f"{describe_machine()} {cost.HOW}", table])
        )
    return 0
