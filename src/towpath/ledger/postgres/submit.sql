-- Inserts document, run and first job. Skips documents that the organization already has; the caller handles them.
with item as (
  select distinct on (item.document_id) *
  from jsonb_to_recordset(cast(:rows as jsonb)) as item (
    document_id uuid, org_id uuid, kind text, name text, media_type text, size bigint, sha256 text,
    blob_key text, key text, run_id uuid, pipeline text, version integer, options jsonb,
    deadline_seconds double precision, continue_after_timeout boolean, policy jsonb, job_id uuid, stage text,
    payload jsonb, max_attempts integer
  )
  order by item.document_id, item.run_id
),
new_documents as (
  insert into documents (
    id, org_id, kind, name, media_type, size, sha256, blob_key, key, status, created_at, updated_at
  )
  select
    document_id, org_id, kind, name, media_type, size, sha256, blob_key, key, 'PROCESSING', :now, :now
  from item
  on conflict do nothing
  returning id
),
new_items as (
  select item.* from item join new_documents on new_documents.id = item.document_id
),
new_runs as (
  insert into processing_runs (
    id, org_id, document_id, pipeline, pipeline_version, state, options, deadline_seconds,
    continue_after_timeout, policy, reason, created_at
  )
  select
    run_id, org_id, document_id, pipeline, version, 'QUEUED', options, deadline_seconds,
    continue_after_timeout, policy, 'submitted', :now
  from new_items
),
new_jobs as (
  insert into document_processing_jobs (
    id, org_id, document_id, run_id, stage, status, payload, max_attempts, available_at, created_at,
    updated_at
  )
  select
    job_id, org_id, document_id, run_id, stage, 'PENDING', payload, max_attempts, :now, :now, :now
  from new_items
),
written_events as (
  insert into run_events (org_id, run_id, kind, at)
  select org_id, run_id, 'RUN_QUEUED', :now from new_items
)
-- At most one notification for the whole batch.
select cast(run_id as text) as run_id, case when :notify then pg_notify('towpath', '') end from new_items
