-- What a status shows of the jobs of these runs. Results are large, so only what a status needs of them is read. The
-- document is the first column of the index.
select
  cast(id as text) as id,
  cast(run_id as text) as run_id,
  stage,
  status,
  attempts,
  crashes,
  started_at,
  completed_at,
  last_heartbeat,
  updated_at,
  available_at,
  reused_from is not null as reused,
  cast(progress as text) as progress,
  result ->> 'calls' as calls,
  case when stage <> all(:shipped) then cast(result as text) end as own_result,
  case when status = 'PROCESSING' then cast(payload as text) end as payload,
  waiting_reason,
  waiting_provider,
  waiting_until,
  cast(waiting_run_id as text) as waiting_run_id,
  waiting_detail,
  error_log
from document_processing_jobs
where
  document_id = any(cast(:ids as uuid[])) and run_id = any(cast(:runs as uuid[])) and org_id = :org
order by document_processing_jobs.created_at, document_processing_jobs.id
