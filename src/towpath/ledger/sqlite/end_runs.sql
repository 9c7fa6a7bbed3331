-- Ends runs and their jobs because the deadline passed or the run was cancelled.
-- A document that has another RUNNING run keeps its status.
delete from batch;
insert into batch (run_id, org_id, document_id)
select id, org_id, document_id
from processing_runs
where id in (select value from json_each(:runs)) and state in ('QUEUED', 'RUNNING');
update document_processing_jobs
set status = 'CANCELLED',
    lease_epoch = lease_epoch + 1,
    lease_until = null,
    completed_at = :now,
    updated_at = :now
from batch
where document_processing_jobs.document_id = batch.document_id
  and document_processing_jobs.run_id = batch.run_id
  and document_processing_jobs.status in ('PENDING', 'PROCESSING');
update processing_runs
set state = :state, error = :error, ended_at = :now
where id in (select run_id from batch);
update documents
set status = :state, updated_at = :now
where id in (select document_id from batch)
  and not exists (
    select 1
    from processing_runs as other
    where other.document_id = documents.id and other.state in ('QUEUED', 'RUNNING')
  );
insert into run_events (org_id, run_id, kind, at, detail)
select org_id, run_id, :kind, :now, :detail from batch;
select run_id, document_id from batch;
