-- Suspends a job until a given time. Uses no attempt. A stage that has done a part of its work did not end its process:
-- the job is no suspect, and its crashes are counted from 0 again. If the throttle that the job waits for was ended in
-- the meantime, the job is due soon instead. Waiting for the storage or for a paused stage moves the deadline of the
-- run: neither is a reason to end it.
-- include select_leased_jobs
update batch
set item = json_set(item, '$.until', item ->> 'until_if_resumed')
where item ->> 'reason' in ('provider_throttled', 'provider_refused')
  and item ->> 'provider' in (
    select provider from provider_throttles where throttled_until = updated_at
  );
update document_processing_jobs
set status = 'PENDING',
    available_at = batch.item ->> 'until',
    payload = case
      when batch.item ->> 'payload' is null then document_processing_jobs.payload
      else batch.item -> 'payload'
    end,
    waiting_reason = batch.item ->> 'reason',
    waiting_provider = batch.item ->> 'provider',
    waiting_until = batch.item ->> 'until',
    waiting_detail = batch.item ->> 'detail',
    error_log = case
      when batch.item ->> 'line' is null then error_log
      else substr(coalesce(error_log || char(10), '') || (batch.item ->> 'line'), -8000)
    end,
    crashes = case when batch.item ->> 'reason' in ('free_worker', 'provider_operation') then 0 else crashes end,
    suspect = suspect and batch.item ->> 'reason' not in ('free_worker', 'provider_operation'),
    lease_until = null,
    locked_by = null,
    updated_at = :now
from batch
where document_processing_jobs.id = batch.job_id;
update processing_runs
set deadline_at = plus_seconds(deadline_at, seconds_between(:now, batch.item ->> 'until'))
from batch
where processing_runs.id = batch.run_id and batch.item ->> 'reason' in ('storage', 'paused') and deadline_at is not null;
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  org_id, run_id, job_id, 'STEP_SUSPENDED', stage, :now,
  json_object(
    'waiting_reason', item ->> 'reason', 'waiting_provider', item ->> 'provider',
    'waiting_until', item ->> 'until', 'waiting_detail', item ->> 'detail'
  )
from batch;
select job_id, document_id, run_id, org_id, 'PENDING' as status, null as ended from batch;
