-- Completes a stage's job and creates the job of the next stage; with `keep` the same worker holds its lease.
-- Jobs are fetched as in `finish`.
with items as materialized (
  select *
  from jsonb_to_recordset(cast(:rows as jsonb)) as item (
    job_id uuid, epoch bigint, result jsonb, progress jsonb, detail jsonb, keep boolean, next_id uuid,
    next_stage text, next_payload jsonb, sealed_password text, max_attempts integer
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
    item.detail, item.keep, item.next_id, item.next_stage, item.next_payload, item.sealed_password,
    item.max_attempts
),
next_jobs as (
  insert into document_processing_jobs (
    id, org_id, document_id, run_id, stage, status, follow_up, payload, sealed_password, max_attempts,
    available_at, lease_epoch, lease_until, last_heartbeat, locked_by, locked_at, started_at, created_at, updated_at
  )
  select
    next_id, org_id, document_id, run_id, next_stage,
    case when keep then 'PROCESSING' else 'PENDING' end,
    follow_up, next_payload, sealed_password, max_attempts, :now,
    case when keep then 1 else 0 end,
    case when keep then cast(:until as timestamptz) end,
    case when keep then cast(:now as timestamptz) end,
    case when keep then locked_by end,
    case when keep then cast(:now as timestamptz) end,
    case when keep then cast(:now as timestamptz) end,
    :now, :now
  from updated_jobs
),
written_events as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select org_id, run_id, job_id, 'STEP_COMPLETED', stage, :now, detail from updated_jobs
  union all
  select
    org_id, run_id, next_id, 'STEP_STARTED', next_stage, :now,
    jsonb_build_object('worker', locked_by, 'epoch', 1)
  from updated_jobs
  where keep
)
select
  cast(job_id as text), cast(document_id as text), cast(run_id as text), 'COMPLETED' as status,
  cast(null as text) as ended
from updated_jobs
