-- Gives a job back unharmed, due as it was before. Burns no attempt.
-- include hold
update document_processing_jobs
set status = 'PENDING', lease_until = null, locked_by = null, updated_at = :now
from held
where document_processing_jobs.id = held.job_id;
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  org_id, run_id, job_id, 'STEP_SUSPENDED', stage, :now,
  json_object('waiting_for', 'released by a worker that shut down')
from held;
select job_id, document_id, run_id, org_id, 'PENDING' as status, null as ended from held;
