-- Completes the jobs of several stages that were executed under one lease, and creates the job of the stage after them,
-- whose lease the same worker holds. Only the first job is stored before. Events are written in the order given.
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
  id, org_id, document_id, run_id, stage, status, follow_up, payload, sealed_password, max_attempts, result, progress,
  available_at, lease_epoch, lease_until, last_heartbeat, locked_by, locked_at, started_at, completed_at, created_at,
  updated_at
)
select
  next.value ->> 'id', batch.org_id, batch.document_id, batch.run_id, next.value ->> 'stage',
  case when next.value ->> 'completed' then 'COMPLETED' else 'PROCESSING' end,
  (select job.follow_up from document_processing_jobs as job where job.id = batch.job_id),
  next.value -> 'payload', next.value ->> 'sealed_password', next.value ->> 'max_attempts',
  case when next.value ->> 'completed' then next.value -> 'result' end,
  case when next.value ->> 'progress' is not null then next.value -> 'progress' end,
  :now, 1,
  case when next.value ->> 'completed' then null else :until end,
  :now, batch.locked_by, :now, :now,
  case when next.value ->> 'completed' then :now end,
  :now, :now
from batch
cross join json_each(batch.item -> 'stages') as next;
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  batch.org_id, batch.run_id, event.value ->> 'job_id', event.value ->> 'kind',
  coalesce(event.value ->> 'stage', batch.stage), :now,
  case when event.value ->> 'detail' is not null then event.value -> 'detail' end
from batch
cross join json_each(batch.item -> 'events') as event
order by batch.rowid, event.key;
select job_id, document_id, run_id, org_id, 'COMPLETED' as status, null as ended from batch;
