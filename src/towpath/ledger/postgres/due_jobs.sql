-- Part of claim and select_due_jobs: the first :window due jobs of each lane, ranked within their organization.
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
)
