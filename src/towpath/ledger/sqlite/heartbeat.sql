-- Extends the leases that are still held; what is not returned is lost.
update document_processing_jobs
set lease_until = :until, updated_at = :now
from json_each(:rows) as item
where document_processing_jobs.id = item.value ->> 'job_id'
  and document_processing_jobs.lease_epoch = item.value ->> 'epoch'
  and document_processing_jobs.status = 'PROCESSING'
returning id;
