-- Puts a job aside until a given time. Burns no attempt. Whoever can say so has not died of the job: the count
-- of crashes in a row begins anew.
-- include hold
update document_processing_jobs
set status = 'PENDING',
    available_at = held.item ->> 'until',
    payload = case
      when held.item ->> 'payload' is null then document_processing_jobs.payload
      else held.item -> 'payload'
    end,
    waiting_for = held.item ->> 'waiting_for',
    crashes = 0,
    lease_until = null,
    locked_by = null,
    updated_at = :now
from held
where document_processing_jobs.id = held.job_id;
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  org_id, run_id, job_id, 'STEP_SUSPENDED', stage, :now,
  json_object('waiting_for', item ->> 'waiting_for', 'until', item ->> 'until')
from held;
select job_id, document_id, run_id, org_id, 'PENDING' as status, null as ended from held;
