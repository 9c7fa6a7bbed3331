-- Stores the progress of a stage's job.
update document_processing_jobs as job
set progress = item.progress, updated_at = :now
from jsonb_to_recordset(cast(:rows as jsonb)) as item (job_id uuid, epoch bigint, progress jsonb)
where job.id = item.job_id and job.lease_epoch = item.epoch and job.status = 'PROCESSING'
returning job.id
