-- Stores the progress of a stage's job.
update document_processing_jobs
set progress = item.value -> 'progress', updated_at = :now
from json_each(:rows) as item
where document_processing_jobs.id = item.value ->> 'job_id'
  and document_processing_jobs.lease_epoch = item.value ->> 'epoch'
  and document_processing_jobs.status = 'PROCESSING'
returning id;
