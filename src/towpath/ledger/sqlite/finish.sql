-- Completes the last stage's job, its run and its document, and queues the follow-ups.
-- Completes follow-up jobs as well; their run is COMPLETED already and is not changed.
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
update batch
set ended = 'COMPLETED'
where run_id in (select id from processing_runs where id = batch.run_id and state = 'RUNNING');
update processing_runs
set state = 'COMPLETED', ended_at = :now
where id in (select run_id from batch where ended is not null);
update documents
set status = 'COMPLETED', updated_at = :now
where id in (select document_id from batch where ended is not null);
insert into document_processing_jobs (
  id, org_id, document_id, run_id, stage, status, follow_up, max_attempts, available_at,
  created_at, updated_at
)
select
  next.value ->> 'id', batch.org_id, batch.document_id, batch.run_id, next.value ->> 'stage', 'PENDING',
  true, batch.item ->> 'max_attempts', :now, :now, :now
from batch
cross join json_each(batch.item -> 'follow_ups') as next;
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select org_id, run_id, job_id, 'STEP_COMPLETED', stage, :now, item -> 'detail' from batch;
insert into run_events (org_id, run_id, kind, at)
select org_id, run_id, 'RUN_COMPLETED', :now from batch where ended is not null;
select job_id, document_id, run_id, org_id, 'COMPLETED' as status, ended from batch;
