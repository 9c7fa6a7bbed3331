-- Jobs whose lease ran out go back to the queue with a new epoch, or fail for good.
delete from held;
insert into held (job_id, org_id, document_id, run_id, stage, locked_by)
select id, org_id, document_id, run_id, stage, locked_by
from document_processing_jobs
where status = 'PROCESSING' and lease_until < :now
order by locked_at
limit :limit;
update document_processing_jobs
set status = case
      when crashes + 1 > :max_crashes or attempts + 1 >= max_attempts then 'FAILED'
      else 'PENDING'
    end,
    crashes = crashes + 1,
    attempts = attempts + 1,
    lease_epoch = lease_epoch + 1,
    available_at = :now,
    completed_at = case when crashes + 1 > :max_crashes or attempts + 1 >= max_attempts then :now end,
    error_log = substr(
      coalesce(error_log || char(10), '')
        || :stamp || ' worker ' || coalesce(locked_by, '?') || ' fell silent',
      -8000
    ),
    lease_until = null,
    locked_by = null,
    updated_at = :now
where id in (select job_id from held);
update held
set now_status = (select job.status from document_processing_jobs as job where job.id = held.job_id),
    tally = (select job.crashes from document_processing_jobs as job where job.id = held.job_id);
update held
set ended = case when tally > :max_crashes then 'QUARANTINED' else 'STAGE_FAILED' end
where now_status = 'FAILED'
  and run_id in (select id from processing_runs where id = held.run_id and state = 'RUNNING');
update processing_runs
set state = 'FAILED',
    failure_type = held.ended,
    error = 'The worker died ' || case held.tally when 1 then 'once' else held.tally || ' times' end
      || ' during the stage ' || held.stage || '.',
    ended_at = :now
from held
where processing_runs.id = held.run_id and held.ended is not null;
update documents
set status = 'FAILED', updated_at = :now
where id in (select document_id from held where ended is not null);
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select org_id, run_id, job_id, 'LEASE_EXPIRED', stage, :now, json_object('crashes', tally) from held;
insert into run_events (org_id, run_id, kind, at, detail)
select org_id, run_id, 'RUN_FAILED', :now, json_object('failure_type', ended)
from held
where ended is not null;
select job_id, document_id, run_id, org_id, now_status as status, ended from held;
