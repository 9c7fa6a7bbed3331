-- Suspends a job until a given time. Uses no attempt. A stage that has done a part of its work did not end its process:
-- the job is no suspect, and its crashes are counted from 0 again. If the throttle that the job waits for was ended in
-- the meantime, the job is due soon instead. Waiting for the storage or for a paused stage moves the deadline of the
-- run: neither is a reason to end it.
with items as (
  select *
  from jsonb_to_recordset(cast(:rows as jsonb)) as item (
    job_id uuid, epoch bigint, until timestamptz, until_if_resumed timestamptz, reason text, provider text,
    detail text, payload jsonb, line text
  )
),
throttles as (
  -- Locked before it is read: `resume` either is committed, or waits and finds this job suspended.
  select provider, throttled_until = updated_at as was_resumed
  from provider_throttles
  where provider in (
    select items.provider from items where items.reason in ('provider_throttled', 'provider_refused')
  )
  for share
),
updated_jobs as (
  update document_processing_jobs as job
  set status = 'PENDING',
      available_at = item.due,
      payload = coalesce(item.payload, job.payload),
      waiting_reason = item.reason,
      waiting_provider = item.provider,
      waiting_until = item.due,
      waiting_detail = item.detail,
      error_log = case
        when item.line is null then job.error_log
        else right(concat_ws(e'\n', job.error_log, item.line), 8000)
      end,
      crashes = case when item.reason in ('free_worker', 'provider_operation') then 0 else job.crashes end,
      suspect = job.suspect and item.reason not in ('free_worker', 'provider_operation'),
      lease_until = null,
      locked_by = null,
      updated_at = :now
  from (
    select
      items.*,
      case when throttles.was_resumed then items.until_if_resumed else items.until end as due
    from items
    left join throttles
      on throttles.provider = items.provider and items.reason in ('provider_throttled', 'provider_refused')
  ) as item
  where job.id = item.job_id and job.lease_epoch = item.epoch and job.status = 'PROCESSING'
  returning
    job.id as job_id, job.org_id, job.document_id, job.run_id, job.stage, item.reason, item.provider,
    item.detail, item.due as until
),
moved_deadlines as (
  update processing_runs as run
  set deadline_at = run.deadline_at + (updated_jobs.until - cast(:now as timestamptz))
  from updated_jobs
  where run.id = updated_jobs.run_id and updated_jobs.reason in ('storage', 'paused')
),
written_events as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select
    org_id, run_id, job_id, 'STEP_SUSPENDED', stage, :now,
    jsonb_build_object(
      'waiting_reason', reason, 'waiting_provider', provider, 'waiting_until', until,
      'waiting_detail', detail
    )
  from updated_jobs
)
select job_id, document_id, run_id, org_id, 'PENDING' as status, cast(null as text) as ended from updated_jobs
