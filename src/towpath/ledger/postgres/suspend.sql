-- Puts a job aside until a given time. Burns no attempt. Whoever can say so has not died of the job: the count
-- of crashes in a row begins anew.
with held as (
  update document_processing_jobs as job
  set status = 'PENDING',
      available_at = item.until,
      payload = coalesce(item.payload, job.payload),
      waiting_for = item.waiting_for,
      crashes = 0,
      lease_until = null,
      locked_by = null,
      updated_at = :now
  from jsonb_to_recordset(cast(:rows as jsonb)) as item (
    job_id uuid, epoch bigint, until timestamptz, waiting_for text, payload jsonb
  )
  where job.id = item.job_id and job.lease_epoch = item.epoch and job.status = 'PROCESSING'
  returning job.id as job_id, job.org_id, job.document_id, job.run_id, job.stage, item.waiting_for, item.until
),
written as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select
    org_id, run_id, job_id, 'STEP_SUSPENDED', stage, :now,
    jsonb_build_object('waiting_for', waiting_for, 'until', until)
  from held
)
select job_id, document_id, run_id, org_id, 'PENDING' as status, cast(null as text) as ended from held
