-- Returns jobs with an expired lease or a dead worker to the queue with a new epoch. Uses no attempt and counts no crash: it is not known
-- which of the jobs of the dead worker, if any, ended it. Each is a suspect and runs alone the next time.
with expired_jobs as (
  select id, locked_by
  from document_processing_jobs
  where status = 'PROCESSING'
    and (
      lease_until < :now
      or locked_by in (select jsonb_array_elements_text(cast(:dead_workers as jsonb)))
    )
  order by locked_at
  limit :limit
  for update skip locked
),
updated_jobs as (
  update document_processing_jobs as job
  set status = 'PENDING',
      suspect = true,
      lease_epoch = job.lease_epoch + 1,
      available_at = :now,
      error_log = right(
        concat_ws(e'\n', job.error_log, :stamp || ' worker ' || coalesce(job.locked_by, '?') || ' stopped responding'),
        8000
      ),
      lease_until = null,
      locked_by = null,
      updated_at = :now
  from expired_jobs
  where job.id = expired_jobs.id
  returning job.id as job_id, job.org_id, job.run_id, job.stage, expired_jobs.locked_by
),
written_events as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select
    org_id, run_id, job_id, 'LEASE_EXPIRED', stage, :now, jsonb_build_object('worker', locked_by)
  from updated_jobs
)
select job_id from updated_jobs
