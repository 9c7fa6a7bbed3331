-- Takes the oldest due jobs, going round the organizations from the one after :after.
-- Lanes are found by hopping through the claim index, one descent for each (organization, stage). Only
-- lanes with something due count as looked at, or organizations that wait would hide one that works.
-- The write lock is held from the start, so the rows looked at are the rows taken.
-- The first job of a QUEUED run moves the run to RUNNING, if no other run of its document is.
delete from held;
insert into held (job_id, org_id, document_id, run_id, stage, place, turn)
with recursive lane (org_id, stage, depth) as (
  select org_id, stage, 1
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
     where job.status = 'PENDING' and (job.org_id, job.stage) > (lane.org_id, lane.stage)
     order by job.org_id, job.stage
     limit 1),
    (select job.stage
     from document_processing_jobs as job
     where job.status = 'PENDING' and (job.org_id, job.stage) > (lane.org_id, lane.stage)
     order by job.org_id, job.stage
     limit 1),
    depth + 1
  from lane
  where lane.org_id is not null
),
turns as (
  select org_id, stage, org_id <= :after as turn
  from lane
  where org_id is not null
    and (:stages is null or stage in (select value from json_each(:stages)))
    and exists (
      select 1
      from document_processing_jobs as ready
      where ready.status = 'PENDING' and ready.org_id = lane.org_id and ready.stage = lane.stage
        and ready.available_at <= :now
    )
  order by org_id <= :after, org_id, stage
  limit :lanes
),
due as (
  select
    job.id, job.org_id, job.document_id, job.run_id, job.stage, turns.turn,
    row_number() over (partition by job.org_id order by job.available_at, job.id) as place
  from turns
  cross join document_processing_jobs as job
  where job.id in (
      select ready.id
      from document_processing_jobs as ready
      where ready.status = 'PENDING' and ready.org_id = turns.org_id and ready.stage = turns.stage
        and ready.available_at <= :now
      order by ready.available_at, ready.id
      limit :limit
    )
)
select id, org_id, document_id, run_id, stage, place, turn
from due
order by place, turn, org_id
limit :limit;
insert into run_events (org_id, run_id, kind, at)
select run.org_id, run.id, 'RUN_STARTED', :now
from held
join processing_runs as run on run.id = held.run_id
where run.state = 'QUEUED'
  and not exists (
    select 1
    from processing_runs as other
    where other.document_id = run.document_id
      and (other.state = 'RUNNING'
        or (other.state = 'QUEUED' and (other.created_at, other.id) < (run.created_at, run.id)))
  );
update processing_runs
set state = 'RUNNING',
    started_at = :now,
    deadline_at = plus_seconds(:now, deadline_seconds)
where state = 'QUEUED'
  and id in (select run_id from held)
  and not exists (
    select 1
    from processing_runs as other
    where other.document_id = processing_runs.document_id
      and (other.state = 'RUNNING'
        or (other.state = 'QUEUED'
          and (other.created_at, other.id) < (processing_runs.created_at, processing_runs.id)))
  );
delete from held
where not exists (
  select 1
  from processing_runs as run
  join document_processing_jobs as job on job.id = held.job_id
  where run.id = held.run_id
    and (run.state = 'RUNNING' or (run.state = 'COMPLETED' and job.follow_up))
);
update document_processing_jobs
set status = 'PROCESSING',
    lease_epoch = lease_epoch + 1,
    lease_until = :until,
    locked_by = :worker,
    locked_at = :now,
    started_at = coalesce(started_at, :now),
    waiting_for = null,
    updated_at = :now
where id in (select job_id from held);
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  held.org_id, held.run_id, held.job_id, 'STEP_STARTED', held.stage, :now,
  json_object('worker', :worker, 'epoch', job.lease_epoch)
from held
join document_processing_jobs as job on job.id = held.job_id
order by held.place, held.turn, held.org_id;
select
  job.id, job.org_id, job.document_id, job.run_id, job.stage, job.payload, job.attempts,
  job.max_attempts, job.crashes, job.lease_epoch, job.follow_up, run.pipeline, run.options,
  (select json_group_object(done.stage, json(done.result))
   from document_processing_jobs as done
   where done.document_id = job.document_id and done.run_id = job.run_id
     and done.status = 'COMPLETED') as known
from held
join document_processing_jobs as job on job.id = held.job_id
join processing_runs as run on run.id = job.run_id
order by held.place, held.turn, held.org_id;
