-- Completes the jobs of several stages that were executed under one lease, and creates the job of the stage after them,
-- whose lease the same worker holds. Only the first job is stored before. Events are written in the order given.
-- Jobs are fetched as in `finish`.
with items as materialized (
  select *
  from jsonb_to_recordset(cast(:rows as jsonb)) as item (
    job_id uuid, epoch bigint, result jsonb, progress jsonb, stages jsonb, events jsonb
  )
),
updated_jobs as (
  update document_processing_jobs as job
  set status = 'COMPLETED',
      result = item.result,
      progress = coalesce(nullif(item.progress, 'null'), job.progress),
      completed_at = :now,
      updated_at = :now,
      lease_until = null
  from items as item
  where job.id = any(array(select job_id from items)) and job.id = item.job_id and job.lease_epoch = item.epoch
    and case when job.status = 'PROCESSING' then true else false end
  returning
    job.id as job_id, job.org_id, job.document_id, job.run_id, job.stage, job.locked_by, job.follow_up,
    item.stages, item.events
),
next_jobs as (
  insert into document_processing_jobs (
    id, org_id, document_id, run_id, stage, status, follow_up, payload, sealed_password, max_attempts, result,
    progress, available_at, lease_epoch, lease_until, last_heartbeat, locked_by, locked_at, started_at, completed_at,
    created_at, updated_at
  )
  select
    next.id, updated_jobs.org_id, updated_jobs.document_id, updated_jobs.run_id, next.stage,
    case when next.completed then 'COMPLETED' else 'PROCESSING' end,
    updated_jobs.follow_up, next.payload, next.sealed_password, next.max_attempts,
    case when next.completed then next.result end,
    nullif(next.progress, 'null'),
    :now, 1,
    case when not next.completed then cast(:until as timestamptz) end,
    :now, updated_jobs.locked_by, :now, :now,
    case when next.completed then cast(:now as timestamptz) end,
    :now, :now
  from updated_jobs
  cross join jsonb_to_recordset(updated_jobs.stages) as next (
    id uuid, stage text, completed boolean, payload jsonb, sealed_password text, max_attempts integer, result jsonb,
    progress jsonb
  )
),
written_events as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select
    updated_jobs.org_id, updated_jobs.run_id, event.job_id, event.kind, coalesce(event.stage, updated_jobs.stage),
    cast(:now as timestamptz), nullif(event.detail, 'null')
  from updated_jobs
  cross join rows from (
    jsonb_to_recordset(updated_jobs.events) as (job_id uuid, kind text, stage text, detail jsonb)
  ) with ordinality as event (job_id, kind, stage, detail, position)
  order by updated_jobs.job_id, event.position
)
select
  cast(job_id as text), cast(document_id as text), cast(run_id as text), 'COMPLETED' as status,
  cast(null as text) as ended
from updated_jobs
