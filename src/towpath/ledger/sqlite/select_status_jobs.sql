-- What a status shows of the jobs of these runs. Results are large, so only what a status needs of them is read. The
-- document is the first column of the index.
select
  id,
  run_id,
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
  progress,
  json_extract(result, '$.calls') as calls,
  case when stage not in (select value from json_each(:shipped)) then result end as own_result,
  case when status = 'PROCESSING' then payload end as payload,
  waiting_reason,
  waiting_provider,
  waiting_until,
  waiting_run_id,
  waiting_detail,
  error_log
from document_processing_jobs
where
  document_id in (select value from json_each(:ids))
  and run_id in (select value from json_each(:runs))
  and +org_id = :org
order by created_at, id
