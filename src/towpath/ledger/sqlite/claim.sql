-- Claims the oldest due jobs, taking turns between organizations from the one after :after.
--
--  1. lanes       each (organization, stage) with PENDING jobs, found by one index descent per lane
--  2. due_lanes   the lanes with a due job whose stage this worker has, in the order of turns
--  3. due_jobs    the first :limit due jobs of each lane, ranked within their organization
--  4. RUN_STARTED events, then QUEUED runs become RUNNING if no other run of the document is
--  5. jobs whose run could not start are left out
--  6. the jobs become PROCESSING with a new epoch and lease; STEP_STARTED events
--  7. the claimed jobs with the results of the stages before
--
-- SQLite's write lock is held from the start, so the rows that are read are the rows that are claimed.
delete from batch;
insert into batch (job_id, org_id, document_id, run_id, stage, rank_in_org, turn)
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
select id, org_id, document_id, run_id, stage, rank_in_org, turn
from due_jobs
order by rank_in_org, turn, org_id
limit :limit;
insert into run_events (org_id, run_id, kind, at)
select run.org_id, run.id, 'RUN_STARTED', :now
from batch
join processing_runs as run on run.id = batch.run_id
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
  and id in (select run_id from batch)
  and not exists (
    select 1
    from processing_runs as other
    where other.document_id = processing_runs.document_id
      and (other.state = 'RUNNING'
        or (other.state = 'QUEUED'
          and (other.created_at, other.id) < (processing_runs.created_at, processing_runs.id)))
  );
delete from batch
where not exists (
  select 1
  from processing_runs as run
  join document_processing_jobs as job on job.id = batch.job_id
  where run.id = batch.run_id
    and (run.state = 'RUNNING' or (run.state = 'COMPLETED' and job.follow_up))
);
update document_processing_jobs
set status = 'PROCESSING',
    lease_epoch = lease_epoch + 1,
    lease_until = :until,
    last_heartbeat = :now,
    locked_by = :worker,
    locked_at = :now,
    started_at = coalesce(started_at, :now),
    waiting_reason = null,
    waiting_provider = null,
    waiting_until = null,
    waiting_run_id = null,
    waiting_detail = null,
    updated_at = :now
where id in (select job_id from batch);
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  batch.org_id, batch.run_id, batch.job_id, 'STEP_STARTED', batch.stage, :now,
  json_object('worker', :worker, 'epoch', job.lease_epoch)
from batch
join document_processing_jobs as job on job.id = batch.job_id
order by batch.rank_in_org, batch.turn, batch.org_id;
select
  job.id, job.org_id, job.document_id, job.run_id, job.stage, job.payload, job.attempts,
  job.max_attempts, job.crashes, job.suspect, job.lease_epoch, job.follow_up, run.pipeline, run.options,
  run.policy,
  (select json_group_object(done.stage, json(done.result))
   from document_processing_jobs as done
   where done.document_id = job.document_id and done.run_id = job.run_id
     and done.status = 'COMPLETED') as results
from batch
join document_processing_jobs as job on job.id = batch.job_id
join processing_runs as run on run.id = job.run_id
order by batch.rank_in_org, batch.turn, batch.org_id;
