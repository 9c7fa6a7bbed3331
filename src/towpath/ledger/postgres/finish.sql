-- Completes the last stage's job, its run and its document, and queues the follow-ups.
-- Completes follow-up jobs as well; their run is COMPLETED already and is not changed.
--
-- Rows are fetched by `= any(array(...))`, and states are compared by `case`, which no partial index matches: statistics
-- say that few jobs are in progress, so the planner would read all of them, and compare each with each of the batch.
with items as materialized (
  select *
  from jsonb_to_recordset(cast(:rows as jsonb)) as item (
    job_id uuid, epoch bigint, result jsonb, progress jsonb, detail jsonb, follow_ups jsonb, max_attempts integer
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
    job.id as job_id, job.org_id, job.document_id, job.run_id, job.stage,
    item.detail, item.follow_ups, item.max_attempts
),
ended_runs as (
  update processing_runs as run
  set state = 'COMPLETED', ended_at = :now
  where run.id = any(array(select run_id from updated_jobs))
    and case when run.state = 'RUNNING' then true else false end
  returning run.id, run.org_id, run.document_id
),
updated_documents as (
  update documents as document
  set status = 'COMPLETED', updated_at = :now
  where document.id = any(array(select document_id from ended_runs))
),
follow_up_jobs as (
  insert into document_processing_jobs (
    id, org_id, document_id, run_id, stage, status, follow_up, max_attempts, available_at,
    created_at, updated_at
  )
  select
    next.id, updated_jobs.org_id, updated_jobs.document_id, updated_jobs.run_id, next.stage, 'PENDING', true,
    updated_jobs.max_attempts, :now, :now, :now
  from updated_jobs
  cross join jsonb_to_recordset(updated_jobs.follow_ups) as next (id uuid, stage text)
),
written_events as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select org_id, run_id, job_id, 'STEP_COMPLETED', stage, cast(:now as timestamptz), detail from updated_jobs
  union all
  select org_id, id, null, 'RUN_COMPLETED', null, :now, null from ended_runs
)
select
  cast(updated_jobs.job_id as text), cast(updated_jobs.document_id as text), cast(updated_jobs.run_id as text),
  'COMPLETED' as status,
  case when updated_jobs.run_id in (select id from ended_runs) then 'COMPLETED' end as ended
from updated_jobs
