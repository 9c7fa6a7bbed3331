"""Row-level security: a transaction of one organization cannot see rows of another.

There are two kinds of roles. The *application role* is bound: it sees only the rows of the organization in
`towpath.org`, which each transaction sets, and no rows if it is not set. *Worker roles* see every organization; the
owner of the tables is one of them. The server switches to the application role for each transaction of an
organization. The names of the roles are stored in the policies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy import Connection, text

from towpath.errors import ConfigError
from towpath.ledger.tables import metadata

#: The default name of the application role.
APP_ROLE = "towpath_app"
#: Tables without an organization: throttles, users and batch limits of providers, workers, and pauses.
COMMON = frozenset({"provider_throttles", "provider_users", "provider_batch_limits", "workers", "pauses"})

_OF_ORG = "nullif(current_setting('towpath.org', true), '')::uuid"
_OF_KEY = "nullif(current_setting('towpath.key', true), '')"
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")

_POLICIES = text("""
    select tablename, policyname, array_to_string(roles, ',') as roles from pg_policies
    where schemaname = current_schema()
""")
_ME = text(
    "select rolname as name, rolsuper or rolbypassrls as above from pg_roles where rolname = current_user"
)
# Since Postgres 16 the right to switch to a role is separate from membership.
_MAY_BECOME = text("""
    select pg_has_role(cast(:app as text),
      case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
""")
_FORCED = text("""
    select relname from pg_class
    where relnamespace = current_schema()::regnamespace and relrowsecurity and relforcerowsecurity
""")


@dataclass(frozen=True, slots=True)
class Roles:
    """``app`` is None if the migrating role may not create roles: then the policy applies to all other roles."""

    app: str | None
    workers: frozenset[str]


@dataclass(frozen=True, slots=True)
class RoleAccess:
    """Whether a role sees the rows of all organizations, and the application role it can switch to."""

    role: str
    sees_all: bool
    becomes: str | None


def enable_rls(connection: Connection, app_role: str | None = None, worker_role: str | None = None) -> Roles:
    """Enable row-level security on every table, also on new ones; idempotent."""
    roles = _roles(connection, app_role, worker_role)
    known = {(row.tablename, row.policyname): row.roles for row in connection.execute(_POLICIES)}
    forced = set(connection.execute(_FORCED).scalars())
    for table in metadata.tables:
        if table not in forced:
            connection.exec_driver_sql(f"alter table {table} enable row level security")
            connection.exec_driver_sql(f"alter table {table} force row level security")
        for name, (to, rule) in _policies(table, roles).items():
            if known.get((table, name)) == to:
                continue
            connection.exec_driver_sql(f"drop policy if exists {name} on {table}")
            connection.exec_driver_sql(f"create policy {name} on {table} {rule}")
    for role in {roles.app, *roles.workers} - {None, _me(connection)}:
        _grant(connection, str(role), bound=role == roles.app)
    return roles


def _policies(table: str, roles: Roles) -> dict[str, tuple[str, str]]:
    """Policy name -> its roles, as pg_policies lists them, and its rule."""
    app, workers = roles.app or "public", sorted(roles.workers)
    bound = "public" if roles.app is None else _quoted(roles.app)
    policies = {"workers": (",".join(workers), f"to {', '.join(map(_quoted, workers))} using (true)")}
    if table in COMMON:
        policies["common"] = (app, f"for select to {bound} using (true)")
    elif table == "organizations":
        policies["organization"] = (app, f"to {bound} using (id = {_OF_ORG})")
    elif "org_id" in metadata.tables[table].c:
        # A plain equality: the planner merges it with the query's condition and estimates it once.
        policies["organization"] = (app, f"to {bound} using (org_id = {_OF_ORG})")
    if table == "api_keys":
        # A request that knows the hash of a key can read that key, to find its organization.
        policies["key"] = (app, f"for select to {bound} using (hash = {_OF_KEY})")
    return policies


def _roles(connection: Connection, app_role: str | None, worker_role: str | None) -> Roles:
    for name in filter(None, (app_role, worker_role)):
        if not _NAME.fullmatch(name):
            raise ConfigError(f"A role's name has small letters, digits and underscores only, not {name!r}.")
    before = roles_of(connection)
    app = app_role or (before and before.app) or APP_ROLE
    has_app = _ensure_role(connection, app, "nologin")
    if not has_app and app_role is not None:
        raise ConfigError(
            f"This role may not make the role {app}. Let an administrator run `create role {app}`, and try again."
        )
    workers = {_me(connection), *(before.workers if before else ())}
    if worker_role is not None:
        if not _ensure_role(connection, worker_role, "login"):
            raise ConfigError(
                f"This role may not make the role {worker_role}. Let an administrator run "
                f"`create role {worker_role} login`, and try again."
            )
        workers.add(worker_role)
    if has_app:
        for worker in sorted(workers):
            member = f"pg_has_role({_text(worker)}, {_text(app)}, 'member')"
            _try(connection, f"grant {_quoted(app)} to {_quoted(worker)}", member)
    return Roles(app if has_app else None, frozenset(workers))


def roles_of(connection: Connection) -> Roles | None:
    """The roles in the policies of this database; None if row-level security was never enabled."""
    policies = {
        row.policyname: row.roles for row in connection.execute(_POLICIES) if row.tablename == "documents"
    }
    if not {"organization", "workers"} <= policies.keys():
        return None
    app = policies["organization"]
    return Roles(None if app == "public" else app, frozenset(policies["workers"].split(",")))


def role_access(connection: Connection) -> RoleAccess:
    """The access of the current role under the policies."""
    roles = roles_of(connection)
    me = connection.execute(_ME).one()
    app = roles.app if roles else None
    unbound = me.above or roles is None or _is_member(connection, me.name, roles.workers)
    may_become = (
        app is not None
        and app != me.name
        and bool(connection.execute(_MAY_BECOME, {"app": app}).scalar_one())
    )
    return RoleAccess(me.name, sees_all=unbound, becomes=app if may_become and unbound else None)


def _is_member(connection: Connection, name: str, roles: frozenset[str]) -> bool:
    query = text(
        "select bool_or(pg_has_role(:name, role, 'usage')) from unnest(cast(:roles as text[])) as role"
    )
    return bool(connection.execute(query, {"name": name, "roles": sorted(roles)}).scalar())


def _me(connection: Connection) -> str:
    return str(connection.exec_driver_sql("select current_user").scalar_one())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


def _ensure_role(connection: Connection, name: str, how: str) -> bool:
    role_exists = f"exists (select 1 from pg_roles where rolname = {_text(name)})"
    _try(connection, f"create role {_quoted(name)} {how}", role_exists)
    return bool(connection.exec_driver_sql(f"select {role_exists}").scalar_one())


def _try(connection: Connection, statement: str, unless: str) -> None:
    """Run the statement if it is needed and allowed. Ignores duplicates: a migration of another database on the same
    server may create the role at the same time."""
    connection.exec_driver_sql(f"""
        do $$ begin
          if not {unless} then {statement}; end if;
        exception when insufficient_privilege or duplicate_object or unique_violation then null;
        end $$
    """)


def _grant(connection: Connection, name: str, *, bound: bool) -> None:
    role = _quoted(name)
    schema = str(connection.exec_driver_sql("select quote_ident(current_schema())").scalar_one())
    common = sorted(COMMON & metadata.tables.keys()) if bound else []
    owned = sorted(metadata.tables.keys() - set(common))
    connection.exec_driver_sql(f"grant usage on schema {schema} to {role}")
    connection.exec_driver_sql(f"grant usage on all sequences in schema {schema} to {role}")
    connection.exec_driver_sql(f"grant select, insert, update, delete on {', '.join(owned)} to {role}")
    read_only = ["alembic_version", "processing_jobs", *common]
    connection.exec_driver_sql(f"grant select on {', '.join(read_only)} to {role}")
    # A suspended job locks the throttle that it waits for. No policy lets this role change the row.
    connection.exec_driver_sql(f"grant update on provider_throttles to {role}")
    # An insert queues a run; the view and its trigger run with the rights of this role.
    connection.exec_driver_sql(f"grant insert on processing_jobs to {role}")
