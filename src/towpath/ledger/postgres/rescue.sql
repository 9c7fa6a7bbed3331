-- Jobs whose lease ran out go back to the queue with a new epoch, or fail for good.
with expired as (
  select id
  from document_processing_jobs
  where status = 'PROCESSING' and lease_until < :now
  order by locked_at
  limit :limit
  for update skip locked
),
held as (
  update document_processing_jobs as job
  set status = case
        when job.crashes + 1 > :max_crashes or job.attempts + 1 >= job.max_attempts then 'FAILED'
        else 'PENDING'
      end,
      crashes = job.crashes + 1,
      attempts = job.attempts + 1,
      lease_epoch = job.lease_epoch + 1,
      available_at = :now,
      completed_at = case
        when job.crashes + 1 > :max_crashes or job.attempts + 1 >= job.max_attempts
        then cast(:now as timestamptz)
      end,
      error_log = right(
        concat_ws(e'\n', job.error_log, :stamp || ' worker ' || coalesce(job.locked_by, '?') || ' fell silent'),
        8000
      ),
      lease_until = null,
      locked_by = null,
      updated_at = :now
  from expired
  where job.id = expired.id
  returning
    job.id as job_id, job.org_id, job.document_id, job.run_id, job.stage, job.status, job.crashes,
    case when job.crashes > :max_crashes then 'QUARANTINED' else 'STAGE_FAILED' end as failure_type
),
ended as (
  update processing_runs as run
  set state = 'FAILED',
      failure_type = held.failure_type,
      error = 'The worker died ' || case held.crashes when 1 then 'once' else held.crashes || ' times' end
      || ' during the stage ' || held.stage || '.',
      ended_at = :now
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
    org_id, run_id, job_id, 'LEASE_EXPIRED', stage, :now, jsonb_build_object('crashes', crashes)
  from held
  union all
  select
    org_id, id, null, 'RUN_FAILED', null, :now, jsonb_build_object('failure_type', failure_type)
  from ended
)
select
  held.job_id, held.document_id, held.run_id, held.org_id, held.status,
  case when ended.id is not null then held.failure_type end as ended
from held
left join ended on ended.id = held.run_id
