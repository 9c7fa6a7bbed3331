-- Completes the last stage's job, its run and its document, and queues the follow-ups.
-- A follow-up's own job ends here too; its run is COMPLETED already and stays so.
with held as (
  update document_processing_jobs as job
  set status = 'COMPLETED',
      result = item.result,
      completed_at = :now,
      updated_at = :now,
      lease_until = null
  from jsonb_to_recordset(cast(:rows as jsonb)) as item (
    job_id uuid, epoch bigint, result jsonb, follow_ups jsonb, max_attempts integer
  )
  where job.id = item.job_id and job.lease_epoch = item.epoch and job.status = 'PROCESSING'
  returning
    job.id as job_id, job.org_id, job.document_id, job.run_id, job.stage,
    item.follow_ups, item.max_attempts
),
ended as (
  update processing_runs as run
  set state = 'COMPLETED', ended_at = :now
  from held
  where run.id = held.run_id and run.state = 'RUNNING'
  returning run.id, run.org_id, run.document_id
),
settled as (
  update documents as document
  set status = 'COMPLETED', updated_at = :now
  from ended
  where document.id = ended.document_id
),
queued as (
  insert into document_processing_jobs (
    id, org_id, document_id, run_id, stage, status, follow_up, max_attempts, available_at,
    created_at, updated_at
  )
  select
    next.id, held.org_id, held.document_id, held.run_id, next.stage, 'PENDING', true,
    held.max_attempts, :now, :now, :now
  from held
  cross join jsonb_to_recordset(held.follow_ups) as next (id uuid, stage text)
),
written as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at)
  select org_id, run_id, job_id, 'STEP_COMPLETED', stage, cast(:now as timestamptz) from held
  union all
  select org_id, id, null, 'RUN_COMPLETED', null, :now from ended
)
select
  held.job_id, held.document_id, held.run_id, held.org_id, 'COMPLETED' as status,
  case when ended.id is not null then 'COMPLETED' end as ended
from held
left join ended on ended.id = held.run_id
