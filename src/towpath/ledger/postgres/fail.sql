-- Notes an error: PENDING again later with one attempt more, or FAILED, and the run with it.
with held as (
  update document_processing_jobs as job
  set status = case
        when item.final or job.attempts + 1 >= job.max_attempts then 'FAILED'
        else 'PENDING'
      end,
      attempts = job.attempts + 1,
      available_at = case
        when item.final or job.attempts + 1 >= job.max_attempts then job.available_at
        else item.retry_at
      end,
      completed_at = case
        when item.final or job.attempts + 1 >= job.max_attempts then cast(:now as timestamptz)
      end,
      error_log = right(concat_ws(e'\n', job.error_log, item.line), 8000),
      lease_until = null,
      updated_at = :now
  from jsonb_to_recordset(cast(:rows as jsonb)) as item (
    job_id uuid, epoch bigint, line text, error text, retry_at timestamptz, final boolean,
    failure_type text
  )
  where job.id = item.job_id and job.lease_epoch = item.epoch and job.status = 'PROCESSING'
  returning
    job.id as job_id, job.org_id, job.document_id, job.run_id, job.stage, job.status, job.attempts,
    item.error, item.failure_type
),
ended as (
  update processing_runs as run
  set state = 'FAILED', failure_type = held.failure_type, error = held.error, ended_at = :now
  from held
  where run.id = held.run_id and run.state = 'RUNNING' and held.status = 'FAILED'
  returning run.id, run.org_id, run.document_id, run.failure_type
),
settled as (
  update documents as document
  set status = 'FAILED', updated_at = :now
  from ended
  where document.id = ended.document_id
),
written as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select
    org_id, run_id, job_id, case when status = 'FAILED' then 'STEP_FAILED' else 'STEP_RETRIED' end,
    stage, :now, jsonb_build_object('error', error, 'attempts', attempts)
  from held
  union all
  select
    org_id, id, null, 'RUN_FAILED', null, :now, jsonb_build_object('failure_type', failure_type)
  from ended
)
select
  held.job_id, held.document_id, held.run_id, held.org_id, held.status,
  case when ended.id is not null then 'FAILED' end as ended
from held
left join ended on ended.id = held.run_id
