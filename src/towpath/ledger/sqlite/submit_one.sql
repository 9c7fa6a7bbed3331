-- Inserts one document with its run and its first job; nothing, and no row, if the organization already has it.
--
-- Does the same as submit, in less time: without a list there is no JSON to read. `changes()` is the number of rows
-- that the statement before inserted.
insert into documents (
  id, org_id, kind, name, media_type, size, sha256, blob_key, key, status, created_at, updated_at
)
values (
  :document_id, :org_id, :kind, :name, :media_type, :size, :sha256, :blob_key, :key, 'PROCESSING', :now, :now
)
on conflict do nothing;
insert into processing_runs (
  id, org_id, document_id, pipeline, pipeline_version, state, options, deadline_seconds,
  continue_after_timeout, policy, reason, created_at
)
select
  :run_id, :org_id, :document_id, :pipeline, :version, 'QUEUED', :options, :deadline_seconds,
  :continue_after_timeout, :policy, 'submitted', :now
where changes() = 1;
insert into document_processing_jobs (
  id, org_id, document_id, run_id, stage, status, payload, max_attempts, available_at, created_at,
  updated_at
)
select
  :job_id, :org_id, :document_id, :run_id, :stage, 'PENDING', :payload, :max_attempts, :now, :now, :now
where changes() = 1;
insert into run_events (org_id, run_id, kind, at)
select :org_id, :run_id, 'RUN_QUEUED', :now
where changes() = 1;
select :run_id as run_id where changes() = 1;
