-- Takes the oldest due jobs, going round the organizations from the one after :after.
-- Lanes are found by hopping through the claim index, one descent for each (organization, stage). Only
-- lanes with something due count as looked at, or organizations that wait would hide one that works.
-- A window wider than the batch is looked at unlocked; the first free rows in order are locked. Its width is
-- hidden from the planner: knowing it, and taking all lanes to be of average length, it would read a flooded
-- lane whole and sort it (113,000 rows instead of 7,000).
-- Rows are fetched by `= any(array(...))` and by lateral look-ups, so that a plan made while the tables
-- were empty is still a walk through primary keys when they hold a million rows.
-- The first job of a QUEUED run moves the run to RUNNING, if no other run of its document is.
with recursive after_turn as (
  (select org_id, stage, available_at, 0 as open
   from document_processing_jobs
   where status = 'PENDING' and org_id > cast(:after as uuid)
   order by org_id, stage, available_at
   limit 1)
  union all
  select hop.org_id, hop.stage, hop.available_at, lane.open + looked.open
  from after_turn as lane
  cross join lateral (
    select cast(
      lane.available_at <= :now
        and (cast(:stages as text[]) is null or lane.stage = any(cast(:stages as text[])))
      as integer) as open
  ) as looked
  cross join lateral (
    select job.org_id, job.stage, job.available_at
    from document_processing_jobs as job
    where job.status = 'PENDING' and (job.org_id, job.stage) > (lane.org_id, lane.stage)
    order by job.org_id, job.stage, job.available_at
    limit 1
  ) as hop
  where lane.open + looked.open < :lanes
),
before_turn as (
  (select org_id, stage, available_at, 0 as open
   from document_processing_jobs
   where status = 'PENDING' and org_id <= cast(:after as uuid)
   order by org_id, stage, available_at
   limit 1)
  union all
  select hop.org_id, hop.stage, hop.available_at, lane.open + looked.open
  from before_turn as lane
  cross join lateral (
    select cast(
      lane.available_at <= :now
        and (cast(:stages as text[]) is null or lane.stage = any(cast(:stages as text[])))
      as integer) as open
  ) as looked
  cross join lateral (
    select job.org_id, job.stage, job.available_at
    from document_processing_jobs as job
    where job.status = 'PENDING' and (job.org_id, job.stage) > (lane.org_id, lane.stage)
      and job.org_id <= cast(:after as uuid)
    order by job.org_id, job.stage, job.available_at
    limit 1
  ) as hop
  where lane.open + looked.open < :lanes
),
lanes as (
  select org_id, stage, turn
  from (
    select org_id, stage, available_at, 0 as turn from after_turn
    union all
    select org_id, stage, available_at, 1 as turn from before_turn
  ) as lane
  where available_at <= :now
    and (cast(:stages as text[]) is null or stage = any(cast(:stages as text[])))
),
due as (
  select
    ready.id,
    lanes.turn,
    lanes.org_id,
    row_number() over (partition by lanes.org_id order by ready.available_at, ready.id) as place
  from lanes
  cross join lateral (
    select job.id, job.available_at
    from document_processing_jobs as job
    where job.status = 'PENDING' and job.org_id = lanes.org_id and job.stage = lanes.stage
      and job.available_at <= :now
    order by job.available_at, job.id
    limit (select cast(:window as bigint))
  ) as ready
),
chosen as (
  select job.id, job.run_id, ranked.place, ranked.turn
  from (select id, place, turn from due order by place, turn, org_id) as ranked
  cross join lateral (
    select job.id, job.run_id
    from document_processing_jobs as job
    where job.id = ranked.id and job.status = 'PENDING' and job.available_at <= :now
    for update skip locked
  ) as job
  limit :limit
),
started as (
  update processing_runs as run
  set state = 'RUNNING',
      started_at = :now,
      deadline_at = :now + run.deadline_seconds * interval '1 second'
  where run.id = any(array(select run_id from chosen)) and run.state = 'QUEUED'
    and not exists (
      select 1
      from processing_runs as other
      where other.document_id = run.document_id
        and (other.state = 'RUNNING'
          or (other.state = 'QUEUED' and (other.created_at, other.id) < (run.created_at, run.id)))
    )
  returning run.id, run.org_id
),
claimed as (
  update document_processing_jobs as job
  set status = 'PROCESSING',
      lease_epoch = job.lease_epoch + 1,
      lease_until = :until,
      locked_by = :worker,
      locked_at = :now,
      started_at = coalesce(job.started_at, :now),
      waiting_for = null,
      updated_at = :now
  where job.id = any(array(select id from chosen))
    and case (select run.state from processing_runs as run where run.id = job.run_id)
      when 'RUNNING' then true
      when 'QUEUED' then job.run_id = any(array(select id from started))
      when 'COMPLETED' then job.follow_up
      else false
    end
  returning
    job.id, job.org_id, job.document_id, job.run_id, job.stage, job.payload, job.attempts,
    job.max_attempts, job.crashes, job.lease_epoch, job.follow_up
),
written as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select org_id, id, null, 'RUN_STARTED', null, :now, null from started
  union all
  select
    org_id, run_id, id, 'STEP_STARTED', stage, :now,
    jsonb_build_object('worker', :worker, 'epoch', lease_epoch)
  from claimed
)
select
  cast(claimed.id as text), cast(claimed.org_id as text), cast(claimed.document_id as text),
  cast(claimed.run_id as text), claimed.stage, claimed.payload, claimed.attempts, claimed.max_attempts,
  claimed.crashes, claimed.lease_epoch, claimed.follow_up, run.pipeline, run.options,
  (select jsonb_object_agg(done.stage, done.result)
   from document_processing_jobs as done
   where done.document_id = claimed.document_id and done.run_id = claimed.run_id
     and done.status = 'COMPLETED') as known
from claimed
join chosen on chosen.id = claimed.id
cross join lateral (
  select pipeline, options from processing_runs where id = claimed.run_id limit 1
) as run
order by chosen.place, chosen.turn, claimed.org_id
