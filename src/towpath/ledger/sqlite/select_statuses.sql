-- What a status shows of the documents, once for each of their runs, in the order of the runs. With the plus SQLite
-- looks the ids up instead of reading all documents of the organization by another index.
select
  document.id as document_id,
  document.status,
  document.published_run_id is not null as searchable,
  document.updated_at,
  run.id as run_id,
  run.state,
  run.failure_type,
  run.error,
  run.rejection_code,
  run.resumes_run_id,
  run.deadline_at,
  run.started_at,
  run.pipeline,
  json_extract(run.options, '$.stages.order') as stage_order
from documents as document
left join processing_runs as run on run.document_id = document.id and run.org_id = document.org_id
where +document.org_id = :org and document.id in (select value from json_each(:ids))
order by run.created_at, run.id
