"""The claim uses its index: with a million finished jobs in the table it reads a few thousand rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import TupleRow

from tests.support.databases import PostgresServer, sqlite_engine
from tests.support.factories import a_plan, a_submission
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.database import Transaction
from towpath.ledger.sql_files import statements
from towpath.ledger.verbs import submit
from towpath.ledger.verbs.claim import FIRST_ORG, LANES, claim

NOW = datetime(2026, 1, 2, tzinfo=UTC)
CLAIM_INDEX = "ix_document_processing_jobs_claim"
HOT_TABLES = {"document_processing_jobs", "processing_runs", "documents"}
#: The parameters of the claim statement with their types.
TYPES = {
    "worker": "text",
    "after": "uuid",
    "limit": "bigint",
    "window": "bigint",
    "lanes": "bigint",
    "stages": "text[]",
    "until": "timestamptz",
    "now": "timestamptz",
}

# 100 organizations and 100,000 documents, each with ten finished jobs of an old run and one pending job.
# Half of the pending jobs are in one lane (organization and stage), because the planner assumes lanes of
# equal size. Ids grow as those of the ledger; with random ids the inserts would take five times as long.
FILL = """
create function pg_temp.made_id(kind text, n bigint) returns uuid language sql immutable
return cast(kind || lpad(to_hex(n), 31, '0') as uuid);

insert into organizations (id, name, created_at)
select pg_temp.made_id('a', n), 'org ' || n, '2026-01-01' from generate_series(0, 99) as n;

insert into documents (
  id, org_id, kind, name, media_type, size, sha256, blob_key, status, created_at, updated_at
)
select
  pg_temp.made_id('b', n), pg_temp.made_id('a', n % 100), 'document', 'x', 'text/plain', 1, n::text, 'b',
  'PROCESSING', '2026-01-01', '2026-01-01'
from generate_series(1, 100000) as n;

insert into processing_runs (id, org_id, document_id, pipeline, pipeline_version, state, created_at)
select
  pg_temp.made_id('c', n), pg_temp.made_id('a', n % 100), pg_temp.made_id('b', 1 + (n - 1) % 100000),
  'document', 1, case when n <= 100000 then 'COMPLETED' else 'QUEUED' end, '2026-01-01'
from generate_series(1, 200000) as n;

insert into document_processing_jobs (
  id, org_id, document_id, run_id, stage, status, result, max_attempts, available_at, created_at, updated_at
)
select
  pg_temp.made_id('d', n * 16 + stage), pg_temp.made_id('a', n % 100), pg_temp.made_id('b', n),
  pg_temp.made_id('c', n), 'stage' || stage, 'COMPLETED', '{}', 5, '2026-01-01', '2026-01-01', '2026-01-01'
from generate_series(1, 100000) as n
cross join generate_series(1, 10) as stage;

insert into document_processing_jobs (
  id, org_id, document_id, run_id, stage, status, max_attempts, available_at, created_at, updated_at
)
select
  pg_temp.made_id('e', n), pg_temp.made_id('a', case when n <= 50000 then 7 else n % 100 end),
  pg_temp.made_id('b', n), pg_temp.made_id('c', 100000 + n),
  'stage' || case when n <= 50000 then 0 else n / 100 % 5 end, 'PENDING', 5,
  timestamptz '2026-01-01' + n * interval '1 ms', '2026-01-01', '2026-01-01'
from generate_series(1, 100000) as n;
"""

Connection = psycopg.Connection[TupleRow]


@dataclass(frozen=True, slots=True)
class LargeDatabase:
    dsn: str
    #: A session that prepared the claim while the tables were empty and still uses that plan.
    old_session: Connection


@pytest.fixture(scope="module")
def large(postgres_server: PostgresServer) -> Iterator[LargeDatabase]:
    dsn = postgres_server.create_migrated()
    with (
        psycopg.connect(dsn, autocommit=True) as old_session,
        psycopg.connect(dsn, autocommit=True) as filler,
    ):
        old_session.execute("set plan_cache_mode = force_generic_plan")
        _prepare(old_session)
        _explain(old_session, limit=10)
        # The references are valid by construction; checking a million of them would take most of the time.
        filler.execute("set session_replication_role = replica")
        filler.execute(FILL)
        filler.execute("vacuum (analyze) document_processing_jobs, processing_runs, documents")
        yield LargeDatabase(dsn, old_session)
    postgres_server.drop(dsn)


def _prepare(connection: Connection) -> None:
    (statement,) = statements("postgres", "claim")
    for number, name in enumerate(TYPES, start=1):
        statement = statement.replace(f"%({name})s", f"${number}")
    kinds = ", ".join(TYPES.values())
    connection.execute(
        cast("LiteralString", f"prepare claim ({kinds}) as {statement.replace('%%', '%')}"), prepare=False
    )


def _explain(connection: Connection, *, limit: int, stages: list[str] | None = None) -> dict[str, Any]:
    """Run the prepared claim, roll it back, and return its plan with the actual counts of each node."""
    parameters = {
        "worker": "anna",
        "after": FIRST_ORG,
        "limit": limit,
        "window": 2 * limit + 16,
        "lanes": LANES,
        "stages": stages,
        "until": NOW + timedelta(seconds=30),
        "now": NOW,
    }
    values = sql.SQL(", ").join(sql.Literal(parameters[name]) for name in TYPES)
    explain = sql.SQL("explain (analyze, format json) execute claim ({})").format(values)
    with connection.transaction(force_rollback=True):
        row = connection.execute(explain, prepare=False).fetchone()
    assert row is not None
    return cast("dict[str, Any]", row[0][0]["Plan"])


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from _nodes(child)


def _rows_read(plan: dict[str, Any]) -> float:
    """Count the rows read from tables and indexes, including filtered ones."""
    return sum(
        (
            node["Actual Rows"]
            + node.get("Rows Removed by Filter", 0)
            + node.get("Rows Removed by Index Recheck", 0)
        )
        * node["Actual Loops"]
        for node in _nodes(plan)
        if "Scan" in node["Node Type"] and (node.get("Relation Name") or node.get("Index Name"))
    )


def _assert_index_is_used(plan: dict[str, Any], at_most: int) -> None:
    nodes = list(_nodes(plan))
    scanned = {node.get("Relation Name") for node in nodes if node["Node Type"] == "Seq Scan"}
    assert not scanned & HOT_TABLES
    assert CLAIM_INDEX in {node.get("Index Name") for node in nodes}
    assert _rows_read(plan) <= at_most, json.dumps(plan, indent=1)


@pytest.fixture(params=["custom plan", "generic plan", "plan for empty tables"])
def session(request: pytest.FixtureRequest, large: LargeDatabase) -> Iterator[Connection]:
    if request.param == "plan for empty tables":
        yield large.old_session
        return
    with psycopg.connect(large.dsn, autocommit=True) as connection:
        mode: LiteralString = "force_generic_plan" if "generic" in request.param else "force_custom_plan"
        connection.execute(sql.SQL("set plan_cache_mode = {}").format(mode))
        _prepare(connection)
        yield connection


@pytest.mark.parametrize("limit", [1, 10, 50])
def test_a_claim_with_a_million_finished_jobs_reads_a_bounded_number_of_rows(
    session: Connection, limit: int
) -> None:
    plan = _explain(session, limit=limit)
    assert plan["Actual Rows"] == limit
    # At most 64 lanes are read, each up to the window, then a few rows for each claimed job.
    _assert_index_is_used(plan, at_most=64 * (2 * limit + 16) + 64 * 2 + 40 * limit)


def test_a_claim_of_a_stage_without_jobs_reads_only_the_lanes(
    session: Connection,
) -> None:
    plan = _explain(session, limit=10, stages=["transcribe"])
    assert plan["Actual Rows"] == 0
    # 100 organizations with five stages each: one index lookup per lane.
    _assert_index_is_used(plan, at_most=2 * 500 + 10)


def test_a_claim_of_one_stage_reads_only_lanes_of_that_stage(
    session: Connection,
) -> None:
    plan = _explain(session, limit=10, stages=["stage3"])
    assert plan["Actual Rows"] == 10
    _assert_index_is_used(plan, at_most=64 * (2 * 10 + 16) + 2 * 500 + 40 * 10)


#: The other verbs that workers use often, with parameters of the ledger's shape.
_ROWS = json.dumps(
    [{"job_id": FIRST_ORG, "epoch": 1, "progress": {}, "result": {}, "follow_ups": [], "final": False}]
)
OTHER_VERBS: dict[str, dict[str, object]] = {
    "heartbeat": {"rows": _ROWS, "until": NOW, "now": NOW},
    "progress": {"rows": _ROWS, "now": NOW},
    "advance": {"rows": _ROWS, "until": NOW, "now": NOW},
    "advance_through": {"rows": _ROWS, "until": NOW, "now": NOW},
    "finish": {"rows": _ROWS, "now": NOW},
    "fail": {"rows": _ROWS, "now": NOW},
    "suspend": {"rows": _ROWS, "now": NOW},
    "release": {"rows": _ROWS, "now": NOW},
    "lock_leased_job": {"job_id": FIRST_ORG, "epoch": 1},
    "wake_next": {"documents": json.dumps([FIRST_ORG]), "now": NOW},
    "end_runs": {
        "runs": json.dumps([FIRST_ORG]),
        "state": "CANCELLED",
        "error": None,
        "kind": "RUN_CANCELLED",
        "detail": None,
        "now": NOW,
    },
    "rescue": {"now": NOW, "stamp": "now", "limit": 100, "dead_workers": "[]"},
    "busy_workers": {"worker": "anna"},
    "select_overdue_runs": {"now": NOW, "limit": 100},
    "next_sweep": {},
}


@pytest.mark.parametrize("verb", OTHER_VERBS)
def test_no_other_verb_scans_the_tables_with_a_million_finished_jobs(large: LargeDatabase, verb: str) -> None:
    (statement,) = statements("postgres", verb)
    with (
        psycopg.connect(large.dsn, autocommit=True) as connection,
        connection.transaction(force_rollback=True),
    ):
        explain = cast("LiteralString", f"explain (analyze, format json) {statement}")
        row = connection.execute(explain, OTHER_VERBS[verb]).fetchone()
    assert row is not None
    plan = cast("dict[str, Any]", row[0][0]["Plan"])
    scanned = {node.get("Relation Name") for node in _nodes(plan) if node["Node Type"] == "Seq Scan"}
    assert not scanned & HOT_TABLES
    assert _rows_read(plan) <= 100


# Jobs and runs that are in progress; the statistics of the tables do not know them.
START = """
update document_processing_jobs set status = 'PROCESSING', lease_epoch = 1, last_heartbeat = now()
where id in (select pg_temp.made_id('e', n) from generate_series(1, 2000) as n);

update processing_runs set state = 'RUNNING'
where id in (select pg_temp.made_id('c', 100000 + n) from generate_series(1, 2000) as n);
"""


@pytest.mark.parametrize("verb", ["finish", "advance", "advance_through", "heartbeat"])
def test_a_settlement_reads_only_its_own_jobs_of_those_in_progress(large: LargeDatabase, verb: str) -> None:
    batch = 20
    settled: dict[str, object] = {"epoch": 1, "result": {}, "follow_ups": [], "max_attempts": 5}
    following: dict[str, object] = {
        "next_stage": "next",
        "next_payload": {},
        "keep": False,
        "stages": [],
        "events": [],
    }
    rows = [
        {"job_id": f"e{number:031x}", "next_id": f"f{number:031x}", **settled, **following}
        for number in range(1, batch + 1)
    ]
    (statement,) = statements("postgres", verb)
    with (
        psycopg.connect(large.dsn, autocommit=True) as connection,
        connection.transaction(force_rollback=True),
    ):
        connection.execute(FILL.split(";")[0])
        connection.execute(START)
        explain = cast("LiteralString", f"explain (analyze, format json) {statement}")
        row = connection.execute(explain, {"rows": json.dumps(rows), "until": NOW, "now": NOW}).fetchone()
    assert row is not None
    plan = cast("dict[str, Any]", row[0][0]["Plan"])
    assert plan["Actual Rows"] == batch
    assert _rows_read(plan) <= 4 * batch, json.dumps(plan, indent=1)
    compared = sum(node.get("Rows Removed by Join Filter", 0) * node["Actual Loops"] for node in _nodes(plan))
    assert compared <= batch, json.dumps(plan, indent=1)


def test_finished_jobs_do_not_slow_the_claim_on_sqlite(tmp_path: Path, migrated_sqlite_file: Path) -> None:
    with sqlite_engine(tmp_path / "ledger.db", migrated_sqlite_file) as engine:
        plan = a_plan(("extract",))
        submissions = [a_submission(plan=plan) for _ in range(200)]
        engine.database.transact(lambda tx: submit.submit(tx, submissions, NOW - timedelta(days=1)))
        steps_without_finished = engine.database.transact(_claim_steps)
        # Given 50,000 finished jobs
        engine.database.transact(_add_finished)
        engine.database.transact(lambda tx: tx.connection.exec_driver_sql("analyze"))
        assert engine.database.transact(_claim_steps) <= steps_without_finished * 1.1
        for line in engine.database.transact(_plans):
            if re.match(r"SCAN (document_processing_jobs|job|ready|processing_runs|run|other)\b", line):
                assert CLAIM_INDEX in line


def _add_finished(tx: Transaction) -> None:
    tx.connection.exec_driver_sql(
        """
        insert into document_processing_jobs (
          id, org_id, document_id, run_id, stage, status, max_attempts, available_at, created_at, updated_at
        )
        with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 50000)
        select
          printf('job %d', n), org_id, document_id, printf('run %d', n), 'extract', 'COMPLETED', 5, '2026',
          '2026', '2026'
        from counted
        cross join (select * from document_processing_jobs limit 1)
        """
    )


def _claim_steps(tx: Transaction) -> int:
    """Count the steps of SQLite's virtual machine for one claim, in units of 10; roll the claim back."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    raw = cast("Any", tx.connection.connection.driver_connection)
    tx.connection.exec_driver_sql("savepoint before_the_claim")
    raw.set_progress_handler(count, 10)
    try:
        jobs = claim(tx, ClaimRequest("anna", limit=10, lease_seconds=30), FIRST_ORG, NOW)
    finally:
        raw.set_progress_handler(None, 0)
    tx.connection.exec_driver_sql("rollback to before_the_claim")
    assert len(jobs) == 10
    return steps


def _plans(tx: Transaction) -> list[str]:
    parameters = dict.fromkeys(TYPES, None) | {
        "limit": 10,
        "lanes": LANES,
        "after": FIRST_ORG,
        "now": NOW.isoformat(),
    }
    return [
        str(row[3])
        for statement in statements("sqlite", "claim")
        for row in tx.connection.exec_driver_sql(f"explain query plan {statement}", parameters)
    ]
