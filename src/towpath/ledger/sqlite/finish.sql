-- Completes the last stage's job, its run and its document, and queues the follow-ups.
-- A follow-up's own job ends here too; its run is COMPLETED already and stays so.
-- include hold
update document_processing_jobs
set status = 'COMPLETED',
    result = held.item -> 'result',
    completed_at = :now,
    updated_at = :now,
    lease_until = null
from held
where document_processing_jobs.id = held.job_id;
update held
set ended = 'COMPLETED'
where run_id in (select id from processing_runs where id = held.run_id and state = 'RUNNING');
update processing_runs
set state = 'COMPLETED', ended_at = :now
where id in (select run_id from held where ended is not null);
update documents
set status = 'COMPLETED', updated_at = :now
where id in (select document_id from held where ended is not null);
insert into document_processing_jobs (
  id, org_id, document_id, run_id, stage, status, follow_up, max_attempts, available_at,
  created_at, updated_at
)
select
  next.value ->> 'id', held.org_id, held.document_id, held.run_id, next.value ->> 'stage', 'PENDING',
  true, held.item ->> 'max_attempts', :now, :now, :now
from held
cross join json_each(held.item -> 'follow_ups') as next;
insert into run_events (org_id, run_id, job_id, kind, stage, at)
select org_id, run_id, job_id, 'STEP_COMPLETED', stage, :now from held;
insert into run_events (org_id, run_id, kind, at)
select org_id, run_id, 'RUN_COMPLETED', :now from held where ended is not null;
select job_id, document_id, run_id, org_id, 'COMPLETED' as status, ended from held;
