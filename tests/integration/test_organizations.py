"""Row-level security: organizations share every table and see only their own rows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text

from tests.integration.test_claim_plan import TYPES
from tests.support.api_client import ApiClient, open_api_client
from tests.support.databases import PostgresServer, postgres_engine
from tests.support.rows import fill_every_table
from towpath.clock import SystemClock
from towpath.errors import ConfigError
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.postgres.row_level_security import APP_ROLE, COMMON, enable_rls, role_access
from towpath.ledger.sql_files import statements
from towpath.ledger.tables import metadata
from towpath.model.ids import new_id

ANN, BOB = "a0000000-0000-0000-0000-000000000001", "b0000000-0000-0000-0000-000000000002"
#: Alembic's own table has no rows of organizations.
UNPROTECTED = {"alembic_version"}
WORKER = "towpath_worker"


@dataclass(frozen=True, slots=True)
class TwoOrganizations:
    """A database with two organizations, and its dsn for three roles."""

    owner: str
    app: str
    worker: str


@pytest.fixture(scope="module")
def two_orgs(postgres_server: PostgresServer) -> Iterator[TwoOrganizations]:
    dsn = postgres_server.create_migrated()
    database = PostgresDatabase(dsn)
    upgrade(database.engine, worker_role=WORKER)
    fill_every_table(database, ANN, BOB)
    database.close()
    # The test server trusts every role; elsewhere a role needs LOGIN and a password.
    postgres_server.command(sql.SQL("alter role {} login").format(sql.Identifier(APP_ROLE)))
    yield TwoOrganizations(dsn, _as(APP_ROLE, dsn), _as(WORKER, dsn))
    postgres_server.drop(dsn)


def _as(role: str, dsn: str) -> str:
    return dsn.replace("postgres@", f"{role}@")


def _connection_of(dsn: str, org_id: str | None) -> psycopg.Connection[tuple[Any, ...]]:
    connection = psycopg.connect(dsn)
    if org_id is not None:
        connection.execute("select set_config('towpath.org', %s, true)", (org_id,))
    return connection


def _tables(dsn: str) -> list[str]:
    """Return every table in the catalog, including tables that are not in `tables.py`."""
    with psycopg.connect(dsn) as connection:
        rows = connection.execute("select tablename from pg_tables where schemaname = 'public' order by 1")
        return [str(name) for (name,) in rows]


def test_row_level_security_is_forced_on_every_table(two_orgs: TwoOrganizations) -> None:
    assert set(metadata.tables) == set(_tables(two_orgs.owner)) - UNPROTECTED
    query = """
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not (relrowsecurity and relforcerowsecurity)
    """
    with psycopg.connect(two_orgs.owner) as connection:
        assert {name for (name,) in connection.execute(query)} == UNPROTECTED
        owners = connection.execute("select distinct tableowner from pg_tables where schemaname = 'public'")
        assert owners.fetchall() == [("postgres",)], "the application's roles own nothing"


@pytest.mark.parametrize("table", sorted(metadata.tables.keys() - COMMON))
class TestOnEveryTable:
    def test_a_plain_select_returns_only_rows_of_the_organization(
        self, two_orgs: TwoOrganizations, table: str
    ) -> None:
        column = "id" if table == "organizations" else "org_id"
        query = sql.SQL("select {}::text from {}").format(sql.Identifier(column), sql.Identifier(table))
        with _connection_of(two_orgs.app, ANN) as ann, _connection_of(two_orgs.app, BOB) as bob:
            assert ann.execute(query).fetchall() == [(ANN,)]
            assert bob.execute(query).fetchall() == [(BOB,)]
            assert len(ann.execute(sql.SQL("select * from {}").format(sql.Identifier(table))).fetchall()) == 1
        with _connection_of(two_orgs.app, None) as unset:
            assert unset.execute(query).fetchall() == []

    def test_rows_of_another_organization_cannot_be_created_changed_or_deleted(
        self, two_orgs: TwoOrganizations, table: str
    ) -> None:
        column = sql.Identifier("id" if table == "organizations" else "org_id")
        name = sql.Identifier(table)
        with _connection_of(two_orgs.app, ANN) as ann:
            updated = ann.execute(sql.SQL("update {0} set {1} = {1}").format(name, column))
            assert updated.rowcount == 1
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                ann.execute(sql.SQL("update {} set {} = {}").format(name, column, BOB))
        with _connection_of(two_orgs.app, ANN) as ann:
            removed = ann.execute(sql.SQL("delete from {} where {} = {}").format(name, column, BOB))
            assert removed.rowcount == 0
            ann.rollback()

    def test_a_worker_sees_the_rows_of_all_organizations(
        self, two_orgs: TwoOrganizations, table: str
    ) -> None:
        query = sql.SQL("select count(*) from {}").format(sql.Identifier(table))
        with _connection_of(two_orgs.worker, None) as worker:
            assert worker.execute(query).fetchall() in ([(2,)], [(3,)]), (
                "the default organization has rows, too"
            )


def test_the_jobs_view_shows_and_queues_jobs_of_one_organization(two_orgs: TwoOrganizations) -> None:
    """The view has the rights of its reader; with those of its owner it would bypass row-level security."""
    with psycopg.connect(two_orgs.owner) as owner:
        calls = dict(
            owner.execute("select org_id::text, id from documents where org_id in (%s, %s)", (ANN, BOB))
        )
        for org_id, call_id in calls.items():
            run = owner.execute("select id from processing_runs where org_id = %s", (org_id,)).fetchone()
            owner.execute("update processing_runs set document_id = %s where org_id = %s", (call_id, org_id))
            owner.execute(
                "update document_processing_jobs set document_id = %s, run_id = %s, stage = 'analyze'"
                " where org_id = %s",
                (call_id, run and run[0], org_id),
            )
        owner.commit()
    enqueue = (
        "insert into processing_jobs (org_id, call_id, stage, status, payload)"
        " values (%s, %s, 'analyze', 'queued', '{}')"
    )
    with _connection_of(two_orgs.app, ANN) as ann:
        assert ann.execute("select org_id::text from processing_jobs").fetchall() == [(ANN,)]
        for org_id in (ANN, BOB):
            with pytest.raises(psycopg.errors.ForeignKeyViolation), ann.transaction():
                ann.execute(enqueue, (org_id, calls[BOB]))
        ann.execute(enqueue, (ANN, calls[ANN]))
        assert ann.execute("select org_id::text from processing_jobs").fetchall() == [(ANN,), (ANN,)]
        ann.rollback()


def test_the_organization_setting_ends_with_its_transaction(two_orgs: TwoOrganizations) -> None:
    with _connection_of(two_orgs.app, ANN) as connection:
        assert connection.execute("select 1 from documents").fetchall() == [(1,)]
        connection.commit()
        assert connection.execute("select 1 from documents").fetchall() == []


def test_an_api_key_is_found_by_its_hash(two_orgs: TwoOrganizations) -> None:
    with psycopg.connect(two_orgs.owner) as owner:
        ((known,),) = owner.execute("select hash from api_keys where org_id = %s", (BOB,)).fetchall()
    with _connection_of(two_orgs.app, None) as connection:
        connection.execute("select set_config('towpath.key', %s, true)", (known,))
        assert connection.execute("select org_id::text from api_keys").fetchall() == [(BOB,)]


def test_the_claim_has_the_same_plan_for_worker_and_owner(two_orgs: TwoOrganizations) -> None:
    """The policy that lets a worker see all rows costs nothing: the planner removes it."""
    (claim,) = statements("postgres", "claim")
    typed = re.sub(r"%\((\w+)\)s", lambda rows: f"cast(null as {TYPES[rows[1]]})", claim)
    explained = f"explain (costs off) {typed}".replace("%%", "%")
    plans: list[list[tuple[Any, ...]]] = []
    for dsn in (two_orgs.owner, two_orgs.worker):
        with psycopg.connect(dsn) as connection:
            plans.append(connection.execute(explained.encode()).fetchall())
    assert plans[0] == plans[1]
    assert "current_setting" not in str(plans[1])


def test_vector_search_under_row_level_security_uses_its_index(two_orgs: TwoOrganizations) -> None:
    with _connection_of(two_orgs.app, ANN) as ann:
        ann.execute("set local enable_seqscan = off")
        ann.execute("set local enable_bitmapscan = off")
        ann.execute("set local enable_sort = off")
        nearest = sql.SQL("""
            explain select number from chunks where dimension = 384 and org_id = {}
            order by (vector::vector(384)) <=> {}::vector(384) limit 10
        """).format(ANN, str([1.0] * 384))
        plan = str(ann.execute(nearest).fetchall())
    assert "ix_chunks_search_384" in plan
    # The planner merges the condition of the policy with that of the query, and estimates it once.
    assert plan.count("org_id =") == 1


def test_migrating_again_changes_no_policy(two_orgs: TwoOrganizations) -> None:
    with psycopg.connect(two_orgs.owner) as connection:
        before = connection.execute("select oid from pg_policy order by 1").fetchall()
    database = PostgresDatabase(two_orgs.owner)
    upgrade(database.engine)
    database.close()
    with psycopg.connect(two_orgs.owner) as connection:
        assert connection.execute("select oid from pg_policy order by 1").fetchall() == before


def test_an_owner_without_the_right_to_create_roles_can_work(postgres_server: PostgresServer) -> None:
    dsn = postgres_server.create()
    postgres_server.command(sql.SQL("create role plain_owner login").format())
    name = sql.Identifier(dsn.partition("@/")[2].partition("?")[0])
    postgres_server.command(sql.SQL("alter database {} owner to plain_owner").format(name))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create extension vector")
    with postgres_engine(_as("plain_owner", dsn)) as engine:
        upgrade(engine.database.engine)
        with engine.database.engine.connect() as connection:
            assert role_access(connection).sees_all
            assert connection.execute(text("select name from organizations")).scalars().all() == ["home"]
            with pytest.raises(ConfigError, match="Let an administrator run `create role somebody login`"):
                enable_rls(connection, worker_role="somebody")
    postgres_server.drop(dsn)


async def _key(client: ApiClient, organization: str) -> dict[str, str]:
    _, secret = await client.runtime.services.keys.create(organization, "test", SystemClock().now())
    return {"Authorization": f"Bearer {secret}"}


async def test_the_api_answers_404_for_ids_of_another_organization(
    two_orgs: TwoOrganizations, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    dsn = postgres_server.create_migrated()
    database = PostgresDatabase(dsn)
    upgrade(database.engine, worker_role=WORKER)
    database.close()
    # Given a server and a worker that do not own the database, and a document of Ann's
    async with open_api_client(tmp_path / "data", database=_as(WORKER, dsn)) as client:
        ann, bob = await _key(client, "ann"), await _key(client, "bob")
        note = {"file": ("note.txt", b"A note about the summit pound.")}
        document = (await client.http.post("/documents", files=note, headers=ann)).json()
        client.http.headers = ann
        await client.wait_until_finished(document["id"])
        job = (await client.get("/jobs"))[0]
        ids = {"document_id": document["id"], "run_id": document["run_id"], "job_id": job["id"]}
        # When Bob requests it by every route with an id
        routes = [
            (method, path)
            for path, methods in (await client.get("/openapi.json"))["paths"].items()
            for method in methods
            if "{" in path
        ]
        assert len(routes) > 12
        for method, path in routes:
            url = re.sub(r"\{(\w+)\}", lambda rows: ids.get(rows[1], document["id"]), path)
            unknown = re.sub(r"\{\w+\}", lambda _: new_id(), path)
            body: dict[str, str] | None = {} if method != "get" else None
            answer = await client.http.request(method, url, headers=bob, json=body)
            # Then the answer is that of an unknown id: 403 on routes for operators, else 404
            # A PUT by name is about a schema of Bob's own, which this body is not
            refusals = (403, 404, 422) if path == "/schemas/{schema_name}" else (403, 404)
            assert answer.status_code in refusals, f"{method} {path}: {answer.text}"
            expected = await client.http.request(method, unknown, headers=bob, json=body)
            assert answer.status_code == expected.status_code, f"{method} {path}: {answer.text}"
        assert (await client.http.get("/documents", headers=bob)).json()["total"] == 0
        for mode in ("text", "vector", "hybrid"):
            query = {"q": "summit pound", "mode": mode}
            answer = await client.http.get("/search", params=query, headers=bob)
            assert answer.json().get("hits") == [], answer.text
            # And Ann finds it
            assert (await client.get("/search", **query))["hits"][0]["document_id"] == document["id"]
        assert (await client.get("/search", q="summit", document_id=document["id"], kind="document"))["hits"]
        assert (await client.get("/operations"))["documents"] == {"COMPLETED": 1}
    # A server that logs in as the application role serves requests, but cannot run a worker.
    async with open_api_client(tmp_path / "data", with_worker=False, database=_as(APP_ROLE, dsn)) as client:
        client.http.headers = ann
        assert (await client.get("/search", q="summit pound"))["hits"]
        assert (await client.http.get("/documents", headers=bob)).json()["total"] == 0
        assert (await client.http.post("/documents", files=note, headers=bob)).status_code == 200
    with pytest.raises(ConfigError, match="a worker needs all of them"):
        async with open_api_client(tmp_path / "data", database=_as(APP_ROLE, dsn)):
            pass
    postgres_server.drop(dsn)


async def test_after_all_database_sessions_ended_at_most_one_request_fails(
    two_orgs: TwoOrganizations, tmp_path: Path
) -> None:
    async with open_api_client(tmp_path / "data", with_worker=False, database=two_orgs.worker) as client:
        # Given many connections in the pool, each used more than once
        for _ in range(3):
            await asyncio.gather(*(client.get("/documents") for _ in range(8)))
        # When the database ends them all
        ended = "select pg_terminate_backend(pid) from pg_stat_activity where usename = %s"
        with psycopg.connect(two_orgs.owner, autocommit=True) as connection:
            assert len(connection.execute(ended, (WORKER,)).fetchall()) > 1
        # Then at most one request fails and the pool is replaced
        assert (await client.http.get("/documents")).status_code in (200, 503)
        for _ in range(8):
            assert (await client.http.get("/documents")).status_code == 200
