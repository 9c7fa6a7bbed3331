-- Notes an error: PENDING again later with one attempt more, or FAILED, and the run with it.
-- include hold
update document_processing_jobs
set status = case
      when held.item ->> 'final' or attempts + 1 >= max_attempts then 'FAILED'
      else 'PENDING'
    end,
    attempts = attempts + 1,
    available_at = case
      when held.item ->> 'final' or attempts + 1 >= max_attempts then available_at
      else held.item ->> 'retry_at'
    end,
    completed_at = case when held.item ->> 'final' or attempts + 1 >= max_attempts then :now end,
    error_log = substr(coalesce(error_log || char(10), '') || (held.item ->> 'line'), -8000),
    lease_until = null,
    updated_at = :now
from held
where document_processing_jobs.id = held.job_id;
update held
set now_status = (select job.status from document_processing_jobs as job where job.id = held.job_id),
    tally = (select job.attempts from document_processing_jobs as job where job.id = held.job_id);
update held
set ended = 'FAILED'
where now_status = 'FAILED'
  and run_id in (select id from processing_runs where id = held.run_id and state = 'RUNNING');
update processing_runs
set state = 'FAILED',
    failure_type = held.item ->> 'failure_type',
    error = held.item ->> 'error',
    ended_at = :now
from held
where processing_runs.id = held.run_id and held.ended is not null;
update documents
set status = 'FAILED', updated_at = :now
where id in (select document_id from held where ended is not null);
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  org_id, run_id, job_id, case when now_status = 'FAILED' then 'STEP_FAILED' else 'STEP_RETRIED' end, stage,
  :now, json_object('error', item ->> 'error', 'attempts', tally)
from held;
insert into run_events (org_id, run_id, kind, at, detail)
select org_id, run_id, 'RUN_FAILED', :now, json_object('failure_type', item ->> 'failure_type')
from held
where ended is not null;
select job_id, document_id, run_id, org_id, now_status as status, ended from held;
