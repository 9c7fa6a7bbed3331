-- Records an error or a crash: the job is PENDING again with one more attempt or crash counted, or the job and its run
-- are FAILED. A job that ended with an error did not end its process, so it is no longer a suspect.
-- include select_leased_jobs
update batch
set new_attempts = job.attempts + 1 - (batch.item ->> 'crashed'),
    new_crashes = job.crashes + (batch.item ->> 'crashed'),
    new_status = case
      when batch.item ->> 'final' then 'FAILED'
      when batch.item ->> 'crashed' and job.crashes + 1 >= batch.item ->> 'max_crashes' then 'FAILED'
      when not (batch.item ->> 'crashed') and job.attempts + 1 >= job.max_attempts then 'FAILED'
      else 'PENDING'
    end
from document_processing_jobs as job
where job.id = batch.job_id;
update document_processing_jobs
set status = batch.new_status,
    attempts = batch.new_attempts,
    crashes = batch.new_crashes,
    suspect = suspect and batch.item ->> 'crashed',
    available_at = case when batch.new_status = 'FAILED' then available_at else batch.item ->> 'retry_at' end,
    completed_at = case when batch.new_status = 'FAILED' then :now end,
    error_log = substr(coalesce(error_log || char(10), '') || (batch.item ->> 'line'), -8000),
    lease_until = null,
    locked_by = case
      when batch.item ->> 'final' or attempts + 1 >= max_attempts then document_processing_jobs.locked_by
    end,
    updated_at = :now
from batch
where document_processing_jobs.id = batch.job_id;
update batch
set ended = 'FAILED'
where new_status = 'FAILED'
  and run_id in (select id from processing_runs where id = batch.run_id and state = 'RUNNING');
update processing_runs
set state = 'FAILED',
    failure_type = batch.item ->> 'failure_type',
    rejected_by = batch.item ->> 'rejected_by',
    rejection_code = batch.item ->> 'rejection_code',
    error = batch.item ->> 'error',
    ended_at = :now
from batch
where processing_runs.id = batch.run_id and batch.ended is not null;
update documents
set status = 'FAILED', updated_at = :now
where id in (select document_id from batch where ended is not null);
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  org_id, run_id, job_id, case when new_status = 'FAILED' then 'STEP_FAILED' else 'STEP_RETRIED' end, stage,
  :now, json_object('error', item ->> 'error', 'error_code', item ->> 'error_code', 'attempts', new_attempts,
    'crashes', new_crashes)
from batch;
insert into run_events (org_id, run_id, kind, at, detail)
select org_id, run_id, 'RUN_FAILED', :now, json_object('failure_type', item ->> 'failure_type')
from batch
where ended is not null;
select job_id, document_id, run_id, org_id, new_status as status, ended from batch;
