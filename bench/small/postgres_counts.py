"""What a Postgres server counted: commits of a database, syncs of its log, CPU seconds of its processes."""

from __future__ import annotations

import psutil
import psycopg

from bench.postgres import Postgres


def postgres_counts(server: Postgres, database: str) -> dict[str, float]:
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
        row = connection.execute(
            "select xact_commit, (select sum(fsyncs) from pg_stat_io where object = 'wal'),"
            " (select sum(wal_bytes) from pg_stat_wal) from pg_stat_database where datname = %s",
            (database,),
        ).fetchone()
    assert row is not None
    cpu = 0.0
    root = psutil.Process(server.process.pid)
    for process in (root, *root.children()):
        try:
            cpu += sum(process.cpu_times()[:2])
        except psutil.Error:
            continue
    return {
        "transactions": float(row[0]),
        "commits with fsync": float(row[1] or 0),
        "wal bytes": float(row[2] or 0),
        "cpu database server": cpu,
    }
