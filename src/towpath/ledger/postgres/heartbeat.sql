-- Extends the leases that are still held and returns their jobs; leases that are not returned are lost.
update document_processing_jobs as job
set lease_until = :until, last_heartbeat = :now, updated_at = :now
from jsonb_to_recordset(cast(:rows as jsonb)) as item (job_id uuid, epoch bigint)
where job.id = item.job_id and job.lease_epoch = item.epoch and job.status = 'PROCESSING'
returning job.id
