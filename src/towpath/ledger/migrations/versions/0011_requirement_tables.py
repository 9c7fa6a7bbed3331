"""Adds the defaults, columns and view that the requirements name, the policy of runs and the settings of workers.

The columns and the view are `last_heartbeat`, `is_job_stale` and `processing_jobs`.

An INSERT into the view queues a run of a call from a stage. Other changes through the view are refused: a claim or a
completion without a lease could overwrite the work of a worker.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0011"
down_revision = "0010"

_STATUSES = "'PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED'"


def upgrade() -> None:
    on_postgres = op.get_bind().dialect.name == "postgresql"
    op.execute("drop view processing_jobs")
    # Empty in runs of earlier versions, which follow the settings of the worker.
    for table, column in (("processing_runs", "policy"), ("workers", "settings")):
        op.add_column(table, sa.Column(column, columns.Json, nullable=False, server_default=sa.text("'{}'")))
    op.add_column("document_processing_jobs", sa.Column("last_heartbeat", columns.Instant))
    op.execute("update document_processing_jobs set last_heartbeat = updated_at where status = 'PROCESSING'")
    op.create_index(
        "ix_document_processing_jobs_heartbeat",
        "document_processing_jobs",
        ["last_heartbeat"],
        postgresql_where=sa.text("status = 'PROCESSING'"),
        sqlite_where=sa.text("status = 'PROCESSING'"),
    )
    op.execute(_RENUMBER)
    op.drop_index("ix_chunks_document", "chunks")
    for statement in _POSTGRES if on_postgres else _SQLITE:
        op.execute(sa.text(statement.replace(":", "\\:")))


# Ordinals were unique before, but nothing enforced it.
_RENUMBER = """
update chunks
set ordinal = numbered.ordinal
from (
  select id, row_number() over (partition by document_id order by ordinal, id) - 1 as ordinal
  from chunks
  where document_id in (select document_id from chunks group by document_id, ordinal having count(*) > 1)
) as numbered
where chunks.id = numbered.id
"""

_VIEW = """
create view processing_jobs {options} as
select
  id, org_id, document_id as call_id, stage,
  case status
    when 'PENDING' then 'queued' when 'PROCESSING' then 'processing' when 'COMPLETED' then 'done' else 'failed'
  end as status,
  payload, attempts, max_attempts, available_at, locked_at, locked_by, error_log as last_error, created_at,
  updated_at
from document_processing_jobs
"""

_QUEUE_POSTGRES = """
create function queue_processing_job() returns trigger language plpgsql set search_path from current as $$
declare
  latest processing_runs%rowtype;
  reached processing_runs%rowtype;
  reached_job document_processing_jobs%rowtype;
  earlier_run uuid;
  new_run uuid := gen_random_uuid();
  queued_at timestamptz := now();
  reused text[];
begin
  if coalesce(new.status, 'queued') <> 'queued' then
    raise exception 'A new job has the status queued, not %.', new.status using errcode = 'check_violation';
  end if;
  perform 1 from documents where id = new.call_id and org_id = new.org_id for update;
  if not found then
    raise exception 'There is no call % in organization %.', new.call_id, new.org_id
      using errcode = 'foreign_key_violation';
  end if;
  select * into latest
  from processing_runs where document_id = new.call_id order by created_at desc, id desc limit 1;
  select run.* into reached
  from processing_runs as run
  join document_processing_jobs as job
    on job.document_id = run.document_id and job.run_id = run.id and job.stage = new.stage and not job.follow_up
  where run.document_id = new.call_id and run.pipeline = latest.pipeline
  order by run.created_at desc, run.id desc
  limit 1;
  if not found then
    raise exception 'No run of call % has reached the stage %.', new.call_id, new.stage
      using errcode = 'check_violation';
  end if;
  select * into reached_job
  from document_processing_jobs
  where document_id = new.call_id and run_id = reached.id and stage = new.stage and not follow_up;
  select id into earlier_run
  from processing_runs
  where document_id = new.call_id and state in ('QUEUED', 'RUNNING')
  order by created_at desc, id desc
  limit 1;
  insert into processing_runs (
    id, org_id, document_id, pipeline, pipeline_version, state, options, resumes_run_id, deadline_seconds,
    continue_after_timeout, policy, reason, created_at
  )
  values (
    new_run, new.org_id, new.call_id, latest.pipeline, latest.pipeline_version, 'QUEUED', latest.options, null,
    latest.deadline_seconds, latest.continue_after_timeout, latest.policy, 'reprocessed',
    greatest(queued_at, latest.created_at + interval '1 microsecond')
  );
  with done as (
    select job.*, row_number() over (order by job.created_at, job.id) as position
    from document_processing_jobs as job
    where job.document_id = new.call_id and job.run_id = reached.id and job.status = 'COMPLETED'
      and not job.follow_up and (job.created_at, job.id) < (reached_job.created_at, reached_job.id)
  ),
  copied as (
    insert into document_processing_jobs (
      org_id, document_id, run_id, stage, status, payload, result, max_attempts, available_at, reused_from,
      created_at, started_at, completed_at, updated_at
    )
    select
      org_id, document_id, new_run, stage, 'COMPLETED', payload, result, max_attempts, queued_at,
      coalesce(reused_from, id), queued_at + position * interval '1 microsecond', started_at, completed_at,
      queued_at
    from done
  )
  select array_agg(stage order by position) into reused from done;
  update processing_runs set resumes_run_id = reached.id where id = new_run and reused is not null;
  insert into document_processing_jobs (
    id, org_id, document_id, run_id, stage, status, payload, attempts, max_attempts, available_at,
    waiting_reason, waiting_run_id, created_at, updated_at
  )
  values (
    coalesce(new.id, gen_random_uuid()), new.org_id, new.call_id, new_run, new.stage, 'PENDING',
    coalesce(new.payload, '{}'), coalesce(new.attempts, 0),
    coalesce(new.max_attempts, reached_job.max_attempts),
    case when earlier_run is null then coalesce(new.available_at, queued_at) else '9999-12-31 00:00:00+00' end,
    case when earlier_run is not null then 'earlier_run' end,
    earlier_run, queued_at + interval '1 millisecond', queued_at
  )
  returning id into new.id;
  insert into run_events (org_id, run_id, kind, at, detail)
  values (
    new.org_id, new_run, 'RUN_QUEUED', queued_at,
    case when reused is not null then jsonb_build_object('resumes', reached.id, 'reused', to_jsonb(reused)) end
  );
  update documents set status = 'PROCESSING', updated_at = queued_at where id = new.call_id;
  perform pg_notify('towpath', '');
  return new;
end $$
"""

_REFUSE = "Jobs are changed by workers and by the API only; through this view they are read and queued."

_POSTGRES = (
    "alter table chunks add constraint uq_chunks_document_ordinal unique (document_id, ordinal) deferrable",
    "alter table document_processing_jobs "
    "alter column id set default gen_random_uuid(), "
    "alter column max_attempts set default 5, "
    "alter column available_at set default now(), "
    "alter column created_at set default now(), "
    "alter column updated_at set default now()",
    "alter table document_processing_jobs "
    f"add constraint ck_document_processing_jobs_status check (status in ({_STATUSES}))",
    # Not immutable: the answer changes with the time.
    "create function is_job_stale(job document_processing_jobs) returns boolean language sql stable return "
    "job.status = 'PROCESSING' and now() > coalesce("
    "job.lease_until, coalesce(job.last_heartbeat, job.started_at) + interval '30 minutes')",
    # With the rights of the reader, so that row-level security applies.
    _VIEW.format(options="with (security_invoker = true)"),
    _QUEUE_POSTGRES,
    "create trigger queue_processing_job instead of insert on processing_jobs "
    "for each row execute function queue_processing_job()",
    "create function refuse_processing_job_change() returns trigger language plpgsql as $$ "
    f"begin raise exception '{_REFUSE}'; end $$",
    "create trigger refuse_processing_job_change instead of update or delete on processing_jobs "
    "for each row execute function refuse_processing_job_change()",
)

_NOW = "strftime('%Y-%m-%dT%H:%M:%f', 'now')"
#: Milliseconds and three more digits that put rows of one statement in an order.
_NOW_TEXT = f"{_NOW} || '000+00:00'"
_UUID = (
    "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' || "
    "substr('89AB', 1 + abs(random() % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))"
)
_LATEST = """(
  select {column} from processing_runs where document_id = new.call_id order by created_at desc, id desc limit 1
)"""
#: The last run that reached the stage. The new run has no such job until the last statement but two.
_REACHED = """(
  select run.id
  from processing_runs as run
  join document_processing_jobs as job
    on job.document_id = run.document_id and job.run_id = run.id and job.stage = new.stage and not job.follow_up
  where run.document_id = new.call_id and run.pipeline = {pipeline}
  order by run.created_at desc, run.id desc
  limit 1
)""".format(pipeline=_LATEST.format(column="pipeline"))
_EARLIER = """(
  select id
  from processing_runs
  where document_id = new.call_id and state in ('QUEUED', 'RUNNING') and id <> {latest}
  order by created_at desc, id desc
  limit 1
)""".format(latest=_LATEST.format(column="id"))

_QUEUE_SQLITE = f"""
create trigger queue_processing_job instead of insert on processing_jobs begin
  select raise(abort, 'A new job has the status queued.') where coalesce(new.status, 'queued') <> 'queued';
  select raise(abort, 'There is no such call in the organization.')
  where not exists (select 1 from documents where id = new.call_id and org_id = new.org_id);
  select raise(abort, 'No run of the call has reached this stage.') where {_REACHED} is null;
  insert into processing_runs (
    id, org_id, document_id, pipeline, pipeline_version, state, options, resumes_run_id, deadline_seconds,
    continue_after_timeout, policy, reason, created_at
  )
  select
    {_UUID}, new.org_id, new.call_id, latest.pipeline, latest.pipeline_version, 'QUEUED', latest.options, null,
    latest.deadline_seconds, latest.continue_after_timeout, latest.policy, 'reprocessed',
    case
      when latest.created_at < {_NOW_TEXT} then {_NOW_TEXT}
      else substr(latest.created_at, 1, 20)
        || printf('%06d', min(999999, substr(latest.created_at, 21, 6) + 1)) || '+00:00'
    end
  from processing_runs as latest
  where latest.id = {_LATEST.format(column="id")};
  insert into document_processing_jobs (
    id, org_id, document_id, run_id, stage, status, payload, result, max_attempts, available_at, reused_from,
    created_at, started_at, completed_at, updated_at
  )
  select
    {_UUID}, job.org_id, job.document_id, {_LATEST.format(column="id")}, job.stage, 'COMPLETED', job.payload,
    job.result, job.max_attempts, {_NOW_TEXT}, coalesce(job.reused_from, job.id),
    {_NOW} || printf('%03d', row_number() over (order by job.created_at, job.id)) || '+00:00',
    job.started_at, job.completed_at, {_NOW_TEXT}
  from document_processing_jobs as job
  join document_processing_jobs as reached
    on reached.document_id = job.document_id and reached.run_id = job.run_id and reached.stage = new.stage
      and not reached.follow_up
  where job.document_id = new.call_id and job.run_id = {_REACHED} and job.status = 'COMPLETED'
    and not job.follow_up and (job.created_at, job.id) < (reached.created_at, reached.id);
  update processing_runs
  set resumes_run_id = {_REACHED}
  where id = {_LATEST.format(column="id")}
    and exists (
      select 1 from document_processing_jobs as job
      where job.document_id = new.call_id and job.run_id = processing_runs.id
    );
  insert into run_events (org_id, run_id, kind, at, detail)
  select
    org_id, id, 'RUN_QUEUED', {_NOW_TEXT},
    case when resumes_run_id is not null then json_object(
      'resumes', resumes_run_id,
      'reused', (
        select json_group_array(stage)
        from (
          select job.stage
          from document_processing_jobs as job
          where job.document_id = new.call_id and job.run_id = processing_runs.id
          order by job.created_at, job.id
        )
      )
    ) end
  from processing_runs
  where id = {_LATEST.format(column="id")};
  insert into document_processing_jobs (
    id, org_id, document_id, run_id, stage, status, payload, attempts, max_attempts, available_at,
    waiting_reason, waiting_run_id, created_at, updated_at
  )
  select
    coalesce(new.id, {_UUID}), new.org_id, new.call_id, {_LATEST.format(column="id")}, new.stage, 'PENDING',
    coalesce(new.payload, '{{}}'), coalesce(new.attempts, 0), coalesce(new.max_attempts, reached.max_attempts),
    case
      when {_EARLIER} is not null then '9999-12-31T00:00:00.000000+00:00'
      when new.available_at is null then {_NOW_TEXT}
      else strftime('%Y-%m-%dT%H:%M:%f', new.available_at) || '000+00:00'
    end,
    case when {_EARLIER} is not null then 'earlier_run' end,
    {_EARLIER}, {_NOW} || '999+00:00', {_NOW_TEXT}
  from document_processing_jobs as reached
  where reached.document_id = new.call_id and reached.run_id = {_REACHED} and reached.stage = new.stage
    and not reached.follow_up;
  update documents set status = 'PROCESSING', updated_at = {_NOW_TEXT} where id = new.call_id;
end
"""

# SQLite cannot add defaults or checks to a table that exists: the triggers do both.
_SQLITE = (
    "create unique index uq_chunks_document_ordinal on chunks (document_id, ordinal)",
    *(
        f"create trigger check_job_status_{moment.split()[0]} before {moment} on document_processing_jobs "
        f"when new.status not in ({_STATUSES}) begin select raise(abort, 'This is no status of a job.'); end"
        for moment in ("insert", "update of status")
    ),
    _VIEW.format(options=""),
    _QUEUE_SQLITE,
    *(
        f"create trigger refuse_processing_job_{moment} instead of {moment} on processing_jobs "
        f"begin select raise(abort, '{_REFUSE}'); end"
        for moment in ("update", "delete")
    ),
)
