-- Completes a stage's job and creates the job of the next stage; with `keep` the same worker holds its lease.
-- include select_leased_jobs
update document_processing_jobs
set status = 'COMPLETED',
    result = batch.item -> 'result',
    progress = case when batch.item ->> 'progress' is null then progress else batch.item -> 'progress' end,
    completed_at = :now,
    updated_at = :now,
    lease_until = null
from batch
where document_processing_jobs.id = batch.job_id;
insert into document_processing_jobs (
  id, org_id, document_id, run_id, stage, status, follow_up, payload, sealed_password, max_attempts,
  available_at, lease_epoch, lease_until, last_heartbeat, locked_by, locked_at, started_at, created_at, updated_at
)
select
  item ->> 'next_id', org_id, document_id, run_id, item ->> 'next_stage',
  case when item ->> 'keep' then 'PROCESSING' else 'PENDING' end,
  (select job.follow_up from document_processing_jobs as job where job.id = batch.job_id),
  item -> 'next_payload', item ->> 'sealed_password', item ->> 'max_attempts', :now,
  case when item ->> 'keep' then 1 else 0 end,
  case when item ->> 'keep' then :until end,
  case when item ->> 'keep' then :now end,
  case when item ->> 'keep' then locked_by end,
  case when item ->> 'keep' then :now end,
  case when item ->> 'keep' then :now end,
  :now, :now
from batch;
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select org_id, run_id, job_id, 'STEP_COMPLETED', stage, :now, item -> 'detail' from batch;
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  org_id, run_id, item ->> 'next_id', 'STEP_STARTED', item ->> 'next_stage', :now,
  json_object('worker', locked_by, 'epoch', 1)
from batch
where item ->> 'keep';
select job_id, document_id, run_id, org_id, 'COMPLETED' as status, null as ended from batch;
