-- Returns a job to the queue when its worker shuts down; it is due at once. Uses no attempt.
-- include select_leased_jobs
update document_processing_jobs
set status = 'PENDING', lease_until = null, locked_by = null, updated_at = :now
from batch
where document_processing_jobs.id = batch.job_id;
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  org_id, run_id, job_id, 'STEP_SUSPENDED', stage, :now,
  json_object('waiting_reason', 'worker_stopped')
from batch;
select job_id, document_id, run_id, org_id, 'PENDING' as status, null as ended from batch;
