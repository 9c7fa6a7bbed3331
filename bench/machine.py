"""Describes the machine of a benchmark run in one sentence."""

from __future__ import annotations

import datetime
import os
import platform
import sqlite3
from pathlib import Path


def describe_machine() -> str:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return (
        f"Measured on {today}: {os.cpu_count()} cores ({_processor()}), {platform.system()} "
        f"{platform.machine()}, Python {platform.python_version()}, Postgres 18, "
        f"SQLite {sqlite3.sqlite_version}."
    )


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
