-- Returns jobs with an expired lease or a dead worker to the queue with a new epoch. Uses no attempt and counts no crash: it is not known
-- which of the jobs of the dead worker, if any, ended it. Each is a suspect and runs alone the next time.
delete from batch;
insert into batch (job_id, org_id, document_id, run_id, stage, locked_by)
select id, org_id, document_id, run_id, stage, locked_by
from document_processing_jobs
where status = 'PROCESSING'
  and (lease_until < :now or locked_by in (select value from json_each(:dead_workers)))
order by locked_at
limit :limit;
update document_processing_jobs
set status = 'PENDING',
    suspect = true,
    lease_epoch = lease_epoch + 1,
    available_at = :now,
    error_log = substr(
      coalesce(error_log || char(10), '')
        || :stamp || ' worker ' || coalesce(locked_by, '?') || ' stopped responding',
      -8000
    ),
    lease_until = null,
    locked_by = null,
    updated_at = :now
where id in (select job_id from batch);
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select org_id, run_id, job_id, 'LEASE_EXPIRED', stage, :now, json_object('worker', locked_by) from batch;
select job_id from batch;
