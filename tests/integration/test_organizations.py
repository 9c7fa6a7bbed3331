"""Row-level security: organizations share every table, and none of them can see another's rows in it."""

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
from tests.support.databases import PostgresServer, postgres_engine
from tests.support.desk import Desk, opened_desk
from tests.support.rows import fill_every_table
from towpath.clock import SystemClock
from towpath.errors import ConfigError
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.postgres.protection import APP_ROLE, COMMON, protect, standing
from towpath.ledger.statements import statements
from towpath.ledger.tables import metadata

ANN, BOB = "a0000000-0000-0000-0000-000000000001", "b0000000-0000-0000-0000-000000000002"
#: What Alembic knows of the schema: no row of anybody.
UNPROTECTED = {"alembic_version"}
WORKER = "towpath_worker"


@dataclass(frozen=True, slots=True)
class House:
    """A database in which two organizations live, and the ways into it."""

    owner: str
    app: str
    worker: str


@pytest.fixture(scope="module")
def house(postgres_server: PostgresServer) -> Iterator[House]:
    dsn = postgres_server.create_migrated()
    database = PostgresDatabase(dsn)
    upgrade(database.engine, worker_role=WORKER)
    fill_every_table(database, ANN, BOB)
    database.close()
    # Trusted by the server of the tests; elsewhere only a role with LOGIN and a password gets this far.
    postgres_server.command(sql.SQL("alter role {} login").format(sql.Identifier(APP_ROLE)))
    yield House(dsn, _as(APP_ROLE, dsn), _as(WORKER, dsn))
    postgres_server.drop(dsn)


def _as(role: str, dsn: str) -> str:
    return dsn.replace("postgres@", f"{role}@")


def _connection_of(dsn: str, org_id: str | None) -> psycopg.Connection[tuple[Any, ...]]:
    connection = psycopg.connect(dsn)
    if org_id is not None:
        connection.execute("select set_config('towpath.org', %s, true)", (org_id,))
    return connection


def _tables(dsn: str) -> list[str]:
    """Every table in the catalog, whether or not `tables.py` knows of it."""
    with psycopg.connect(dsn) as connection:
        found = connection.execute("select tablename from pg_tables where schemaname = 'public' order by 1")
        return [str(name) for (name,) in found]


def test_every_table_is_bound_and_its_owner_with_it(house: House) -> None:
    assert set(metadata.tables) == set(_tables(house.owner)) - UNPROTECTED
    query = """
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not (relrowsecurity and relforcerowsecurity)
    """
    with psycopg.connect(house.owner) as connection:
        assert {name for (name,) in connection.execute(query)} == UNPROTECTED
        owners = connection.execute("select distinct tableowner from pg_tables where schemaname = 'public'")
        assert owners.fetchall() == [("postgres",)], "the application's roles own nothing"


@pytest.mark.parametrize("table", sorted(metadata.tables.keys() - COMMON))
class TestOnEveryTable:
    def test_a_hand_written_select_shows_ones_own_rows_only(self, house: House, table: str) -> None:
        column = "id" if table == "organizations" else "org_id"
        query = sql.SQL("select {}::text from {}").format(sql.Identifier(column), sql.Identifier(table))
        with _connection_of(house.app, ANN) as ann, _connection_of(house.app, BOB) as bob:
            assert ann.execute(query).fetchall() == [(ANN,)]
            assert bob.execute(query).fetchall() == [(BOB,)]
            assert len(ann.execute(sql.SQL("select * from {}").format(sql.Identifier(table))).fetchall()) == 1
        with _connection_of(house.app, None) as nobody:
            assert nobody.execute(query).fetchall() == []

    def test_anothers_rows_can_be_neither_changed_nor_removed_nor_made(
        self, house: House, table: str
    ) -> None:
        column = sql.Identifier("id" if table == "organizations" else "org_id")
        name = sql.Identifier(table)
        with _connection_of(house.app, ANN) as ann:
            touched = ann.execute(sql.SQL("update {0} set {1} = {1}").format(name, column))
            assert touched.rowcount == 1
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                ann.execute(sql.SQL("update {} set {} = {}").format(name, column, BOB))
        with _connection_of(house.app, ANN) as ann:
            removed = ann.execute(sql.SQL("delete from {} where {} = {}").format(name, column, BOB))
            assert removed.rowcount == 0
            ann.rollback()

    def test_a_worker_serves_everybody(self, house: House, table: str) -> None:
        query = sql.SQL("select count(*) from {}").format(sql.Identifier(table))
        with _connection_of(house.worker, None) as worker:
            assert worker.execute(query).fetchall() in ([(2,)], [(3,)]), "home is an organization, too"


def test_an_organization_does_not_outlive_its_transaction(house: House) -> None:
    with _connection_of(house.app, ANN) as connection:
        assert connection.execute("select 1 from documents").fetchall() == [(1,)]
        connection.commit()
        assert connection.execute("select 1 from documents").fetchall() == []


def test_a_key_is_shown_to_whoever_knows_its_hash(house: House) -> None:
    with psycopg.connect(house.owner) as owner:
        ((known,),) = owner.execute("select hash from api_keys where org_id = %s", (BOB,)).fetchall()
    with _connection_of(house.app, None) as connection:
        connection.execute("select set_config('towpath.key', %s, true)", (known,))
        assert connection.execute("select org_id::text from api_keys").fetchall() == [(BOB,)]


def test_a_worker_claims_by_the_plan_of_an_owner(house: House) -> None:
    """The policy that lets a worker see everything costs it nothing: the planner folds it away."""
    (claim,) = statements("postgres", "claim")
    typed = re.sub(r"%\((\w+)\)s", lambda found: f"cast(null as {TYPES[found[1]]})", claim)
    explained = f"explain (costs off) {typed}".replace("%%", "%")
    plans: list[list[tuple[Any, ...]]] = []
    for dsn in (house.owner, house.worker):
        with psycopg.connect(dsn) as connection:
            plans.append(connection.execute(explained.encode()).fetchall())
    assert plans[0] == plans[1]
    assert "current_setting" not in str(plans[1])


def test_a_bound_search_by_meaning_reads_its_index(house: House) -> None:
    with _connection_of(house.app, ANN) as ann:
        ann.execute("set local enable_seqscan = off")
        ann.execute("set local enable_bitmapscan = off")
        ann.execute("set local enable_sort = off")
        nearest = sql.SQL("""
            explain select number from chunks where dimension = 384 and org_id = {}
            order by (vector::vector(384)) <=> {}::vector(384) limit 10
        """).format(ANN, str([1.0] * 384))
        plan = str(ann.execute(nearest).fetchall())
    assert "ix_chunks_search_384" in plan
    # The policy's condition and the query's own became one, and are estimated once.
    assert plan.count("org_id =") == 1


def test_migrating_again_changes_no_policy(house: House) -> None:
    with psycopg.connect(house.owner) as connection:
        before = connection.execute("select oid from pg_policy order by 1").fetchall()
    database = PostgresDatabase(house.owner)
    upgrade(database.engine)
    database.close()
    with psycopg.connect(house.owner) as connection:
        assert connection.execute("select oid from pg_policy order by 1").fetchall() == before


def test_an_owner_who_may_not_make_roles_can_work_all_the_same(postgres_server: PostgresServer) -> None:
    dsn = postgres_server.create()
    postgres_server.command(sql.SQL("create role humble login").format())
    name = sql.Identifier(dsn.partition("@/")[2].partition("?")[0])
    postgres_server.command(sql.SQL("alter database {} owner to humble").format(name))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create extension vector")
    with postgres_engine(_as("humble", dsn)) as engine:
        upgrade(engine.database.engine)
        with engine.database.engine.connect() as connection:
            assert standing(connection).sees_all
            assert connection.execute(text("select name from organizations")).scalars().all() == ["home"]
            with pytest.raises(ConfigError, match="Let an administrator run `create role somebody login`"):
                protect(connection, worker_role="somebody")
    postgres_server.drop(dsn)


async def _key(desk: Desk, organization: str) -> dict[str, str]:
    _, secret = await desk.towpath.services.keys.create(organization, "test", SystemClock().now())
    return {"Authorization": f"Bearer {secret}"}


async def test_the_api_tells_nothing_of_anothers_ids(
    house: House, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    dsn = postgres_server.create_migrated()
    database = PostgresDatabase(dsn)
    upgrade(database.engine, worker_role=WORKER)
    database.close()
    # Given a server and a worker that do not own the database, and a document of Ann's
    async with opened_desk(tmp_path / "data", database=_as(WORKER, dsn)) as desk:
        ann, bob = await _key(desk, "ann"), await _key(desk, "bob")
        note = {"file": ("note.txt", b"A note about the summit pound.")}
        document = (await desk.http.post("/documents", files=note, headers=ann)).json()
        desk.http.headers = ann
        await desk.finished(document["id"])
        job = (await desk.get("/jobs"))[0]
        ids = {"document_id": document["id"], "run_id": document["run_id"], "job_id": job["id"]}
        # When Bob asks for it by every route that takes an id
        routes = [
            (method, path)
            for path, methods in (await desk.get("/openapi.json"))["paths"].items()
            for method in methods
            if "{" in path
        ]
        assert len(routes) > 12
        for method, path in routes:
            place = re.sub(r"\{(\w+)\}", lambda found: ids.get(found[1], document["id"]), path)
            answer = await desk.http.request(method, place, headers=bob, json={} if method != "get" else None)
            # Then it is as if it were not there
            assert answer.status_code == 404, f"{method} {path}: {answer.text}"
        assert (await desk.http.get("/documents", headers=bob)).json()["total"] == 0
        for mode in ("text", "vector", "hybrid"):
            asked = {"q": "summit pound", "mode": mode}
            answer = await desk.http.get("/search", params=asked, headers=bob)
            assert answer.json().get("hits") == [], answer.text
            # And Ann finds it
            assert (await desk.get("/search", **asked))["hits"][0]["document_id"] == document["id"]
        assert (await desk.get("/search", q="summit", document_id=document["id"], kind="document"))["hits"]
        assert (await desk.get("/operations"))["documents"] == {"COMPLETED": 1}
    # A server that logs in as the bound role itself serves as well, and cannot be talked into working.
    async with opened_desk(tmp_path / "data", work=False, database=_as(APP_ROLE, dsn)) as desk:
        desk.http.headers = ann
        assert (await desk.get("/search", q="summit pound"))["hits"]
        assert (await desk.http.get("/documents", headers=bob)).json()["total"] == 0
        assert (await desk.http.post("/documents", files=note, headers=bob)).status_code == 200
    with pytest.raises(ConfigError, match="a worker serves all of them"):
        async with opened_desk(tmp_path / "data", database=_as(APP_ROLE, dsn)):
            pass
    postgres_server.drop(dsn)


async def test_a_server_whose_sessions_were_all_ended_stumbles_once_at_most(
    house: House, tmp_path: Path
) -> None:
    async with opened_desk(tmp_path / "data", work=False, database=house.worker) as desk:
        # Given many connections that wait in the pool, each used more than once
        for _ in range(3):
            await asyncio.gather(*(desk.get("/documents") for _ in range(8)))
        # When the database ends them all
        ended = "select pg_terminate_backend(pid) from pg_stat_activity where usename = %s"
        with psycopg.connect(house.owner, autocommit=True) as connection:
            assert len(connection.execute(ended, (WORKER,)).fetchall()) > 1
        # Then one request finds out for all
        assert (await desk.http.get("/documents")).status_code in (200, 503)
        for _ in range(8):
            assert (await desk.http.get("/documents")).status_code == 200
