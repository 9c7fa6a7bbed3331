-- Inserts one document with its run and its first job; nothing, and no row, if the organization already has it.
--
-- Does the same as submit, in less time: without a list there is no JSON to read and nothing to join.
with new_documents as (
  insert into documents (
    id, org_id, kind, name, media_type, size, sha256, blob_key, key, status, created_at, updated_at
  )
  values (
    cast(:document_id as uuid), cast(:org_id as uuid), :kind, :name, :media_type, :size, :sha256, :blob_key, :key,
    'PROCESSING', :now, :now
  )
  on conflict do nothing
  returning id, org_id
),
new_runs as (
  insert into processing_runs (
    id, org_id, document_id, pipeline, pipeline_version, state, options, deadline_seconds,
    continue_after_timeout, policy, reason, created_at
  )
  select
    cast(:run_id as uuid), org_id, id, :pipeline, :version, 'QUEUED', cast(:options as jsonb),
    cast(:deadline_seconds as double precision), :continue_after_timeout, cast(:policy as jsonb), 'submitted', :now
  from new_documents
),
new_jobs as (
  insert into document_processing_jobs (
    id, org_id, document_id, run_id, stage, status, payload, max_attempts, available_at, created_at,
    updated_at
  )
  select
    cast(:job_id as uuid), org_id, id, cast(:run_id as uuid), :stage, 'PENDING', cast(:payload as jsonb),
    :max_attempts, :now, :now, :now
  from new_documents
),
written_events as (
  insert into run_events (org_id, run_id, kind, at)
  select org_id, cast(:run_id as uuid), 'RUN_QUEUED', :now from new_documents
)
select cast(:run_id as text) as run_id, case when :notify then pg_notify('towpath', '') end from new_documents
