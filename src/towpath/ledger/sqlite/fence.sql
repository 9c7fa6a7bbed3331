-- Proves that a lease is still the job's. The write lock is held already.
select org_id, document_id, run_id, stage, locked_by
from document_processing_jobs
where id = :job_id and lease_epoch = :epoch and status = 'PROCESSING';
