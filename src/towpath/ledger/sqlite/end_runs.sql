-- Ends runs from outside, with their jobs: the deadline passed, or a person said stop.
-- A document that another run is still at work on keeps its status.
delete from held;
insert into held (run_id, org_id, document_id)
select id, org_id, document_id
from processing_runs
where id in (select value from json_each(:runs)) and state in ('QUEUED', 'RUNNING');
update document_processing_jobs
set status = 'CANCELLED',
    lease_epoch = lease_epoch + 1,
    lease_until = null,
    completed_at = :now,
    updated_at = :now
from held
where document_processing_jobs.document_id = held.document_id
  and document_processing_jobs.run_id = held.run_id
  and document_processing_jobs.status in ('PENDING', 'PROCESSING');
update processing_runs
set state = :state, error = :error, ended_at = :now
where id in (select run_id from held);
update documents
set status = :state, updated_at = :now
where id in (select document_id from held)
  and not exists (
    select 1
    from processing_runs as other
    where other.document_id = documents.id and other.state in ('QUEUED', 'RUNNING')
  );
insert into run_events (org_id, run_id, kind, at)
select org_id, run_id, :kind, :now from held;
select run_id, document_id from held;
