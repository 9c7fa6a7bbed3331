-- Part of claim and claim_by_id: starts the runs of locked_jobs, takes the leases and writes the events.
started_runs as (
  -- The oldest QUEUED run of a document starts when none is RUNNING.
  update processing_runs as run
  set state = 'RUNNING',
      started_at = :now,
      deadline_at = :now + run.deadline_seconds * interval '1 second'
  where run.id = any(array(select run_id from locked_jobs)) and run.state = 'QUEUED'
    and not exists (
      select 1
      from processing_runs as other
      where other.document_id = run.document_id
        and (other.state = 'RUNNING'
          or (other.state = 'QUEUED' and (other.created_at, other.id) < (run.created_at, run.id)))
    )
  returning run.id, run.org_id
),
claimed_jobs as (
  -- A job whose run could not start or has ended stays as it is.
  update document_processing_jobs as job
  set status = 'PROCESSING',
      lease_epoch = job.lease_epoch + 1,
      lease_until = :until,
      last_heartbeat = :now,
      locked_by = :worker,
      locked_at = :now,
      started_at = coalesce(job.started_at, :now),
      waiting_reason = null,
      waiting_provider = null,
      waiting_until = null,
      waiting_run_id = null,
      waiting_detail = null,
      updated_at = :now
  where job.id = any(array(select id from locked_jobs))
    and case (select run.state from processing_runs as run where run.id = job.run_id)
      when 'RUNNING' then true
      when 'QUEUED' then job.run_id = any(array(select id from started_runs))
      when 'COMPLETED' then job.follow_up
      else false
    end
  returning
    job.id, job.org_id, job.document_id, job.run_id, job.stage, job.payload, job.attempts,
    job.max_attempts, job.crashes, job.suspect, job.lease_epoch, job.follow_up, job.sealed_password
),
written_events as (
  -- The history of the runs.
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select org_id, id, null, 'RUN_STARTED', null, :now, null from started_runs
  union all
  select
    org_id, run_id, id, 'STEP_STARTED', stage, :now,
    jsonb_build_object('worker', :worker, 'epoch', lease_epoch)
  from claimed_jobs as claimed
)
select
  cast(claimed.id as text), cast(claimed.org_id as text), cast(claimed.document_id as text),
  cast(claimed.run_id as text), claimed.stage, claimed.payload, claimed.attempts, claimed.max_attempts,
  claimed.crashes, claimed.suspect, claimed.lease_epoch, claimed.follow_up, run.pipeline, run.options,
  run.policy,
  (select jsonb_object_agg(done.stage, done.result)
   from document_processing_jobs as done
   where done.document_id = claimed.document_id and done.run_id = claimed.run_id
     and done.status = 'COMPLETED') as results,
  claimed.sealed_password
from claimed_jobs as claimed
join locked_jobs on locked_jobs.id = claimed.id
cross join lateral (
  select pipeline, options, policy from processing_runs where id = claimed.run_id limit 1
) as run
order by locked_jobs.rank_in_org, locked_jobs.turn, claimed.org_id
