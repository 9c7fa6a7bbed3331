-- Extends the leases that are still held and returns their jobs; leases that are not returned are lost.
update document_processing_jobs
set lease_until = :until, last_heartbeat = :now, updated_at = :now
from json_each(:rows) as item
where document_processing_jobs.id = item.value ->> 'job_id'
  and document_processing_jobs.lease_epoch = item.value ->> 'epoch'
  and document_processing_jobs.status = 'PROCESSING'
returning id;
