-- What a status shows of the documents, once for each of their runs, in the order of the runs.
select
  cast(document.id as text) as document_id,
  document.status,
  document.published_run_id is not null as searchable,
  document.updated_at,
  cast(run.id as text) as run_id,
  run.state,
  run.failure_type,
  run.error,
  run.rejection_code,
  cast(run.resumes_run_id as text) as resumes_run_id,
  run.deadline_at,
  run.started_at,
  run.pipeline,
  run.options -> 'stages' ->> 'order' as stage_order
from documents as document
left join processing_runs as run on run.document_id = document.id and run.org_id = document.org_id
where document.org_id = :org and document.id = any(cast(:ids as uuid[]))
order by run.created_at, run.id
