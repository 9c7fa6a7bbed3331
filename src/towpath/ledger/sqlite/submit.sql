-- Inserts document, run and first job. Skips documents that the organization already has; the caller handles them.
delete from batch;
insert into batch (document_id, org_id, run_id, job_id, item)
select
  item.value ->> 'document_id', item.value ->> 'org_id', item.value ->> 'run_id',
  item.value ->> 'job_id', item.value
from json_each(:rows) as item;
delete from batch
where rowid not in (select min(rowid) from batch group by document_id)
  or exists (select 1 from documents where documents.id = batch.document_id)
  or exists (
    select 1
    from documents
    where documents.org_id = batch.org_id and documents.sha256 = batch.item ->> 'sha256'
      and documents.key is null and batch.item ->> 'key' is null
  );
insert into documents (
  id, org_id, kind, name, media_type, size, sha256, blob_key, key, status, created_at, updated_at
)
select
  document_id, org_id, item ->> 'kind', item ->> 'name', item ->> 'media_type', item ->> 'size',
  item ->> 'sha256', item ->> 'blob_key', item ->> 'key', 'PROCESSING', :now, :now
from batch;
insert into processing_runs (
  id, org_id, document_id, pipeline, pipeline_version, state, options, deadline_seconds,
  continue_after_timeout, policy, reason, created_at
)
select
  run_id, org_id, document_id, item ->> 'pipeline', item ->> 'version', 'QUEUED', item -> 'options',
  item ->> 'deadline_seconds', item ->> 'continue_after_timeout', item -> 'policy', 'submitted', :now
from batch;
insert into document_processing_jobs (
  id, org_id, document_id, run_id, stage, status, payload, max_attempts, available_at, created_at,
  updated_at
)
select
  job_id, org_id, document_id, run_id, item ->> 'stage', 'PENDING', item -> 'payload',
  item ->> 'max_attempts', :now, :now, :now
from batch;
insert into run_events (org_id, run_id, kind, at)
select org_id, run_id, 'RUN_QUEUED', :now from batch;
select run_id from batch;
