-- Writes the rows of the batch whose lease still holds the job to the temporary table `batch`. SQLite has no writing
-- CTEs; the Postgres statements use CTEs instead.
delete from batch;
insert into batch (job_id, org_id, document_id, run_id, stage, locked_by, item)
select job.id, job.org_id, job.document_id, job.run_id, job.stage, job.locked_by, item.value
from json_each(:rows) as item
cross join document_processing_jobs as job
  on job.id = item.value ->> 'job_id'
  and job.lease_epoch = item.value ->> 'epoch'
  and job.status = 'PROCESSING';
