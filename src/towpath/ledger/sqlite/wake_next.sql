-- Makes the job of the oldest QUEUED run of each document due, unless another run of the document is RUNNING.
delete from batch;
insert into batch (run_id, document_id)
select
  (select run.id
   from processing_runs as run
   where run.document_id = document.value and run.state = 'QUEUED'
   order by run.created_at, run.id
   limit 1),
  document.value
from json_each(:documents) as document
where not exists (
  select 1
  from processing_runs as other
  where other.document_id = document.value and other.state = 'RUNNING'
);
delete from batch where run_id is null;
update document_processing_jobs
set available_at = :now, waiting_reason = null, waiting_provider = null, waiting_until = null, waiting_run_id = null,
    waiting_detail = null, updated_at = :now
from batch
where document_processing_jobs.document_id = batch.document_id
  and document_processing_jobs.run_id = batch.run_id
  and document_processing_jobs.status = 'PENDING'
  and document_processing_jobs.available_at > :now;
update documents
set status = 'PROCESSING', updated_at = :now
where id in (select document_id from batch)
returning id;
