-- Part of claim and select_due_jobs: the first :limit due jobs of each lane, ranked within their organization.
with recursive lanes (org_id, stage) as (
  -- One index descent for each lane; the last row is null.
  select org_id, stage
  from (
    select org_id, stage
    from document_processing_jobs
    where status = 'PENDING'
    order by org_id, stage
    limit 1
  )
  union all
  select
    (select job.org_id
     from document_processing_jobs as job
     where job.status = 'PENDING' and (job.org_id, job.stage) > (lanes.org_id, lanes.stage)
     order by job.org_id, job.stage
     limit 1),
    (select job.stage
     from document_processing_jobs as job
     where job.status = 'PENDING' and (job.org_id, job.stage) > (lanes.org_id, lanes.stage)
     order by job.org_id, job.stage
     limit 1)
  from lanes
  where lanes.org_id is not null
),
due_lanes as (
  -- Only lanes with a due job count: otherwise lanes that wait would hide a lane that is due.
  select org_id, stage, org_id <= :after as turn
  from lanes
  where org_id is not null
    and (:stages is null or stage in (select value from json_each(:stages)))
    and exists (
      select 1
      from document_processing_jobs as ready
      where ready.status = 'PENDING' and ready.org_id = lanes.org_id and ready.stage = lanes.stage
        and ready.available_at <= :now
    )
  order by org_id <= :after, org_id, stage
  limit :lanes
),
due_jobs as (
  -- The oldest jobs of each lane.
  select
    job.id, job.org_id, job.document_id, job.run_id, job.stage, due_lanes.turn,
    row_number() over (partition by job.org_id order by job.available_at, job.id) as rank_in_org
  from due_lanes
  cross join document_processing_jobs as job
  where job.id in (
      select ready.id
      from document_processing_jobs as ready
      where ready.status = 'PENDING' and ready.org_id = due_lanes.org_id and ready.stage = due_lanes.stage
        and ready.available_at <= :now
      order by ready.available_at, ready.id
      limit :limit
    )
)
