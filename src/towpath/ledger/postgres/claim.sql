-- Claims the oldest due jobs, taking turns between organizations from the one after :after.
--
--  1. org_ranges       the two ranges of organization ids: those after :after first, then the rest
--  2. lanes            each (organization, stage) with PENDING jobs, found by one index descent per lane
--  3. due_lanes        the lanes whose oldest job is due and whose stage this worker has
--  4. due_jobs         the first :window due jobs of each lane, ranked within their organization
--  5. locked_jobs      the first :limit of them in rank order that no other claim holds, locked
--  6. started_runs     QUEUED runs of these jobs become RUNNING if no other run of the document is
--  7. claimed_jobs     the jobs become PROCESSING with a new epoch and lease
--  8. written_events   RUN_STARTED and STEP_STARTED
--
-- Rows are fetched by `= any(array(...))` and by lateral look-ups, so that a plan made while the tables were empty
-- is still a walk through primary keys when they hold a million rows.
with recursive org_ranges (turn, after_org, last_org) as (
  -- Organizations served later in this round have turn 1.
  values
    (0, cast(:after as uuid), cast('ffffffff-ffff-ffff-ffff-ffffffffffff' as uuid)),
    (1, cast('00000000-0000-0000-0000-000000000000' as uuid), cast(:after as uuid))
),
lanes as (
  -- due_before counts only lanes with a due job: otherwise lanes that wait would hide a lane that is due.
  select org_ranges.turn, org_ranges.last_org, first_job.org_id, first_job.stage, first_job.available_at,
    0 as due_before
  from org_ranges
  cross join lateral (
    select job.org_id, job.stage, job.available_at
    from document_processing_jobs as job
    where job.status = 'PENDING' and job.org_id > org_ranges.after_org and job.org_id <= org_ranges.last_org
    order by job.org_id, job.stage, job.available_at
    limit 1
  ) as first_job
  union all
  select lane.turn, lane.last_org, next_job.org_id, next_job.stage, next_job.available_at, counted.due_before
  from lanes as lane
  cross join lateral (
    select lane.due_before + cast(
      lane.available_at <= :now
        and (cast(:stages as text[]) is null or lane.stage = any(cast(:stages as text[])))
      as integer) as due_before
  ) as counted
  cross join lateral (
    select job.org_id, job.stage, job.available_at
    from document_processing_jobs as job
    where job.status = 'PENDING' and (job.org_id, job.stage) > (lane.org_id, lane.stage)
      and job.org_id <= lane.last_org
    order by job.org_id, job.stage, job.available_at
    limit 1
  ) as next_job
  where counted.due_before < :lanes
),
due_lanes as (
  -- The lanes to take jobs from.
  select org_id, stage, turn
  from lanes
  where available_at <= :now
    and (cast(:stages as text[]) is null or stage = any(cast(:stages as text[])))
),
due_jobs as (
  -- The window is wider than the batch, since claims that run at the same time skip each other's rows. The planner
  -- must not know its width: it would take all lanes to be of average length, read a long lane whole and sort it
  -- (113,000 rows instead of 7,000).
  select
    ready.id,
    due_lanes.turn,
    due_lanes.org_id,
    row_number() over (partition by due_lanes.org_id order by ready.available_at, ready.id) as rank_in_org
  from due_lanes
  cross join lateral (
    select job.id, job.available_at
    from document_processing_jobs as job
    where job.status = 'PENDING' and job.org_id = due_lanes.org_id and job.stage = due_lanes.stage
      and job.available_at <= :now
    order by job.available_at, job.id
    limit (select cast(:window as bigint))
  ) as ready
),
locked_jobs as (
  -- Rows that another claim has locked are skipped.
  select job.id, job.run_id, ranked.rank_in_org, ranked.turn
  from (select id, rank_in_org, turn from due_jobs order by rank_in_org, turn, org_id) as ranked
  cross join lateral (
    select job.id, job.run_id
    from document_processing_jobs as job
    where job.id = ranked.id and job.status = 'PENDING' and job.available_at <= :now
    for update skip locked
  ) as job
  limit :limit
),
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
    job.max_attempts, job.crashes, job.suspect, job.lease_epoch, job.follow_up
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
     and done.status = 'COMPLETED') as results
from claimed_jobs as claimed
join locked_jobs on locked_jobs.id = claimed.id
cross join lateral (
  select pipeline, options, policy from processing_runs where id = claimed.run_id limit 1
) as run
order by locked_jobs.rank_in_org, locked_jobs.turn, claimed.org_id
