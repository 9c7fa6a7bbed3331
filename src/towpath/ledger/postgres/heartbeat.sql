-- Extends the leases that are still held and returns their jobs; leases that are not returned are lost.
-- Jobs are fetched as in `finish`.
with items as materialized (
  select * from jsonb_to_recordset(cast(:rows as jsonb)) as item (job_id uuid, epoch bigint)
)
update document_processing_jobs as job
set lease_until = :until, last_heartbeat = :now, updated_at = :now
from items as item
where job.id = any(array(select job_id from items)) and job.id = item.job_id and job.lease_epoch = item.epoch
  and case when job.status = 'PROCESSING' then true else false end
returning job.id
