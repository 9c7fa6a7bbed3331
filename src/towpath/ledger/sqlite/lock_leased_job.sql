-- Selects a job if the lease still holds it. The transaction already holds SQLite's write lock.
select org_id, document_id, run_id, stage, locked_by
from document_processing_jobs
where id = :job_id and lease_epoch = :epoch and status = 'PROCESSING';
