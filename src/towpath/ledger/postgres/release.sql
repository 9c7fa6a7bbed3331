-- Returns a job to the queue when its worker shuts down; it is due at once. Uses no attempt.
with updated_jobs as (
  update document_processing_jobs as job
  set status = 'PENDING', lease_until = null, locked_by = null, updated_at = :now
  from jsonb_to_recordset(cast(:rows as jsonb)) as item (job_id uuid, epoch bigint)
  where job.id = item.job_id and job.lease_epoch = item.epoch and job.status = 'PROCESSING'
  returning job.id as job_id, job.org_id, job.document_id, job.run_id, job.stage
),
written_events as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select
    org_id, run_id, job_id, 'STEP_SUSPENDED', stage, :now,
    jsonb_build_object('waiting_reason', 'worker_stopped')
  from updated_jobs
)
select job_id, document_id, run_id, org_id, 'PENDING' as status, cast(null as text) as ended from updated_jobs
