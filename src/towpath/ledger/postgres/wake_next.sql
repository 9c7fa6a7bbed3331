-- Makes the job of the oldest QUEUED run of each document due, unless another run of the document is RUNNING.
with next_runs as (
  select distinct on (run.document_id) run.id, run.document_id
  from processing_runs as run
  where run.document_id = any(
      select cast(value as uuid) from jsonb_array_elements_text(cast(:documents as jsonb)) as value
    )
    and run.state = 'QUEUED'
    and not exists (
      select 1
      from processing_runs as other
      where other.document_id = run.document_id and other.state = 'RUNNING'
    )
  order by run.document_id, run.created_at, run.id
),
due_jobs as (
  update document_processing_jobs as job
  set available_at = :now, waiting_reason = null, waiting_provider = null, waiting_until = null, waiting_run_id = null,
    waiting_detail = null, updated_at = :now
  from next_runs
  where job.document_id = next_runs.document_id and job.run_id = next_runs.id
    and job.status = 'PENDING' and job.available_at > :now
)
update documents as document
set status = 'PROCESSING', updated_at = :now
from next_runs
where document.id = next_runs.document_id
returning document.id
