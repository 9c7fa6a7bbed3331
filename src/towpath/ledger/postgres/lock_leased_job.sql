-- Locks a job until the transaction ends if the lease still holds it.
select org_id, document_id, run_id, stage, locked_by
from document_processing_jobs
where id = cast(:job_id as uuid) and lease_epoch = :epoch and status = 'PROCESSING'
for no key update
