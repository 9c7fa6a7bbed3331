-- Records an error or a crash: the job is PENDING again with one more attempt or crash counted, or the job and its run
-- are FAILED. A job that ended with an error did not end its process, so it is no longer a suspect.
with updated_jobs as (
  update document_processing_jobs as job
  set status = case
        when item.final then 'FAILED'
        when item.crashed and job.crashes + 1 >= item.max_crashes then 'FAILED'
        when not item.crashed and job.attempts + 1 >= job.max_attempts then 'FAILED'
        else 'PENDING'
      end,
      attempts = job.attempts + 1 - cast(item.crashed as integer),
      crashes = job.crashes + cast(item.crashed as integer),
      suspect = job.suspect and item.crashed,
      available_at = case
        when item.final then job.available_at
        when item.crashed and job.crashes + 1 >= item.max_crashes then job.available_at
        when not item.crashed and job.attempts + 1 >= job.max_attempts then job.available_at
        else item.retry_at
      end,
      completed_at = case
        when item.final then cast(:now as timestamptz)
        when item.crashed and job.crashes + 1 >= item.max_crashes then cast(:now as timestamptz)
        when not item.crashed and job.attempts + 1 >= job.max_attempts then cast(:now as timestamptz)
      end,
      error_log = right(concat_ws(e'\n', job.error_log, item.line), 8000),
      lease_until = null,
      locked_by = case when item.final or job.attempts + 1 >= job.max_attempts then job.locked_by end,
      updated_at = :now
  from jsonb_to_recordset(cast(:rows as jsonb)) as item (
    job_id uuid, epoch bigint, line text, error text, retry_at timestamptz, final boolean,
    failure_type text, error_code text, rejected_by text, rejection_code text, crashed boolean, max_crashes integer
  )
  where job.id = item.job_id and job.lease_epoch = item.epoch and job.status = 'PROCESSING'
  returning
    job.id as job_id, job.org_id, job.document_id, job.run_id, job.stage, job.status, job.attempts, job.crashes,
    item.error, item.error_code, item.failure_type, item.rejected_by, item.rejection_code
),
ended_runs as (
  update processing_runs as run
  set state = 'FAILED',
      failure_type = updated_jobs.failure_type,
      rejected_by = updated_jobs.rejected_by,
      rejection_code = updated_jobs.rejection_code,
      error = updated_jobs.error,
      ended_at = :now
  from updated_jobs
  where run.id = updated_jobs.run_id and run.state = 'RUNNING' and updated_jobs.status = 'FAILED'
  returning run.id, run.org_id, run.document_id, run.failure_type
),
updated_documents as (
  update documents as document
  set status = 'FAILED', updated_at = :now
  from ended_runs
  where document.id = ended_runs.document_id
),
written_events as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select
    org_id, run_id, job_id, case when status = 'FAILED' then 'STEP_FAILED' else 'STEP_RETRIED' end,
    stage, :now, jsonb_build_object(
      'error', error, 'error_code', error_code, 'attempts', attempts, 'crashes', crashes
    )
  from updated_jobs
  union all
  select
    org_id, id, null, 'RUN_FAILED', null, :now, jsonb_build_object('failure_type', failure_type)
  from ended_runs
)
select
  updated_jobs.job_id, updated_jobs.document_id, updated_jobs.run_id, updated_jobs.org_id, updated_jobs.status,
  case when ended_runs.id is not null then 'FAILED' end as ended
from updated_jobs
left join ended_runs on ended_runs.id = updated_jobs.run_id
